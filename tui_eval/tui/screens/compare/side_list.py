"""The sides of a comparison: the score of each over all its own questions, its ranks, its cost and its latency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual.app import ComposeResult

from tui_eval.results.comparison import wording as said
from tui_eval.results.comparison.comparing import Comparison, Standing
from tui_eval.results.sums.in_words import rank
from tui_eval.results.sums.metrics import is_binary
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.compare.compare_part import Part
from tui_eval.tui.screens.compare.pair_list import METRIC, STAGE, names
from tui_eval.tui.widgets.cells import Cell, Column, Counted
from tui_eval.tui.widgets.table import Table
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count

SIDES = (
    Column("side", 9, share=2, middle=True),
    Column("score [95 %]", 21, right=True),
    Column("rank", 5, right=True),
    Column("n", 6, right=True),
    Column("none", 5, right=True),
    Column("USD/call", 9, right=True),
    Column("p50 s", 5, right=True),
    Column("p90 s", 5, right=True),
    Column("n of s", 6, right=True, above=99),
    Column("cost", 10, right=True, above=99),
    Column("tokens", 9, right=True, above=119),
)
MARKED = (*SIDES[:4], *(replace(column, above=99) for column in SIDES[4:8]), *SIDES[8:])
"""Where the metric needs its room."""

LINES = 8
"""Of words below the sides; more where they are needed."""


class SidesPart(Part):
    """A line for each side."""

    def __init__(self) -> None:
        super().__init__(id="sides-part")
        self._comparison: Comparison | None = None

    def compose(self) -> ComposeResult:
        """The sides, and what their figures mean."""
        yield Table(SIDES, id="sides", can_open=False)
        words = Reading(id="sides-words")
        words.can_focus = False
        yield words

    def begin(self) -> None:
        """The keys go to the sides."""
        self.query_one(Table).focus()

    def show(self, comparison: Comparison) -> None:
        """The sides."""
        self._comparison = comparison
        table = self.query_one(Table)
        stage, metric = [STAGE] * (len(comparison.stages) > 1), [METRIC] * comparison.named
        table.set_columns((*stage, *metric, *(MARKED if comparison.named else SIDES)))
        found = comparison.standings
        table.show(Counted(lambda: len(found), lambda row: cells(comparison, found[row])), 0)
        self._tell()

    def on_resize(self) -> None:
        """Another width needs more lines, or fewer."""
        self._tell()

    def on_table_moved(self, event: Table.Moved) -> None:
        """Another side under the cursor."""
        event.stop()
        self._tell()

    def _tell(self) -> None:
        if self._comparison is not None:
            standing = self._comparison.standings[self.query_one(Table).cursor]
            self.tell(about(standing), LINES, self.app.size.height // 2)


def cells(comparison: Comparison, standing: Standing) -> Sequence[Cell]:
    """A side as a row."""
    found: list[Cell] = [
        safe_line(standing.label),
        said.estimate(standing.score, standing.metric),
        rank(standing.rank),
        count(standing.score.n),
        (count(standing.missing), "warn" if standing.missing else "dim"),
        said.usd(said.cost_each(standing)),
        said.seconds(said.latency(standing, "p50")),
        said.seconds(said.latency(standing, "p90")),
        count(said.latency_n(standing)),
        said.cost_words(standing),
        count(said.tokens(standing)),
    ]
    return [*names(comparison, standing), *found]


def about(standing: Standing) -> list[Paragraph]:
    """Where a side's figures come from."""
    side = standing.side
    where = f"{safe_line(side.model, 60)}, stage {safe_line(side.stage, 40)}, run {safe_line(side.run.run_id, 80)}"
    where += ", simulated" if side.simulated else ""
    reasons = ", ".join(f"{count(n)} {why}" for why, n in side.missing.most_common(5))
    none = f"none: {count(standing.missing)} questions without a score" + (f" ({safe_line(reasons, 200)})" if reasons else "")
    none += f"; {said.unscored(standing)}" if side.unscored else ""
    scale = "" if is_binary(side.metric) else f" of {safe_line(said.metric_words(side.metric), 80)}"
    rank = f"rank: the ranks that the intervals of its stage{' and metric' if scale else ''} leave open."
    mean = "mean over questions, each question's repeats one mean first" if side.repeated else "mean over questions"
    return [
        (where, "strong"),
        (f"score{scale}: {mean}, n = {count(standing.score.n)}; {none}", ""),
        (spent(standing), ""),
        (f"{rank} USD/call: of calls whose cost is known", "dim"),
        ("p50, p90: of good replies, in seconds; p90 needs 29 of them", "dim"),
    ]


def spent(standing: Standing) -> str:
    """What all its calls cost and took."""
    calls = standing.side.calls
    if calls is None:
        return "its calls are not in the log: cost and latency are not known"
    sent = sum(calls.counts[status] for status in ("ok", "timeout", "error"))
    cached = f", {count(calls.counts['cached'])} of them from the cache" if calls.counts["cached"] else ""
    return f"{count(sent)} attempts{cached}: {said.cost_words(standing)}, {count(said.tokens(standing))} tokens"
