"""Conversion of a record's text into text for the screen: no escape, no mark-up, no sign whose width terminals disagree on."""

from __future__ import annotations

import re
import unicodedata

from tui_eval.core.plaintext import one_line, visible

LONGEST_LINE = 500
"""Characters of a record that a row of a table can hold."""
LONGEST_TEXT = 200_000
"""Characters of one field that are shown at first; a key shows the rest."""
MARKS = 2
"""Combining marks that stay on one letter."""

_JOINERS = re.compile(
    "[\u200b-\u200d\u2060\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef\U0001f3fb-\U0001f3ff\u00ad\u034f]"
)
"""What joins or changes the signs before it: terminals draw the result in one, two or four columns, as they like."""


def safe(text: str) -> str:
    """Text of several lines as it may be shown: controls as pictures, tabs as blanks, every sign as wide as it is counted."""
    return _steady(visible(text).replace("\t", "    "))


def safe_line(text: object, limit: int = LONGEST_LINE) -> str:
    """Anything as one line of at most `limit` characters; "-" where it is not known."""
    return "-" if text is None else _steady(one_line(str(text), limit))


def _steady(text: str) -> str:
    """Without joined and heaped signs; a mark at the start of a line or a word gets something to stand on."""
    if text.isascii():
        return text
    text = _JOINERS.sub("", text)
    if not any(map(_is_mark, set(text))):
        return text
    pieces: list[str] = []
    heaped, letter = 0, "\n"
    for letter_or_mark in text:
        if _is_mark(letter_or_mark):
            heaped += 1
            if heaped > MARKS:
                continue
            if letter.isspace():
                pieces.append("\u25cc")
        else:
            heaped = 0
        pieces.append(letter_or_mark)
        letter = letter_or_mark
    return "".join(pieces)


def _is_mark(letter: str) -> bool:
    return bool(unicodedata.combining(letter)) or unicodedata.category(letter) in ("Mn", "Me")
