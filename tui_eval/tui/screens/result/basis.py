"""Basis of a row of a table: each of its figures with n, interval and formula, and the scores behind them."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from textual.widget import Widget

from tui_eval.results.answer_search import Basis
from tui_eval.results.read_report import ReportTable
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_samples import Mark, StoredReply, StoredSample, owner_of, parse_sample
from tui_eval.results.sums.metrics import is_binary, scale_of, threshold_of
from tui_eval.results.tables import table_csv
from tui_eval.tui.background.slices import REST_S, Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Above, ReadingOn
from tui_eval.tui.report_rows import Report, full_cell_text, text
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.saving import save_made, simulated
from tui_eval.tui.screens.result.sample_dossier import SampleDossiers
from tui_eval.tui.screens.result.sample_inspecting import SampleInspecting, SamplePlace
from tui_eval.tui.screens.result.sample_text import mark_cell
from tui_eval.tui.widgets.cells import Cell, Column, Rows, Tone, row_cells
from tui_eval.tui.widgets.inspector import Inspector, Split
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import BESIDE, Paragraph, Reading
from tui_eval.tui.words import count


class ScoreRow(NamedTuple):
    """Row of the list: a score, and the sample that it belongs to."""

    sample: StoredSample
    mark: Mark

    @property
    def answer(self) -> StoredReply | None:
        """The answer that was scored."""
        return self.sample.answer_of(self.mark)


def _reply(row: ScoreRow) -> str:
    answer = row.answer
    return safe_line("-" if answer is None else answer.text or f"no text: {answer.why or answer.status}", 200)


COLUMNS: Sequence[Column[ScoreRow]] = (
    Column("score", 9, lambda row: mark_cell(row.mark)),
    Column("document", 14, lambda row: safe_line(row.sample.doc_id or row.sample.item_id, 80), share=1, middle=True),
    Column("question", 16, lambda row: safe_line(row.sample.question, 200), share=2),
    Column("stage", 6, lambda row: safe_line(row.mark.stage, 40), above=99),
    Column("model", 10, lambda row: safe_line(row.mark.model, 60)),
    Column("reply", 16, _reply, share=2),
    Column("read as", 8, lambda row: safe_line(row.mark.read, 60)),
    Column("by, or why not", 12, lambda row: safe_line(row.mark.why or row.mark.pattern or "-", 200), share=1, above=99),
)
UNREAD = tuple(column for column in COLUMNS if column.title != "read as")
"""The same without the column that only scores have which were read out of a reply."""
WRITTEN: Mapping[str, Callable[[ScoreRow], str | float | None]] = {
    "item_id": lambda row: row.sample.item_id,
    "repeat": lambda row: row.sample.repeat,
    "doc_id": lambda row: row.sample.doc_id,
    "question": lambda row: row.sample.question,
    "truth": lambda row: row.sample.truth,
    "stage": lambda row: row.mark.stage,
    "model": lambda row: row.mark.model,
    "call_index": lambda row: row.mark.call_index,
    "score": lambda row: row.mark.name,
    "value": lambda row: row.mark.value,
    "read": lambda row: row.mark.read,
    "pattern": lambda row: row.mark.pattern or None,
    "why": lambda row: row.mark.why or None,
    "version": lambda row: row.mark.version or None,
    "status": lambda row: row.answer.status if row.answer else None,
    "answer": lambda row: row.answer.text if row.answer else None,
}
"""Columns of the file that scores are written to, each with its value; a last one says whether the score is simulated."""
AT_ONCE = 20
"""Scores that are written before the keys have their turn."""


class BasisScreen(ReadingOn, Above, SampleInspecting):
    """A row of a table, opened."""

    MODE = "results"
    CSS = """
    BasisScreen #figures { height: 8; }
    """
    BINDINGS = [
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("pane.next", "app.focus_next", "Figures / scores", tooltip="Between the figures and the scores"),
        bind("pane.previous", "app.focus_previous", "Scores / figures", show=False),
        bind("record.write", "write", "Write", tooltip="Write the scores to a CSV file, whose path is shown"),
    ]

    def __init__(self, dossiers: SampleDossiers, table: ReportTable, row: int) -> None:
        super().__init__()
        self.dossiers = dossiers
        self._answers = answers = dossiers.stored
        self._table = table
        self._row = row
        self._width = 0
        rest = table.rest(row)
        self.basis = None if rest is None else Basis(answers, rest)

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the row, its figures, the scores."""
        yield Lines(id="about")
        yield Reading(id="figures")
        yield Lines(id="resting")
        with Split():
            yield RowTable(UNREAD, id="scores")
            yield Inspector()

    def on_mount(self) -> None:
        """Show the figures; the scores are looked for."""
        figures = self._table.rows[self._row]
        names = [text(figure.value, 40) for figure in figures[:6] if isinstance(figure.value, str)]
        made_up: Piece = ("simulated  " if simulated(self) else "", "warn")
        title: Piece = (f"{text(self._table.title)}: ", "dim")
        self.query_one("#about", Lines).say(made_up, title, (" · ".join(names[:4]), "strong"))
        table = self.query_one("#scores", RowTable)
        table.empty = "" if self.basis else "The report does not say which scores this row rests on."
        table.show(Rows(self._count, self._cells))
        table.focus()

    def jobs(self) -> Sequence[Job]:
        """The samples, and the scores among them."""
        shared = (self._answers, self.dossiers.questions)
        return shared if self.basis is None else (*shared, self.basis)

    def look(self) -> None:
        """The scores found so far."""
        self.read_on()
        if self.size.width != self._width:
            self._width = self.size.width
            lines = figure_lines(self._table, self._row, self._width - BESIDE)
            self.query_one("#figures", Reading).show(lines, keep_place=True)
        self._name_columns()
        self.query_one("#scores", RowTable).grown()
        self.query_one("#resting", Lines).say(*resting(self.basis, self._answers.count))
        self.inspect_again((self._count() > 0, self.dossiers.settled))

    def place(self) -> SamplePlace | None:
        """The score under the cursor."""
        place = self.query_one("#scores", RowTable).cursor
        location = self.basis.at(place) if self.basis else None
        sample = self._answers.sample(location[0]) if location else None
        if location is None or sample is None or location[1] >= len(sample.marks):
            return None
        mark = sample.marks[location[1]]
        return SamplePlace(location[0], owner_of(mark), self.inspected_list.where, (mark_cell(mark),))

    def is_found(self, place: int) -> bool:
        """Return whether a score does not pass, or is none."""
        location = self.basis.at(place) if self.basis else None
        sample = parse_sample(self._answers.line(location[0])) if location else None
        return sample is None or location is None or sample.marks[location[1]].passes in (None, False)

    def action_write(self) -> None:
        """The scores that were found, as a table; in the background, for there may be very many; or the sample that is read."""
        if self.in_inspector:
            super().action_write()
            return
        if self.basis is None:
            self.eval_app.say("the report does not say which scores this row rests on", bad=True)
            return
        opened = self.eval_app.opened
        report = Report(opened.table("report.json") if opened else {})
        made_up = report.is_simulated if report.there else lambda row: simulated(self)
        rows = score_rows(self._answers, self.basis, made_up)
        save_made(self, f"{self._table.name}-row-{self._row + 1}-scores.csv", partial(table_csv, [*WRITTEN, "simulated"], rows))

    def _name_columns(self) -> None:
        """Say what scores were read as once one is in sight that was."""
        table = self.query_one("#scores", RowTable)
        if table.columns is UNREAD and any(map(self._was_read, range(table.top, table.top + table.size.height))):
            table.set_columns(COLUMNS)

    def _was_read(self, place: int) -> bool:
        location = self.basis.at(place) if self.basis else None
        item = self._answers.sample(location[0]) if location else None
        return bool(location and item and location[1] < len(item.marks) and item.marks[location[1]].read is not None)

    def _count(self) -> int:
        return self.basis.count if self.basis else 0

    def _cells(self, place: int) -> Sequence[Cell]:
        location = self.basis.at(place) if self.basis else None
        columns = COLUMNS if self.query_one("#scores", RowTable).columns is COLUMNS else UNREAD
        return score_cells(columns, self._answers.sample(location[0]), location[1]) if location else []


def score_cells(columns: Sequence[Column[ScoreRow]], item: StoredSample | None, place: int) -> list[Cell]:
    """Return the cells of a score of a sample."""
    if item is None or place >= len(item.marks):
        return [("? damaged", "warn")]
    return row_cells(columns, ScoreRow(item, item.marks[place]))


def score_rows(
    answers: StoredRun, basis: Basis, made_up: Callable[[Mapping[str, Any]], bool]
) -> Iterator[Sequence[str | float | bool | None]]:
    """The scores found so far with values and whole answers, for a file; lines that are no samples any more are left out."""
    for place in range(basis.count):
        location = basis.at(place)
        item = parse_sample(answers.line(location[0])) if location else None
        if item is not None and location is not None and location[1] < len(item.marks):
            row = ScoreRow(item, item.marks[location[1]])
            yield [*(value(row) for value in WRITTEN.values()), made_up({"model": row.mark.model})]
        if place % AT_ONCE == 0:
            time.sleep(REST_S)


def figure_lines(table: ReportTable, row: int, width: int) -> list[Paragraph]:
    """The figures of a row that have an n, an interval or a formula first, then the others; formulas wrapped beside names."""
    pairs = [(column, figure) for column, figure in zip(table.columns, table.rows[row], strict=True)]
    pairs.sort(key=lambda pair: pair[1].n is None)
    wide = min(max((len(column) for column, _ in pairs), default=0), width // 2)
    lines: list[Paragraph] = []
    for column, figure in pairs:
        name = text(column.replace("_", " "), max(wide, 1)).ljust(wide) + "  "
        words = textwrap.wrap(full_cell_text(column, figure, table.marked), max(width - len(name), 10))
        tone: Tone = "strong" if figure.n is not None else ""
        lines += [(start + part, tone) for start, part in zip([name, *[" " * len(name)] * len(words)], words, strict=False)]
    return lines


def _right_of(basis: Basis) -> str:
    """Count those that are right, or pass, if that can be told of each."""
    metrics = list(basis.metrics.values())
    if all(map(is_binary, metrics)):
        return f": {count(basis.right)} right"
    if any(metric.threshold is None for metric in metrics):
        return ""
    marks = f" ({threshold_of(metrics[0])} of {scale_of(metrics[0])})" if len(metrics) == 1 else ""
    return f": {count(basis.right)} pass{marks}"


def resting(basis: Basis | None, items: int) -> list[Piece]:
    """Describe how many scores a row rests on."""
    if basis is None:
        return [("", "")]
    lacking = basis.count - basis.valued
    words = f"rests on {count(basis.valued)} scores{_right_of(basis)}"
    pieces: list[Piece] = [(words, "strong")]
    if lacking:
        pieces.append((f"; {count(lacking)} more have no value and count as missing", "warn"))
    if basis.looked_at < items:
        pieces.append((f"; {count(basis.looked_at)} of {count(items)} samples looked at", "dim"))
    return pieces
