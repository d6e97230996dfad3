"""The nouns, errors, money and plain text that everything else is written in."""
