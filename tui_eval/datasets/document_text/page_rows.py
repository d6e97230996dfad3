"""Cells that stand side by side on a page, on one line: of tables and forms drawn column by column, or label by label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from tui_eval.datasets.document_text.page_lines import DrawnPiece, PageLine

BETWEEN = "  "
"""What stands between two cells that were drawn apart from each other. Three blanks would look like a line of contents."""
LEVEL = 0.35
"""How far apart baselines of one row may be, as a share of the size of its letters."""
FEWEST_WORDS = 5
"""Of the usual line of a column of prose."""
FEWEST_LINES = 3
"""Of it."""
FULL = 0.8
"""How wide, as a share of the widest, lines of prose are, half of them at least: they were broken since they were full."""
GOING_ON = 0.25
"""What share of lines of prose begin with a small letter, of those that begin with any, at the least."""
GAP = 2.0
"""How far apart cells of a line are at the least, in sizes of a letter."""
_WORD = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff\uf900-\ufaff]{1,2}|[^\s\u0e00-\u0eff\u2e80-\u9fff\uf900-\ufaff]+")
_WIDE, _NARROW = 0.5, 0.35
"""About how wide a letter is, as a share of its height: usually, and at the least."""


@dataclass(slots=True)
class _Placed:
    """A line with its place in the text, which column it belongs to, and whether that is prose."""

    at: int
    line: PageLine
    first: DrawnPiece
    prose: bool = False

    @property
    def size(self) -> int:
        """Number of characters it has, blanks at its ends left out."""
        return len(self.line.text.strip())


def in_rows(lines: Sequence[PageLine]) -> list[PageLine]:
    """The lines of a page, those of one row as one, where the first of them stood; columns of prose stay columns.

    Each line that is drawn as a whole stays as it is; but for one whose cells were drawn from right to left.
    """
    ordered = [_left_to_right(line) for line in lines]
    placed = [_Placed(at, line, line.first) for at, line in enumerate(ordered) if line.first is not None]
    for column in _columns(placed):
        is_prose = _is_prose(column)
        for entry in column:
            entry.prose = is_prose and not entry.line.is_field
    rows, gone = {}, set()
    for level in _levels(placed):
        row = [entry for entry in level if not entry.prose or any(each.line.is_field for each in level)]
        if len(row) > 1 and (joined := _joined([entry.line for entry in row])):
            rows[min(entry.at for entry in row)] = joined
            gone |= {entry.at for entry in row}
    return [rows.get(at, line) for at, line in enumerate(ordered) if at in rows or at not in gone]


def _columns(placed: Sequence[_Placed]) -> Iterator[list[_Placed]]:
    """Lines that were drawn one below the other."""
    column: list[_Placed] = []
    left_edge = right_edge = 0.0
    for entry in placed:
        start, end = entry.first.x, entry.first.x + _WIDE * entry.first.size * entry.size
        if column and (entry.first.y >= column[-1].first.y or start >= right_edge or end <= left_edge):
            yield column
            column = []
        left_edge, right_edge = (min(left_edge, start), max(right_edge, end)) if column else (start, end)
        column.append(entry)
    if column:
        yield column


def _is_prose(column: Sequence[_Placed]) -> bool:
    """Return whether lines go on in the next one: they have several words, most are about as wide as they may be, and many
    begin in the middle of a sentence, in scripts that show that."""
    if len(column) < FEWEST_LINES or median(_most_words(entry.line) for entry in column) < FEWEST_WORDS:
        return False
    widest = max(entry.size * entry.first.size for entry in column)
    full = 2 * sum(entry.size * entry.first.size >= FULL * widest for entry in column) >= len(column)
    begins = [word[0] for entry in column[1:] if (word := entry.line.text.split()[0].lstrip("(\"'“„«‘"))]
    small, capital = sum(map(str.islower, begins)), sum(map(str.isupper, begins))
    return full and small >= GOING_ON * (small + capital)


def _most_words(line: PageLine) -> int:
    """The words of the cell of a line that has most, two letters being one where there are no blanks between words."""
    cell_text, most = "", 0
    last: DrawnPiece | None = None
    for piece in line.pieces:
        if last is not None and piece.x > last.x + _WIDE * last.size * len(last.text) + GAP * piece.size:
            cell_text = ""
        cell_text += piece.text
        most = max(most, len(_WORD.findall(cell_text)))
        last = piece
    return most


def _levels(placed: Sequence[_Placed]) -> Iterator[list[_Placed]]:
    """Lines that are as high as each other, in the order of the text."""
    level: list[_Placed] = []
    for entry in sorted(placed, key=lambda entry: -entry.first.y):
        if level and level[0].first.y - entry.first.y > LEVEL * min(level[0].first.size, entry.first.size):
            yield sorted(level, key=lambda entry: entry.at)
            level = []
        level.append(entry)
    yield sorted(level, key=lambda entry: entry.at)


def _joined(lines: Sequence[PageLine]) -> PageLine | None:
    """One line of several, their cells from left to right; None where they are drawn over one another."""
    cells = [cell for number, line in enumerate(lines) for cell in _cells(line, number)]
    cells.sort(key=lambda cell: cell.pieces[0].x)
    pieces: list[DrawnPiece] = []
    for before, cell in pairwise([None, *cells]):
        assert cell is not None
        if before is not None and (before.line, before.number + 1) != (cell.line, cell.number):
            if before.line != cell.line and before.right > cell.pieces[0].x and not lines[cell.line].is_field:
                return None
            last = pieces[-1]
            pieces[-1] = replace(last, text=last.text.rstrip())
            pieces += [
                replace(last, text=BETWEEN),
                replace(cell.pieces[0], text=cell.pieces[0].text.lstrip()),
                *cell.pieces[1:],
            ]
        else:
            pieces += cell.pieces
    return PageLine(pieces)


@dataclass(slots=True)
class _RowCell:
    """Part of a line that was drawn from one place on."""

    line: int
    number: int
    pieces: list[DrawnPiece]

    @property
    def right(self) -> float:
        """Up to where it reaches, at the least."""
        return max(piece.x for piece in self.pieces) + _NARROW * self.pieces[0].size * len(self.pieces[-1].text.strip())


def _cells(line: PageLine, number: int) -> list[_RowCell]:
    cells: list[_RowCell] = []
    for piece in line.stripped.pieces:
        if cells and (not piece.text.strip() or piece.x <= cells[-1].pieces[0].x or not piece.level):
            cells[-1].pieces.append(piece)
        else:
            cells.append(_RowCell(number, len(cells), [piece]))
    return cells


def _left_to_right(line: PageLine) -> PageLine:
    """A line with its cells in the order in which they stand, where one was drawn wholly to the left of what came before."""
    cells: list[PageLine] = []
    for piece in line.pieces:
        visible_text, first = piece.text.strip(), cells[-1].first if cells else None
        back = (
            first is not None and visible_text and piece.level and piece.x + _NARROW * piece.size * len(visible_text) <= first.x
        )
        if not cells or back:
            cells.append(PageLine())
        cells[-1].pieces.append(piece)
    if len(cells) < 2 or not line.text.isprintable() or any(map(_is_right_to_left, line.text)):
        return line
    return _joined(cells) or line


def _is_right_to_left(sign: str) -> bool:
    return "\u0590" <= sign <= "\u08ff" or "\ufb1d" <= sign <= "\ufeff"
