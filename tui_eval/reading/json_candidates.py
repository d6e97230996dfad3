"""JSON values of a reply that may be the wanted one, in the order of their places, and whether the reply ends inside the last.

A model may show a template, an example, an earlier version, or a small object before or after the value that is meant. One pass
over the reply finds every object and array that holds a given name; which of them is meant is for the caller to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_eval.reading.json_replies import (
    COMMENT,
    DEEPEST,
    FENCE,
    LOOSE_STRING,
    TOO_DEEP,
    Step,
    ends_inside,
    fault_of,
    mended,
    no_reply_proper,
    strict_value,
    stripped,
    too_little_or_much,
)
from tui_eval.reading.thinking import without_thinking

SEARCHED = 4_000_000
"""Characters of a reply in which candidates are searched."""
_MOST_TOKENS = 400_000
"""Brackets that are looked at in one reply; a graph of 20,000 parts has about a third of that."""
_FOR_A_STRETCH = 4
"""What a stretch counts beside its brackets, as it takes that much longer."""
_MOST_PARSED = 2_000
"""Stretches with the name in them that are parsed."""
_MOST_OTHERS = 20
"""Stretches without the name that are parsed: they only tell what to say of a reply in which there is nothing better."""
_MOST_LOOSE = 50
"""Stretches that are walked a second time, with comments and with strings over several lines."""
_BEGINS = re.compile(r"""```|\{\s*+(?:["'#]|/[/*]|\Z)|\[\s*+(?:\{\s*+["'#}/]|/[/*]|\{?\s*+\Z)""")
"""Fences, and how an object begins or an array of objects; what stands in brackets in prose hardly ever begins so."""
_STRICT = re.compile(r'(?:[^"\[\]{}`]++|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+(?:"|(?=\n)|\Z)|"|`(?!``))*+(?:[\[\]{}]|```)')
"""Up to the next bracket or fence, past strings."""
_LOOSE = re.compile(rf'(?:[^"\[\]{{}}`/#]++|{LOOSE_STRING}|{COMMENT}|/|`(?!``))*+(?:[\[\]{{}}]|```)', re.DOTALL)
"""The same, past comments and strings over several lines, too."""
_OPENED_AT_END = re.compile(r"```[ \t]*j(?:s(?:on?\w*)?)?\s*\Z", re.IGNORECASE)
_HALF_COMMENT = re.compile(r"(?<![/*])/\Z")
"""The first sign of a comment, behind which the text was cut."""
_HALF_UNICODE = re.compile(r"u[0-9a-fA-F]{0,3}\Z")
_HALF_VALUE = re.compile(r"\s*(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-|\.|(?:\.\d+)?[eE][+-]?)?\s*")
"""What a cut text may have behind the place at which it stops being JSON: nothing, or the start of a word or a number."""
_NOTES = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WITHIN = re.compile(r'(?:[\[{,]|"\s*+:)\s*\Z')
"""What stands before a value that is part of another one."""
_IN_PROSE = re.compile(r"[^\n:`]\Z")
"""What stands before a bracket in a sentence, and hardly ever before a value."""
_BEFORE = 300
"""Characters before a value that are looked at for it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be the wanted one."""

    value: Any
    """An object or array of strict JSON."""
    step: Step


@dataclass(frozen=True, slots=True)
class Candidates:
    """The values of a reply that may be the wanted one, or why there are none."""

    values: Sequence[Candidate] = ()
    """In the order of their places. Where no JSON holds the name, the last JSON that there is."""
    reason: str = ""
    """A sentence without its full stop, where there are none."""
    cut: bool = False
    """Whether there are none because the reply's text ends inside the last of them, or inside its thinking."""


def json_candidates(text: str | None, name: str) -> Candidates:
    """Find the JSON values of a reply that hold a name.

    The whole text, where it is JSON; else every stretch between brackets, in fenced blocks and in prose, strict or mended.
    Where the reply ends inside the last stretch, nothing before it counts: it may be what the last one was to replace.
    Thinking is left out. Depth, length and the number of brackets are bounded, and so is the time whatever the text.
    """
    reply = stripped(text)
    if problem := too_little_or_much(reply):
        return Candidates(reason=problem)
    reply = _unquoted(reply)
    whole = _parsed(reply, "whole text", mends=False) if reply[0] in "{[" else None
    if isinstance(whole, Candidate):
        return Candidates([whole])
    if len(reply) > SEARCHED:
        return Candidates(reason=f"the reply has {len(reply):,} characters, too many to search JSON in them")
    proper = without_thinking(reply)
    if not proper or not proper.strip():
        empty = no_reply_proper(proper)
        return Candidates(reason=empty.reason, cut=empty.cut)
    search = _Search(_HALF_COMMENT.sub("", proper.strip()), name)
    try:
        search.run()
    except RecursionError:
        return Candidates(reason=TOO_DEEP)
    except _TooMuchError as problem:
        return Candidates(reason=str(problem))
    return Candidates(reason=ends_inside(reply), cut=True) if search.cut else search.candidates()


class _TooMuchError(Exception):
    """Says what a reply has more of than is looked at."""


@dataclass(slots=True)
class _JsonWalk:
    """A way from an opening bracket to where it ends."""

    end: int
    """Behind the bracket that closes it; else at the fence, or at the end of the text, before which nothing does."""
    closed: bool
    inner: list[tuple[int, int]]
    """Places of the closed stretches in it, none within another."""
    opened: list[int]
    """Places of the brackets that are still open."""


@dataclass(slots=True)
class _Search:
    """One pass over a reply."""

    text: str
    name: str
    fenced: bool = False
    cut: bool = False
    tokens: int = _MOST_TOKENS
    parsed: int = 0
    parsed_others: int = 0
    walked_twice: int = 0
    values: list[Candidate] = field(default_factory=list)
    other: Candidate | None = None
    fault: str = ""
    """What is wrong with the last stretch that has the name in it and is no JSON."""
    other_fault: str = ""

    def run(self) -> None:
        """Look at each stretch in turn. RecursionError where one is nested too deeply."""
        place = 0
        while begin := _BEGINS.search(self.text, place):
            if begin[0] != FENCE:
                place = self._after(begin.start())
                continue
            self.fenced = not self.fenced
            self.cut = self.fenced and _OPENED_AT_END.match(self.text, begin.start()) is not None
            place = begin.end()

    def candidates(self) -> Candidates:
        """Return the candidates found, or the reason why there are none."""
        if self.values:
            return Candidates(self.values)
        if self.fault or self.other is None:
            return Candidates(reason=self.fault or self.other_fault or "the reply has no JSON object in it")
        return Candidates([self.other])

    def _after(self, start: int) -> int:
        """Read the stretch that begins here; where to go on."""
        strict = self._walk(start, _STRICT)
        if strict.closed and (self._read(start, strict.end) or not self._may_be_misread(start, strict.end)):
            return strict.end
        self.walked_twice += 1
        loose = self._walk(start, _LOOSE) if self.walked_twice <= _MOST_LOOSE else strict
        if loose.closed and (not strict.closed or loose.end != strict.end) and self._read(start, loose.end):
            return loose.end
        length = len(self.text)
        if not strict.closed and not loose.closed:
            return self._unclosed(strict)
        if strict.closed and not loose.closed and loose.end == length and _ends_within(self.text[start:]):
            self.cut = True
            return length
        return strict.end if strict.closed else loose.end

    def _unclosed(self, walk: _JsonWalk) -> int:
        """Read what stands on its own in a stretch that is never closed, such as a value behind a stray bracket in prose."""
        last = 0
        for start, end in walk.inner:
            if self._has_name(start, end) and not self._is_within(start) and self._read(start, end):
                last = end
        if self.values and self._is_note(walk.opened[0]):
            return walk.end
        if walk.end == len(self.text):
            self.cut = not last or any(place > last and _BEGINS.match(self.text, place) for place in walk.opened)
        elif not last:
            self.fault = "its JSON is never closed: its block ends before it"
        return walk.end

    def _is_note(self, place: int) -> bool:
        """Return whether the text ends in a bracket in prose: a note such as "see [1]" is cut there more often than a value."""
        before = self.text[max(0, place - _BEFORE) : place].rstrip(" \t")
        return not self.text[place + 1 :].strip() and _IN_PROSE.search(before) is not None

    def _walk(self, start: int, token: re.Pattern[str]) -> _JsonWalk:
        text, find, place = self.text, token.match, start
        opened: list[int] = []
        inner: list[tuple[int, int]] = []
        arrays = 0
        self.tokens -= _FOR_A_STRETCH
        while match := find(text, place):
            place = match.end()
            sign = text[place - 1]
            if sign in "{[":
                opened.append(place - 1)
                arrays += sign == "["
                if len(opened) > DEEPEST:
                    raise RecursionError
            elif sign == "`":
                return _JsonWalk(place - len(FENCE), False, inner, opened)
            elif arrays if sign == "]" else arrays < len(opened):
                opening = "[" if sign == "]" else "{"
                while text[begin := opened.pop()] != opening:
                    arrays -= opening == "{"
                arrays -= sign == "]"
                while inner and inner[-1][0] > begin:
                    inner.pop()
                inner.append((begin, place))
                if not opened:
                    return _JsonWalk(place, True, [], [])
            self.tokens -= 1
            if self.tokens < 0:
                raise _TooMuchError("the reply has too many brackets to search JSON in them")
        return _JsonWalk(len(text), False, inner, opened)

    def _read(self, start: int, end: int) -> bool:
        """Parse a stretch and return whether it is JSON; if not, the reason stays in `fault`."""
        is_named = self._has_name(start, end)
        self.parsed += is_named
        self.parsed_others += not is_named
        if self.parsed > _MOST_PARSED:
            raise _TooMuchError(f"the reply has more than {_MOST_PARSED:,} stretches of JSON with {self.name!r} in them")
        if not is_named and self.parsed_others > _MOST_OTHERS:
            return True
        step: Step = "fenced block" if self.fenced else "in prose"
        result = _parsed(self.text[start:end], "whole text" if (start, end) == (0, len(self.text)) else step)
        if isinstance(result, str) and is_named:
            self.fault = result
        elif isinstance(result, str):
            self.other_fault = self.other_fault or result
        elif is_named:
            self.values.append(result)
        else:
            self.other = result
        return isinstance(result, Candidate)

    def _has_name(self, start: int, end: int) -> bool:
        return self.text.find(self.name, start, end) >= 0

    def _may_be_misread(self, start: int, end: int) -> bool:
        """Return whether a stretch that is no JSON may end elsewhere: it has the name in it, or what may be a comment."""
        return self._has_name(start, end) or any(self.text.find(sign, start, end) >= 0 for sign in ("//", "/*", "#"))

    def _is_within(self, place: int) -> bool:
        """Return whether a value is part of the array or object that is open before it, and does not stand in prose."""
        return _WITHIN.search(_NOTES.sub(" ", self.text[max(0, place - _BEFORE) : place])) is not None


def _unquoted(reply: str) -> str:
    """The JSON in a reply that is nothing but a text of JSON with an object or an array in it, cut or whole; else the reply."""
    if reply[0] != '"':
        return reply
    for whole in (reply, _without_half_escape(reply) + '"'):
        try:
            inner = json.loads(whole)
        except ValueError:
            continue
        return inner.strip() if isinstance(inner, str) and inner.strip()[:1] in ("{", "[") else reply
    return reply


def _without_half_escape(text: str) -> str:
    """Return the text of a string without the escape that it was cut in."""
    half = _HALF_UNICODE.search(text[-4:])
    for end in (len(text), len(text) - len(half[0]) if half else 0):
        before = text[:end]
        if (end - len(before.rstrip("\\"))) % 2:
            return before[:-1]
    return text


def _parsed(text: str, step: Step, mends: bool = True) -> Candidate | str:
    """The value of a stretch, strict or else mended; or what is wrong with it."""
    try:
        return Candidate(strict_value(text, strict=True), step)
    except RecursionError:
        return TOO_DEEP
    except ValueError as error:
        fault = fault_of(error)
    if not mends:
        return fault
    try:
        return Candidate(strict_value(mended(text), strict=False), "repaired")
    except RecursionError:
        return TOO_DEEP
    except ValueError:
        return fault


def _ends_within(text: str) -> bool:
    """Return whether the text is JSON up to its end, and not closed there."""
    try:
        json.JSONDecoder(strict=False).raw_decode(mended(text))
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or _HALF_VALUE.fullmatch(error.doc, error.pos) is not None
    except (ValueError, RecursionError):
        return False
    return False
