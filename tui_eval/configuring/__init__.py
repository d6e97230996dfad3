"""From a config to a checked evaluation: loading, drafting, preparing and reopening runs."""
