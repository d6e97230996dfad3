"""Matrix of the headline: models down, versions of what is asked across; who leads under each is marked where that is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rich.cells import cell_len
from textual.app import ComposeResult

from tui_eval.core.results import Cell as Figure
from tui_eval.results.read_report import NOTHING, ReportTable, figure_in, number
from tui_eval.tui.keymap import bind
from tui_eval.tui.report_rows import ACCURACY, MARKS, Report, text
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.saving import save_text
from tui_eval.tui.screens.result.basis import BasisScreen
from tui_eval.tui.screens.result.grid import GridTable
from tui_eval.tui.screens.result.result_part import BEING_READ, Part, Result
from tui_eval.tui.widgets.cells import Cell, Column, Rows, fitted, row_cells
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import count

TABLE = "matrix"
"""The report's table that it shows."""
LEADS = "*"
NAME_WIDTH, LONGEST, SHORTEST = 14, 24, 8
"""Columns that a model's name has at least; characters of a version's name, and where estimates stand alone."""
NO_MATRIX = "The report does not have several versions of what is asked."


@dataclass(frozen=True, slots=True)
class Matrix:
    """The table as it is read: a row for each model, and of each version an estimate and who leads."""

    table: ReportTable
    variants: Sequence[str]
    """As the file has them."""
    estimate: str
    """What its columns of estimates begin with."""

    @classmethod
    def of(cls, report: Report) -> Matrix | None:
        """Build the matrix of a report; None where it has none that can be read."""
        table = report.tables.get(TABLE)
        for estimate in (ACCURACY, "mean") if table is not None else ():
            begin = f"{estimate}_"
            names = [name.removeprefix(begin) for name in table.columns if name.startswith(begin)] if table else []
            if table is not None and len(names) > 1 and table.rows:
                return cls(table, names, estimate)
        return None

    def model(self, row: int) -> str:
        """Whom a row is about."""
        return text(self.table.values(row).get("model", NOTHING).value, 60)

    def figure(self, row: int, variant: str) -> Figure:
        """The estimate of a cell, with its interval and n."""
        return self.table.values(row).get(f"{self.estimate}_{variant}", NOTHING)

    def leads(self, row: int, variant: str) -> bool:
        """Return whether a model is shown to be better than every other one under a version."""
        return self.table.values(row).get(f"leads_{variant}", NOTHING).value == "yes"

    def source(self, report: Report, row: int, variant: str) -> tuple[ReportTable, int] | None:
        """The row of a table of the report that says all of a cell."""
        key = {**(self.table.rest(row) or {}), "variant": variant}
        tables = (report.tables[name] for name in (ACCURACY, MARKS) if name in report.tables)
        return next(((table, n) for table in tables for n in range(len(table.rows)) if table.rest(n) == key), None)

    def short(self, row: int, variant: str) -> str:
        """The estimate alone."""
        figure = self.figure(row, variant)
        return self._value_text(figure.value) + (f" {LEADS}" if self.leads(row, variant) else "")

    def with_interval(self, row: int, variant: str) -> str:
        """The estimate with its interval."""
        return self._in_full(row, variant, "")

    def whole(self, row: int, variant: str) -> str:
        """The estimate with its interval and its n."""
        n = self.figure(row, variant).n
        return self._in_full(row, variant, "" if n is None else f" n {count(n)}")

    def _in_full(self, row: int, variant: str, n: str) -> str:
        figure, mark = self.figure(row, variant), f" {LEADS}" if self.leads(row, variant) else ""
        if number(figure.value) is None:
            return "-"
        has_interval = figure.low is not None and figure.high is not None
        ends = f" [{self._value_text(figure.low)}, {self._value_text(figure.high)}]" if has_interval else ""
        return f"{self._value_text(figure.value)}{ends}{n}{mark}"

    def _value_text(self, value: object) -> str:
        score = number(value)
        return "-" if score is None else f"{100 * score:.1f}" if self.estimate == ACCURACY else f"{score:.2f}"


class MatrixPart(Part):
    """The matrix: as much of each cell as there is room for, and of the chosen one everything."""

    DEFAULT_CSS = """
    MatrixPart #matrix-note { height: 2; text-wrap: wrap; }
    """
    BINDINGS = [
        bind("record.write", "write", "Write", tooltip="Write the matrix to a file, whose path is shown"),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="matrix-part")
        self._matrix: Matrix | None = None
        self._columns: Sequence[Column[int]] = ()
        self._seen: object = None

    def compose(self) -> ComposeResult:
        """Yield the line on the matrix, the matrix, the chosen cell, and the meaning of its sign."""
        yield Lines(id="matrix-about")
        yield GridTable(id="matrix", empty=BEING_READ)
        yield Lines(id="matrix-cell")
        yield Lines(id="matrix-note")

    def look(self) -> None:
        """The report as it is now."""
        state = (self.result.version, self.size.width, self.result.absence)
        if state != self._seen:
            self._seen = state
            self.query_one(GridTable).empty = self.result.absence_words(NO_MATRIX) or NO_MATRIX
            self._matrix = Matrix.of(self.result.report)
            self._show()

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Another cell."""
        event.stop()
        self._say_cell()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Open the basis of a cell."""
        event.stop()
        matrix, variant = self._matrix, self._variant
        source = matrix.source(self.result.report, event.row, variant) if matrix is not None and variant is not None else None
        if source is None:
            self.page.eval_app.say("the report has no more than this of it")
        else:
            self.app.push_screen(BasisScreen(self.result.dossiers, *source))

    def action_write(self) -> None:
        """Write it to a file."""
        if self._matrix is not None:
            save_text(self.page, "matrix.txt", "\n".join(matrix_lines(self._matrix)))

    @property
    def _variant(self) -> str | None:
        column = self.query_one(GridTable).chosen
        return self._matrix.variants[column] if self._matrix is not None and column < len(self._matrix.variants) else None

    def _show(self) -> None:
        matrix, table = self._matrix, self.query_one(GridTable)
        self._columns = () if matrix is None else self._fitting(matrix)
        table.chosen = max(0, min(table.chosen, len(self._columns) - 2))
        if list(self._columns) != list(table.columns):
            table.set_columns(self._columns)
        rows = 0 if matrix is None else len(matrix.table.rows)
        table.show(Rows(lambda: rows, lambda row: row_cells(self._columns, row)))
        if matrix is None:
            return
        sizes = f"   {count(rows)} x {count(len(matrix.variants))} · ← → {self.result.variant} · Enter opens"
        self.query_one("#matrix-about", Lines).say((safe_line(matrix.table.title, 60), "strong"), (sizes, "dim"))
        self.query_one("#matrix-note", Lines).say((note_of(matrix), "dim"))
        self._say_cell()

    def _fitting(self, matrix: Matrix) -> Sequence[Column[int]]:
        """Columns that say as much of each cell as fits beside the others; the estimates alone where nothing else does."""
        for text_of in (matrix.whole, matrix.with_interval, matrix.short):
            columns = self._columns_of(matrix, text_of)
            if sum(column.width + 1 for column in columns) <= self.size.width - 1:
                return columns
        return columns

    def _columns_of(self, matrix: Matrix, text_of: Callable[[int, str], str]) -> Sequence[Column[int]]:
        columns: list[Column[int]] = [
            Column("model", NAME_WIDTH, lambda row: (matrix.model(row), "strong"), share=1, middle=True)
        ]
        for at, variant in enumerate(matrix.variants):
            name = safe_line(variant, LONGEST if text_of != matrix.short else SHORTEST)
            wide = max(cell_len(name), *(cell_len(text_of(row, variant)) for row in range(len(matrix.table.rows)))) + 1
            columns.append(Column(f" {name}", wide, partial(self._cell, text_of, at, variant)))
        return columns

    def _cell(self, text_of: Callable[[int, str], str], at: int, variant: str, row: int) -> Cell:
        """A cell, with a sign where the cursor is."""
        matrix, table = self._matrix, self.query_one(GridTable)
        if matrix is None:
            return ""
        sign = "›" if (row, at) == (table.cursor, table.chosen) else " "
        return sign + text_of(row, variant), "strong" if matrix.leads(row, variant) else ""

    def _say_cell(self) -> None:
        """All that is known of the chosen cell."""
        matrix, variant, row = self._matrix, self._variant, self.query_one(GridTable).cursor
        if matrix is None or variant is None or row >= len(matrix.table.rows):
            return
        source = matrix.source(self.result.report, row, variant)
        more = "" if source is None else _standing_words(source[0].values(source[1]))
        leads = ", leads" if matrix.leads(row, variant) else ""
        text = f"{matrix.whole(row, variant).removesuffix(f' {LEADS}')}{leads}{more}"
        self.query_one("#matrix-cell", Lines).say((text, "strong"), f"   {safe_line(variant, 60)} · {matrix.model(row)}")


def _standing_words(row: Mapping[str, Figure]) -> str:
    """Describe which ranks are open, and how many answers have no score."""
    best, worst = number(figure_in(row, "rank_best").value), number(figure_in(row, "rank_worst").value)
    total, scored = number(figure_in(row, "n_total").value), number(figure_in(row, "n_scored").value)
    rank = "" if best is None or worst is None else f", rank {best:g}" if best == worst else f", rank {best:g}-{worst:g}"
    lacking = 0 if total is None or scored is None else int(total - scored)
    return rank + (f", {count(lacking)} without a score" if lacking else "")


def note_of(matrix: Matrix) -> str:
    """Return the note on the meaning of its sign, and on its figures."""
    note = safe_line(matrix.table.note, 400)
    return f"{LEADS} {note}" if note.startswith("leads: ") else note


def matrix_lines(matrix: Matrix) -> list[str]:
    """The whole of it as lines of text, for a file."""
    places = range(len(matrix.table.rows))
    rows = [["model", *(safe_line(variant, 60) for variant in matrix.variants)]]
    rows += [[matrix.model(place), *(matrix.whole(place, variant) for variant in matrix.variants)] for place in places]
    wide = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(fitted(cell, width) for cell, width in zip(row, wide, strict=True)).rstrip() for row in rows]
    return [safe_line(matrix.table.title, 120), "", *lines, "", note_of(matrix)]
