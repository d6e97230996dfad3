"""Walk over the cells of a grid: down the rows of a model, and across the models of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tui_eval.results.score_grid import GridCell, GridColumn, GridRow, ScoreGrid
from tui_eval.results.stored_samples import Owner
from tui_eval.tui.widgets.cells import Cell


class CellWalk:
    """A cell of a grid, from which one goes on to others that have a score."""

    def __init__(
        self,
        grid: ScoreGrid,
        rows: Sequence[GridRow],
        columns: Sequence[GridColumn],
        heading: Callable[[int, int], Sequence[Cell]],
        moved: Callable[[int, int], None],
    ) -> None:
        """`heading`: says whose cell it is and its score, by places of row and column; `moved`: told where one went."""
        self._grid, self._rows, self._columns = grid, rows, columns
        self._heading, self._moved = heading, moved
        self.place = 0
        self.column = 0

    def at(self, place: int, column: int) -> bool:
        """Go to a cell; whether it has a score."""
        if not (0 <= place < len(self._rows) and 0 <= column < len(self._columns)) or not self._cells(place, column):
            return False
        self.place, self.column = place, column
        return True

    def down(self, by: int) -> bool:
        """Go to the next row of the model, or the one before (-1); whether there is one."""
        return self._go((self.place + by * far, self.column) for far in range(1, len(self._rows)))

    def across(self, by: int) -> bool:
        """Go to the next model of the row, or the one before (-1); whether there is one."""
        return self._go((self.place, self.column + by * far) for far in range(1, len(self._columns)))

    @property
    def row(self) -> int:
        """Of its sample in the file."""
        return self._first.row

    @property
    def owner(self) -> Owner:
        """The answer that was scored, the first one where there are several."""
        column = self._columns[self.column]
        return column.stage, column.model, self._first.turn

    @property
    def turn(self) -> int | None:
        """The place of a turn; None where the row is a whole conversation, or none."""
        return self._rows[self.place].turn

    @property
    def heading(self) -> Sequence[Cell]:
        """Whose cell it is, and its score."""
        return self._heading(self.place, self.column)

    def rows_of_model(self) -> tuple[Callable[[int], int | None], int]:
        """The samples of the model as a list: the row in the file at each of its places, and the place of this one."""
        places = [place for place in range(len(self._rows)) if self._cells(place, self.column)]
        rows = [self._cells(place, self.column)[0].row for place in places]
        return lambda place: rows[place] if 0 <= place < len(rows) else None, places.index(self.place)

    @property
    def _first(self) -> GridCell:
        return self._cells(self.place, self.column)[0]

    def _cells(self, place: int, column: int) -> list[GridCell]:
        return self._grid.of(self._rows[place], self._columns[column])

    def _go(self, ways: Iterable[tuple[int, int]]) -> bool:
        if not any(self.at(*way) for way in ways):
            return False
        self._moved(self.place, self.column)
        return True
