"""Columns of a table: each with its title, its place and the cell that a row has in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import Any, Generic, Literal, TypeVar

from rich.cells import cell_len, set_cell_size

from tui_eval.core.plaintext import folded

Tone = Literal["", "good", "bad", "warn", "dim", "accent", "strong"]
"""How a cell is said: a colour of the theme. What it says stands in its text as well."""

Cell = str | tuple[str, Tone]
"""A cell's text, and its tone where it has one."""

TONE_RULES: dict[Tone, str] = {
    "good": "color: $success;",
    "bad": "color: $error; text-style: bold;",
    "warn": "color: $warning;",
    "dim": "text-style: dim;",
    "accent": "color: $accent;",
    "strong": "text-style: bold;",
}
TONES = tuple(TONE_RULES)


def tone_rules(widget: str, prefix: str) -> str:
    """The style rules of a widget's component classes, one for each tone."""
    return "\n".join(f"{widget} > .{prefix}--{tone} {{ {rule} }}" for tone, rule in TONE_RULES.items())


def scroll_piece(y: int, page: int, top: int, count: int) -> str:
    """The scroll bar's piece on line `y` of a page of lines: a blank where everything fits, and above the first line."""
    if count <= page or y < 0:
        return " "
    length = max(1, page * page // count)
    start = (page - length) * top // max(count - page, 1)
    return "█" if start <= y < start + length else "│"


Row = TypeVar("Row")
"""The type of what a table has a row for: an attempt, a run, a model."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """Column of a table: its title, its place, and the cell that a row has in it.

    A table of a screen is one list of these, and `row_cells` makes its rows of the same list. To add a column, add one entry
    where it is to stand, such as in `COLUMNS` of `screens/log/screen.py`:

        Column("thinking", 8, lambda head: brief(head["usage"]["reasoning_tokens"]), right=True, above=119),

    and run `scripts/snapshots` for the pictures of its screen. Nothing else names the columns or counts them.
    """

    title: str
    width: int
    """Columns of the terminal; the least where `share` is not 0."""
    cell: Callable[[Row], Cell] = dataclass_field(compare=False)
    """Makes the cell of a row: safe text. Not compared: columns are the same where they are drawn the same."""
    right: bool = False
    """Numbers stand to the right."""
    share: int = 0
    """Its part of the room that is left over."""
    above: int = 0
    """Shown only on terminals wider than this."""
    middle: bool = False
    """Cut in the middle where it is too long: names that differ at their end."""
    is_folded: bool = False
    """Whether names that begin alike are folded where they are wider than it (`fitted_columns`)."""
    field: str = ""
    """The name by which a query asks for it; empty = made of the title."""
    gap: int = 1
    """Blanks behind it."""
    is_lowest_first: bool = False
    """Whether its lowest numbers stand first when a list is sorted by it."""
    value: Callable[[Row], str | float | None] | None = dataclass_field(default=None, compare=False)
    """The value that a row is sorted and compared by; None = the text of its cell."""


def row_cells(columns: Sequence[Column[Row]], row: Row) -> list[Cell]:
    """Return the cells of a row, one for each column."""
    return [column.cell(row) for column in columns]


def blank(row: object) -> Cell:
    """Leave the cell of a row empty."""
    return ""


def cell_text(cell: Cell) -> str:
    """Return a cell's text."""
    return cell if isinstance(cell, str) else cell[0]


EMPTY_CELLS = ("", "-", "–")
"""Texts of cells without a value."""


def fitted_columns(
    columns: Sequence[Column[Row]], rows: Iterable[Row], room: int, terminal: int, fixed: int = 1
) -> list[Column[Row]]:
    """Return columns as these rows need them, in `room` as for `widths`: what is not needed is left to those with a share.

    None is wider than its texts and its title; one that is empty in every row has the width 0, and is not drawn. Names of
    a column that folds them are folded to what it gets.
    """
    texts = [[cell_text(column.cell(row)) for row in rows] for rows in [[*rows]] for column in columns]
    fitting = [replace(column, width=_needed(column, inside)) for column, inside in zip(columns, texts, strict=True)]
    sizes = widths(fitting, room, terminal, fixed=fixed)
    return [
        _folding(column, folded(inside, size, cell_len)) if column.is_folded and size else column
        for column, inside, size in zip(fitting, texts, sizes, strict=True)
    ]


def _needed(column: Column[Any], texts: Sequence[str]) -> int:
    if texts and all(text.strip() in EMPTY_CELLS for text in texts):
        return 0
    return min(column.width, max(map(cell_len, (column.title, *texts))))


def _folding(column: Column[Row], names: Mapping[str, str]) -> Column[Row]:
    """A column whose cells have these names in place of theirs."""

    def cell(row: Row) -> Cell:
        whole = column.cell(row)
        return names.get(whole, whole) if isinstance(whole, str) else (names.get(whole[0], whole[0]), whole[1])

    return replace(column, cell=cell)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table, made one by one as they are needed: safe text only."""

    count: Callable[[], int]
    """Returns the current number of rows."""
    cells: Callable[[int], Sequence[Cell]]
    """Makes one row, a cell for each column."""


def listed_rows(rows: Sequence[Sequence[Cell]]) -> Rows:
    """Rows that are known, all of them."""
    return Rows(lambda: len(rows), lambda row: rows[row])


def fitted(text: str, width: int, right: bool = False, middle: bool = False) -> str:
    """Text cut with an ellipsis (at its end or in its middle), or filled up with blanks, to exactly `width` columns."""
    length = cell_len(text)
    if length > width:
        tail = _tail(text, width * 3 // 5) if middle and width > 8 else ""
        return set_cell_size(text, width - 1 - cell_len(tail)) + "…" + tail if width > 0 else ""
    gap = " " * (width - length)
    return gap + text if right else text + gap


def _tail(text: str, width: int) -> str:
    """The end of a text, at most `width` columns of it."""
    start = len(text)
    while start and cell_len(text[start - 1 :]) <= width:
        start -= 1
    return text[start:]


def widths(columns: Sequence[Column[Any]], room: int, terminal: int, skipped: int = 0, fixed: int = 1) -> list[int]:
    """Return the width of each column; 0 = not shown: not on so narrow a terminal, scrolled away, or no room left for it.

    `room`: columns of the terminal for all of them, a blank between two. `skipped`: how many are scrolled away after
    the `fixed` ones.
    """
    sizes = [0] * len(columns)
    remaining = room + (columns[-1].gap if columns else 1)
    for index, column in enumerate(columns):
        if terminal <= column.above or fixed <= index < fixed + skipped or not column.width:
            continue
        if column.width >= remaining and index:
            break
        sizes[index] = min(column.width, max(remaining - 1, 0))
        remaining -= sizes[index] + column.gap
    shares = sum(column.share for column, width in zip(columns, sizes, strict=True) if width)
    extra = [
        remaining * column.share // shares if shares and width else 0 for column, width in zip(columns, sizes, strict=True)
    ]
    return [width + more for width, more in zip(sizes, extra, strict=True)]
