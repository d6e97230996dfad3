"""Questions whose answers are letters, and answers to them that were given elsewhere, from the files people have."""
