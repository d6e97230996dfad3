"""The sources of a run: every text that was made of one, and what the answers from it came to."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from tui_eval.core.plaintext import counted
from tui_eval.results.answer_search import Job
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.result.result_part import Part, Result
from tui_eval.tui.screens.result.source import SourceScreen
from tui_eval.tui.screens.result.source_text import rate_words, scored_words, tone_of
from tui_eval.tui.widgets.cells import Cell, Column, Counted
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.table import Table
from tui_eval.tui.words import interval_bar

COLUMNS = (
    Column("source", 14, share=2, middle=True),
    Column("text by", 10, share=1),
    Column("run", 3, right=True),
    Column("CER", 7, right=True),
    Column("WER", 7, right=True, above=99),
    Column("answered by", 11, share=1),
    Column("0    5", 6),
    Column("mean", 5, right=True),
    Column("n", 6, right=True),
)
BAR = 6
MOST = 5
NOTHING = "No source is done yet. They come one by one as they end."


class SourcesPart(Part):
    """A line for each text and model that answered from it."""

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="sources-part")
        self._seen: object = None

    def compose(self) -> ComposeResult:
        """The texts, and what the line under them says."""
        yield Table(COLUMNS, id="sources", empty=NOTHING)
        yield Lines(id="sources-about")

    def begin(self) -> None:
        """The keys go to the texts."""
        self.query_one(Table).focus()

    def jobs(self) -> Sequence[Job]:
        """The files are looked through in the background."""
        return (self.result.sources,)

    def look(self) -> None:
        """The texts found so far."""
        files = self.result.sources
        if files.version == self._seen:
            return
        self._seen = files.version
        self.query_one(Table).show(Counted(lambda: len(files.rows), self._cells), self.query_one(Table).cursor)
        sources = len({(row.repeat, row.source) for row in files.rows})
        passing = "" if files.threshold is None else f"; an answer passes from {files.threshold:g} on"
        rated = "; CER, WER: error rates" if any(map(files.rates, files.rows)) else ""
        texts = len({row._replace(answer_model="") for row in files.rows})
        words = f"{counted(texts, 'text')} of {counted(sources, 'source')}{passing}{rated}"
        self.query_one("#sources-about", Lines).say((words if files.rows else "", "dim"))

    def on_table_opened(self, event: Table.Opened) -> None:
        """The text and the answers from it."""
        event.stop()
        self.app.push_screen(SourceScreen(self.result.sources, event.row))

    def _cells(self, place: int) -> Sequence[Cell]:
        files = self.result.sources
        row = files.rows[place]
        found = files.scored(row)
        mean, n, lacking = scored_words(row, files)
        of = f"{n}/{found.asked}" if lacking else n
        value = found.total / found.n if found.n else None
        part = None if value is None else value / MOST
        return [
            (safe_line(f"{row.source} · repeat {row.repeat}" if row.repeat else row.source, 80), "strong"),
            safe_line(files.name_of(row.process_model), 60),
            str(row.run),
            *((told, "" if told != "-" else "dim") for told in rate_words(row, files)),
            safe_line(files.name_of(row.answer_model), 60) if row.answer_model else ("-", "dim"),
            (interval_bar(part, None, None, BAR), "accent"),
            mean if value is None else (mean, tone_of(value, files.threshold)),
            (of, "warn" if lacking else ""),
        ]
