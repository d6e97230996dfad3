"""The JSON in a model's reply, found in four steps of less and less trust; where there is none, the reason."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from tui_eval.reading.thinking import without_thinking

Step = Literal["whole text", "fenced block", "in prose", "repaired"]

LONGEST = 10_000_000
"""Characters of a reply that is read where it is nothing but JSON."""
SEARCHED = 1_000_000
"""Characters of a reply in which JSON is searched."""
DEEPEST = 100
"""Objects and arrays that may stand one within the other."""
TOO_DEEP = f"its JSON is nested deeper than {DEEPEST}"
FENCE = "```"
_MOST_TRIED = 200
"""Stretches between brackets that are tried in one step."""
_MOST_BRACKETS = 300_000
_OPENING = re.compile(r"[\[{]")
_BEGINS = re.compile(r"""[\[{]\s*+(?:["'\[{\d/#-]|(?:true|false|null)\b)""")
"""How JSON begins, and hardly anything else in brackets."""
_TOKEN = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+(?:"|(?=\n)|\Z)|[\[\]{}]')
COMMENT = r"//[^\n]*+|#[^\n]*+|/\*(?:.*?\*/|.*)"
LOOSE_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_LOOSE_TOKEN = re.compile(rf"{LOOSE_STRING}|{COMMENT}|[\[\]{{}}]", re.DOTALL)
_COMMENTS = re.compile(rf"({LOOSE_STRING})|{COMMENT}", re.DOTALL)
_SINGLE = r"'(?:[^'\\]|\\.|'(?!\s{0,20}(?:[,:\]}]|\Z)))*+(?:'|\\?\Z)"
"""A string in single quotes, up to one behind which a value or a key may end: apostrophes within it stay."""
_PYTHON_TOKEN = re.compile(rf"{LOOSE_STRING}|{_SINGLE}|[\[\]{{}}]", re.DOTALL)
_PYTHON = re.compile(rf"({LOOSE_STRING})|({_SINGLE})|\b(True|False|None)\b", re.DOTALL)
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_IN_PYTHON = re.compile(r'\\(x[0-9a-fA-F]{2}|U000[0-9a-fA-F]{5}|U0010[0-9a-fA-F]{4}|u[0-9a-fA-F]{4}|.)|"', re.DOTALL)
_LAST_COMMA = re.compile(rf"({LOOSE_STRING})|,(?=\s*+[\]}}])", re.DOTALL)
_HALVES = re.compile("[\ud800-\udfff]")
_MAY_BE_HALVES = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_CLOSES = {"]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class JsonReading:
    """Result of reading a reply: a value and how it was found, or why there is none."""

    value: Any = None
    """An object or array of strict JSON: every number finite, every string can be written as UTF-8."""
    step: Step | None = None
    """None where nothing was read."""
    reason: str = ""
    """A sentence without its full stop, where nothing was read."""
    cut: bool = False
    """Whether nothing was read because the reply's text ends inside its JSON, or inside its thinking."""


def read_json(text: str | None, kinds: tuple[type, ...] = (dict, list)) -> JsonReading:
    """The JSON object or array (`kinds`: which of the two) that a reply holds, the first there is of these:

    the whole text; a fenced block; what stands between brackets in prose, where arrays of numbers and what is empty do not
    count ("as [1] says"); any of these once comments, commas before a closing bracket and line ends within strings are mended;
    at last any of these as Python writes it, with single quotes.
    Thinking before it is left out. Depth and length are bounded, and so is the time whatever the text: about a second at worst.
    """
    reply = stripped(text)
    if problem := too_little_or_much(reply):
        return JsonReading(reason=problem)
    search = _ReplySearch(kinds)
    if search.tried(reply, "whole text"):
        return search.reading()
    if len(reply) > SEARCHED:
        return JsonReading(reason=search.reason or f"the reply has {len(reply):,} characters, too many to search JSON in them")
    proper = without_thinking(reply)
    if not proper or not proper.strip():
        return no_reply_proper(proper)
    proper = proper.strip()
    search.all_steps(proper, whole_again=proper != reply)
    if search.is_cut:
        return JsonReading(reason=ends_inside(reply), cut=True)
    return search.reading()


def stripped(text: str | None) -> str:
    """Drop a byte order mark and the white space around a reply."""
    return (text or "").strip().removeprefix("\ufeff").strip()


def too_little_or_much(reply: str) -> str:
    """Say why a reply is not looked at: it is empty, or longer than any that is; empty where it is."""
    if len(reply) > LONGEST:
        return f"the reply has {len(reply):,} characters, and {LONGEST:,} are the most that are read"
    return "" if reply else "the reply is empty"


def no_reply_proper(proper: str | None) -> JsonReading:
    """Say that a reply holds nothing but thinking; None where that does not end."""
    if proper is None:
        return JsonReading(reason="the reply ends before its thinking does", cut=True)
    return JsonReading(reason="the reply is empty but for its thinking")


def ends_inside(reply: str) -> str:
    """Say that a reply ends inside its JSON, and where."""
    return f"the reply ends inside its JSON, at line {reply.count(chr(10)) + 1:,}"


class _ReplySearch:
    """The steps over one reply, and what the best try so far says of it."""

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self.wanted = kinds
        self.opening = "".join(sign for sign, kind in (("{", dict), ("[", list)) if kind in kinds)
        self.value: Any = None
        self.step: Step | None = None
        self.reason = ""
        self.open_ends: dict[re.Pattern[str], bool] = {}
        """By how brackets were told from strings, whether the text ends before all of them are closed."""

    def all_steps(self, text: str, whole_again: bool) -> None:
        """Tries each step until one brings a value."""
        if whole_again and self.tried(text, "whole text"):
            return
        blocks = list(islice(_fenced(text), _MOST_TRIED))
        if any(self.tried(block, "fenced block") for block in blocks):
            return
        if any(self.tried(span, "in prose") for span in self._spans(text, _TOKEN)):
            return
        for candidate in (text, *blocks):
            if self.tried(candidate, "repaired", mended):
                return
        if any(self.tried(span, "repaired", mended) for span in self._spans(text, _LOOSE_TOKEN)):
            return
        if any(self.tried(candidate, "repaired", from_python) for candidate in (text, *blocks)):
            return
        any(self.tried(span, "repaired", from_python) for span in self._spans(text, _PYTHON_TOKEN, records_open_end=False))

    def tried(self, text: str, step: Step, mend: Callable[[str], str] | None = None) -> bool:
        """Try a stretch and return whether it is the JSON that is wanted; if not, the reason stays in `reason`."""
        text = text.strip()
        if text[:1] not in ("{", "["):
            return False
        try:
            value = strict_value(mend(text) if mend else text, strict=mend is None)
        except RecursionError:
            self.reason = TOO_DEEP
            return False
        except ValueError as error:
            self.reason = self.reason or fault_of(error)
            return False
        if not isinstance(value, self.wanted):
            self.reason = self.reason or ("an array, not an object" if isinstance(value, list) else "an object, not an array")
            return False
        self.value, self.step = value, step
        return True

    def _spans(self, text: str, token: re.Pattern[str], records_open_end: bool = True) -> Iterator[str]:
        """The stretches between brackets that may be it, in order. `records_open_end`: whether an open end is remembered."""
        try:
            for start, end in islice(_balanced(text, token), _MOST_TRIED):
                if end < 0:
                    if records_open_end:
                        self.open_ends[token] = True
                elif text[start] in self.opening and not _is_aside(text, start, end):
                    yield text[start:end]
        except RecursionError:
            self.reason = TOO_DEEP

    @property
    def is_cut(self) -> bool:
        """Return whether nothing was read and the text ends before its brackets are closed, comments and strings left aside."""
        return self.step is None and bool(self.open_ends) and all(self.open_ends.get(token) for token in (_TOKEN, _LOOSE_TOKEN))

    def reading(self) -> JsonReading:
        """Return the value found, or the reason why there is none."""
        if self.step:
            return JsonReading(self.value, self.step)
        if self.reason:
            return JsonReading(reason=self.reason)
        noun = " or ".join(name for name, kind in (("object", dict), ("array", list)) if kind in self.wanted)
        return JsonReading(reason=f"the reply has no JSON {noun} in it")


def _fenced(text: str) -> Iterator[str]:
    """Yield the contents of fenced blocks, without the language's name; a block that is not closed goes to the end."""
    start = text.find(FENCE)
    while start >= 0:
        end = text.find(FENCE, start + 3)
        block = text[start + 3 : end if end >= 0 else len(text)]
        opened = _OPENING.search(block[:200])
        if opened and not block[: opened.start()].strip().partition(" ")[2]:
            yield block[opened.start() :]
        start = text.find(FENCE, end + 3) if end >= 0 else -1


def _balanced(text: str, token: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield where what looks like JSON opens and closes, in one pass, never nested; last what is never closed, with -1.

    RecursionError where it is nested too deeply.
    """
    opened: list[int] = []
    place = 0
    for _ in range(_MOST_BRACKETS):
        match = (token if opened else _BEGINS).search(text, place)
        if match is None:
            break
        sign = match[0][0]
        place = match.start() + 1 if sign in "{[" else max(match.end(), match.start() + 1)
        if sign in "{[":
            opened.append(match.start())
            if len(opened) > DEEPEST:
                raise RecursionError
        elif sign in _CLOSES:
            at = next((i for i in range(len(opened) - 1, -1, -1) if text[opened[i]] == _CLOSES[sign]), None)
            if at == 0:
                yield opened[0], match.end()
            if at is not None:
                del opened[at:]
    if opened:
        yield opened[0], -1


def _is_aside(text: str, start: int, end: int) -> bool:
    """Return whether brackets hold nothing, or only numbers: a reference such as [1] or [2, 3]."""
    return end - start < 100 and not any(sign.isalpha() or sign in '"[{' for sign in text[start + 1 : end - 1])


def mended(text: str) -> str:
    """JSON without comments and without commas before a closing bracket; strings stay as they are."""
    without = _COMMENTS.sub(lambda match: match[1] or " ", text)
    return _LAST_COMMA.sub(lambda match: match[1] or "", without)


def from_python(text: str) -> str:
    """The same of a value as Python writes it: strings in single quotes, True, False and None."""
    return mended(_PYTHON.sub(_as_json, text))


def _as_json(match: re.Match[str]) -> str:
    literal = match[1] or match[2]
    return f'"{_IN_PYTHON.sub(_escaped, literal[1:-1])}"' if literal else _CONSTANTS[match[3]]


def _escaped(match: re.Match[str]) -> str:
    """Return an escape of a Python string, or a quotation mark that needs none there, as JSON writes it."""
    if match[1] is None:
        return '\\"'
    if len(match[1]) in (3, 9):
        return json.dumps(chr(int(match[1][1:], 16)))[1:-1]
    return match[0] if match[1][0] in '"\\/bfnrtu' else match[1] if match[1] in "'\n" else f"\\\\{match[1]}"


def strict_value(text: str, strict: bool) -> Any:
    """Strict JSON as Python; ValueError where it is none, RecursionError where it is nested too deeply."""
    value = json.loads(text, strict=strict, parse_constant=_no_number, parse_float=_finite)
    level: Sequence[Any] = [value]
    for _ in range(DEEPEST + 1):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))  # a tuple is quicker than a union, and a reply may have a million of them
        ]
        if not level:
            return _whole(value) if _MAY_BE_HALVES.search(text) else value
    raise RecursionError


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def _whole(value: Any) -> Any:
    """A value with the sign for unknown characters where one has only half of a character, which no file could hold."""
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value


def fault_of(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"its JSON is broken at line {error.lineno}, column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}"
    return f"its JSON is refused: {str(error)[:200]}"
