"""Tables as JSON, CSV and Markdown; no cell of them can run in a spreadsheet or break out of its column."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.lazy_sequence import LazyMapping, LazySequence
from tui_eval.core.plaintext import csv_cell, json_safe, one_line, readable
from tui_eval.core.results import Cell, Table

_MADE = (Iterator, LazySequence, LazyMapping)
EXPANDED = 3
"""Levels of a JSON file that are indented; what lies deeper stands on one line."""

_encode = json_encoder(ensure_ascii=False)
_PLAIN: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: int.__repr__,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
    float: lambda value: float.__repr__(value) if isfinite(value) else _encode(value),
}
"""How JSON writes what needs no encoder."""


def json_text(value: Json) -> str:
    """Strict JSON with a newline at the end: the upper levels indented, so that a row of a table is a line.

    What could steer a terminal stands in it as an escape, as in all JSON that is shown or written here.
    """
    parts: list[str] = []
    _add(parts, value, 0)
    return json_safe("".join(parts)) + "\n"


def json_parts(value: object) -> Iterator[str]:
    """The same piece by piece, without that newline.

    Of an iterator, and of what is Made, each entry is made when it is wanted, and is a piece; a dictionary may hold such.
    """
    return map(json_safe, _parts(value, 0))


def _parts(value: object, level: int) -> Iterator[str]:
    if not _comes_in_pieces(value, level):
        yield _encoded("", value, level)
        return
    is_mapping = isinstance(value, Mapping)
    gap, end, before = "\n" + "  " * (level + 1), "\n" + "  " * level, ""
    yield "{" if is_mapping else "["
    for name, inner in value.items() if isinstance(value, Mapping) else (("", inner) for inner in value):  # type: ignore[attr-defined]
        begun = f"{before}{gap}{encode_basestring(str(name))}: " if is_mapping else before + gap
        if _comes_in_pieces(inner, level + 1):
            yield begun
            yield from _parts(inner, level + 1)
        else:
            yield _encoded(begun, inner, level + 1)
        before = ","
    yield end * bool(before) + ("}" if is_mapping else "]")


def _encoded(begun: str, value: object, level: int) -> str:
    """A value that is held already, behind what has begun."""
    parts = [begun]
    _add(parts, value, level)
    return "".join(parts)


def _comes_in_pieces(value: object, level: int) -> bool:
    """Return whether entries of it, or of a dictionary in it, are still to be made; most rows are held, and written at once."""
    if isinstance(value, dict):
        inside = (inner for inner in value.values() if type(inner) not in _PLAIN)
        return level <= EXPANDED and any(_comes_in_pieces(inner, level + 1) for inner in inside)
    return type(value) not in _PLAIN and type(value) is not list and isinstance(value, _MADE)


def _add(parts: list[str], value: object, level: int) -> None:
    """Add the pieces of a value that is held already; what there is most of is told apart first."""
    value_type = type(value)
    if value_type in _PLAIN:
        parts.append(_PLAIN[value_type](value))
    elif isinstance(value, dict | list) and value and level <= EXPANDED:
        _add_indented(parts, value, level)
    elif value_type is not list and value_type is not dict and isinstance(value, _MADE):
        parts.extend(_parts(value, level))
    else:
        parts.append(_encode(value))


def _add_indented(parts: list[str], value: dict[str, object] | list[object], level: int) -> None:
    gap, end, before = "\n" + "  " * (level + 1), "\n" + "  " * level, ""
    is_mapping = isinstance(value, dict)
    parts.append("{" if is_mapping else "[")
    for name, inner in value.items() if isinstance(value, dict) else (("", inner) for inner in value):
        begun = f"{before}{gap}{encode_basestring(str(name))}: " if is_mapping else before + gap
        if type(inner) in _PLAIN:
            parts.append(begun + _PLAIN[type(inner)](inner))
        else:
            parts.append(begun)
            _add(parts, inner, level + 1)
        before = ","
    parts.append(end + ("}" if is_mapping else "]"))


def table_json(table: Table) -> dict[str, Json]:
    """A table as plain values by column name; its rows are made as they are looked at."""
    rows = table_rows(table)

    def row(place: int) -> dict[str, Json]:
        return {name: _plain(value) for name, value in rows[place].items()}

    return {"title": table.title, "note": table.note, "rows": LazySequence(len(rows), row)}


def table_cells(table: Table) -> dict[str, Json]:
    """A table whose every number can be opened: each cell with value, n, interval and formula, each row with its scores."""
    rows = LazySequence(len(table.rows), lambda place: [_opened(cell) for cell in table.rows[place]])
    rests_on = LazySequence(len(table.rests_on), table.rests_on.__getitem__) if table.rests_on else None
    return {"title": table.title, "note": table.note, "columns": list(table.columns), "rows": rows, "rests_on": rests_on}


def table_rows(table: Table) -> Sequence[dict[str, Json]]:
    """A table as flat rows by column name, full precision; they are made as they are looked at."""

    def row(place: int) -> dict[str, Json]:
        return {name: cell.value for name, cell in zip(table.columns, table.rows[place], strict=True)}

    return LazySequence(len(table.rows), row)


def content_text(name: str, content: Json) -> str:
    """A report file's text: Markdown as it is, rows as CSV, anything else as JSON; the name's suffix decides."""
    return "".join(content_parts(name, content)) if name.endswith((".md", ".csv")) else json_text(content)


def content_parts(name: str, content: Json) -> Iterator[str]:
    """The same piece by piece, for files that are too long to be held."""
    if name.endswith(".md"):
        yield readable(str(content))
    elif name.endswith(".csv"):
        yield from rows_lines(content)
    else:
        yield from json_parts(content)
        yield "\n"


def csv_line(values: Iterable[Json]) -> str:
    """One row as a line of CSV. Empty = not known."""
    return next(_lines([values]))


def _lines(rows: Iterable[Iterable[Json]]) -> Iterator[str]:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    for values in rows:
        writer.writerow([_csv_value(value) for value in values])
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def table_csv(columns: Sequence[str], rows: Iterable[Sequence[Json]]) -> str:
    """Rows of values under their columns as CSV. Empty = not known."""
    return "".join(csv_lines(columns, rows))


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[Json]]) -> Iterator[str]:
    """The same row by row, for tables that are too long to be held."""
    return _lines(chain([columns], rows))


def rows_csv(rows: Sequence[Mapping[str, Json]], columns: Sequence[str] = ()) -> str:
    """Flat rows as CSV; the columns are those given, else those of the first row. Empty = not known."""
    return "".join(rows_lines(rows, columns))


def rows_lines(rows: Sequence[Mapping[str, Json]], columns: Sequence[str] = ()) -> Iterator[str]:
    """The same row by row, for tables that are too long to be held."""
    names = list(columns or (rows[0] if rows else ()))
    return csv_lines(names, ([row.get(name) for name in names] for row in rows)) if names else iter(())


def _csv_value(value: Json) -> object:
    kind = type(value)
    if kind is str:
        return csv_cell(value)
    if value is None or kind is int or kind is float:
        return value
    if kind is bool:
        return "true" if value else "false"
    return csv_cell(json.dumps(value) if isinstance(value, dict | list) else value)


def _plain(value: Json) -> Json:
    return round(value, 6) if isinstance(value, float) else value


def _opened(cell: Cell) -> dict[str, Json]:
    entry: dict[str, Json] = {"value": _plain(cell.value)}
    if cell.n is not None:
        entry["n"] = cell.n
    if cell.low is not None or cell.high is not None:
        entry["interval"] = [_plain(cell.low), _plain(cell.high)]
    if cell.formula:
        entry["formula"] = cell.formula
    return entry


def aligned(columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool], widest: int = 60) -> str:
    """A table as plain text in columns, numbers to the right; cells are cut at `widest` characters."""
    cells = [list(columns), *([one_line(cell, widest) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = [
        "  ".join(c.rjust(w) if number else c.ljust(w) for c, w, number in zip(row, widths, numeric, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def is_simulated(row: Mapping[str, Json], models: Collection[str]) -> bool:
    """Return whether any model that a row of a table is about is one of these simulated ones; any is, where it names none.

    A row about all models has an empty name.
    """
    row_models = [row[name] for name in ("model", "model_a", "model_b") if row.get(name) and isinstance(row[name], str)]
    return any(name in models for name in row_models) if row_models else bool(models)
