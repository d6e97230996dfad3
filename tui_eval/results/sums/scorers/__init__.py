"""Errors of scorers by persons' ratings, and the sentences about them."""
