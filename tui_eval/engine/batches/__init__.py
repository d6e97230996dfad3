"""Batch mode: calls handed over in files, awaited, and taken up again."""
