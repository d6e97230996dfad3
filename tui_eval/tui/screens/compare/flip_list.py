"""The questions on which a pair differs: those on which A does better first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.worker import get_current_worker

from tui_eval.results.comparison import text as said
from tui_eval.results.comparison.comparing import ComparedPair, Comparison
from tui_eval.results.comparison.flips import Flip, SideReply
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.compare.compare_part import ComparePart, go_on
from tui_eval.tui.screens.compare.flip import FlipScreen, score_cell
from tui_eval.tui.widgets.cells import Column, GeneratedRows, row_cells
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.table import EMPTY, RowTable
from tui_eval.tui.words import count


class FlipRow(NamedTuple):
    """Row of the list: a question on which a pair differs."""

    pair: ComparedPair
    flip: Flip


def answer(answers: Sequence[SideReply]) -> str:
    """Say what a side answered, in short, and how many more answers there are."""
    if not answers:
        return "-"
    first = answers[0]
    text = safe_line(first.text) if first.text else f"no text: {safe_line(first.why or first.status)}"
    return text + (f"  (+{count(len(answers) - 1)})" if len(answers) > 1 else "")


def _better(row: FlipRow) -> str:
    better, by = row.pair.a if row.flip.a_better else row.pair.b, said.gap(row.flip)
    return safe_line(better.label) + (f" by {by}" if by else "")


def _question(row: FlipRow) -> str:
    flip = row.flip
    return safe_line(flip.question or next((answer.item_id for answer in (*flip.answers_a, *flip.answers_b)), "-"))


FLIPS: Sequence[Column[FlipRow]] = (
    Column("better", 12, _better, share=1, middle=True),
    Column("A", 8, lambda row: score_cell(row.flip.score_a, row.flip.metric)),
    Column("B", 8, lambda row: score_cell(row.flip.score_b, row.flip.metric)),
    Column("question", 24, _question, share=4),
    Column("A's answer", 16, lambda row: answer(row.flip.answers_a), share=3, above=99),
    Column("B's answer", 16, lambda row: answer(row.flip.answers_b), share=3, above=99),
)
NONE = "These two have the same score on every question that both answered. p shows the pairs."


class FlipsPart(ComparePart):
    """The flips of the chosen pair; Enter opens one, n and N walk on from there."""

    BINDINGS = [bind("flip.next", "walk", "Walk", tooltip="Open the question under the cursor; n and N go on to the next")]

    def __init__(self) -> None:
        super().__init__(id="flips-part")
        self._comparison: Comparison | None = None
        self._pair: ComparedPair | None = None
        self._flips: list[Flip] = []

    @property
    def pairs_on_show(self) -> list[str]:
        """The chosen pair."""
        return [] if self._pair is None else [f"{self._pair.a.label},{self._pair.b.label}"]

    def compose(self) -> ComposeResult:
        """Yield the line on the pair, and its questions."""
        yield Lines(id="flips-pair")
        yield RowTable(FLIPS, id="flips", empty="reading …")

    def show(self, comparison: Comparison) -> None:
        """Begin with the first pair."""
        self._comparison = comparison
        self.choose(comparison.pairs[0])

    def choose(self, pair: ComparedPair) -> None:
        """Read the flips of a pair in the background."""
        if pair is self._pair:
            return
        self._pair, self._flips = pair, []
        metric = "" if pair.share else f"{said.metric_words(pair.metric)}: "
        self.query_one("#flips-pair", Lines).say(
            (safe_line(metric + f"{pair.a.label} - {pair.b.label}", 160), "strong"),
            f"  better: {safe_line(said.flips(pair), 200)}",
        )
        table = self.query_one(RowTable)
        table.empty = "reading …"
        table.show(EMPTY, 0)
        self.screen.run_worker(self._read, thread=True, exclusive=True, group="flips", exit_on_error=False)

    def opened(self, row: int) -> None:
        """Read one in full."""
        if self._pair is not None and row < len(self._flips):
            keys = [flip.places for flip in self._flips]
            self.app.push_screen(FlipScreen(self._pair, keys, row, self.query_one(RowTable).move))

    def action_walk(self) -> None:
        """From the one under the cursor on."""
        self.opened(self.query_one(RowTable).cursor)

    def _read(self) -> None:
        comparison, pair, worker = self._comparison, self._pair, get_current_worker()
        if comparison is not None and pair is not None:
            flips = comparison.flips(pair, go_on)
            if not worker.is_cancelled:
                self.app.call_from_thread(self._list, pair, flips)

    def _list(self, pair: ComparedPair, flips: list[Flip]) -> None:
        if self.is_attached and pair is self._pair:
            self._flips = flips
            table = self.query_one(RowTable)
            table.empty = NONE
            table.show(
                GeneratedRows(lambda: len(self._flips), lambda row: row_cells(FLIPS, FlipRow(pair, self._flips[row]))), 0
            )
