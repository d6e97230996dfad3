"""Widgets: they are handed values that are safe to show, never paths."""
