"""The text of a printed page for a screen of another width: lines that were full when it was printed flow into each other."""

from __future__ import annotations

import re
from itertools import pairwise

FULL = 0.75
"""How much of the longest line another must have to be one that was broken because it was full."""
LEAST = 50
"""Characters that the longest line must have: shorter ones are no prose."""
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\s*\S|[│|]")
"""Of a line that is a row of a table."""
_ITEM = re.compile(r"\s*(?:[-–—•*·▪]|\(?\w{1,3}[.)]|\d+\s)\s*\S")
"""The beginning of an entry in a list, or of a numbered heading."""
_ENDS = (".", "!", "?", ":", ";", "…")
_WITHOUT_BLANKS = "\u2e80"
"""From here on are the scripts that put no blank between words, nor where a line was broken."""


def flowing(page: str) -> str:
    """The same text, of the same length: a blank stands for the end of each line that was only full.

    Rows of tables, entries of lists, headings and the last lines of paragraphs stay lines, as far as their looks tell.
    """
    lines = page.split("\n")
    longest = max(map(len, lines))
    if longest < LEAST:
        return page
    pieces = [lines[0]]
    for line, after in pairwise(lines):
        pieces += [" " if _goes_on(line, after, longest) else "\n", after]
    return "".join(pieces)


def _goes_on(line: str, after: str, longest: int) -> bool:
    said, next_said = line.rstrip(), after.strip()
    if not next_said or len(said) < FULL * longest or _COLUMNS.search(said) or _COLUMNS.search(next_said):
        return False
    if said[-1] >= _WITHOUT_BLANKS or next_said[0] >= _WITHOUT_BLANKS or (_ITEM.match(after) and not said[-1].isalpha()):
        return False
    return not (said.endswith(_ENDS) and len(said) < 0.9 * longest and not next_said[0].islower())
