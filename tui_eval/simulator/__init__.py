"""A pretend model service on this machine, for trying tui-eval without a key; all it says is labelled simulated."""
