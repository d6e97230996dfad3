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
    for n, entry in enumerate(first):
        places[entry] = places.get(entry, 0) | 1 << n
    every, last = (1 << len(first)) - 1, 1 << (len(first) - 1)
    higher, lower, distance = every, 0, len(first)
    for entry in second:
        same = places.get(entry, 0)
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
    """Count the entries that both begin with."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (entry, other_entry) in pairs if entry != other_entry), min(len(first), len(second)))


def plain(text: str) -> str:
    """A text as error rates compare it: NFC, each run of white space one blank, none at the ends; case is kept."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True, slots=True)
class Edits:
    """Number of changes that turn a reference into a text, and the length of the reference."""

    distance: int
    length: int

    @property
    def rate(self) -> float | None:
        """The error rate; None without a reference."""
        return self.distance / self.length if self.length else None


def character_edits(reference: str, text: str) -> Edits:
    """Counted by characters."""
    plain_reference = plain(reference)
    return Edits(edit_distance(plain_reference, plain(text)) if plain_reference else 0, len(plain_reference))


def word_edits(reference: str, text: str) -> Edits:
    """Counted by words."""
    reference_words = plain(reference).split()
    return Edits(edit_distance(reference_words, plain(text).split()) if reference_words else 0, len(reference_words))


def pooled_rate(edits: Iterable[Edits]) -> float | None:
    """The error rate of many texts taken as one: all changes / the length of all references. None without a reference."""
    counts = list(edits)
    return Edits(sum(count.distance for count in counts), sum(count.length for count in counts)).rate


def character_error_rate(reference: str, text: str) -> float | None:
    """Edit distance by characters / characters of the reference (METHOD.md 5.5); may be above 1. None without a reference."""
    return character_edits(reference, text).rate


def word_error_rate(reference: str, text: str) -> float | None:
    """The same by words."""
    return word_edits(reference, text).rate
