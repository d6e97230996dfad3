"""Slips of a model in copying that leave its words the text's: blanks, and one letter inside a long word."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tui_eval.reading.folding import Folded, folded
from tui_eval.reading.turning_words import UNMAKING, is_closed, plain, poles

SHORTEST = 5
"""Letters of a word, as the text has it, of which one may be wrong."""
_LOOSE = re.compile(r" |(?<![^\W_])[*_]++|[*_]++(?![^\W_])")
"""What a compact text is without: blanks, and the marks of mark-up around words."""
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[a-zßæœøđðþłı]+")
_MOST_PLACES = 1_000
_WIDEST = 3
"""Characters that a letter with its marks may have."""


@dataclass(frozen=True, slots=True)
class Compact:
    """A folded text without blanks and mark-up: signs[i] is fold[places[i]]."""

    fold: str
    signs: str
    places: array[int]

    def is_parted(self, at: int) -> bool:
        """Return whether a blank stands before signs[at]."""
        return self.places[at] - self.places[at - 1] > 1 and " " in self.fold[self.places[at - 1] + 1 : self.places[at]]

    def around(self, at: int) -> tuple[str, str]:
        """The letters before signs[at], back to what is none, and those from it on."""
        place = self.places[at]
        before = re.search(r"[^\W\d_]*\Z", self.fold[max(0, place - 60) : self.places[at - 1] + 1])
        behind = _WORD.match(self.fold, place)
        return before[0] if before else "", behind[0] if behind else ""


@lru_cache(maxsize=8)
def compact(fold: str) -> Compact:
    """A fold without its blanks."""
    pieces: list[str] = []
    places = array("q")
    last = 0
    for match in _LOOSE.finditer(fold):
        pieces.append(fold[last : match.start()])
        places.extend(range(last, match.start()))
        last = match.end()
    pieces.append(fold[last:])
    places.extend(range(last, len(fold)))
    return Compact(fold, "".join(pieces), places)


@lru_cache(maxsize=8)
def words_of(text: str, document: str) -> frozenset[str]:
    """Every word of a text and of the document that it is part of, folded, with those that hyphens part and without."""
    words: set[str] = set()
    for source in dict.fromkeys((text, document)):
        words.update(_WORD.findall(folded(source).fold), *(_WORD.findall(folded(word).fold) for word in set(source.split())))
    return frozenset(words)


@dataclass(frozen=True, slots=True)
class Slip:
    """A place of a compact text that a compact quote has, up to one letter: quote[at:at + said] for text[there:there + has]."""

    start: int
    end: int
    at: int = 0
    said: int = 0
    there: int = 0
    has: int = 0

    @property
    def letters(self) -> int:
        """Number of characters that are wrong."""
        return max(self.said, self.has)

    def spaced_alike(self, quote: Compact, text: Compact) -> bool:
        """Return whether no blank that stands otherwise makes two words of one, or one of two, that say something else."""
        pairs = [(i, self.start + i) for i in range(1, self.at if self.letters else len(quote.signs))]
        if self.letters:
            shift = self.there + self.has - self.at - self.said
            pairs += [(i, i + shift) for i in range(self.at + self.said + 1, len(quote.signs))]
        for mine, theirs in pairs:
            parted = quote.is_parted(mine)
            if parted != text.is_parted(theirs) and _turns(*(quote.around(mine) if parted else text.around(theirs))):
                return False
        return True

    def is_of_the_pen(
        self, folded_quote: Folded, page: Folded, quote: Compact, text: Compact, document_words: Callable[[], frozenset[str]]
    ) -> bool:
        """Return whether the wrong letter is one that may be mended.

        It stands inside a word of at least `SHORTEST` letters, neither as its first nor as its last, and neither the word nor
        what was made of it is one whose letters count; what was made of it is no word that the document has
        (`document_words`). Of Latin letters alone, as only these languages' words are known here.
        """
        wrong = quote.signs[self.at : self.at + self.said] + text.signs[self.there : self.there + self.has]
        if not all(sign.isalpha() or unicodedata.combining(sign) for sign in wrong):
            return False
        mine = _word_with(folded_quote, quote.places, self.at, self.said)
        theirs = _word_with(page, text.places, self.there, self.has)
        if mine is None or theirs is None:
            return False
        letters = len(plain(theirs))
        if letters < SHORTEST or not (_LATIN.fullmatch(plain(mine)) and _LATIN.fullmatch(plain(theirs))):
            return False
        if is_closed(mine) or is_closed(theirs) or (poles(mine) and poles(mine) != poles(theirs)):
            return False
        return mine not in document_words()


def places_with_a_slip(quote: str, text: str) -> Iterator[Slip]:
    """Every place that has `quote` but for one letter: a letter, with its marks, changed, left out or added."""
    half = len(quote) // 2
    if half < SHORTEST:
        return
    tried: set[int] = set()
    for piece, offset in ((quote[:half], 0), (quote[half:], half)):
        place = text.find(piece)
        for _ in range(_MOST_PLACES):
            if place < 0:
                break
            for start in range(place - offset - _WIDEST * bool(offset), place - offset + _WIDEST * bool(offset) + 1):
                if start >= 0 and start not in tried and (slip := _slip_at(quote, text, start)):
                    yield slip
                tried.add(start)
            place = text.find(piece, place + 1)


def _slip_at(quote: str, text: str, start: int) -> Slip | None:
    at = next((i for i, sign in enumerate(quote) if text[start + i : start + i + 1] != sign), len(quote))
    while at and (_is_mark(quote, at) or _is_mark(text, start + at)):
        at -= 1
    if not at or at == len(quote):
        return None
    there = start + at
    mine, theirs = _width(quote, at), _width(text, there)
    for quote_width, has in ((mine, theirs), (0, theirs), (mine, 0)):
        rest = quote[at + quote_width :]
        if rest and (quote_width or has) and text.startswith(rest, there + has):
            return Slip(start, there + has + len(rest), at, quote_width, there, has)
    return None


def _is_mark(text: str, at: int) -> bool:
    return at < len(text) and bool(unicodedata.combining(text[at]))


def _width(text: str, at: int) -> int:
    """Return the number of characters of the letter at a place, with its marks."""
    end = at + 1
    while end - at < _WIDEST and _is_mark(text, end):
        end += 1
    return end - at if at < len(text) else 0


def _word_with(text: Folded, places: array[int], at: int, size: int) -> str | None:
    """The word inside which signs[at:at + size] stand, or between which they are left out; None at the ends of one."""
    first, last = places[at - 1], places[at + size]
    if any(not text.in_one_word(i, hyphens=False) for i in range(first + 1, last + 1)):
        return None
    while first > 0 and text.in_one_word(first, hyphens=False):
        first -= 1
    while last + 1 < len(text.fold) and text.in_one_word(last + 1, hyphens=False):
        last += 1
    return text.fold[first : last + 1]


def _turns(before: str, behind: str) -> bool:
    """Return whether two words, or the one that they make without a blank, may say something else than the other."""
    if not before or not behind:
        return False
    parts = (before, behind)
    return before in UNMAKING or any(is_closed(word) or poles(word) for word in (*parts, before + behind))
