"""View of a list: the entries that a query asks for, in the order that a person has chosen. The fields are the columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from tui_eval.reading.queries.list_query import ListQuery, Value, number_of, text_of
from tui_eval.tui.widgets.cells import EMPTY_CELLS, Column, cell_text

Entry = TypeVar("Entry")
"""The type of what a list has a row for."""
DOWN, UP = "▾", "▴"
EVERYTHING = ListQuery()


def field_of(column: Column[Any]) -> str:
    """Return the name by which a query asks for a column: its title, of letters alone; empty of one without."""
    return column.field or re.sub(r"^[\W\d]+$|\W+", "_", column.title.casefold()).strip("_")


def value_of(column: Column[Entry], entry: Entry) -> Value:
    """Return the value of an entry in a column: as it is declared there, else the text of its cell."""
    if column.value is not None:
        return column.value(entry)
    return shown_text(column, entry)


def shown_text(column: Column[Entry], entry: Entry) -> str:
    """Return the text of an entry's cell."""
    return cell_text(column.cell(entry)).strip()


@dataclass(frozen=True, slots=True)
class ListView(Generic[Entry]):
    """Query and order of one list. Another query or order is another view."""

    columns: Sequence[Column[Entry]]
    more_words: Callable[[Entry], str] = lambda entry: ""
    """What a word is looked for in besides the columns."""
    all_words: Callable[[Entry], str] | None = None
    """What a word is looked for in, casefolded, where the whole of it is at hand."""
    query: ListQuery = EVERYTHING
    text: str = ""
    """The query as it was typed."""
    order: str = ""
    """The field that the entries are sorted by; empty = as they come."""
    is_descending: bool = False
    is_numeric: bool = False
    """Whether the values of that field are numbers."""

    @property
    def fields(self) -> dict[str, Column[Entry]]:
        """The columns by the names of their fields."""
        return {name: column for column in self.columns if (name := field_of(column))}

    def with_query(self, text: str) -> ListView[Entry]:
        """The same with another query."""
        return replace(self, text=text, query=ListQuery.parse(text, self.fields))

    def with_next_order(self, entries: Iterable[Entry]) -> ListView[Entry]:
        """The same, sorted by the next column whose entries differ; after the last one, as they come. Numbers begin with the
        highest, words with the first."""
        every = [*entries]
        names = [*self.fields]
        following = names[names.index(self.order) + 1 :] if self.order in names else names
        order = next((name for name in following if _differ(value_of(self.fields[name], entry) for entry in every)), "")
        is_numeric = bool(order) and _are_numbers(value_of(self.fields[order], entry) for entry in every)
        is_descending = is_numeric and not self.fields[order].is_lowest_first
        return replace(self, order=order, is_descending=is_descending, is_numeric=is_numeric)

    @property
    def needed_words(self) -> list[str]:
        """Words that stand in every entry that is asked for, whatever its fields."""
        return [term.value for term in self.query.terms if not (term.field or term.is_negated)]

    def sort_key(self, entry: Entry) -> tuple[bool, float, str]:
        """Return what an entry is sorted by; its first part says whether there is a value."""
        value = value_of(self.fields[self.order], entry)
        return (not _is_missing(value), *_sort_key(value, self.is_numeric))

    def reversed(self) -> ListView[Entry]:
        """The same in the other direction."""
        return replace(self, is_descending=not self.is_descending)

    def holds(self, entry: Entry) -> bool:
        """Return whether an entry is asked for."""
        return self._matches(entry, self.fields)

    def chosen(self, entries: Iterable[Entry]) -> list[Entry]:
        """The entries that are asked for, in the order of the view; those without a value stand last in either direction."""
        fields = self.fields
        found = [entry for entry in entries if self._matches(entry, fields)]
        column = fields.get(self.order)
        if column is None:
            return found
        valued = [(value_of(column, entry), entry) for entry in found]
        without = [entry for value, entry in valued if _is_missing(value)]
        rest = [(value, entry) for value, entry in valued if not _is_missing(value)]
        rest.sort(key=lambda each: _sort_key(each[0], self.is_numeric), reverse=self.is_descending)
        return [*(entry for _, entry in rest), *without]

    def marked_columns(self) -> list[Column[Entry]]:
        """The columns with a sign behind the title of the one that the entries are sorted by."""
        sign = DOWN if self.is_descending else UP
        return [
            replace(each, title=f"{each.title} {sign}") if self.order and field_of(each) == self.order else each
            for each in self.columns
        ]

    def order_words(self) -> str:
        """Say how the entries are sorted; empty where they stand as they come."""
        column = self.fields.get(self.order)
        ways = ("lowest first", "highest first") if self.is_numeric else ("a to z", "z to a")
        return "" if column is None else f"by {column.title}, {ways[self.is_descending]}"

    def help_words(self) -> str:
        """Name what can be typed: the fields are those of the list."""
        return f"words, field:word field<1 field=x, ! for the opposite; fields: {' '.join(self.fields)}"

    def _matches(self, entry: Entry, fields: Mapping[str, Column[Entry]]) -> bool:
        def shown(name: str) -> str:
            if name:
                return shown_text(fields[name], entry).casefold()
            if self.all_words is not None:
                return self.all_words(entry)
            texts = (shown_text(column, entry) for column in fields.values())
            return "\n".join((*texts, self.more_words(entry))).casefold()

        return self.query.matches(lambda name: value_of(fields[name], entry), shown)


def _is_missing(value: Value) -> bool:
    return text_of(value) in EMPTY_CELLS


def _differ(values: Iterable[Value]) -> bool:
    each = iter(values)
    first = next(each, None)
    return any(value != first for value in each)


def _are_numbers(values: Iterable[Value]) -> bool:
    are_numbers = (number_of(value) is not None for value in values if not _is_missing(value))
    return next(are_numbers, False) and all(are_numbers)


def _sort_key(value: Value, is_numeric: bool) -> tuple[float, str]:
    number = number_of(value) if is_numeric else None
    return (0.0 if number is None else number, text_of(value))
