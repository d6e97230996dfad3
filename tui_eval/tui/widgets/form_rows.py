"""A form as rows: every field of a table being filled in, with what it holds, what holds without it, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tui_eval.configuring.drafting.fields import Field, typed_text

Place = tuple[str | int, ...]
"""A key's path, such as ("panel", "doers", 0, "model")."""
NOT_SET = "– not set"


class Values(Protocol):
    """Values that a form fills in: a config or a model while it is being put together."""

    def get(self, place: Place) -> Any:
        """Return the value at a place; None where there is none."""

    def has(self, place: Place) -> bool:
        """Return whether there is a value at a place."""

    def set(self, place: Place, value: Any) -> None:
        """Put a value there; tables around it are made."""

    def drop(self, place: Place) -> None:
        """Take a key out, whose default holds again, or an entry out of a list."""

    def add(self, place: Place, entry: Any) -> int:
        """Put another entry at the end of a list; its index."""


@dataclass(frozen=True, slots=True)
class FormRow:
    """A line of a form."""

    place: Place
    field: Field
    sort: Literal["value", "table", "tables", "entry"]
    """A value to be filled in; a table of some; a list of tables; one of these."""
    depth: int
    given: bool
    """Whether it stands in what is being filled in; else its default holds."""
    open: bool = True
    """Whether the rows below it are shown."""
    words: str = ""
    """What it holds, in one line: foreign text."""

    @property
    def label(self) -> str:
        """Its label on the screen: foreign text where a config has unknown keys."""
        number = f" {int(self.place[-1]) + 1}" if self.sort == "entry" else ""
        return self.field.key + number


def form_rows(
    table: Field, values: Values, at: Sequence[Place], unfolded: frozenset[Place], folding: frozenset[Place] = frozenset()
) -> list[FormRow]:
    """The rows of the fields at these places, as far as they are unfolded; of one place that is a table, its fields.

    The empty place means the table itself. `folding`: tables that are folded at first even where something stands in them.
    """
    fields = [(place, field) for place in at if (field := field_at(table, place)) is not None]
    if len(fields) == 1 and fields[0][1].sort == "table":
        return list(_below(fields[0][1], values, fields[0][0], 0, unfolded))
    return [row for place, field in fields for row in _rows(field, values, place, 0, unfolded, folding)]


def field_at(table: Field, place: Place) -> Field | None:
    """The field that a place leads to; None where there is none. Numbers in a place are entries of a list."""
    current: Field | None = table
    for part in place:
        if isinstance(part, int) or current is None:
            continue
        current = next((field for field in current.fields if field.key == part), None)
    return current


def _below(table: Field, values: Values, place: Place, depth: int, unfolded: frozenset[Place]) -> Iterator[FormRow]:
    for field in table.fields:
        yield from _rows(field, values, (*place, field.key), depth, unfolded)


def _rows(
    field: Field, values: Values, place: Place, depth: int, unfolded: frozenset[Place], folding: frozenset[Place] = frozenset()
) -> Iterator[FormRow]:
    is_given = values.has(place)
    if field.sort == "table":
        value = values.get(place) if is_given else None
        is_open = place in unfolded or (isinstance(value, Mapping) and place not in folding)
        words = (summary(field, value) if place in folding else _words(field, value)) if is_given else _table_default(field)
        yield FormRow(place, field, "table", depth, is_given, is_open, "" if is_open else words)
        if is_open:
            yield from _below(field, values, place, depth + 1, unfolded)
    elif field.sort == "tables":
        entries = values.get(place) if is_given else []
        count = len(entries) if isinstance(entries, list) else 0
        yield FormRow(place, field, "tables", depth, is_given, True, f"{count or 'none'}")
        for index in range(count):
            yield from _entry(field, values, (*place, index), depth + 1, unfolded)
    else:
        yield FormRow(place, field, "value", depth, is_given, True, _words(field, values.get(place)) if is_given else "")


def _table_default(field: Field) -> str:
    """Return the defaults of a table that is not filled in: those of its fields that have any."""
    defaults = [f"{inner.key} {_short(inner.default)}" for inner in field.fields if inner.default not in (None, "", [], {})]
    return ", ".join(defaults) if defaults and field.holds else NOT_SET


def _entry(field: Field, values: Values, place: Place, depth: int, unfolded: frozenset[Place]) -> Iterator[FormRow]:
    open_ = place in unfolded
    yield FormRow(place, field, "entry", depth, True, open_, "" if open_ else summary(field, values.get(place)))
    if open_:
        yield from _below(field, values, place, depth + 1, unfolded)


def summary(field: Field, entry: Any) -> str:
    """Return the content of a table of a list in one line."""
    if not isinstance(entry, Mapping):
        return _words(field, entry)
    first, *rest = [(name, value) for name, value in entry.items()] or [("", "")]
    words = [_short(first[1]) if isinstance(first[1], list) else str(first[1])] + [
        f"{name} {_short(value)}" for name, value in rest
    ]
    return "  ".join(word for word in words if word)


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} {_short(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return ", ".join(map(_short, value))
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _words(field: Field, value: Any) -> str:
    """A value in one line; of several texts their number and the first ones."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field.sort == "texts" and isinstance(value, list):
        if len(value) == 1:
            return typed_text(field, value)
        return f"{len(value)}: " + " · ".join(typed_text(field, [entry]) for entry in value[:20]) if value else "none"
    return typed_form(field, value)


def default_words(field: Field) -> str:
    """Describe the default of a field that is not filled in."""
    if field.required:
        return "needed"
    if field.names == "prompt":
        return "as on screen 5"
    if field.default is None:
        return NOT_SET
    return f"{_words(field, field.default)}"


def kind_words(field: Field) -> str:
    """Describe the values that a field takes."""
    words = {
        "text": "text",
        "integer": "a whole number",
        "number": "a number",
        "boolean": "yes or no",
        "choice": "one of " + ", ".join(field.choices),
        "texts": "a list: Enter shows what may be in it" if field.choices else "a list, one a line",
        "table": "several fields: Enter shows them",
        "tables": "a list: a adds one",
        "free": 'a table in one line, such as { order = ["first"] }',
    }[field.sort]
    by_name = {
        "run": "the id of a run, or its folder",
        "file": "a file: Enter looks for it",
        "folder": "a folder: Enter looks for it",
        "files": "files or patterns such as docs/*.txt, one a line; a looks for one",
        "model": "models: Enter shows them" if field.sort == "texts" else "a model: Enter shows them",
    }
    words = by_name.get(field.names, words) if field.sort in ("text", "texts") else words
    return f"{words}, {field.bounds}" if field.bounds else words


def problem_of(row: FormRow, problems: Mapping[Place, str]) -> str:
    """Return the problem at a row, or below one that is folded; empty where there is none."""
    if row.place in problems:
        return problems[row.place]
    if row.sort == "value" or not row.open:
        size = len(row.place)
        return next((words for place, words in problems.items() if place[:size] == row.place), "")
    return ""


def circle(field: Field) -> tuple[Any, ...]:
    """The few values of a field, in their order."""
    if field.sort == "boolean":
        return (True, False)
    return field.choices if field.sort == "choice" else ()


def typed_form(field: Field, value: Any) -> str:
    """A value as it stands in the line in which it is typed."""
    try:
        return typed_text(field, value)
    except (TypeError, ValueError):
        return str(value)


def entry_around(place: Place) -> Place | None:
    """The entry of a list that a place is in; None where it is in none."""
    return next((place[:size] for size in range(len(place) - 1, 0, -1) if isinstance(place[size - 1], int)), None)
