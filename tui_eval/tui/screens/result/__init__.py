"""The results of one run: its screen, the parts of it, and what opens from them."""
