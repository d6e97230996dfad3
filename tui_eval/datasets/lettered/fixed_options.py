"""Options of a question that have to stay where they are when the others are mixed, an order that keeps to that, and options
that are the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_uppercase

from tui_eval.core.plaintext import one_line
from tui_eval.statistics.estimates import shuffled

_GENERAL = re.compile(
    r"^\W*(?:all|none|both|neither|any|either|some|each)\W+(?:of\W+)?(?:the\W+)?"
    r"(?:above|these|those|following|preceding|previous|listed|(?:other\W+)?(?:options|choices|answers)|(?<=of the )others?)"
    r"(?:\W+(?:options|choices|answers|statements))?(?:\s+(?:is|are|apply|applies|hold|holds)\b.*)?\W*$",
    re.IGNORECASE,
)
"""Options that speak of all the others."""
_LETTERS = re.compile(
    r"^\W*(?:(?i:only|both|either|neither|all of|options?|choices?|answers?)\W+)*\(?[A-Z]\)?"
    r"(?:\s*(?:,|&|(?i:and|or|nor))+\s*\(?[A-Z]\)?)+(?:\s+(?i:only|above|are (?:both )?(?:correct|true)))?\W*$"
)
_ONE_LETTER = re.compile(r"^\W*(?:(?i:only|options?|choices?|answers?)\W+\(?[A-Z]\)?|\(?[A-Z]\)?\s+(?i:only|above))\W*$")
"""Options that speak of others by their letters: "A and C", "Both B and D", "A only"."""


def split_by_place(options: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the options that may stand anywhere, and those that stay last, as "all of the above": indexes, in their order."""
    pinned = [i for i, text in enumerate(options) if _GENERAL.match(text)]
    return [i for i in range(len(options)) if i not in pinned], pinned


def mixed_order(options: Sequence[str], *words: str | int) -> tuple[int, ...]:
    """An order of the options that the words decide; their own where one of them names others by their letters."""
    if names_letters(tuple(options)):
        return tuple(range(len(options)))
    free, pinned = split_by_place(options)
    return (*(free[i] for i in shuffled(len(free), *words)), *pinned)


@lru_cache(maxsize=256)
def names_letters(options: tuple[str, ...]) -> bool:
    """Return whether an option speaks of others by their letters, so that it means nothing in another order."""
    letters = ascii_uppercase[: len(options)]
    naming = [text for text in options if _LETTERS.match(text) or _ONE_LETTER.match(text)]
    return any(set(re.findall(r"\b[A-Z]\b", text)) <= set(letters) for text in naming)


def same_options(question: str, options: Sequence[str]) -> str:
    """Say which options of a question are the same, so that nobody could tell which is right; empty where they differ."""
    if len(set(options)) == len(options):
        return ""
    same = next(text for text in options if options.count(text) > 1)
    letters = " and ".join(letter for letter, text in zip(ascii_uppercase, options, strict=False) if text == same)
    return f"options {letters} of question {question!r} are the same ({one_line(same, 60)!r})"
