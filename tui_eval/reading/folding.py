"""A text folded, so that what differs only in how it is set is the same, with the way back to the text's own characters."""

from __future__ import annotations

import unicodedata
from array import array
from dataclasses import dataclass
from functools import lru_cache

from tui_eval.core.lazy_pattern import lazy_pattern

_PLAIN = lazy_pattern(r"[!#-&(-,./-_a-~ \n]++")
"""Characters that a fold makes small and leaves otherwise as they are: ASCII without its quotation marks, hyphen and grave."""
DASHES = frozenset("-‐‑‒–—―−⁃﹘﹣－")
QUOTES = frozenset("\"'`´‘’‚‛“”„‟«»‹›′″＂＇「」『』")
INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u200e\u200f\u180e")
SOFT_HYPHEN = "\u00ad"
CLOSE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
"""Characters of scripts that put no blanks between words."""
_SPACING = lazy_pattern(rf"[\s\-{SOFT_HYPHEN}]{{2,}}|[^\S ]|[-{SOFT_HYPHEN}]|(?<=[{CLOSE}]) | (?=[{CLOSE}])|\A | \Z")
_IS_CLOSE = lazy_pattern(f"[{CLOSE}]")
_SHORT = 500
"""Characters of a text whose fold is cached."""
_HYPHENS = "-‐‑"
_PARTS = lazy_pattern(rf"\s|[^\S\n]*[‒–—―−]|[-‐‑{SOFT_HYPHEN}][^\S\n\r\f]+\Z")
"""A gap between two words: white space, a dash, a hyphen and a blank. A hyphen that ends a line may be one within a word."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A text and its fold: fold[i] was made of original[places[i]]."""

    original: str
    fold: str
    places: array[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of fold[start:end], of at least one character, in the original."""
        return self.places[start], self.places[end - 1] + 1

    def in_one_word(self, at: int, hyphens: bool = True) -> bool:
        """Return whether fold[at - 1] and fold[at] are of one word, of a script that parts words: also across a line's end.

        `hyphens`: whether what a hyphen joins on one line (well-known) is one word.
        """
        if not 0 < at < len(self.fold):
            return False
        before, behind = self.fold[at - 1], self.fold[at]
        if not _is_letter(before) or not (behind.isalnum() or unicodedata.combining(behind)):
            return False
        if _IS_CLOSE.match(before) or _IS_CLOSE.match(behind):
            return False
        gap = self.original[self.places[at - 1] + 1 : self.places[at]]
        return not (_PARTS.match(gap) or (gap in _HYPHENS and gap and not hyphens))


def folded(text: str) -> Folded:
    """Compatible characters in one form (NFKD, which tells apart what NFKC does), small letters, one kind of quotation mark
    and of dash, one blank for any white space and none in scripts without blanks; hyphenation and what is invisible is gone.

    A hyphen between letters is left out, as one at a line's end may have been put there; one beside a digit stays.
    METHOD.md 5.3. Takes time in proportion to the text, about 0.2 s a million characters.
    """
    return _folded_once(text) if len(text) <= _SHORT else _folded(text)


def _folded(text: str) -> Folded:
    characters, places = _by_character(text)
    return _spaced(text, characters, places)


_folded_once = lru_cache(maxsize=128)(_folded)
"""Questions, answers and quotes: one check after the other looks at the same few."""


def _by_character(text: str) -> tuple[str, array[int]]:
    pieces: list[str] = []
    places = array("q")
    place, size = 0, len(text)
    while place < size:
        match = _PLAIN.match(text, place)
        if match:
            pieces.append(match[0].lower())
            places.extend(range(place, match.end()))
            place = match.end()
        else:
            fold = _of_character(text[place])
            pieces.append(fold)
            places.extend([place] * len(fold))
            place += 1
    return "".join(pieces), places


@lru_cache(maxsize=20_000)
def _of_character(sign: str) -> str:
    if sign == SOFT_HYPHEN:
        return sign
    if sign in INVISIBLE:
        return ""
    if sign in DASHES:
        return "-"
    if sign in QUOTES:
        return "'"
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", sign).casefold())


def _spaced(original: str, text: str, places: array[int]) -> Folded:
    """The second half of a fold: white space and hyphens."""
    pieces: list[str] = []
    spaced_places = array("q")
    last = 0
    for match in _SPACING.finditer(text):
        start, end = match.span()
        pieces.append(text[last:start])
        spaced_places.extend(places[last:start])
        replacement = _between(text[start - 1 : start], match[0], text[end : end + 1])
        pieces.append(replacement)
        spaced_places.extend(places[start : start + len(replacement)])
        last = end
    pieces.append(text[last:])
    spaced_places.extend(places[last:])
    return Folded(original, "".join(pieces), spaced_places)


def _between(before: str, run: str, after: str) -> str:
    """Return the replacement of white space and hyphens between two characters."""
    if not before or not after:
        return ""
    if "-" in run:
        return "" if _is_letter(before) and after.isalpha() else "-"
    if run[0] == SOFT_HYPHEN or _IS_CLOSE.match(before) or _IS_CLOSE.match(after):
        return ""
    return " "


def _is_letter(sign: str) -> bool:
    """A letter, or the mark on one."""
    return sign.isalpha() or bool(unicodedata.combining(sign))
