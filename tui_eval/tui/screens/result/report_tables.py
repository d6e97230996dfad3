"""The tables of the report: their list, and each of them with all its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from textual.app import ComposeResult

from tui_eval.results.read_report import ReportTable, figure_in
from tui_eval.results.tables import rows_csv
from tui_eval.tui.keymap import bind
from tui_eval.tui.report_rows import CALLS, arranged, is_numeric
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.dialogs.saving import save_made
from tui_eval.tui.screens.live.log_figures import query_of
from tui_eval.tui.screens.result.basis import BasisScreen
from tui_eval.tui.screens.result.result_part import BEING_READ, Part, Result
from tui_eval.tui.screens.result.summary import columns_of
from tui_eval.tui.widgets.cells import Column, Rows, row_cells
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Reading
from tui_eval.tui.words import count

LIST: Sequence[Column[ReportTable]] = (
    Column("table", 30, lambda table: safe_line(table.title), share=2),
    Column("rows", 6, lambda table: count(len(table.rows)), right=True),
    Column("columns", 7, lambda table: count(len(table.columns)), right=True),
    Column("note", 24, lambda table: (safe_line(table.note) if table.note else "", "dim"), share=5),
)
MOST_FIXED = 3
"""Columns of names that stay in sight while the others are scrolled."""
NO_TABLES = "This run has no report yet, hence no tables. Summary says how to finish it."
NO_ROWS = "This table has no rows."
NOTHING_SEEN = (False, -1, "")
BY_PERSON = ReportTable("person_checks", "The judge beside a person", "", (), ())
"""As it stands until a person's marks are counted in."""
COUNTING = " The tables are being derived again, with human ratings …"
NOT_COUNTED = " The ratings are not counted in: ; says why, C tries it again."


class TablesPart(Part):
    """A list of tables; one of them opened in its place."""

    DEFAULT_CSS = """
    TablesPart #opened-table, TablesPart #note, TablesPart #title { display: none; }
    TablesPart.-open #opened-table, TablesPart.-open #note, TablesPart.-open #title { display: block; }
    TablesPart.-open #tables { display: none; }
    TablesPart #note { height: 3; }
    """
    BINDINGS = [
        bind("record.write", "write", "Write", tooltip="Write the table to a CSV file, whose path is shown"),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="tables-part")
        self._tables: list[ReportTable] = []
        self._opened: ReportTable | None = None
        self._seen: tuple[bool, int, str] = NOTHING_SEEN
        """Whether the tables were being made anew, which they were, and why there were none."""

    def compose(self) -> ComposeResult:
        """The list; the table."""
        yield RowTable(LIST, id="tables", empty=BEING_READ)
        yield Lines(id="title")
        yield RowTable((), id="opened-table", empty=NO_ROWS)
        yield Reading(id="note", can_focus=False)

    def begin(self) -> None:
        """The keys go to the table that is open, else to the list."""
        self.query_one("#tables" if self._opened is None else "#opened-table", RowTable).focus()

    def look(self) -> None:
        """The tables of the report as it is now."""
        is_rescoring = self.page.eval_app.run_actions.rescores(self.result.opened.path)
        state = (is_rescoring, self.result.version, self.result.absence)
        if state == self._seen:
            return
        ended, self._seen = self._seen[0] and not is_rescoring, state
        self._tables = list(self.result.report.tables.values())
        self.query_one("#tables", RowTable).empty = self.result.absence_words(NO_TABLES) or "The report has no tables."
        self.query_one("#tables", RowTable).show(
            Rows(lambda: len(self._tables), lambda row: row_cells(LIST, self._tables[row]))
        )
        if self._opened is not None and (is_rescoring or ended) and self._opened.name not in self.result.report.tables:
            self._say_title(self._opened)
            self._wait(COUNTING if is_rescoring else NOT_COUNTED)
        elif self._opened is not None:
            table = self.result.report.tables.get(self._opened.name)
            self._open(None if table is None else arranged(table))

    def show_by_person(self) -> None:
        """The table of the judge beside a person, which is being made."""
        table = self.result.report.tables.get(BY_PERSON.name)
        self._open(BY_PERSON if table is None else arranged(table))
        self._seen = NOTHING_SEEN
        self.look()

    def _wait(self, words: str) -> None:
        """Say in the place of a table why it is not there."""
        widget = self.query_one("#opened-table", RowTable)
        widget.empty = words
        widget.redraw()

    def leave(self) -> bool:
        """From a table back to the list."""
        if self._opened is None:
            return False
        self._open(None)
        return True

    async def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Open a table of the list, or a row of the table."""
        event.stop()
        if event.table.id == "tables":
            self._open(arranged(self._tables[event.row]))
        elif self._opened is not None and self._opened.name == CALLS:
            row = self._opened.values(event.row)
            self.page.eval_app.log_query = query_of(str(figure_in(row, "stage").value), str(figure_in(row, "model").value))
            await self.page.eval_app.action_visit("log")
        elif self._opened is not None:
            self.app.push_screen(BasisScreen(self.result.dossiers, self._opened, event.row))

    def action_write(self) -> None:
        """The table that is open, or under the cursor, as CSV."""
        row = self.query_one("#tables", RowTable).cursor
        name = self._opened.name if self._opened else self._tables[row].name if row < len(self._tables) else ""
        table = self.result.report.tables.get(name)
        if table is not None:
            save_made(self.page, f"{table.name}.csv", partial(as_csv, table, self.result.report.is_simulated))

    def _open(self, table: ReportTable | None) -> None:
        before, self._opened = self._opened, table
        self.set_class(table is not None, "-open")
        if table is None:
            self.query_one("#tables", RowTable).focus()
            return
        self._say_title(table)
        widget = self.query_one("#opened-table", RowTable)
        widget.empty = NO_ROWS
        widget.fixed = max(min(_n_naming_columns(table), MOST_FIXED), 1)
        columns = columns_of(table)
        widget.set_columns(columns)
        same = before is not None and before.name == table.name
        widget.show(Rows(lambda: len(table.rows), lambda row: row_cells(columns, table.rows[row])), None if same else 0)
        self.query_one("#note", Reading).show([(safe(table.note), "dim")])
        self.call_after_refresh(widget.focus)

    def _say_title(self, table: ReportTable) -> None:
        rows, is_rescoring = f"   {count(len(table.rows))} rows", self._seen[0]
        more = " · being made anew …" if is_rescoring else " · h l sideways · Enter: what a row rests on" if table.rows else ""
        self.query_one("#title", Lines).say((safe_line(table.title), "strong"), (rows + more, "dim"))


def _n_naming_columns(table: ReportTable) -> int:
    """Return the number of columns at the left that name a row."""
    return next((i for i in range(len(table.columns)) if is_numeric(table, i)), len(table.columns))


def as_csv(table: ReportTable, made_up: Callable[[Mapping[str, Any]], bool]) -> str:
    """A table as the engine writes it: a last column says whether the row is simulated."""
    rows = [{name: figure.value for name, figure in table.values(row).items()} for row in range(len(table.rows))]
    return rows_csv([{**row, "simulated": made_up(row)} for row in rows], list(dict.fromkeys([*table.columns, "simulated"])))
