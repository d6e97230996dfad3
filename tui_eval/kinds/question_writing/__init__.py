"""Questions that a model writes about documents, as two kinds ask for them."""
