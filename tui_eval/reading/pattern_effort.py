"""Bound of the steps that a regular expression can take on a text, by one walk through the expression."""

from __future__ import annotations

import math
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


def effort(pattern: str, length: int, blanks_run: bool = False) -> float:
    """About so many steps at the most on a text of this length in which no two signs of white space stand side by side, or
    in any text (`blanks_run`).

    From each place to begin at, each way in which what repeats can be shared out. What is possessive or atomic gives
    nothing back: it has one way, and still its own steps. The pattern must compile, without the flag for comments.
    """
    reader = _PatternReader(pattern, length, blanks_run)
    whole = reader.alternatives()
    return whole.steps * (length if reader.branches > 1 else _beginnings(pattern, length))


class _PatternPart(NamedTuple):
    """Number of ways and steps in which a part of a pattern can match a text from one place on."""

    ways: float
    """In which it can match: each is tried when what follows does not."""
    steps: float
    """Until all of them are tried."""


_LETTER = _PatternPart(1.0, 1.0)


def _beginnings(pattern: str, length: int) -> int:
    """At how many places of a text a pattern without alternatives can begin."""
    if _ANCHORED.match(pattern):
        return 1
    word = _WORD.match(pattern)
    return length // len(word[1]) if word else length


def has_comments(pattern: str) -> bool:
    """Return whether a flag makes white space and what follows a `#` count for nothing."""
    return any("x" in (match["flags"] or "") for match in _FLAGS.finditer(pattern))


class _PatternReader:
    """One walk through a pattern."""

    def __init__(self, pattern: str, length: int, blanks_run: bool) -> None:
        self.pattern, self.length, self.blanks_run = pattern, length, blanks_run
        self.ignores_case = any("i" in (match["flags"] or "") for match in _FLAGS.finditer(pattern))
        self.at = 0
        self.branches = 0
        """Alternatives of what was read last."""

    def alternatives(self) -> _PatternPart:
        """A pattern, or a group's inside. Of alternatives that begin with different letters only one can hold."""
        parts: list[_PatternPart] = []
        firsts: list[str] = []
        while True:
            firsts.append(self.pattern[self.at : self.at + 1].casefold())
            parts.append(self._sequence())
            if not self.pattern.startswith("|", self.at):
                break
            self.at += 1
        self.branches = len(parts)
        told_apart = len(set(firsts)) == len(firsts) and all(map(self._is_itself, firsts))
        ways = max(part.ways for part in parts) if told_apart else sum(part.ways for part in parts)
        return _PatternPart(min(ways, ENDLESS), min(sum(part.steps for part in parts), ENDLESS))

    def _is_itself(self, first: str) -> bool:
        """Return whether a sign stands for one letter alone: beyond ASCII several are one where case counts for nothing."""
        return first.isalnum() and (first.isascii() or not self.ignores_case)

    def _sequence(self) -> _PatternPart:
        ways, steps = 1.0, 1.0
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            begin = self.at
            inner = self._atom()
            part = self._repeated(inner, not self.blanks_run and self.pattern[begin : self.at] in _BLANK)
            steps = min(max(steps, ways * part.steps), ENDLESS)
            ways = min(ways * part.ways, ENDLESS)
        return _PatternPart(ways, steps)

    def _atom(self) -> _PatternPart:
        """One letter, class or group."""
        if self.pattern.startswith("(?#", self.at):
            self.at = self.pattern.index(")", self.at) + 1
            return _LETTER
        if opening := _OPENING.match(self.pattern, self.at):
            self.at = opening.end()
            inner = self.alternatives()
            self.at += 1
            return _PatternPart(1.0, inner.steps) if opening["closed"] else inner
        match = _CLASS.match(self.pattern, self.at)
        self.at = match.end() if match else self.at + (2 if self.pattern[self.at] == "\\" else 1)
        return _LETTER

    def _repeated(self, inner: _PatternPart, blank: bool) -> _PatternPart:
        times = _TIMES.match(self.pattern, self.at)
        if times is None:
            return inner
        self.at = times.end()
        least, most = _bounds(times, 1 if blank else self.length)
        if times["how"] == "+":
            return _PatternPart(1.0, max(inner.steps, most))
        if inner.ways == 1:
            return _PatternPart(most - least + 1, max(inner.steps, most))
        endless = most > 100 or most * math.log10(inner.ways) > 30
        ways = ENDLESS if endless else min(inner.ways**most * (most - least + 1), ENDLESS)
        return _PatternPart(ways, max(inner.steps, ways))


def _bounds(times: re.Match[str], length: int) -> tuple[int, int]:
    """Return the least and the most repetitions; never more than the text is long."""
    sign = times["sign"]
    if sign:
        return int(sign == "+"), 1 if sign == "?" else length
    least = int(times["least"] or 0)
    most = least if not times["comma"] else int(times["most"]) if times["most"] else length
    return min(least, length), min(most, length)
