"""What a column of a file can be of a question."""

from __future__ import annotations

from collections.abc import Mapping

ROLES: Mapping[str, str] = {
    "question": "its text",
    "answer": "the right one: a text, or of a question with options its letter, number or text",
    "options": "a column for each, in their order, or one that lists them",
    "id": "what it is called",
}
"""By their names, with what is meant. The dialog of the app and the option of the command line are made of this."""
SEVERAL = "options"
"""The only one of them that several columns can be."""
