"""Filter of a log, in the grammar of every list (`reading/queries/list_query`), looked for in the bytes of its lines.

The small print:

- The fields are status, kind (of error), stage, model, item, doc, call and text, and of numbers s, cost, tokens, attempt, call
  and http, which are compared: `s>2`, `http=429`. Any other word before a colon is plain text, as in an address.
- `field=word`, `field="a phrase"`: the whole value, to the letter. `text` has no whole value: there `=` asks as `:` does.
- A word is found anywhere in a value, in capitals or not; `call:` begins a call's key. A letter equals another one that is
  it, its small form or its capital, where these are one letter.
- `text:` looks into what was sent, what came back and the error message: every value there, numbers included, and no
  name of a field. A word without a field looks there too, and into status, kind, stage, model and item.
- `failed` is a status besides the record's own: every error and every timeout.
- Text is looked for in the bytes of the log, as Python's JSON writes them (other letters than ASCII as \\uXXXX): a
  stranger's log that writes a letter as \\u0061 or as UTF-8 is not found by it. What stands beyond the first 4 MB of a
  record is not looked at. Of a damaged line, all of it is text, and it has no fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from tui_eval.reading.queries.list_query import COMPARISONS, NO_VALUE, TypedTerm, is_beyond, number_of, typed_terms

Field = Literal["any", "status", "kind", "stage", "model", "item", "doc", "call", "text"]
NUMBERS = ("s", "cost", "tokens", "attempt", "call", "http")
"""Fields that are compared as numbers."""
FIELDS = (*get_args(Field)[1:], *NUMBERS)
KNOWN_EARLY: tuple[Field, ...] = ("status", "kind", "stage", "model")
"""Fields that an index keeps, so that no line is read for them."""
SEARCHED_BYTES = 4 << 20
SHORT_BYTES = 16_384
"""Holds the names of item, document and call, which stand at the beginning of a record."""

_HEAD_END = b', "request": '
_STRING = rb'\s*:\s*("[^"\\]*+(?:\\.[^"\\]*+)*+")'
_VALUES = {
    name: re.compile(b'"' + column + b'"' + _STRING)
    for name, column in {"item": b"item_id", "doc": b"doc_id", "call": b"call_key", "error": b"error_message"}.items()
}
_END_OF_NAME = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"\s*:')
_BACKSLASH = ord("\\")


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query."""

    name: Field
    needle: str
    negated: bool
    in_words: re.Pattern[str] = field(repr=False, compare=False)
    in_bytes: re.Pattern[bytes] = field(repr=False, compare=False)
    """In JSON without capitals."""
    certain: bytes = field(repr=False, compare=False)
    """Bytes that stand wherever the needle stands: looking for them is quickest."""
    exact: bool = False
    """Whether the needle is the whole value."""

    @classmethod
    def of(cls, name: Field, needle: str, negated: bool, exact: bool = False) -> Term:
        """A term of a field, or of `any`; `exact`: the needle is the whole value."""
        exact = exact and name != "text"
        words = "".join(f"(?:{'|'.join(map(re.escape, _forms(letter)))})" for letter in needle)
        escapes = [sorted({_escaped(form) for form in _forms(letter)}) for letter in needle]
        in_bytes = b"".join(b"(?:" + b"|".join(map(re.escape, forms)) + b")" for forms in escapes)
        runs = b"".join(forms[0] if len(forms) == 1 else b"\n" for forms in escapes).split(b"\n")
        in_words = rf"\A{re.escape(needle)}\Z" if exact else words
        return cls(name, needle, negated, re.compile(in_words), re.compile(in_bytes), max(runs, key=len), exact)

    def early(self, values: Mapping[str, tuple[str, ...]] | None) -> bool | None:
        """Return whether the needle is in the fields known early (None: a damaged line); None when others may have it."""
        if self.name in KNOWN_EARLY:
            return values is not None and any(map(self.in_words.search, values[self.name]))
        if self.name == "any" and values is not None:
            return any(self.in_words.search(value) for group in values.values() for value in group) or None
        return None

    def late(self, line: LogLine) -> bool:
        """Return whether the needle is in the fields that are read from the line."""
        if self.name == "call":
            key = line.value("call")
            return key == self.needle if self.exact else key.startswith(self.needle.lower())
        if self.certain not in line.small:
            return False
        if self.name in ("item", "doc"):
            return self.in_words.search(line.value(self.name)) is not None
        in_item = self.name == "any" and self.in_words.search(line.value("item")) is not None
        return in_item or self.in_words.search(line.value("error")) is not None or self._in_text(line.text)

    def _in_text(self, text: bytes) -> bool:
        at = 0
        while hit := self.in_bytes.search(text, at):
            if _splits_escape(text, hit.start()):
                at = hit.start() + 1
            elif name := _END_OF_NAME.match(text, hit.end()):
                at = name.end()
            else:
                return True
        return False


class LogLine:
    """A line of the log, taken apart as far as terms ask for it, once for all of them."""

    def __init__(self, line: bytes, damaged: bool) -> None:
        self.small = line.lower()
        self._line = line
        self._damaged = damaged
        self._head = 0 if damaged else max(line.find(_HEAD_END), 0) or len(line)

    @property
    def text(self) -> bytes:
        """Text that was sent and that came back, as JSON without capitals; all of a damaged line."""
        return self.small[self._head :]

    def value(self, name: str) -> str:
        """A small field's text; empty where there is none."""
        match = None if self._damaged else _VALUES[name].search(self._line, 0, self._head)
        try:
            return str(json.loads(match[1])) if match else ""
        except ValueError:
            return ""


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Query for attempts."""

    terms: tuple[Term, ...] = ()
    numbers: tuple[TypedTerm, ...] = ()
    """Terms that compare numbers; what has none is on neither side."""
    hint: str = ""
    """A field that is none, with the nearest one; empty where there is none."""

    @classmethod
    def parse(cls, text: str) -> LogQuery:
        """The query that was typed; any text is one."""
        typed, hint = typed_terms(text, FIELDS)
        numbers = tuple(term for term in typed if _is_of_numbers(term))
        terms = [
            Term.of(_field(term.field), term.value, term.is_negated, term.operator == "=")
            for term in typed
            if not _is_of_numbers(term)
        ]
        return cls(tuple(terms), numbers, hint)

    @property
    def asks(self) -> bool:
        """Return whether it asks for anything."""
        return bool(self.terms or self.numbers)

    def numbers_hold(self, value_of: Callable[[str], float | None]) -> bool:
        """Return whether the numbers of an attempt are those asked for."""
        return all(_holds(term, value_of(term.field)) for term in self.numbers)

    @property
    def item(self) -> str:
        """The one item whose attempts are asked for, by its whole name; empty where it is not that."""
        return next((term.needle for term in self.terms if term.name == "item" and term.exact and not term.negated), "")

    def left(self, status: str | None, kind: str, stage: str, model: str) -> tuple[Term, ...] | None:
        """The terms that only the line itself can decide; None when the fields known early refuse it (status None: damaged)."""
        values = (
            None if status is None else {"status": _states(status, kind), "kind": (kind,), "stage": (stage,), "model": (model,)}
        )
        undecided = []
        for term in self.terms:
            verdict = term.early(values)
            if verdict is None:
                undecided.append(term)
            elif verdict == term.negated:
                return None
        return tuple(undecided)


def bytes_needed(terms: tuple[Term, ...]) -> int:
    """Return how much of a line these terms look at."""
    return SHORT_BYTES if all(term.name in ("item", "doc", "call") for term in terms) else SEARCHED_BYTES


def line_holds(terms: tuple[Term, ...], line: bytes, damaged: bool) -> bool:
    """Return whether a line is what these terms ask for."""
    parts = LogLine(line, damaged)
    return all(term.late(parts) != term.negated for term in terms)


def _is_of_numbers(term: TypedTerm) -> bool:
    """Return whether a term compares numbers; `call` with a colon begins a key."""
    is_compared = term.operator in COMPARISONS or (term.operator == "=" and term.field not in ("call", *get_args(Field)))
    return is_compared or (term.field in NUMBERS and term.field != "call")


def _holds(term: TypedTerm, value: float | None) -> bool:
    limit = number_of(term.value)
    if value is None or limit is None:
        return term.value == NO_VALUE and (value is None) is not term.is_negated
    is_so = is_beyond(value, term.operator, limit) if term.operator in COMPARISONS else value == limit
    return is_so is not term.is_negated


def _field(name: str) -> Field:
    """The field of this name."""
    return next((field for field in get_args(Field) if field == name), "any")


def _states(status: str, kind: str) -> tuple[str, ...]:
    """Return the words that find a status: a call never sent is an error in the record, and none to a search for errors."""
    if kind == "not_sent":
        return ("not_sent", "not sent", "skipped")
    return (status, "failed") if status in ("error", "timeout") else (status,)


def _forms(letter: str) -> list[str]:
    """A letter, its small form and its capital, where these are one letter; no two of them are the same."""
    return sorted({form for form in (letter, letter.lower(), letter.upper()) if len(form) == 1})


def _escaped(letter: str) -> bytes:
    """A letter as it stands in a log whose capitals were made small."""
    return json.dumps(letter)[1:-1].lower().encode("ascii")


def _splits_escape(text: bytes, at: int) -> bool:
    """Return whether an escape (\\n, \\u00e9, ...) goes on at this place, so that what stands here is only part of a letter."""
    begin = text.find(b"\\", max(at - 5, 0), at)
    if begin < 0:
        return False
    if not _begins_escape(text, begin):
        begin += 1
    while begin < at:
        if text[begin] == _BACKSLASH:
            begin += 6 if text[begin + 1 : begin + 2] == b"u" else 2
        else:
            begin += 1
    return begin > at


def _begins_escape(text: bytes, at: int) -> bool:
    """Return whether the backslash at this place begins an escape, and ends none: an even number stands before it."""
    before = at
    while before > 0 and text[before - 1] == _BACKSLASH:
        before -= 1
    return (at - before) % 2 == 0
