"""How much work a regular expression can make of a text at the worst: some would try more ways than can ever be counted."""

from __future__ import annotations

import re
from typing import NamedTuple

ENDLESS = 1e30
"""As good as without an end."""
_OPENING = re.compile(r"\((?:\?(?:P<\w+>|P=\w+|(?P<closed><?[=!]|>)|:|\(\w+\)|[a-zA-Z-]*:?))?")
_TIMES = re.compile(r"(?:(?P<sign>[*+?])|\{(?=[0-9,])(?P<least>[0-9]*)(?P<comma>,)?(?P<most>[0-9]*)\})(?P<how>[+?]?)")
_CLASS = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]", re.DOTALL)
_FLAGS = re.compile(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|\(\?(?P<flags>[a-zA-Z]+)", re.DOTALL)
_BLANK = frozenset((" ", r"\s", r"\n", r"\t", r"[ ]", r"[\s]", r"[ \t]", r"[ \n]", r"[ \t\n]", r"[ \n\t]"))
"""What matches white space alone, of which there is never more than one sign in a row."""
_ANCHORED = re.compile(r"(?:\(\?[aisu]+\))?(?:\^|\\A)")
_WORD = re.compile(r"(?:\(\?[aimsu]+\))?([A-Za-z]+)(?![*+?{])")


def effort(pattern: str, length: int) -> float:
    """About so many steps at the most on a text of this length in which no two signs of white space stand side by side.

    From each place to begin at, each way in which what repeats can be shared out. What is possessive or atomic gives
    nothing back: it has one way, and still its own steps. The pattern must compile, without the flag for comments.
    """
    reader = _Reader(pattern, length)
    whole = reader.alternatives()
    return whole.steps * (length if reader.branches > 1 else _beginnings(pattern, length))


class _Part(NamedTuple):
    """What a part of a pattern can make of a text from one place on."""

    ways: float
    """In which it can match: each is tried when what follows does not."""
    steps: float
    """Until all of them are tried."""


_LETTER = _Part(1.0, 1.0)


def _beginnings(pattern: str, length: int) -> int:
    """At how many places of a text a pattern without alternatives can begin."""
    if _ANCHORED.match(pattern):
        return 1
    word = _WORD.match(pattern)
    return length // len(word[1]) if word else length


def has_comments(pattern: str) -> bool:
    """Whether a flag makes white space and what follows a `#` count for nothing."""
    return any("x" in (found["flags"] or "") for found in _FLAGS.finditer(pattern))


class _Reader:
    """One walk through a pattern."""

    def __init__(self, pattern: str, length: int) -> None:
        self.pattern, self.length = pattern, length
        self.at = 0
        self.branches = 0
        """Alternatives of what was read last."""

    def alternatives(self) -> _Part:
        """A pattern, or a group's inside. Of alternatives that begin with different letters only one can hold."""
        parts: list[_Part] = []
        firsts: list[str] = []
        while True:
            firsts.append(self.pattern[self.at : self.at + 1].casefold())
            parts.append(self._sequence())
            if not self.pattern.startswith("|", self.at):
                break
            self.at += 1
        self.branches = len(parts)
        told_apart = len(set(firsts)) == len(firsts) and all(first.isalnum() for first in firsts)
        ways = max(part.ways for part in parts) if told_apart else sum(part.ways for part in parts)
        return _Part(min(ways, ENDLESS), min(sum(part.steps for part in parts), ENDLESS))

    def _sequence(self) -> _Part:
        ways, steps = 1.0, 1.0
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            begin = self.at
            inner = self._atom()
            part = self._repeated(inner, self.pattern[begin : self.at] in _BLANK)
            steps = min(max(steps, ways * part.steps), ENDLESS)
            ways = min(ways * part.ways, ENDLESS)
        return _Part(ways, steps)

    def _atom(self) -> _Part:
        """One letter, class or group."""
        if self.pattern.startswith("(?#", self.at):
            self.at = self.pattern.index(")", self.at) + 1
            return _LETTER
        if opening := _OPENING.match(self.pattern, self.at):
            self.at = opening.end()
            inner = self.alternatives()
            self.at += 1
            return _Part(1.0, inner.steps) if opening["closed"] else inner
        found = _CLASS.match(self.pattern, self.at)
        self.at = found.end() if found else self.at + (2 if self.pattern[self.at] == "\\" else 1)
        return _LETTER

    def _repeated(self, inner: _Part, blank: bool) -> _Part:
        times = _TIMES.match(self.pattern, self.at)
        if times is None:
            return inner
        self.at = times.end()
        least, most = _bounds(times, 1 if blank else self.length)
        if times["how"] == "+":
            return _Part(1.0, max(inner.steps, most))
        if inner.ways == 1:
            return _Part(most - least + 1, max(inner.steps, most))
        ways = ENDLESS if most > 100 else min(inner.ways**most * (most - least + 1), ENDLESS)
        return _Part(ways, max(inner.steps, ways))


def _bounds(times: re.Match[str], length: int) -> tuple[int, int]:
    """How often at the least and at the most; never more often than the text is long."""
    sign = times["sign"]
    if sign:
        return int(sign == "+"), 1 if sign == "?" else length
    least = int(times["least"] or 0)
    most = least if not times["comma"] else int(times["most"]) if times["most"] else length
    return min(least, length), min(most, length)
