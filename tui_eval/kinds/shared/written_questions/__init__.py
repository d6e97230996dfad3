"""Questions that a model writes about documents: asked for, read, held against the text, looked at by a second model."""
