"""Runs over several machines: a coordinator that owns the run folder, and workers that ask. Loaded for `--cluster` alone."""
