"""A run's answers, one line for each sample: document, question, answer, and whether it is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.app import ComposeResult

from tui_eval.core.plaintext import count_of
from tui_eval.results.answer_search import MatchingRows, words_of
from tui_eval.results.stored_samples import StoredSample, parse_sample
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.result.result_part import SAMPLES_BEING_READ, Part, Result
from tui_eval.tui.screens.result.sample_inspecting import SampleInspecting, SamplePlace, is_amiss
from tui_eval.tui.screens.result.sample_text import answer_line, verdict_cell
from tui_eval.tui.widgets.cells import Cell, Column, Rows, row_cells
from tui_eval.tui.widgets.filter import DIFFERING, FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.inspector import Inspector, Split
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.list_view import ListView
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import count


class AnswerRow(NamedTuple):
    """Row of the list: a sample, and the same with the scores that are shown."""

    sample: StoredSample
    scored: StoredSample


def answer_row(sample: StoredSample, measure: str | None) -> AnswerRow:
    """Return the row of a sample, with its scores by one metric where that is given."""
    return AnswerRow(sample, sample if measure is None else sample.by(measure))


def _models(row: AnswerRow) -> str:
    return safe_line(", ".join(dict.fromkeys(answer.model for answer in row.sample.kept())) or "-", 80)


def _document(row: AnswerRow) -> Cell:
    sample = row.sample
    return safe_line(" ".join(filter(None, [sample.doc_id or sample.item_id, sample.unit.variant])), 80), "dim"


def _score(row: AnswerRow) -> float | None:
    """The part of its answers that is right, or the mean mark; None where there is no value."""
    _, right, scored = row.scored.verdict()
    mark = row.scored.mean_mark()
    return mark if mark is not None and not right else right / scored if scored else None


COLUMNS: Sequence[Column[AnswerRow]] = (
    Column("score", 9, lambda row: verdict_cell(row.scored), value=_score),
    Column("model", 9, _models),
    Column("document", 12, _document, share=1, middle=True),
    Column("question", 12, lambda row: safe_line(row.sample.question or row.sample.item_id, 300), share=3),
    Column("answer", 14, lambda row: answer_line(row.sample), share=3),
    Column("replies", 7, lambda row: count(len(row.sample.answers)), right=True, above=99),
)
MOST_LOOKED_AT = 300
"""Samples by which it is told which columns can be sorted by."""
NOTHING = "No sample is finished yet. They appear here one by one."
BESIDE = "; the part Sources has text, questions, answers and marks side by side"


class AnswersPart(Part, SampleInspecting, SortableList[AnswerRow]):
    """The samples of results.jsonl, filtered as one types, and beside them the one under the cursor in full."""

    BINDINGS = [
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("list.differing", "differing", "Differing", show=False, tooltip=DIFFERING),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="answers")
        self.dossiers = result.dossiers
        self.view = ListView(COLUMNS, lambda row: words_of(row.sample))
        self._only_differing = False
        self._chosen = MatchingRows(result.answers)
        self._seen: object = None

    def compose(self) -> ComposeResult:
        """The samples, the filter, and how many are shown."""
        with Split():
            yield RowTable(COLUMNS, id="items", empty=SAMPLES_BEING_READ)
            yield Inspector()
        yield FilterLine(self.view.help_words(), id="filter")
        yield Lines(id="shown")

    def on_mount(self) -> None:
        """The rows are asked for as they are seen."""
        self.query_one(RowTable).show(Rows(lambda: self._chosen.count, self._cells))

    def jobs(self) -> Sequence[Job]:
        """Return the jobs of the filter, and of the index of samples."""
        grid = (self.result.grid,) if self._only_differing else ()
        return *grid, self._chosen, self.result.dossiers.questions

    def look(self) -> None:
        """The samples found so far."""
        answers, subset, table = self.result.answers, self._chosen, self.query_one(RowTable)
        seen = (answers.generation, self.result.version, self._only_differing and self.result.grid.behind())
        if seen != self._seen:
            self._seen = seen
            self._choose()
            subset = self._chosen
        table.empty = self._nothing()
        table.grown()
        every = count_of(answers.count, "sample")
        words = f"{count(subset.count)} of {every}" if subset.asks else every
        words += ", where models differ" * self._only_differing + f", {self.view.order_words()}" * bool(self.view.order)
        progress = f"; {count(subset.looked_at)} looked at so far" if subset.behind() else ""
        self.query_one("#shown", Lines).say((words + progress + BESIDE * self.result.sources.there, "dim"))
        row = subset.row(table.cursor)
        self.inspect_again((row, subset.count > 0, answers.generation, self.result.version, self.result.dossiers.settled))

    def entries(self) -> Sequence[AnswerRow]:
        """The first samples: enough to tell by which columns they can be sorted."""
        rows = (parse_sample(self.result.answers.line(row)) for row in range(min(self.result.answers.count, MOST_LOOKED_AT)))
        measure = self._measure
        return [answer_row(sample, measure) for sample in rows if sample is not None]

    def show_list(self) -> None:
        """Look for the samples that are asked for."""
        self._choose()
        self.look()

    def action_differing(self) -> None:
        """Only samples whose question the models answered differently, or all."""
        self._only_differing = not self._only_differing
        self.look()

    def _choose(self) -> None:
        """Begin to look for what is asked for; the cursor stays on its sample, where that is in sight at once."""
        view, grid, table = self.view, self.result.grid, self.query_one(RowTable)
        before, measure = self._chosen.row(table.cursor), self._measure

        def matches(sample: StoredSample) -> bool:
            return (not self._only_differing or grid.differs(sample)) and view.holds(answer_row(sample, measure))

        asks = matches if view.query.terms or self._only_differing else None
        order = (lambda sample: view.sort_key(answer_row(sample, measure))) if view.order else None
        self._chosen = MatchingRows(self.result.answers, asks, view.needed_words, order, view.is_descending)
        table.show(Rows(lambda: self._chosen.count, self._cells), 0 if asks or order else before)

    @property
    def _measure(self) -> str | None:
        """The metric whose scores are shown; None = all."""
        return None if self.result.measure is None else self.result.view.measures[0].metric.name

    def _nothing(self) -> str:
        """Why no sample is shown: what was not looked at yet is not missing."""
        if self.result.answers.behind():
            return SAMPLES_BEING_READ
        if self._chosen.behind():
            return "The samples are being looked through …"
        if self._only_differing and not self.view.text:
            return "The models differ in no sample; ! shows all"
        return self.none_found() if self._chosen.asks else NOTHING

    def place(self) -> SamplePlace | None:
        """The sample under the cursor."""
        cursor, number = self.query_one(RowTable).cursor, self._chosen.count
        if cursor >= number:
            return None
        return SamplePlace(self._chosen.row(cursor), None, self.inspected_list.where)

    def is_found(self, place: int) -> bool:
        """Return whether n stops at a place of the list: at every one that was looked for, else where something is wrong."""
        return bool(self.view.text) or is_amiss(parse_sample(self.result.answers.line(self._chosen.row(place))))

    def _cells(self, place: int) -> Sequence[Cell]:
        item = self.result.answers.sample(self._chosen.row(place))
        if item is None:
            return [("? damaged", "warn"), ("this line of results.jsonl is no item", "warn")]
        return row_cells(COLUMNS, answer_row(item, self._measure))
