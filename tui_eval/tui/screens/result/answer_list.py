"""A run's answers, one line for each sample: document, question, answer, and whether it is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.widgets import Input

from tui_eval.core.plaintext import count_of
from tui_eval.results.answer_search import MatchingRows
from tui_eval.results.stored_samples import StoredSample
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.result.result_part import SAMPLES_BEING_READ, Part, Result
from tui_eval.tui.screens.result.sample import SampleScreen
from tui_eval.tui.screens.result.sample_text import answer_line, verdict_cell
from tui_eval.tui.widgets.cells import Cell, Column, GeneratedRows, row_cells
from tui_eval.tui.widgets.filter import Filtered, FilterLine
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import count


class AnswerRow(NamedTuple):
    """Row of the list: a sample, and the same with the scores that are shown."""

    sample: StoredSample
    scored: StoredSample


def _models(row: AnswerRow) -> str:
    return safe_line(", ".join(dict.fromkeys(answer.model for answer in row.sample.kept())) or "-", 80)


def _document(row: AnswerRow) -> Cell:
    sample = row.sample
    return safe_line(" ".join(filter(None, [sample.doc_id or sample.item_id, sample.unit.variant])), 80), "dim"


COLUMNS: Sequence[Column[AnswerRow]] = (
    Column("score", 9, lambda row: verdict_cell(row.scored)),
    Column("document", 14, _document, share=1, middle=True),
    Column("question", 18, lambda row: safe_line(row.sample.question or row.sample.item_id, 300), share=3),
    Column("model", 9, _models),
    Column("answer", 14, lambda row: answer_line(row.sample), share=3),
    Column("replies", 7, lambda row: count(len(row.sample.answers)), right=True, above=99),
)
OF_MARKS = "words in document, question, model, answer; passed, failed; !word leaves out"
NOTHING = "No sample is finished yet. They appear here one by one."
BESIDE = "; the part Sources has text, questions, answers and marks side by side"


class AnswersPart(Part, Filtered):
    """The samples of results.jsonl, filtered as one types."""

    BINDINGS = [
        bind(
            "filter",
            "filter",
            "Filter",
            tooltip="Words in document, question, model, answer, right or wrong, of marks passed or failed; !word leaves out",
        ),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="answers")
        self._chosen = MatchingRows(result.answers, "")
        self._seen = (-1, -1)

    def compose(self) -> ComposeResult:
        """The samples, the filter, and how many are shown."""
        yield RowTable(COLUMNS, id="items", empty=SAMPLES_BEING_READ)
        yield FilterLine("words in document, question, model, answer; right, wrong; !word leaves out", id="filter")
        yield Lines(id="shown")

    def on_mount(self) -> None:
        """The rows are asked for as they are seen."""
        self.query_one(RowTable).show(GeneratedRows(lambda: self._chosen.count, self._cells))

    def jobs(self) -> Sequence[Job]:
        """Return the job of the filter."""
        return (self._chosen,)

    def look(self) -> None:
        """The samples found so far."""
        answers, subset, table = self.result.answers, self._chosen, self.query_one(RowTable)
        if (answers.generation, self.result.version) != self._seen:
            self._seen = (answers.generation, self.result.version)
            table.redraw()
        if self.result.report.metrics:
            self.query_one(FilterLine).placeholder = OF_MARKS
        table.empty = self._nothing()
        table.grown()
        words = (
            f"{count(subset.count)} of {count_of(answers.count, 'sample')}"
            if subset.words
            else count_of(answers.count, "sample")
        )
        progress = f"; {count(subset.looked_at)} looked at so far" if subset.behind() else ""
        self.query_one("#shown", Lines).say((words + progress + BESIDE * self.result.sources.there, "dim"))

    def _nothing(self) -> str:
        """Why no sample is shown: what was not looked at yet is not missing."""
        if self.result.answers.behind():
            return SAMPLES_BEING_READ
        if self._chosen.behind():
            return "The samples are being looked through …"
        return "No sample has these words; Esc or Backspace clears the filter." if self._chosen.words else NOTHING

    def leave(self) -> bool:
        """Clear the filter."""
        if not self._chosen.words:
            return False
        self.query_one(FilterLine).action_clear()
        return True

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as it is typed."""
        event.stop()
        self._chosen = MatchingRows(self.result.answers, event.value)
        self.query_one(RowTable).show(GeneratedRows(lambda: self._chosen.count, self._cells), 0)

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """The sample in full."""
        event.stop()
        subset = self._chosen
        self.app.push_screen(
            SampleScreen(self.result.answers, lambda place: subset.row(place) if place < subset.count else None, event.row)
        )

    def _cells(self, place: int) -> Sequence[Cell]:
        item = self.result.answers.sample(self._chosen.row(place))
        if item is None:
            return [("? damaged", "warn"), ("this line of results.jsonl is no item", "warn")]
        measure = None if self.result.measure is None else self.result.view.measures[0].metric.name
        return row_cells(COLUMNS, AnswerRow(item, item if measure is None else item.by(measure)))
