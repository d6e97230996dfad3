"""The sources of a run: every text that was made of one, and beside it the text, its questions, and the answers from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual.app import ComposeResult

from tui_eval.core.plaintext import count_of
from tui_eval.results.source_files import SourceFiles, SourceText
from tui_eval.tui.background.slices import Job
from tui_eval.tui.inspecting import Inspecting
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import host
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.saving import simulated
from tui_eval.tui.screens.live.log_figures import query_of_item
from tui_eval.tui.screens.result.result_part import Part, Result
from tui_eval.tui.screens.result.source_text import rate_words, scored_words, source_dossier, text_title, tone_of
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.inspector import Dossier, Inspector, Split
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.list_view import ListView
from tui_eval.tui.widgets.source_pane import SourcePane
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import interval_bar

BAR = 6
MOST = 5


@dataclass(frozen=True, slots=True)
class SourceRow:
    """Row of the list: a text, and the files that say what the answers from it came to."""

    text: SourceText
    files: SourceFiles

    @property
    def mean(self) -> float | None:
        """The mean mark of the answers."""
        scores = self.files.scored(self.text)
        return scores.total / scores.n if scores.n else None


def _source(row: SourceRow) -> Cell:
    text = row.text
    return safe_line(f"{text.source} · repeat {text.repeat}" if text.repeat else text.source, 80), "strong"


def _rate(row: SourceRow, place: int) -> Cell:
    """Say the character error rate of a text, or the word error rate, which stands behind it."""
    words = rate_words(row.text, row.files)[place]
    return words, "" if words != "-" else "dim"


def _answered_by(row: SourceRow) -> Cell:
    return safe_line(row.files.name_of(row.text.answer_model), 60) if row.text.answer_model else ("-", "dim")


def _bar(row: SourceRow) -> Cell:
    return interval_bar(None if row.mean is None else row.mean / MOST, None, None, BAR), "accent"


def _mean(row: SourceRow) -> Cell:
    words = scored_words(row.text, row.files)[0]
    return words if row.mean is None else (words, tone_of(row.mean, row.files.threshold))


def _n(row: SourceRow) -> Cell:
    _, n, lacking = scored_words(row.text, row.files)
    return (f"{n}/{row.files.scored(row.text).asked}", "warn") if lacking else (n, "")


COLUMNS: Sequence[Column[SourceRow]] = (
    Column("source", 12, _source, share=2, middle=True),
    Column("text by", 12, lambda row: text_title(row.text, row.files), share=1, middle=True),
    Column("mean", 5, _mean, right=True),
    Column("n", 6, _n, right=True),
    Column("CER", 7, lambda row: _rate(row, 0), right=True, is_lowest_first=True),
    Column("answered by", 11, _answered_by, share=1),
    Column("WER", 7, lambda row: _rate(row, 1), right=True, is_lowest_first=True),
    Column("0    5", BAR, _bar),
    Column("run", 0, lambda row: str(row.text.run), is_lowest_first=True),
)
"""The one 0 wide is there to be asked for alone."""
BEING_READ = "The files of the sources are being read …"
NOTHING = "No source is done yet. They come one by one as they end."
NARROW = 140
"""Columns of a terminal below which a source that is on show takes the place of the answers."""


class SourcesPart(Part, Inspecting, SortableList[SourceRow]):
    """A line for each text and model that answered from it, and beside it the text, its questions and the answers."""

    DEFAULT_CSS = """
    SourcesPart SourcePane { display: none; width: 4fr; }
    SourcesPart .-sourced { layout: horizontal; }
    SourcesPart .-sourced > Inspector { width: 5fr; height: 1fr; border-left: solid $panel; }
    SourcesPart .-sourced > SourcePane { display: block; }
    SourcesPart .-sourced > RowTable { display: none; }
    """
    BINDINGS = [
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("record.next", "question(1)", "Question", tooltip="The next question about the text, round the end"),
        bind("record.previous", "question(-1)", "Question before", show=False, tooltip="The question before it"),
        bind("source.show", "source", "Source", tooltip="The file itself beside the text: its picture, or what it says"),
        bind("run.log", "log", "Its calls", show=False, tooltip="Every call about this source, in the log"),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="sources-part")
        self.view = ListView(COLUMNS)
        self._seen: object = None
        """The state of the files that the list was drawn of."""
        self._question = 0
        """The question that is looked at, of whatever text."""

    def compose(self) -> ComposeResult:
        """The texts, the one under the cursor, the filter, and what the line under them says."""
        with Split():
            yield SourcePane()
            yield RowTable(COLUMNS, id="sources", empty=BEING_READ)
            yield Inspector()
        yield FilterLine(self.view.help_words(), id="filter")
        yield Lines(id="sources-about")

    def jobs(self) -> Sequence[Job]:
        """The files are looked through in the background."""
        return (self.result.sources,)

    def entries(self) -> Sequence[SourceRow]:
        """Every text, once for each model that answered from it."""
        return [SourceRow(text, self.result.sources) for text in self.result.sources.rows]

    def look(self) -> None:
        """The texts found so far."""
        files = self.result.sources
        state = (files.version, files.behind())
        if state != self._seen:
            self._seen = state
            self.show_list()

    def show_list(self) -> None:
        """Draw the texts that are asked for; the cursor stays on its own."""
        files = self.result.sources
        self.list_entries(BEING_READ if files.behind() else "" if files.rows else NOTHING)
        sources = len({(row.repeat, row.source) for row in files.rows})
        passing = "" if files.threshold is None else f"; an answer passes from {files.threshold:g} on"
        rated = "; CER, WER: error rates" if any(map(files.rates, files.rows)) else ""
        texts = len({row._replace(answer_model="") for row in files.rows})
        words = f"{count_of(texts, 'text')} of {count_of(sources, 'source')}{passing}{rated}"
        self.query_one("#sources-about", Lines).say((words if files.rows else "", "dim"))
        self.inspect(keep_place=True)

    def dossier(self, whole: bool) -> Dossier | None:
        """Say what the answers from the text under the cursor came to."""
        if self.current is None:
            return None
        dossier = source_dossier(self.current.text, self.result.sources, self._question, whole, self.inspected_list.where)
        return replace(dossier, is_simulated=simulated(self.page))

    def inspect(self, keep_place: bool = False) -> None:
        """Show the text under the cursor, and its source where that is on show."""
        super().inspect(keep_place)
        if self.current is not None and self.query_one(Split).has_class("-sourced"):
            files, text = self.result.sources, self.current.text
            self.query_one(SourcePane).show(files.original(text), files.original_text(text), files.reference_text(text))

    def walk_model(self, by: int) -> None:
        """Go to the next text of the same source, whose model, run or answers are others."""
        at, table = self.current, self.query_one(RowTable)
        alike = [row for row, each in enumerate(self.listed) if at is not None and each.text[:2] == at.text[:2]]
        table.move(alike[(alike.index(table.cursor) + by) % len(alike)])

    def action_question(self, by: int) -> None:
        """The next question about the text, round the end."""
        number = 0 if self.current is None else len(self.result.sources.answers(self.current.text))
        self._question = (min(self._question, number - 1) + by) % max(number, 1)
        self.inspect()

    def action_source(self) -> None:
        """The source in the place of the list: its picture, then what stands in it, then the list again."""
        split = self.query_one(Split)
        if self.current is None or (split.has_class("-sourced") and not self.query_one(SourcePane).turn()):
            self.to_list()
        elif not split.has_class("-sourced"):
            split.add_class("-sourced")
            self.inspector.panes.set_class(self.app.size.width < NARROW, "-page")
            self.inspect(keep_place=True)
            self.inspector.take_keys()

    def to_list(self) -> None:
        """Give the keys back to the list, which stands where a source stood."""
        self.query_one(Split).remove_class("-sourced")
        self.inspector.panes.remove_class("-page")
        super().to_list()

    async def action_log(self) -> None:
        """The calls about the source."""
        if self.current is not None:
            host(self).log_query = query_of_item(self.current.text.source)
            await host(self).action_visit("log")
