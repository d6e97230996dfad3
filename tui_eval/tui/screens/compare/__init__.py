"""Runs compared: pairs, sides, the questions on which they differ, and charts."""
