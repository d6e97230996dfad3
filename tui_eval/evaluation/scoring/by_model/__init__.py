"""Scores that a model gives, in place of a rule."""
