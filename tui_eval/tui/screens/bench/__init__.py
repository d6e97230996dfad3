"""The extraction bench: another rule for reading letters, tried on stored replies."""
