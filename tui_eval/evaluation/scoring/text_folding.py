"""Normalizations of texts before they are compared, each with a name: case, whitespace, punctuation, articles, accents."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import Literal

from tui_eval.reading.folding import CLOSE, INVISIBLE

Ignorable = Literal["case", "whitespace", "punctuation", "articles", "accents"]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)
_APOSTROPHES = frozenset("'’‘`´ʼ")
_ASCII_PUNCTUATION = frozenset(string.punctuation) - frozenset("$+<=>^|~")
_INVISIBLE = dict.fromkeys(map(ord, INVISIBLE))
_NO_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
_BLANK_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation, " "))
_SIGNS = re.compile(r"[^\w\s]|_")
_UNITS = re.compile(rf"[{CLOSE}]|[^\s{CLOSE}]+")
_CLOSE = re.compile(f"[{CLOSE}]")


def folded(text: str, ignore: Collection[Ignorable]) -> str:
    """A text in composed characters (NFC) without what is ignored.

    `case`: casefolded. `whitespace`: runs are one blank, none at the ends; invisible characters are gone. `punctuation`: the
    apostrophe is nothing, other marks are a blank, but not a minus before a number or a point within one. `articles`: a, an and
    the of English. `accents`: the marks on letters.
    """
    if not text.isascii():
        if "accents" in ignore:
            text = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
        text = unicodedata.normalize("NFC", text)
    if "case" in ignore:
        text = text.lower() if text.isascii() else unicodedata.normalize("NFC", text.casefold())
    if "punctuation" in ignore:
        text = _SIGNS.sub(_without_mark, text)
    if "articles" in ignore:
        text = _ARTICLES.sub(" ", text)
    if "whitespace" in ignore or "punctuation" in ignore or "articles" in ignore:
        text = text if text.isascii() else text.translate(_INVISIBLE)
        text = " ".join(text.split())
    return text


def _without_mark(match: re.Match[str]) -> str:
    sign = match[0]
    if not _is_punctuation(sign):
        return sign
    if sign in _APOSTROPHES:
        return ""
    text, at = match.string, match.start()
    before, behind = text[at - 1 : at], text[at + 1 : at + 2]
    if sign in ".,":
        return sign if before.isdigit() and behind.isdigit() else " "
    if sign in "-−":
        return "-" if behind.isdigit() and not before.isalnum() else " "
    return " "


@lru_cache(maxsize=4096)
def _is_punctuation(sign: str) -> bool:
    return sign in _ASCII_PUNCTUATION or unicodedata.category(sign).startswith("P")


@lru_cache(maxsize=4096)
def _is_sign(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"


def squad_words(text: str) -> list[str]:
    """The words of a text by SQuAD's normalization, in whatever script: small letters, no marks, no English articles.

    Where a script puts no blanks between words, each character is one. Rajpurkar et al. 2016, `evaluate-v2.0.py`.
    """
    if text.isascii():
        return _ARTICLES.sub(" ", text.lower().translate(_NO_ASCII_PUNCTUATION)).split()
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    text = _SIGNS.sub(lambda match: "" if _is_sign(match[0]) else match[0], text.translate(_INVISIBLE))
    return _UNITS.findall(_ARTICLES.sub(" ", text))


def unicode_words(text: str) -> list[str]:
    """The words of a text in small letters, parted by white space and by marks; single characters where a script puts no blanks
    between words."""
    if text.isascii():
        return text.lower().translate(_BLANK_PUNCTUATION).split()
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).translate(_INVISIBLE)
    return _UNITS.findall(_SIGNS.sub(lambda match: " " if _is_sign(match[0]) else match[0], text))


def is_inside_word(text: str, at: int) -> bool:
    """Return whether text[at - 1] and text[at] belong to one word or one number."""
    if not 0 < at < len(text):
        return False
    before, behind = text[at - 1], text[at]
    if before in ".,":
        return behind.isdigit() and text[at - 2 : at - 1].isdigit()
    if behind in ".,":
        return before.isdigit() and text[at + 1 : at + 2].isdigit()
    if not before.isalnum() or not (behind.isalnum() or unicodedata.combining(behind)):
        return False
    return not (_CLOSE.match(before) or _CLOSE.match(behind))
