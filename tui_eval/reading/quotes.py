"""The search for a quote in a text, as it is or with a slip of the pen; one with other words or numbers stands nowhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tui_eval.reading.folding import Folded, folded
from tui_eval.reading.numerals import numerals_in
from tui_eval.reading.slips import Slip, compact, places_with_a_slip, words_of

LONGEST_QUOTE = 300
"""Characters that a quote may have, without what is put around it."""
_AROUND = re.compile(r"""\A(?:[\s"'`´‘’‚“”„«»‹›*_…]|\.\.\.)++|(?:[\s"'`´‘’‚“”„«»‹›*_…]|\.{2,})++\Z""")
_CLOSING = ".,;:"
"""Marks that a model may end a quote with where the sentence goes on."""
_MOST_PLACES = 1_000
"""Places that are looked at: more have only texts that say one thing over and over."""
_NEAR = 40
"""Characters around a place in which a number that reaches into it may begin or end."""


@dataclass(frozen=True, slots=True)
class Found:
    """A quote's place: text[start:end] are the text's own words, which stand for the quote from now on."""

    start: int
    end: int
    how: Literal["exact", "repaired"]
    """exact: the same after folding; repaired: with blanks or mark-up set otherwise, or one letter changed."""
    similarity: float
    """1 - edits / the quote's length, folded; 1.0 where exact."""


def find_quote(quote: str, text: str | Folded, *, mend: bool = True, document: str = "") -> Found | None:
    """Where a quote stands in a text, whole words of it, verbatim after folding; None where nowhere.

    `mend`: blanks and the stars of mark-up may stand elsewhere, too, and one letter inside a long word may be wrong
    (`reading.slips` says when), as the word then stands nowhere in the text, nor in the `document` that it is part of. Its
    numbers must be the text's own there, none cut off. Above `LONGEST_QUOTE` characters it is none. Of several places the
    first. Give `folded(text)` where many are looked for in one text.
    """
    said = trimmed(quote)
    if not said or len(said) > LONGEST_QUOTE:
        return None
    page = text if isinstance(text, Folded) else folded(text)
    wanted = [one for one in dict.fromkeys((said, said.rstrip(_CLOSING))) if folded(one).fold]
    found = next(filter(None, (_exact(one, page) for one in wanted)), None)
    if found or not mend:
        return found
    return next(filter(None, (_mended(one, page, document) for one in wanted)), None)


def trimmed(quote: str) -> str:
    """A quote without the quotation marks, dots of omission and mark-up that models put around it."""
    return _AROUND.sub("", quote)


def _exact(said: str, page: Folded) -> Found | None:
    wanted = folded(said).fold
    for place in _places(wanted, page.fold):
        if found := _whole(said, page, place, place + len(wanted)):
            return Found(*found, "exact", 1.0)
    return None


def _mended(said: str, page: Folded, document: str) -> Found | None:
    """With blanks set otherwise; else with one letter changed, too."""
    asked = folded(said)
    wanted, there = compact(asked.fold), compact(page.fold)
    size = len(wanted.signs)
    if not size:
        return None
    without = [Slip(place, place + size) for place in _places(wanted.signs, there.signs)]
    slips = places_with_a_slip(wanted.signs, there.signs)
    for slip in (*without, *slips):
        place, end = there.places[slip.start], there.places[slip.end - 1] + 1
        if _is_cut(page, place, end) or not slip.spaced_alike(wanted, there):  # the first is quick, and rules most out
            continue
        if slip.letters and not slip.is_of_the_pen(asked, page, wanted, there, lambda: words_of(page.original, document)):
            continue
        if found := _whole(said, page, place, end):
            return Found(*found, "repaired", round(1 - max(1, slip.letters) / max(size, slip.end - slip.start), 4))
    return None


def _places(wanted: str, text: str) -> Iterator[int]:
    place = text.find(wanted)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return
        yield place
        place = text.find(wanted, place + 1)


def _whole(said: str, page: Folded, place: int, end: int) -> tuple[int, int] | None:
    """The stretch of the text, where no word and no number is cut at its ends, and it has the quote's numbers."""
    if _is_cut(page, place, end):
        return None
    start, stop = page.span(place, end)
    return (start, stop) if _same_numbers(said, page.original, start, stop) else None


def _is_cut(page: Folded, place: int, end: int) -> bool:
    """Whether a word, or a letter from its marks, is cut at the ends of a stretch."""
    return bool(unicodedata.combining(page.fold[end : end + 1] or " ")) or _cut_before(page, place) or _cut_behind(page, end)


def _cut_before(page: Folded, place: int) -> bool:
    """Whether a stretch that begins here begins within a word, or leaves out a French n'."""
    lead = page.fold[max(0, place - 3) : place]
    return page.in_one_word(place) or (lead.endswith("n'") and not lead[:-2].isalnum())


def _cut_behind(page: Folded, end: int) -> bool:
    """Whether a stretch that ends here ends within a word; also before what an apostrophe joins to it, as in can't."""
    joined = page.fold[end : end + 1] == "'" and page.fold[end + 1 : end + 2].isalpha() and page.fold[end - 1].isalpha()
    return page.in_one_word(end) or (joined and page.places[end + 1] - page.places[end - 1] == 2)


def _same_numbers(said: str, text: str, start: int, end: int) -> bool:
    """Whether a quote has the numbers, in order, that text[start:end] has, those that reach beyond it counted as a whole."""
    first = max(0, start - _NEAR)
    near = numerals_in(text[first : end + _NEAR])
    there = [one.value for one in near if one.end + first > start and one.start + first < end]
    return there == [one.value for one in numerals_in(said)] and _counted(said) == _counted(text[start:end])


def _counted(text: str) -> list[str]:
    """The Chinese and Japanese numerals of a text, character by character."""
    return [] if text.isascii() else [sign for sign in text if sign in "〇零一二三四五六七八九十百千万萬億兆"]
