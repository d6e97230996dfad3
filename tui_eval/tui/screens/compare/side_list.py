"""The sides of a comparison: the score of each over all its own questions, its ranks, its cost and its latency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual.app import ComposeResult

from tui_eval.results.comparison import text as said
from tui_eval.results.comparison.comparing import Comparison
from tui_eval.results.comparison.notes import unscored
from tui_eval.results.comparison.sides import Standing
from tui_eval.results.sums.in_words import rank
from tui_eval.results.sums.metrics import is_binary
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.compare.compare_part import ComparePart
from tui_eval.tui.screens.compare.pair_list import naming_columns
from tui_eval.tui.widgets.cells import Column, Rows, row_cells
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count

SIDES: Sequence[Column[Standing]] = (
    Column("side", 9, lambda side: safe_line(side.label), share=2, middle=True),
    Column("score [95 %]", 21, lambda side: said.estimate(side.score, side.metric), right=True),
    Column("rank", 5, lambda side: rank(side.rank), right=True),
    Column("n", 6, lambda side: count(side.score.n), right=True),
    Column("none", 5, lambda side: (count(side.missing), "warn" if side.missing else "dim"), right=True),
    Column("USD/call", 9, lambda side: said.usd(said.cost_each(side)), right=True),
    Column("p50 s", 5, lambda side: said.seconds(said.latency(side, "p50")), right=True),
    Column("p90 s", 5, lambda side: said.seconds(said.latency(side, "p90")), right=True),
    Column("n of s", 6, lambda side: count(said.latency_n(side)), right=True, above=99),
    Column("cost", 10, said.cost_words, right=True, above=99),
    Column("tokens", 9, lambda side: count(said.tokens(side)), right=True, above=119),
)
ROOMY = ("none", "USD/call", "p50 s", "p90 s")
"""Columns that give way to the metric on narrow terminals."""
MARKED = tuple(replace(column, above=99) if column.title in ROOMY else column for column in SIDES)
"""Where the metric needs its room."""

LINES = 8
"""Of words below the sides; more where they are needed."""


class SidesPart(ComparePart):
    """A line for each side."""

    def compose(self) -> ComposeResult:
        """The sides, and what their figures mean."""
        yield RowTable(SIDES, id="sides", can_open=False)
        yield Reading(id="sides-words", can_focus=False)

    def show(self, comparison: Comparison) -> None:
        """The sides."""
        super().show(comparison)
        table = self.query_one(RowTable)
        columns = (*naming_columns(comparison, lambda side: side), *(MARKED if comparison.named else SIDES))
        table.set_columns(columns)
        standings = comparison.standings
        table.show(Rows(lambda: len(standings), lambda row: row_cells(columns, standings[row])), 0)
        self.say_words()

    def say_words(self) -> None:
        """Say what the one under the cursor means."""
        if self.comparison is not None:
            standing = self.comparison.standings[self.query_one(RowTable).cursor]
            self.tell(about(standing), LINES, self.app.size.height // 2)


def about(standing: Standing) -> list[Paragraph]:
    """Describe the origin of a side's figures."""
    side, item = standing.side, standing.units.item
    key = side.key
    where = f"{safe_line(standing.label, 60)}, stage {safe_line(key.stage, 40)}, run {safe_line(side.run.run_id, 80)}"
    where += ", simulated" if side.simulated else ""
    reasons = ", ".join(f"{count(n)} {why}" for why, n in side.series.why.most_common(5))
    none = f"none: {count(standing.missing)} {item}s without a score"
    none += f"; {unscored(standing)}" if unscored(standing) else ""
    none += f" ({safe_line(reasons, 200)})" if reasons else ""
    metric = "" if is_binary(standing.metric) else f" of {safe_line(said.metric_words(standing.metric), 80)}"
    rank = f"rank: the ranks that the significant pairs of its stage{' and metric' if metric else ''} leave open."
    mean = f"mean over {item}s" + (f", each {item}'s answers one mean first" if side.series.repeated else "")
    return [
        (where, "strong"),
        (f"score{metric}: {mean}, n = {count(standing.score.n)}; {none}", ""),
        (spent(standing), ""),
        (f"{rank} USD/call: of calls whose cost is known", "dim"),
        ("p50, p90: of good replies, in seconds; p90 needs 29 of them", "dim"),
    ]


def spent(standing: Standing) -> str:
    """Describe the attempts, cost and tokens of all calls of a side."""
    side = standing.side
    calls = side.calls
    if calls is None and (side.key.stage, side.key.model) in side.run.not_by_variant:
        return f"its calls cannot be distinguished by {standing.units.variant or 'variant'}: cost and latency are not known"
    if calls is None:
        return "its calls are not in the log: cost and latency are not known"
    sent = sum(calls.counts[status] for status in ("ok", "timeout", "error"))
    cached = f", {count(calls.counts['cached'])} of them from the cache" if calls.counts["cached"] else ""
    return f"{count(sent)} attempts{cached}: {said.cost_words(standing)}, {count(said.tokens(standing))} tokens"
