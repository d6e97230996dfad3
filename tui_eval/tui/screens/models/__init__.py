"""Screen 1: the models on file, and everything that is done to them."""
