"""Where in a text a quote stands, as it is or with small faults; one with another number in it stands nowhere."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise
from typing import Literal

from tui_eval.reading.folding import Folded, folded
from tui_eval.reading.numerals import numerals_in

LONGEST_QUOTE = 300
"""Characters that a quote may have, without what is put around it."""
ALIKE = 0.95
"""How like its place in the text a quote must be to be taken for a faulty copy of it."""
_AROUND = re.compile(r"""\A(?:[\s"'`´‘’‚“”„«»‹›*_…]|\.\.\.)++|(?:[\s"'`´‘’‚“”„«»‹›*_…]|\.{2,})++\Z""")
_MOST_PLACES = 1_000
"""Places of one piece that are looked at: more have only texts that say one thing over and over."""
_MOST_COMPARED = 200_000
"""Characters that are compared with one quote, one by one."""
_MOST_TRIED = 50
_NEAR = 40
"""Characters around a place in which a number that reaches into it may begin or end."""
_JOINED = re.compile(r"[^\W\d_\u2e80-\u9fff\uf900-\ufaff]")
"""A letter of a script that puts blanks between words."""


@dataclass(frozen=True, slots=True)
class Found:
    """A quote's place: text[start:end] are the text's own words, which stand for the quote from now on."""

    start: int
    end: int
    how: Literal["exact", "repaired"]
    """exact: the same after folding; repaired: with a few characters changed."""
    similarity: float
    """1 - edit distance / the longer of the two, both folded; 1.0 where exact."""


def find_quote(quote: str, text: str | Folded) -> Found | None:
    """Where a quote stands in a text, verbatim after folding or else with at least `ALIKE` similarity; None where nowhere.

    Its numbers must be the text's own there, none cut off (METHOD.md 6, step 5). Above `LONGEST_QUOTE` characters it is none.
    Of several places the first that is exact, else the most alike. Give `folded(text)` where many are looked for in one text.
    """
    said = trimmed(quote)
    if not said or len(said) > LONGEST_QUOTE:
        return None
    page = text if isinstance(text, Folded) else folded(text)
    wanted = folded(said).fold
    return (_exact(said, wanted, page) or _alike(said, wanted, page)) if wanted else None


def trimmed(quote: str) -> str:
    """A quote without the quotation marks, dots of omission and mark-up that models put around it."""
    return _AROUND.sub("", quote)


def _exact(said: str, wanted: str, page: Folded) -> Found | None:
    place = page.fold.find(wanted)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return None
        end = place + len(wanted)
        start, stop = page.span(place, end)
        if not unicodedata.combining(page.fold[end : end + 1] or " ") and _same_numbers(said, page.original, start, stop):
            return Found(start, stop, "exact", 1.0)
        place = page.fold.find(wanted, place + 1)
    return None


def _same_numbers(said: str, text: str, start: int, end: int) -> bool:
    """Whether a quote has the numbers, in order, that text[start:end] has, those that reach beyond it counted as a whole."""
    first = max(0, start - _NEAR)
    near = numerals_in(text[first : end + _NEAR])
    there = [one.value for one in near if one.end + first > start and one.start + first < end]
    return there == [one.value for one in numerals_in(said)] and _counted(said) == _counted(text[start:end])


def _counted(text: str) -> list[str]:
    """The Chinese and Japanese numerals of a text, character by character."""
    return [] if text.isascii() else [sign for sign in text if sign in "〇零一二三四五六七八九十百千万萬億兆"]


def _alike(said: str, wanted: str, page: Folded) -> Found | None:
    most = int((1 - ALIKE) * len(wanted) / ALIKE + 1e-9)
    if not most:
        return None
    places: list[tuple[int, int]] = []
    left = _MOST_COMPARED
    for first, last in _windows(wanted, page.fold, most):
        last = min(last, first + left)
        left -= last - first
        places += _ends(wanted, page.fold, first, last, most)
    for errors, end in nsmallest(_MOST_TRIED, places):
        start = _start(wanted, page.fold, end, errors)
        similarity = 1 - errors / max(len(wanted), end - start)
        begin, stop = _whole_words(page.original, *page.span(start, end))
        if similarity >= ALIKE and _same_numbers(said, page.original, begin, stop):
            return Found(begin, stop, "repaired", round(similarity, 4))
    return None


def _windows(wanted: str, fold: str, most: int) -> list[tuple[int, int]]:
    """Stretches in which a place with at most `most` errors must lie: of most + 1 pieces one is there without an error."""
    size, found = len(wanted), []
    cuts = [size * i // (most + 1) for i in range(most + 2)]
    for first, last in pairwise(cuts):
        piece = wanted[first:last]
        place = fold.find(piece)
        for _ in range(_MOST_PLACES):
            if place < 0:
                break
            found.append((max(0, place - first - most), min(len(fold), place - first + size + most)))
            place = fold.find(piece, place + 1)
    return _merged(sorted(found))


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _ends(wanted: str, fold: str, first: int, last: int, most: int) -> list[tuple[int, int]]:
    """(errors, end) of every place in fold[first:last] with at most `most` errors that is no worse than those beside it."""
    scores = _errors(wanted, fold[first:last], anchored=False)
    found, before = [], len(wanted) + 1
    for i, score in enumerate(scores):
        after = scores[i + 1] if i + 1 < len(scores) else len(wanted) + 1
        if score <= most and score <= before and score <= after:
            found.append((score, first + i + 1))
        before = score
    return found


def _start(wanted: str, fold: str, end: int, errors: int) -> int:
    """Where a place with so many errors begins that ends at `end`; of several starts the one nearest to the quote's length."""
    backwards = fold[max(0, end - len(wanted) - errors) : end][::-1]
    scores = _errors(wanted[::-1], backwards, anchored=True)
    sizes = [i + 1 for i, score in enumerate(scores) if score == errors]
    return end - min(sizes, key=lambda size: abs(size - len(wanted)), default=len(backwards))


def _errors(wanted: str, text: str, anchored: bool) -> list[int]:
    """For each character of the text, the fewest edits between `wanted` and a stretch that ends there.

    `anchored`: a stretch from the text's beginning. Bit-parallel: Myers 1999, J. ACM 46(3), in the form of Hyyrö 2003, Nordic
    J. Computing 10; a column of the table of distances is two numbers of len(wanted) bits.
    """
    size = len(wanted)
    every, top, carried = (1 << size) - 1, 1 << (size - 1), int(anchored)
    occurs: dict[str, int] = {}
    for i, sign in enumerate(wanted):
        occurs[sign] = occurs.get(sign, 0) | 1 << i
    up, down, score = every, 0, size
    scores = []
    for sign in text:
        same = occurs.get(sign, 0)
        diagonal = (((same & up) + up) ^ up) | same | down
        rise = down | (every & ~(diagonal | up))
        fall = up & diagonal
        if rise & top:
            score += 1
        elif fall & top:
            score -= 1
        rise, fall = (rise << 1 | carried) & every, (fall << 1) & every
        up, down = fall | (every & ~(diagonal | rise)), rise & diagonal
        scores.append(score)
    return scores


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch with the words at its ends made whole, where that takes a few letters."""
    first, last = start, end
    while first > 0 and start - first < _NEAR and _JOINED.match(text[first]) and _JOINED.match(text[first - 1]):
        first -= 1
    while last < len(text) and last - end < _NEAR and _JOINED.match(text[last]) and _JOINED.match(text[last - 1]):
        last += 1
    return (first if start - first < _NEAR else start), (last if last - end < _NEAR else end)
