"""A processed text side by side with the questions about its source, the answers from it, and what judges said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from tui_eval.reading.quotes import find_quote
from tui_eval.results.source_files import SourceAnswer, SourceFiles, SourceText
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Above
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.dialogs.saving import save_text, simulated
from tui_eval.tui.screens.live.log_figures import query_of_item
from tui_eval.tui.screens.result.source_text import (
    answer_paragraphs,
    as_text,
    mark_cell,
    rate_words,
    row_title,
    scored_words,
    text_title,
)
from tui_eval.tui.widgets.cells import Cell, Column, GeneratedRows, Tone, row_cells
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.marked_text import MarkedReading
from tui_eval.tui.widgets.source_pane import SourcePane
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Reading
from tui_eval.tui.words import count

WIDE = 140
"""Columns of a terminal from which on the source stands beside text and answers, not in the place of these."""


class QuestionAnswerRow(NamedTuple):
    """Row of the list: a question with its answer, and from which mark on that passes."""

    answer: SourceAnswer
    threshold: float | None


def _answer(row: QuestionAnswerRow) -> Cell:
    answer = row.answer
    return safe_line(answer.answer if answer.answer is not None else answer.why, 200), "dim"


COLUMNS: Sequence[Column[QuestionAnswerRow]] = (
    Column("mark", 4, lambda row: mark_cell(row.answer, row.threshold), right=True),
    Column("question", 12, lambda row: safe_line(row.answer.question, 200), share=2),
    Column("answer", 12, _answer, share=2, above=99),
)
MOST_SEARCHED = 20_000
"""Characters of a text in which a reference answer is looked for at once."""
NO_TEXT = "There is no text: its call failed, or it was not made in this run."
NO_QUESTION = "Nothing was asked about this text in this run."


class SourceScreen(Above):
    """The text on the left, its questions and the one under the cursor on the right."""

    MODE = "results"
    CSS = """
    SourceScreen Horizontal { height: 1fr; }
    SourceScreen #text-side { width: 4fr; }
    SourceScreen #answer-side { width: 5fr; border-left: tall $panel; }
    SourceScreen #questions { height: 2fr; max-height: 12; }
    SourceScreen #answer { height: 3fr; border-top: solid $panel; }
    SourceScreen #text-name, SourceScreen #source-name { background: $surface; }
    SourceScreen SourcePane { display: none; width: 5fr; border-left: tall $panel; }
    """
    BINDINGS = [
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("record.next", "step(1)", "Next text", tooltip="The next text of the list, at the same question"),
        bind("record.previous", "step(-1)", "Previous text", show=False, tooltip="The text before it in the list"),
        bind("source.show", "source", "Source", tooltip="The file itself beside the text: its picture, or what it says"),
        bind("pane.next", "app.focus_next", "Next part", tooltip="Between the text, its questions and the answer"),
        bind("pane.previous", "app.focus_previous", "Part before", show=False),
        bind("record.copy", "copy", "Copy", show=False, tooltip="Copy the text and all its answers"),
        bind("record.write", "write", "Write", tooltip="Write the text and all its answers to a file, whose path is shown"),
        bind("run.log", "log", "Its calls", show=False, tooltip="Every call about this source, in the log"),
    ]

    def __init__(self, files: SourceFiles, place: int) -> None:
        super().__init__()
        self._files = files
        self._row: SourceText = files.rows[place]
        self._answers: Sequence[SourceAnswer] = ()
        self._text = ""
        self._sourced = False
        """Whether the source is on show."""
        self._above = ("", "")
        """What stands above the text, and how long it is."""

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the text; the text, the questions above the answer, and the source."""
        yield Lines(id="about")
        with Horizontal():
            with Vertical(id="text-side"):
                yield Lines(id="text-name")
                yield MarkedReading(id="text")
            with Vertical(id="answer-side"):
                yield RowTable(COLUMNS, id="questions", empty=NO_QUESTION, can_open=False)
                yield Reading(id="answer")
            yield SourcePane()

    def on_mount(self) -> None:
        """Show it."""
        super().on_mount()
        self._take(self._row)
        self.query_one("#questions", RowTable).focus()

    def _take(self, row: SourceText) -> None:
        files, table = self._files, self.query_one("#questions", RowTable)
        self._row, self._answers = row, files.answers(row)
        text = files.text(row)
        self._text = safe((text or "")[:LONGEST_TEXT])
        mean, n, lacking = scored_words(row, files)
        made_up: tuple[str, Tone] = ("simulated  " if simulated(self) else "", "warn")
        marks = f"  mean {mean} of 5, n = {n}" if n != "-" else ""
        characters, words = rate_words(row, files)
        rates = f"  CER {characters}  WER {words}" if characters != "-" else ""
        lacking = f"  {lacking}" if lacking else ""
        title = row_title(row, files)
        fits = cell_len(made_up[0] + title + marks + lacking + rates) <= self.app.size.width - 2
        self.query_one("#about", Lines).say(made_up, (title, "strong"), marks, (lacking, "warn"), rates * fits)
        size = f"  {count(len(text))} characters" if text is not None else ""
        self._above = f"── text by {text_title(row, files)}", size
        self._say_above()
        table.show(GeneratedRows(lambda: len(self._answers), self._cells), min(table.cursor, max(len(self._answers) - 1, 0)))
        self._show_answer()
        if self._sourced:
            self._show_source()

    def _say_above(self) -> None:
        """Above the text: whose it is, and how long where there is room for that."""
        line, (name, size) = self.query_one("#text-name", Lines), self._above
        line.say((name + size if cell_len(name + size) <= line.content_size.width else name, "dim"))

    def look(self) -> None:
        """The room for it may be another."""
        self._say_above()

    def _cells(self, place: int) -> Sequence[Cell]:
        return row_cells(COLUMNS, QuestionAnswerRow(self._answers[place], self._files.threshold))

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Another question."""
        event.stop()
        self._show_answer()

    @property
    def _current_answer(self) -> SourceAnswer | None:
        place = self.query_one("#questions", RowTable).cursor
        return self._answers[place] if place < len(self._answers) else None

    def _show_answer(self) -> None:
        """The question under the cursor, and in the text where its reference answer stands."""
        answer = self._current_answer
        lines = [] if answer is None else answer_paragraphs(answer, self._row, self._files)
        self.query_one("#answer", Reading).show(lines)
        start, end = (0, 0) if answer is None else span_of(answer.reference, self._text)
        text = self.query_one("#text", MarkedReading)
        if self._text:
            text.show_text(self._text, start, end)
        else:
            text.show_text(NO_TEXT, tone="warn")

    def action_source(self) -> None:
        """The source beside the text: its picture, what stands in it, then the answers again."""
        if not self._sourced:
            self._sourced = True
            self._show_source()
        elif not self.query_one(SourcePane).turn():
            self._sourced = False
        self._fit()
        self.query_one("#text" if self._sourced and self._narrow else "#questions").focus()

    def on_resize(self) -> None:
        """Room for all three, or for two."""
        self._fit()

    def _fit(self) -> None:
        # each by itself: a class on the screen would have every part of it styled anew, which a key would wait for
        self.query_one(SourcePane).display = self._sourced
        self.query_one("#answer-side").display = not (self._sourced and self._narrow)

    @property
    def _narrow(self) -> bool:
        return self.app.size.width < WIDE

    def _show_source(self) -> None:
        files, row = self._files, self._row
        self.query_one(SourcePane).show(files.original(row), files.original_text(row), files.reference_text(row))

    def action_step(self, by: int) -> None:
        """Another text of the list."""
        rows = list(self._files.rows)
        place = rows.index(self._row) + by if self._row in rows else 0
        if 0 <= place < len(rows):
            self._take(rows[place])
        else:
            self.say_here("that was the last one" if by > 0 else "that was the first one")

    def action_copy(self) -> None:
        """Copy everything about the text."""
        self.eval_app.copy_text(as_text(self._row, self._files, self._answers))

    def action_write(self) -> None:
        """The same to a file."""
        row = self._row
        save_text(self, f"{row.source}-{row.process_model}-run{row.run}.txt", as_text(row, self._files, self._answers))

    async def action_log(self) -> None:
        """The calls about the source."""
        self.eval_app.log_query = query_of_item(self._row.source)
        await self.eval_app.action_visit("log")


def span_of(words: str, text: str) -> tuple[int, int]:
    """Return the span of words in a text, small faults forgiven; (0, 0) where they are nowhere."""
    quote = safe(words[:MOST_SEARCHED]).strip().rstrip(".")
    if not quote:
        return 0, 0
    at = text.find(quote)
    if at >= 0:
        return at, at + len(quote)
    match = find_quote(quote, text) if len(text) <= MOST_SEARCHED else None
    return (0, 0) if match is None else (match.start, match.end)
