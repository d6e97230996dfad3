"""Sentences that may only tell how an option looks from somewhere: `To a hurried reader, B is right`."""

from __future__ import annotations

import re

from tui_eval.reading.letters.cues import NAMED, OPEN

_STOP = re.compile(r"[.!?…]\s|\n")
_CONCLUDES = (
    "so|therefore|thus|hence|then|now|no|wait|yes|well|actually|overall|finally|ultimately|consequently|altogether|in short|"
    "in fact|in conclusion|in the end|in sum|on reflection|on balance|all in all|because|since|as|given|clearly|correction|"
    "sorry|rather|still|however|but|of (?:the|these|those|all)"
)
"""Words that begin what the reply itself concludes."""
_VIEW = re.compile(
    rf"(?!(?i:{_CONCLUDES})\b)[^\W\d_][^,.!?\n]{{2,120}}, (?:then )?(?:it )?"
    rf"(?:the (?:best |right |correct )?answer (?:is|would be) )?{NAMED}{OPEN}[A-Za-z](?![\w'’])"
)


def view_around(text: str, at: int) -> tuple[int, int] | None:
    """Where the sentence around a place begins and ends, if something stands before its label that may be such a view."""
    start = max((stop.end() for stop in _STOP.finditer(text, 0, at)), default=0)
    if not _VIEW.match(text, start):
        return None
    behind = _STOP.search(text, at)
    return start, behind.end() if behind else len(text)
