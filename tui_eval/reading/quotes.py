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
class QuotePlace:
    """A quote's place: text[start:end] are the text's own words, which stand for the quote from now on."""

    start: int
    end: int
    how: Literal["exact", "repaired"]
    """exact: the same after folding; repaired: with blanks or mark-up set otherwise, or one letter changed."""
    similarity: float
    """1 - edits / the quote's length, folded; 1.0 where exact."""


def find_quote(quote: str, text: str | Folded, *, mend: bool = True, document: str = "") -> QuotePlace | None:
    """Find a quote in a text, whole words of it, verbatim after folding; None where it stands nowhere.

    `mend`: blanks and the stars of mark-up may stand elsewhere, too, and one letter inside a long word may be wrong
    (`reading.slips` says when), as the word then stands nowhere in the text, nor in the `document` that it is part of. Its
    numbers must be the text's own there, none cut off. Above `LONGEST_QUOTE` characters it is none. Of several places the
    first. Give `folded(text)` where many are looked for in one text.
    """
    trimmed_quote = trimmed(quote)
    if not trimmed_quote or len(trimmed_quote) > LONGEST_QUOTE:
        return None
    page = text if isinstance(text, Folded) else folded(text)
    variants = [variant for variant in dict.fromkeys((trimmed_quote, trimmed_quote.rstrip(_CLOSING))) if folded(variant).fold]
    match = next(filter(None, (_exact(variant, page) for variant in variants)), None)
    if match or not mend:
        return match
    return next(filter(None, (_mended(variant, page, document) for variant in variants)), None)


def trimmed(quote: str) -> str:
    """A quote without the quotation marks, dots of omission and mark-up that models put around it."""
    return _AROUND.sub("", quote)


def _exact(quote: str, page: Folded) -> QuotePlace | None:
    fold = folded(quote).fold
    for place in _places(fold, page.fold):
        if span := _whole(quote, page, place, place + len(fold)):
            return QuotePlace(*span, "exact", 1.0)
    return None


def _mended(quote: str, page: Folded, document: str) -> QuotePlace | None:
    """With blanks set otherwise; else with one letter changed, too."""
    folded_quote = folded(quote)
    compact_quote, there = compact(folded_quote.fold), compact(page.fold)
    size = len(compact_quote.signs)
    if not size:
        return None
    without = [Slip(place, place + size) for place in _places(compact_quote.signs, there.signs)]
    slips = places_with_a_slip(compact_quote.signs, there.signs)
    for slip in (*without, *slips):
        place, end = there.places[slip.start], there.places[slip.end - 1] + 1
        if _is_cut(page, place, end) or not slip.spaced_alike(compact_quote, there):  # the first is quick, and rules most out
            continue
        if slip.letters and not slip.is_of_the_pen(
            folded_quote, page, compact_quote, there, lambda: words_of(page.original, document)
        ):
            continue
        if span := _whole(quote, page, place, end):
            return QuotePlace(*span, "repaired", round(1 - max(1, slip.letters) / max(size, slip.end - slip.start), 4))
    return None


def _places(quote: str, text: str) -> Iterator[int]:
    place = text.find(quote)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return
        yield place
        place = text.find(quote, place + 1)


def _whole(quote: str, page: Folded, place: int, end: int) -> tuple[int, int] | None:
    """The stretch of the text, where no word and no number is cut at its ends, and it has the quote's numbers."""
    if _is_cut(page, place, end):
        return None
    start, stop = page.span(place, end)
    return (start, stop) if _same_numbers(quote, page.original, start, stop) else None


def _is_cut(page: Folded, place: int, end: int) -> bool:
    """Return whether a word, or a letter from its marks, is cut at the ends of a stretch."""
    return bool(unicodedata.combining(page.fold[end : end + 1] or " ")) or _cut_before(page, place) or _cut_behind(page, end)


def _cut_before(page: Folded, place: int) -> bool:
    """Return whether a stretch that begins here begins within a word, or leaves out a French n'."""
    lead = page.fold[max(0, place - 3) : place]
    return page.in_one_word(place) or (lead.endswith("n'") and not lead[:-2].isalnum())


def _cut_behind(page: Folded, end: int) -> bool:
    """Return whether a stretch that ends here ends within a word; also before what an apostrophe joins, as in can't."""
    joined = page.fold[end : end + 1] == "'" and page.fold[end + 1 : end + 2].isalpha() and page.fold[end - 1].isalpha()
    return page.in_one_word(end) or (joined and page.places[end + 1] - page.places[end - 1] == 2)


def _same_numbers(quote: str, text: str, start: int, end: int) -> bool:
    """Return whether a quote has the numbers of text[start:end], in order, those that reach beyond it counted as a whole."""
    first = max(0, start - _NEAR)
    near = numerals_in(text[first : end + _NEAR])
    there = [numeral.value for numeral in near if numeral.end + first > start and numeral.start + first < end]
    return there == [numeral.value for numeral in numerals_in(quote)] and _cjk_numerals(quote) == _cjk_numerals(text[start:end])


def _cjk_numerals(text: str) -> list[str]:
    """The Chinese and Japanese numerals of a text, character by character."""
    return [] if text.isascii() else [sign for sign in text if sign in "〇零一二三四五六七八九十百千万萬億兆"]
