"""Forms in which other programs keep questions: conversations, lists of turns or messages, tests, questions by picture."""
