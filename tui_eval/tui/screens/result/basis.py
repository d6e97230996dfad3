"""What a row of a table rests on: each of its figures with n, interval and formula, and the scores behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.widget import Widget

from tui_eval.store.report import table_csv
from tui_eval.tui.answer_jobs import Basis, Job
from tui_eval.tui.answers import Answers, Item, item_of
from tui_eval.tui.item_text import mark_cell
from tui_eval.tui.keymap import bind
from tui_eval.tui.report_rows import ReportTable, text, told
from tui_eval.tui.safe import safe_line
from tui_eval.tui.screens.result.item import ItemScreen
from tui_eval.tui.screens.result.jobs import ReadingOn
from tui_eval.tui.screens.saving import save_text
from tui_eval.tui.widgets.cells import Cell, Column, Counted
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.table import Table
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count

COLUMNS = (
    Column("score", 9),
    Column("document", 14, share=1, middle=True),
    Column("question", 16, share=2),
    Column("stage", 6, above=99),
    Column("model", 10),
    Column("reply", 16, share=2),
    Column("read as", 8),
    Column("by, or why not", 12, share=1, above=99),
)
MOST_FIGURES = 40


class BasisScreen(ReadingOn):
    """A row of a table, opened."""

    MODE = "results"
    CSS = """
    BasisScreen Reading { height: 8; }
    """
    BINDINGS = [
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("pane.next", "app.focus_next", "Figures / scores", tooltip="Between the figures and the scores"),
        bind("pane.previous", "app.focus_previous", "Scores / figures", show=False),
        bind("record.write", "write", "Write", tooltip="Write the scores to a CSV file, whose path is shown"),
    ]

    def __init__(self, answers: Answers, table: ReportTable, row: int) -> None:
        super().__init__()
        self._answers = answers
        self._table = table
        self._row = row
        rest = table.rest(row)
        self.basis = None if rest is None else Basis(answers, rest)

    def parts(self) -> Iterable[Widget]:
        """Which row it is, its figures, the scores."""
        yield Lines(id="about")
        yield Reading(id="figures")
        yield Lines(id="resting")
        yield Table(COLUMNS, id="scores")

    def on_mount(self) -> None:
        """Show the figures; the scores are looked for."""
        super().on_mount()
        figures = self._table.rows[self._row]
        names = [text(figure.value, 40) for figure in figures[:6] if isinstance(figure.value, str)]
        self.query_one("#about", Lines).say((f"{text(self._table.title)}: ", "dim"), (" · ".join(names[:4]), "strong"))
        self.query_one("#figures", Reading).show(figure_lines(self._table, self._row))
        table = self.query_one("#scores", Table)
        table.empty = "" if self.basis else "The report does not say which scores this row rests on."
        table.show(Counted(self._count, self._cells))
        table.focus()

    def jobs(self) -> Sequence[Job]:
        """The items, and the scores among them."""
        return (self._answers,) if self.basis is None else (self._answers, self.basis)

    def look(self) -> None:
        """The scores found so far."""
        self.read_on()
        self.query_one("#scores", Table).grown()
        self.query_one("#resting", Lines).say(*resting(self.basis, self._answers.count))

    def on_table_opened(self, event: Table.Opened) -> None:
        """The item that the score belongs to."""
        self.app.push_screen(ItemScreen(self._answers, self._row_at, event.row))

    def action_leave(self) -> None:
        """Back to the table."""
        self.app.pop_screen()

    def action_write(self) -> None:
        """The scores that were found, as a table; in the background, for there may be very many."""
        self.run_worker(self._write, thread=True, exit_on_error=False)

    def _write(self) -> None:
        places = [self.basis.at(place) for place in range(self.basis.count)] if self.basis else []
        found = [score_cells(item_of(self._answers.line(place[0])), place[1]) for place in places if place]
        rows = [[cell if isinstance(cell, str) else cell[0] for cell in cells] for cells in found]
        text = table_csv([column.title for column in COLUMNS], rows)
        self.app.call_from_thread(save_text, self, f"{self._table.name}-row-{self._row + 1}-scores.csv", text)

    def _count(self) -> int:
        return self.basis.count if self.basis else 0

    def _row_at(self, place: int) -> int | None:
        found = self.basis.at(place) if self.basis else None
        return found[0] if found else None

    def _cells(self, place: int) -> Sequence[Cell]:
        found = self.basis.at(place) if self.basis else None
        return score_cells(self._answers.item(found[0]), found[1]) if found else []


def score_cells(item: Item | None, place: int) -> list[Cell]:
    """A score of an item as a row."""
    if item is None or place >= len(item.marks):
        return [("? damaged", "warn")]
    mark = item.marks[place]
    answer = item.answer_of(mark)
    reply = "-" if answer is None else answer.text if answer.text else f"no text: {answer.why or answer.status}"
    return [
        mark_cell(mark),
        safe_line(item.doc_id or item.item_id, 80),
        safe_line(item.question, 200),
        safe_line(mark.stage, 40),
        safe_line(mark.model, 60),
        safe_line(reply, 200),
        safe_line(mark.read if mark.read is not None else "-", 60),
        safe_line(mark.why or mark.pattern or "-", 200),
    ]


def figure_lines(table: ReportTable, row: int) -> list[Paragraph]:
    """The figures of a row that have an n, an interval or a formula first, then the others."""
    found = [(column, figure) for column, figure in zip(table.columns, table.rows[row], strict=True)]
    found.sort(key=lambda pair: pair[1].n is None)
    wide = max((len(column) for column, _ in found), default=0)
    lines: list[Paragraph] = []
    for column, figure in found:
        name = text(column.replace("_", " "), 40).ljust(min(wide, 40))
        lines.append((f"{name}  {told(column, figure)}", "strong" if figure.n is not None else ""))
    return lines


def resting(basis: Basis | None, items: int) -> list[Piece]:
    """How many scores a row rests on."""
    if basis is None:
        return [("", "")]
    lacking = basis.count - basis.valued
    words = f"rests on {count(basis.valued)} scores: {count(basis.right)} right"
    pieces: list[Piece] = [(words, "strong")]
    if lacking:
        pieces.append((f"; {count(lacking)} more have no value and count as missing", "warn"))
    if basis.looked_at < items:
        pieces.append((f"; {count(basis.looked_at)} of {count(items)} items looked at", "dim"))
    return pieces
