"""Queries that a person types to find rows of a list."""
