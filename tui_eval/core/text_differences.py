"""Differences between two texts, line by line."""

from __future__ import annotations

import difflib
import re


def difference(before: str, after: str) -> list[str]:
    """The lines around what is another: "-" begins one of the first text only, "+" one of the second only, a blank one of both.

    "… line 3" stands where lines were left out. White space at the ends of the texts does not count; [] = nothing is another.
    """
    lines = list(difflib.unified_diff(before.strip().splitlines(), after.strip().splitlines(), n=2, lineterm=""))[2:]
    return [_place(line) if line.startswith("@@") else line for line in lines]


def _place(line: str) -> str:
    """Return the place of the next lines: "@@ -3,2 +3,4 @@" in words."""
    place = re.match(r"@@ -[0-9,]+ \+([0-9]+)", line)
    return f"… line {place.group(1)}" if place else "…"


def changed_lines(before: str, after: str) -> int:
    """Count the lines that differ, new ones and those that are gone included."""
    steps = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n")).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in steps if tag != "equal")
