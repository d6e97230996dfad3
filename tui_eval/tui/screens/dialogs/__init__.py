"""Dialogs: questions, lists and paths that any screen may ask for."""
