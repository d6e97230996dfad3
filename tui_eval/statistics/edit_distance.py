"""The insertions, deletions and substitutions that turn one sequence into another (Levenshtein), and error rates from them."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass


def edit_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The fewest insertions, deletions and substitutions, each counted as 1.

    Myers 1999 in Hyyrö's form: a column of differences is held in the bits of two whole numbers, so that a step takes about
    len(first) / 64 machine words; 10,000 characters against as many take some tens of milliseconds.
    """
    start = _common(first, second)
    first, second = first[start:], second[start:]
    end = _common(first[::-1], second[::-1])
    first, second = first[: len(first) - end], second[: len(second) - end]
    if not first or not second:
        return len(first) or len(second)
    places: dict[Hashable, int] = {}
    for n, one in enumerate(first):
        places[one] = places.get(one, 0) | 1 << n
    every, last = (1 << len(first)) - 1, 1 << (len(first) - 1)
    higher, lower, distance = every, 0, len(first)
    for one in second:
        same = places.get(one, 0)
        vertical = same | lower
        horizontal = (((same & higher) + higher) ^ higher) | same
        up = lower | (~(horizontal | higher) & every)
        down = higher & horizontal
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & every, down << 1 & every
        higher = down | (~(vertical | up) & every)
        lower = up & vertical
    return distance


def _common(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """How many entries both begin with."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(first), len(second)))


def plain(text: str) -> str:
    """A text as error rates compare it: NFC, each run of white space one blank, none at the ends; case is kept."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True, slots=True)
class Edits:
    """How many changes turn a reference into a text, and how long the reference is."""

    distance: int
    length: int

    @property
    def rate(self) -> float | None:
        """The error rate; None without a reference."""
        return self.distance / self.length if self.length else None


def character_edits(reference: str, text: str) -> Edits:
    """Counted by characters."""
    wanted = plain(reference)
    return Edits(edit_distance(wanted, plain(text)) if wanted else 0, len(wanted))


def word_edits(reference: str, text: str) -> Edits:
    """Counted by words."""
    wanted = plain(reference).split()
    return Edits(edit_distance(wanted, plain(text).split()) if wanted else 0, len(wanted))


def pooled_rate(edits: Iterable[Edits]) -> float | None:
    """The error rate of many texts taken as one: all changes / the length of all references. None without a reference."""
    known = list(edits)
    return Edits(sum(one.distance for one in known), sum(one.length for one in known)).rate


def character_error_rate(reference: str, text: str) -> float | None:
    """Edit distance by characters / characters of the reference (METHOD.md 5.5); may be above 1. None without a reference."""
    return character_edits(reference, text).rate


def word_error_rate(reference: str, text: str) -> float | None:
    """The same by words."""
    return word_edits(reference, text).rate
