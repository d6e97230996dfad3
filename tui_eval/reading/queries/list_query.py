"""Query for rows of a list, as a person types it: one grammar for every list.

A query is terms with blanks between them, all of which must hold:

- `word`, `"a phrase"`: found anywhere in a row, in capitals or not;
- `field:value`: found in one field; `field="a value"`: the whole of it, in capitals or not, or a number that equals it;
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
from typing import Literal

Operator = Literal["", ":", "=", "<", ">", "<=", ">="]
"""How a field is compared with the value; "" where no field is named."""
Value = str | float | None
"""Of a field of a row: text, a number, or nothing."""
NO_VALUE = "-"
_TERM = re.compile(r'(!?)(?:([A-Za-z][\w$%/-]*)(<=|>=|[:=<>]))?(?:"([^"]*)(?:"|$)|(\S*))')
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?|[-+]?\.\d+")


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
        if self.operator in ("<", ">", "<=", ">="):
            number, limit = number_of(field_value), number_of(self.value)
            return number is not None and limit is not None and self._is_beyond(number, limit) is not self.is_negated
        return self._is_found(field_value, shown) is not self.is_negated

    def _is_beyond(self, number: float, limit: float) -> bool:
        is_equal = number == limit and self.operator.endswith("=")
        return is_equal or (number < limit if self.operator.startswith("<") else number > limit)

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
        terms: list[QueryTerm] = []
        hint = ""
        for bang, name, operator, phrase, word in _TERM.findall(text):
            value, field = (phrase or word).casefold(), name.casefold()
            if name and field not in fields:
                hint = hint or _hint(name, fields, value)
                field, operator, value = "", "", f"{name}{operator}{phrase or word}".casefold()
            if value and not (operator in ("<", ">", "<=", ">=") and number_of(value) is None):
                terms.append(QueryTerm(field, operator, value, bool(bang)))
        return cls(tuple(terms), hint)

    def matches(self, value_of: Callable[[str], Value], shown_of: Callable[[str], str]) -> bool:
        """Return whether a row is asked for. `value_of`: the value of a field; `shown_of`: its text on the screen, casefolded,
        and of "" all text of the row. Either is asked for what the terms name alone.
        """
        return all(term.holds(value_of(term.field) if term.field else None, shown_of(term.field)) for term in self.terms)


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
