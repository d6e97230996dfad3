"""Models compared on the questions they have in common, within a run and across runs."""
