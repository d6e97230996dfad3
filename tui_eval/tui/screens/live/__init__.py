"""The monitor of one run."""
