"""The list of runs, and actions on them."""
