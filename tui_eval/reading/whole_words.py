"""The search for an answer in a text: its words whole and in their order, its numbers by their value."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from tui_eval.core.gathering import gathered
from tui_eval.reading.bare_text import bare
from tui_eval.reading.folding import CLOSE

_FRACTION = r"(?<![\d/])\d/\d(?![\d/])"
_BY_APOSTROPHES = r"\d{1,3}(?:'\d{3})+(?!\d)(?:[.,]\d+)?"
_TOKEN = re.compile(
    rf"(?P<number>(?:(?<![\w.,)-])-)?(?:{_FRACTION}|{_BY_APOSTROPHES}|\d+(?:[.,]\d+)*))"
    rf"|(?P<close>[{CLOSE}])|(?P<word>[^\W\d_{CLOSE}]+)|(?P<sign>[%‰°€$£¥&@+=<>§])"
)
_JOINED = re.compile(r"(?<=[^\W\d_])-\s*(?=[^\W\d_])")
"""A hyphen between letters: one at a line's end may have been put there."""
_UNBROKEN = re.compile("(?<=\\d)[\u00a0\u202f](?=\\d{3}(?!\\d))")
"""A blank at which no line breaks divides thousands; a plain one may stand between two numbers, such as those of a table."""
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:(?P<mark>[ '])\d{3})(?:(?P=mark)\d{3})*(?![\d])(?:[.,]\d+(?![\d.,]))?")
"""Thousands that a blank or an apostrophe divides."""
Key = str | Decimal
Mark = str | None
"""How a text writes decimals: with "." or ","; None where it does not tell."""


@dataclass(frozen=True, slots=True)
class _Words:
    """A text in tokens."""

    keys: Sequence[frozenset[Key]]
    """Of each, what it can be: a word, a sign, or the values of a number."""
    joined: Mapping[int, tuple[int, frozenset[Key]]]
    """Where several numbers may be one with its thousands apart: by the place of the first, the place behind the last, and the
    value."""
    starts: Mapping[Key, Sequence[int]]


def stands_in(answer: str, text: str, written_as: str = "") -> bool | None:
    """Return whether an answer stands in a text. None where it has no word and no number.

    `written_as`: the text that the answer was taken from, which tells how it writes decimals.

    1,000 and 1000 and 1 000 and 1.000,0 are one number, 5 and 15 are two. Where a text's other numbers do not tell which of
    point and comma divides thousands, 1,000 is a thousand, and 1.000 both a thousand and one.
    """
    answer_tokens, text_words = _tokens(answer, _decimal_mark(written_as) if written_as else None), _words(text)
    if not answer_tokens.keys:
        return None
    return any(_stands(tokens, text_words) for tokens in (answer_tokens.keys, _grouped(answer_tokens)))


def _stands(answer_keys: Sequence[frozenset[Key]], words: _Words) -> bool:
    starts = {place for key in answer_keys[0] for place in words.starts.get(key, ())}
    starts |= {place for place, (_, keys) in words.joined.items() if keys & answer_keys[0]}
    return any(_stands_at(answer_keys, words, place) for place in starts)


def _stands_at(answer_keys: Sequence[frozenset[Key]], words: _Words, place: int) -> bool:
    places = {place}
    for keys in answer_keys:
        after = {at + 1 for at in places if at < len(words.keys) and words.keys[at] & keys}
        after |= {words.joined[at][0] for at in places if at in words.joined and words.joined[at][1] & keys}
        if not after:
            return False
        places = after
    return True


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The same of a text that nothing is looked for in."""

    keys: Sequence[frozenset[Key]]
    joined: Mapping[int, tuple[int, frozenset[Key]]]


def _grouped(tokens: _Tokens) -> Sequence[frozenset[Key]]:
    """With numbers taken as one whose thousands stand apart."""
    groups, place = [], 0
    while place < len(tokens.keys):
        place, keys = tokens.joined.get(place, (place + 1, tokens.keys[place]))
        groups.append(keys)
    return groups


@lru_cache(maxsize=64)
def _words(text: str) -> _Words:
    tokens = _tokens(text, None)
    starts = gathered((key, place) for place, keys in enumerate(tokens.keys) for key in keys)
    return _Words(tokens.keys, tokens.joined, starts)


def _tokens(text: str, mark: Mark) -> _Tokens:
    """`mark`: how it writes decimals; None = as its own numbers tell."""
    folded_text = _JOINED.sub("", bare(_UNBROKEN.sub("'", text)).casefold())
    mark = mark or _mark_of(folded_text)
    keys: list[frozenset[Key]] = []
    at: dict[int, int] = {}
    for match in _TOKEN.finditer(folded_text):
        at[match.start()] = len(keys)
        keys.append(_values(match[0], mark) if match["number"] else frozenset({match[0]}))
    joined: dict[int, tuple[int, frozenset[Key]]] = {}
    places = list(at)
    for match in _GROUPED.finditer(folded_text):
        first = at.get(match.start(), at.get(match.start() - 1))
        if first is not None:
            last = bisect_left(places, match.end()) - bisect_right(places, match.start())
            minus = (
                "-" if folded_text[match.start() - 1 : match.start()] == "-" and at.get(match.start() - 1) is not None else ""
            )
            digits = minus + match[0].replace(" ", "").replace("'", "").replace(",", ".")
            joined[first] = (first + last + 1, frozenset({Decimal(digits).normalize() + 0}))
    return _Tokens(keys, joined)


@lru_cache(maxsize=64)
def _decimal_mark(text: str) -> Mark:
    return _mark_of(bare(text))


def _mark_of(text: str) -> Mark:
    """The decimal mark, where some numbers can be read in one way only and all of these agree."""
    numbers = (match["number"].lstrip("-") for match in _TOKEN.finditer(text) if match["number"])
    marks = {mark for number in numbers if not set("/'") & set(number) for mark in _evidence(number)}
    return marks.pop() if len(marks) == 1 else None


def _evidence(number: str) -> Iterator[str]:
    marks = [sign for sign in number if sign in ".,"]
    *_, last = re.split("[.,]", number)
    if len(set(marks)) == 2 and marks.count(marks[-1]) == 1:
        yield marks[-1]
    elif len(marks) > 1 and len(set(marks)) == 1 and _in_groups(number, marks[0]):
        yield "." if marks[0] == "," else ","
    elif len(marks) == 1 and (len(last) != 3 or number.startswith("0") or number.index(marks[0]) > 3):
        yield marks[0]


def _in_groups(number: str, mark: str) -> bool:
    first, *rest = number.split(mark)
    return 1 <= len(first) <= 3 and not first.startswith("0") and all(len(group) == 3 for group in rest)


def _values(number: str, mark: Mark) -> frozenset[Key]:
    """Return the values a number can have; a date, a fraction or a number that begins with 0 stands for itself."""
    digits = number.lstrip("-")
    marks = {sign for sign in digits if sign in ".,"}
    if "'" in number:
        return frozenset({_value(number.replace("'", "").replace(",", "."))})
    if not marks:
        literal = "/" in number or (len(digits) > 1 and digits.startswith("0"))
        return frozenset({number if literal else _value(number)})
    return frozenset(_with_mark(number, digits, marks, mark)) or frozenset({number})


def _with_mark(number: str, digits: str, marks: set[str], mark: Mark) -> Iterator[Key]:
    """Yield the values of a number with points or commas, by either of them as its decimal mark."""
    for decimal, grouping in ((".", ","), (",", ".")):
        whole, *fraction = digits.split(decimal)
        if len(fraction) > 1 or (fraction and grouping in fraction[0]):
            continue
        if (grouping in whole and not _in_groups(whole, grouping)) or (len(whole) > 1 and whole.startswith("0")):
            continue
        if mark == grouping or (mark is None and len(marks) == 1 and _is_thousands(digits, decimal)):
            continue
        yield _value(("-" if number.startswith("-") else "") + whole.replace(grouping, "") + "." + "".join(fraction))


def _is_thousands(digits: str, decimal: str) -> bool:
    """Return whether a comma of a number stands before thousands, where nothing tells: with a point both may be meant."""
    return decimal == "," and digits.count(",") == 1 and _in_groups(digits, ",")


def _value(number: str) -> Decimal:
    return Decimal(number.rstrip(".")).normalize() + 0
