"""Places in a reply of what was read out of it, as an aid for the eye: the reader itself keeps none."""

from __future__ import annotations

import re

FIRST = ("first", "only", "alone", "leading")
"""How the names of patterns begin that read what stands first."""
_NUMBER = re.compile(r"[-+]?\d(?:[\d,  '_]*\d)?(?:\.\d+)?")


def read_place(text: str, read: str, pattern: str) -> tuple[int, int] | None:
    """Return from which character to which the word `read` stands in a reply: the only place, else the last one, or the
    first one where `pattern` says that it was read there; None where it stands nowhere as a word of its own."""
    if not read or len(read) > 200:
        return None
    found = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(read)}(?!\w)", text)]
    if not found and (value := _value(read)) is not None:
        found = [match.span() for match in _NUMBER.finditer(text) if _value(match[0]) == value]
    if not found:
        return None
    return found[0] if pattern.startswith(FIRST) else found[-1]


def _value(text: str) -> float | None:
    try:
        return float(re.sub(r"[,  '_]", "", text))
    except ValueError:
        return None
