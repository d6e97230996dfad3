"""The sources of a run: every text that was made of one, and what the answers from it came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult

from tui_eval.core.plaintext import count_of
from tui_eval.results.source_files import SourceFiles, SourceText
from tui_eval.tui.background.slices import Job
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.result.result_part import Part, Result
from tui_eval.tui.screens.result.source import SourceScreen
from tui_eval.tui.screens.result.source_text import rate_words, scored_words, tone_of
from tui_eval.tui.widgets.cells import Cell, Column, GeneratedRows, row_cells
from tui_eval.tui.widgets.lines import Lines
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
    Column("source", 14, _source, share=2, middle=True),
    Column("text by", 10, lambda row: safe_line(row.files.name_of(row.text.process_model), 60), share=1),
    Column("run", 3, lambda row: str(row.text.run), right=True),
    Column("CER", 7, lambda row: _rate(row, 0), right=True),
    Column("WER", 7, lambda row: _rate(row, 1), right=True, above=99),
    Column("answered by", 11, _answered_by, share=1),
    Column("0    5", BAR, _bar),
    Column("mean", 5, _mean, right=True),
    Column("n", 6, _n, right=True),
)
BEING_READ = "The files of the sources are being read …"
NOTHING = "No source is done yet. They come one by one as they end."


class SourcesPart(Part):
    """A line for each text and model that answered from it."""

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="sources-part")
        self._seen: object = None

    def compose(self) -> ComposeResult:
        """The texts, and what the line under them says."""
        yield RowTable(COLUMNS, id="sources", empty=BEING_READ)
        yield Lines(id="sources-about")

    def jobs(self) -> Sequence[Job]:
        """The files are looked through in the background."""
        return (self.result.sources,)

    def look(self) -> None:
        """The texts found so far."""
        files = self.result.sources
        state = (files.version, files.behind())
        if state == self._seen:
            return
        self._seen = state
        self.query_one(RowTable).empty = BEING_READ if files.behind() else NOTHING
        self.query_one(RowTable).show(GeneratedRows(lambda: len(files.rows), self._cells), self.query_one(RowTable).cursor)
        sources = len({(row.repeat, row.source) for row in files.rows})
        passing = "" if files.threshold is None else f"; an answer passes from {files.threshold:g} on"
        rated = "; CER, WER: error rates" if any(map(files.rates, files.rows)) else ""
        texts = len({row._replace(answer_model="") for row in files.rows})
        words = f"{count_of(texts, 'text')} of {count_of(sources, 'source')}{passing}{rated}"
        self.query_one("#sources-about", Lines).say((words if files.rows else "", "dim"))

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """The text and the answers from it."""
        event.stop()
        self.app.push_screen(SourceScreen(self.result.sources, event.row))

    def _cells(self, place: int) -> Sequence[Cell]:
        files = self.result.sources
        return row_cells(COLUMNS, SourceRow(files.rows[place], files))
