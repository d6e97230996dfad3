"""Scores by a function of a person's own: its row, and the lookup of what it gave. Nothing here runs it."""
