"""Query for rows of a list, as a person types it: one grammar for every list.

A query is terms with blanks between them, all of which must hold:

- `word`, `"a phrase"`: found anywhere in a row, in capitals or not;
- `field:value`: found in one field; `field="a value"`: the whole of it, in capitals or not, or a number that equals it
  (`field:=value` is the same); `""` within quotes is one quotation mark;
- `field<0.5`, `field>2`, `field<=3`, `field>=4`: of the field's number. A row without one is on neither side;
- `!` before any of these: rows for which it does not hold. Of a comparison, a row without a number stays out, too;
- `field=-`: rows without a value.

What is not finished yet (`model:`, `!`, `cost<`) asks for nothing, and a phrase without its closing mark goes to the end.
A word with a colon whose first part is no field is text, as an address is; the nearest field is told, where one is near.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, NamedTuple

Operator = Literal["", ":", "=", "<", ">", "<=", ">="]
"""How a field is compared with the value; "" where no field is named."""
Value = str | float | None
"""Of a field of a row: text, a number, or nothing."""
COMPARISONS = ("<", ">", "<=", ">=")
NO_VALUE = "-"
_TERM = re.compile(r'(!?)(?:([A-Za-z][\w$%/-]*)(<=|>=|:=|[:=<>]))?(?:"((?:[^"]|"")*)(?:"|$)|(\S*))')
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?|[-+]?\.\d+")


class TypedTerm(NamedTuple):
    """One term as it was typed, for a list that compares in its own way."""

    field: str
    """Empty = anywhere."""
    operator: Operator
    value: str
    is_negated: bool


def typed_terms(text: str, fields: Collection[str]) -> tuple[list[TypedTerm], str]:
    """Return the terms of a text, and which field may have been meant where one is none; what is not finished is left out.

    `fields`: the names that a list has, in small letters.
    """
    terms: list[TypedTerm] = []
    hint = ""
    for bang, name, operator, phrase, word in _TERM.findall(text):
        value, field = phrase.replace('""', '"') or word, name.casefold()
        if name and (field not in fields or value.startswith("//")):
            hint = hint or _hint(name, fields, value)
            field, operator, value = "", "", f"{name}{operator}{value}"
        operator = operator.removeprefix(":") or operator
        if value and not (operator in COMPARISONS and number_of(value) is None):
            terms.append(TypedTerm(field, operator, value, bool(bang)))
    return terms, hint


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One term of a query."""

    field: str
    """Empty = anywhere in the row."""
    operator: Operator
    value: str
    """Casefolded, as all that it is compared with."""
    is_negated: bool = False

    def holds(self, field_value: Value, shown: str) -> bool:
        """Return whether a row is asked for. `field_value`, `shown`: the value of the field named, and its text on the screen,
        casefolded; without a field, `shown` is all text of the row."""
        if self.operator in COMPARISONS:
            number, limit = number_of(field_value), number_of(self.value)
            return number is not None and limit is not None and is_beyond(number, self.operator, limit) is not self.is_negated
        return self._is_found(field_value, shown) is not self.is_negated

    def _is_found(self, field_value: Value, shown: str) -> bool:
        if self.operator != "=":
            return self.value in shown or (bool(self.operator) and self.value in text_of(field_value))
        if self.value == NO_VALUE:
            return field_value is None or text_of(field_value) in ("", NO_VALUE)
        number, other = number_of(field_value), number_of(self.value)
        return self.value in (text_of(field_value), shown) or (number is not None and number == other)


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Terms that must all hold, and what a person may have meant otherwise."""

    terms: tuple[QueryTerm, ...] = ()
    hint: str = ""
    """A field that is none, with the nearest one; empty where there is none."""

    @classmethod
    def parse(cls, text: str, fields: Collection[str]) -> ListQuery:
        """Return the query of a text; any text is one. `fields`: the names that a list has, in small letters."""
        terms, hint = typed_terms(text, fields)
        return cls(tuple(QueryTerm(each.field, each.operator, each.value.casefold(), each.is_negated) for each in terms), hint)

    def matches(self, value_of: Callable[[str], Value], shown_of: Callable[[str], str]) -> bool:
        """Return whether a row is asked for. `value_of`: the value of a field; `shown_of`: its text on the screen, casefolded,
        and of "" all text of the row. Either is asked for what the terms name alone.
        """
        return all(term.holds(value_of(term.field) if term.field else None, shown_of(term.field)) for term in self.terms)


def is_beyond(number: float, operator: Operator, limit: float) -> bool:
    """Return whether a number is on the side of a limit that one of `COMPARISONS` asks for."""
    is_equal = number == limit and operator.endswith("=")
    return is_equal or (number < limit if operator.startswith("<") else number > limit)


def number_of(value: Value) -> float | None:
    """Return the number that a value is or begins with, such as 90.0 % or $0.0429; None where there is none."""
    if value is None or isinstance(value, float | int):
        return None if value is None else float(value)
    found = _NUMBER.match(value.lstrip("$≥~ "))
    return None if found is None else float(found[0].replace(",", ""))


def text_of(value: Value) -> str:
    """Return the text of a value, casefolded."""
    return "" if value is None else f"{value:g}" if isinstance(value, float | int) else value.casefold()


def _hint(name: str, fields: Collection[str], value: str) -> str:
    """Name the field that is near a word before a colon; where none is near, all; nothing of an address or a time."""
    if value.startswith("//") or not value:
        return ""
    near = next(iter(get_close_matches(name.casefold(), fields, 1, 0.6)), "")
    return f"no field {name}; did you mean {near}?" if near else f"no field {name}; fields are {', '.join(sorted(fields))}"
