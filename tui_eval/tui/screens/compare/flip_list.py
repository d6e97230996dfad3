"""The questions on which a pair differs: those on which A does better first, and beside them one in full."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from textual.app import ComposeResult

from tui_eval.results.comparison import text as said
from tui_eval.results.comparison.comparing import ComparedPair, Comparison
from tui_eval.results.comparison.flips import Flip, SideReply
from tui_eval.tui.inspecting import Inspecting
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import beside, host
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.compare.compare_part import ComparePart, go_on
from tui_eval.tui.screens.compare.flip import CHANGED, flip_dossier, score_cell
from tui_eval.tui.screens.live.log_figures import query_of_item
from tui_eval.tui.widgets.cells import Column
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.inspector import Dossier, Inspector, Split
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.list_view import ListView
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
    Column("A", 8, lambda row: score_cell(row.flip.score_a, row.flip.metric), value=lambda row: row.flip.score_a),
    Column("B", 8, lambda row: score_cell(row.flip.score_b, row.flip.metric), value=lambda row: row.flip.score_b),
    Column("question", 24, _question, share=4),
    Column("A's answer", 16, lambda row: answer(row.flip.answers_a), share=3, above=99),
    Column("B's answer", 16, lambda row: answer(row.flip.answers_b), share=3, above=99),
)
NONE = "These two have the same score on every question that both answered. p shows the pairs."


class FlipsPart(ComparePart, Inspecting, SortableList[FlipRow]):
    """The flips of the chosen pair, and beside them the one under the cursor in full."""

    BINDINGS = [
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("flip.next", "step(1)", "Next", show=False, tooltip="The next question on which the two differ, round the end"),
        bind("flip.previous", "step(-1)", "Previous", show=False, tooltip="The one before it"),
        bind("run.log", "log('A')", "A's calls", tooltip="Every call of A's item, in the log of A's run"),
        bind("flip.log_b", "log('B')", "B's calls", tooltip="Every call of B's item, in the log of B's run"),
    ]

    def __init__(self) -> None:
        super().__init__(id="flips-part")
        self._pair: ComparedPair | None = None
        self._flips: list[Flip] = []
        """All of the pair; empty until they are read."""
        self.view = ListView(FLIPS)

    @property
    def pairs_on_show(self) -> list[str]:
        """The chosen pair."""
        return [] if self._pair is None else [f"{self._pair.a.label},{self._pair.b.label}"]

    def compose(self) -> ComposeResult:
        """Yield the line on the pair, its questions, the one under the cursor, and the filter."""
        yield Lines(id="flips-pair")
        with Split():
            yield RowTable(FLIPS, id="flips", empty="reading …")
            yield Inspector(has_models=False)
        yield FilterLine(self.view.help_words(), id="filter")

    def show(self, comparison: Comparison) -> None:
        """Begin with the first pair."""
        super().show(comparison)
        self.choose(comparison.pairs[0])

    def choose(self, pair: ComparedPair) -> None:
        """Read the flips of a pair in the background."""
        if pair is self._pair:
            return
        self._pair, self._flips, self.listed = pair, [], []
        metric = "" if pair.share else f"{said.metric_words(pair.metric)}: "
        self.query_one("#flips-pair", Lines).say(
            (safe_line(metric + f"{pair.a.label} - {pair.b.label}", 160), "strong"),
            f"  better: {safe_line(said.flips(pair), 200)}",
        )
        table = self.query_one(RowTable)
        table.empty = "reading …"
        table.show(EMPTY, 0)
        self.inspect()
        if self.comparison is not None:
            read = partial(self.comparison.flips, pair, go_on)
            beside(self.page, read, partial(self._list, pair), group="flips", keys_wait=False)

    def entries(self) -> Sequence[FlipRow]:
        """Every flip of the pair."""
        return [] if self._pair is None else [FlipRow(self._pair, flip) for flip in self._flips]

    def show_list(self) -> None:
        """Draw the flips that are asked for."""
        self.list_entries("" if self._flips else NONE, lambda row: row.flip.places)
        self.inspect()

    def dossier(self, whole: bool) -> Dossier | None:
        """Say what both sides answered to the question under the cursor."""
        row = self.current
        return None if row is None else flip_dossier(row.pair, row.flip.places, whole, self.inspected_list.where)

    def action_step(self, by: int) -> None:
        """The next flip, or the one before."""
        self.query_one(RowTable).action_round(by)
        if self.query_one(RowTable).rows.count() < 2:
            self.page.say_here("no other question is shown")

    def action_copy(self) -> None:
        """Copy the flip that is read; from the list, the whole comparison."""
        self._of_either("action_copy")

    def action_write(self) -> None:
        """Write the flip that is read; from the list, the comparison."""
        self._of_either("action_write")

    def action_pager(self) -> None:
        """Page the flip that is read; from the list, the comparison."""
        self._of_either("action_pager")

    def _of_either(self, action: str) -> None:
        getattr(super() if self.in_inspector else self.screen, action)()

    async def action_log(self, letter: str) -> None:
        """The calls of one side in the log of its run."""
        if self.current is None:
            return
        pair, flip = self.current
        standing, answers = (pair.b, flip.answers_b) if letter == "B" else (pair.a, flip.answers_a)
        app, path = host(self), standing.side.run.path
        app.open_run(path)
        if not answers:
            app.say(CHANGED)
        elif app.opened is not None and app.opened.path == path:  # else it said why not
            app.log_query = query_of_item(answers[0].item_id)
            await app.action_visit("log")

    def _list(self, pair: ComparedPair, flips: list[Flip]) -> None:
        if pair is self._pair:
            self._flips = flips
            self.show_list()
