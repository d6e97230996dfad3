"""The pairs of a comparison: the difference, how sure it is, and in words what the pair under the cursor means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from textual.app import ComposeResult

from tui_eval.core.plaintext import count_of
from tui_eval.results.comparison import text as said
from tui_eval.results.comparison.comparing import ComparedPair, Comparison
from tui_eval.results.comparison.sides import Standing
from tui_eval.results.sums.differences import SIGNIFICANT
from tui_eval.results.sums.in_words import in_unit, p_value
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.compare.compare_part import ComparePart
from tui_eval.tui.widgets.cells import Cell, Column, Row
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.list_view import ListView
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count


def difference_cell(pair: ComparedPair, unit: str = "") -> Cell:
    """Say how far apart the sides of a pair are; strong where that is significant."""
    return said.difference(pair) + unit, "strong" if pair.significant else ""


A: Column[ComparedPair] = Column("A", 11, lambda pair: safe_line(pair.a.label), share=2, middle=True)
B: Column[ComparedPair] = Column("B", 11, lambda pair: safe_line(pair.b.label), share=2, middle=True)
HOLM: Column[ComparedPair] = Column(
    "Holm p", 6, lambda pair: (p_value(pair.p_holm), "strong" if pair.significant else ""), right=True
)
N: Column[ComparedPair] = Column("n", 6, lambda pair: count(pair.n), right=True)
BETTER: Column[ComparedPair] = Column("A/B better", 10, lambda pair: f"{pair.a_better}/{pair.b_better}", right=True)
P: Column[ComparedPair] = Column("p", 6, lambda pair: p_value(pair.found.p if pair.tests else None), right=True, above=99)
WORDS: Column[ComparedPair] = Column("in words", 24, lambda pair: safe_line(said.verdict(pair)), share=7, above=159)
PAIRS: Sequence[Column[ComparedPair]] = (
    A,
    B,
    Column("A-B points [95 %]", 23, difference_cell, right=True, field="difference"),
    HOLM,
    N,
    BETTER,
    P,
    WORDS,
)
MARKED: Sequence[Column[ComparedPair]] = (
    A,
    B,
    Column("A-B [95 %]", 26, lambda pair: difference_cell(pair, " pt" if pair.share else ""), right=True, field="difference"),
    HOLM,
    replace(N, width=5),
    replace(BETTER, above=99),
    P,
    WORDS,
)
"""Where there are marks on several scales."""

LINES = 10
"""Of words below the pairs; more where they are needed."""
AROUND = 11
"""Lines of the screen that the words leave alone: the frame, the titles, some pairs."""


class PairsPart(ComparePart, SortableList[ComparedPair]):
    """A line for each pair; Enter shows the questions on which it differs."""

    DEFAULT_CSS = """
    PairsPart.-none > Reading { height: 1fr; }
    PairsPart.-none > RowTable { display: none; }
    """

    BINDINGS = [
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("list.differing", "differing", "Significant", tooltip="Only pairs that differ significantly, or all"),
    ]

    def __init__(self) -> None:
        super().__init__(id="pairs-part")
        self._only_significant = False
        self.view = ListView(PAIRS)

    def compose(self) -> ComposeResult:
        """The pairs, words about one, and the filter."""
        yield RowTable(PAIRS, id="pairs", empty="")
        yield Reading(id="pair-words", can_focus=False)
        yield FilterLine(self.view.help_words(), id="filter")

    def say(self, words: str) -> None:
        """Why there are none."""
        self.add_class("-none")
        self.query_one(Reading).show([(words, "warn"), ("Esc goes back.", "dim")])

    def show(self, comparison: Comparison) -> None:
        """The pairs."""
        super().show(comparison)
        self.view = replace(self.view, columns=columns(comparison)).with_query(self.view.text)
        self.query_one(RowTable).set_columns(self.view.marked_columns())
        self.show_list()

    def entries(self) -> Sequence[ComparedPair]:
        """Every pair; those that differ significantly alone where that is wished."""
        pairs = () if self.comparison is None else self.comparison.pairs
        return [pair for pair in pairs if pair.significant or not self._only_significant]

    def show_list(self) -> None:
        """Draw the pairs that are asked for."""
        apart = "No pair differs significantly; ! shows all"
        self.list_entries(apart if self._only_significant and not self.view.text else "")
        self.say_words()

    def action_differing(self) -> None:
        """Only pairs that differ significantly, or all."""
        self._only_significant = not self._only_significant
        self.show_list()

    def say_words(self) -> None:
        """Say what the one under the cursor means."""
        if self.comparison is not None:
            pair = next(iter(self.listed[self.query_one(RowTable).cursor :]), None)
            notes: list[Paragraph] = [(f"note: {safe_line(note)}", "warn") for note in self.comparison.notes]
            verdict: Paragraph = (safe_line(self.comparison.verdict, 2_000), "strong")
            self.tell([*(about(pair) if pair else ()), ("", ""), *notes, verdict], LINES, self.app.size.height - AROUND)


def columns(comparison: Comparison) -> Sequence[Column[ComparedPair]]:
    """Return the columns of pairs: what names them, and their figures."""
    return (*naming_columns(comparison, lambda pair: pair.a), *(MARKED if comparison.marked else PAIRS))


def naming_columns(comparison: Comparison, standing: Callable[[Row], Standing]) -> Sequence[Column[Row]]:
    """Return what stands before a side, or a pair: its stage where there are several, its metric where it must be said."""
    stage: Column[Row] = Column("stage", 5, lambda row: safe_line(standing(row).side.key.stage, 40))
    metric: Column[Row] = Column("metric", 12, lambda row: safe_line(standing(row).metric.name, 40), share=1)
    return [*[stage] * (len(comparison.stages) > 1), *[metric] * comparison.named]


def about(pair: ComparedPair) -> list[Paragraph]:
    """Describe the meaning of a pair, and the basis of its figures."""
    left_out, needed = said.left_out(pair), said.needed(pair)
    metric = "" if pair.share else f"{said.metric_words(pair.metric)}: "
    paragraphs: list[Paragraph] = [(safe_line(f"{metric}{pair.a.label} - {pair.b.label}: {said.verdict(pair)}"), "strong")]
    paragraphs += [(needed, "")] if needed else []
    paragraphs += [
        (of_side("A", pair.a, pair.found.mean_a, pair.n), ""),
        (of_side("B", pair.b, pair.found.mean_b, pair.n), ""),
        (f"{pair.found.method}; significant where Holm p, corrected for all pairs tested, is below {SIGNIFICANT}", "dim"),
    ]
    return [*paragraphs, (safe_line(f"left out: {left_out}"), "")] if left_out else paragraphs


def of_side(letter: str, standing: Standing, mean: float | None, n: int) -> str:
    """A side in one line: its score on the common items, its cost, its latency."""
    p50, p90 = (said.latency(standing, name) for name in ("p50", "p90"))
    latency = f"p50 {said.seconds(p50)} s" + ("" if p90 is None else f", p90 {said.seconds(p90)} s")
    cost, score = f"{said.usd(said.cost_each(standing))} a call", in_unit(mean, standing.metric)
    return f"{letter} {safe_line(standing.label, 40)}: {score}, {count_of(n, standing.units.item)}; {cost}; {latency}"
