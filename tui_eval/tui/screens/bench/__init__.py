"""The scorer bench: scorers side by side on stored replies, blind ratings, and rules for reading letters."""
