"""Run folders: written, read, locked, listed, steered."""
