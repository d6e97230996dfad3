"""Roles of a file's columns in a question."""

from __future__ import annotations

from collections.abc import Mapping

ROLES: Mapping[str, str] = {
    "question": "its text",
    "answer": "the right one: a text, or of a question with options its letter, number or text",
    "options": "a column for each, in their order, or one that lists them",
    "id": "what it is called",
    "documents": "the names of the files it is asked of",
    "group": "what sort of question it is: of one with options its domain",
    "turns": "its number in its conversation, or a list of all questions of one",
    "conversation": "which conversation it belongs to",
}
"""By their names, with what is meant. The dialog of the app and the option of the command line are made of this."""
GUESSED = ("question", "answer", "options", "id")
"""Those that names tell; what makes conversations of questions is said by a person."""
ALSO: Mapping[str, str] = {"truth": "answer", "choices": "options", "document": "documents", "turn": "turns"}
"""Other words for some of them, on the command line."""
SEVERAL = "options"
"""The only one of them that several columns can be."""
