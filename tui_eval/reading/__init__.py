"""Model text to what it means: a letter, a grade; and prompts filled in. Pure."""
