"""Columns of the summary: of models by their metrics, and of what they came to while there is no report yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Literal, NamedTuple

from rich.cells import cell_len

from tui_eval.core.results import Cell as Figure
from tui_eval.results.answer_search import Sums
from tui_eval.results.read_report import ReportTable, TableColumn, figure_in, number, whole
from tui_eval.results.sums.metrics import is_binary
from tui_eval.tui.charts import Scale, scale_of
from tui_eval.tui.report_rows import Measure, MetricStanding, Report, interval, text
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Cell, Column, blank, cell_text, fitted_columns, widths
from tui_eval.tui.words import count, interval_bar, seconds, share, usd

LATENCY = "latency"
"""The table of a report that has it, in milliseconds."""
NEEDED: Set[TableColumn] = {"model", "n", "p50", "p90"}


class LatencyLine(NamedTuple):
    """Line of how long a model's answers took; a percentile that so few answers do not tell is no number."""

    table: ReportTable
    row: int

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The row of the report that it shows."""
        return self.table.values(self.row)

    @property
    def name(self) -> str:
        """The model, and the stage where the report says it."""
        parts = ((self.table.rest(self.row) or {}).get("stage"), figure_in(self.figures, "model").value)
        return " ".join(text(part, 60) for part in parts if part)

    @property
    def n(self) -> int | None:
        """Number of answers that were timed."""
        return whole(figure_in(self.figures, "n").value)

    @property
    def n_late(self) -> int:
        """Number of calls that timed out."""
        return self._count("n_timed_out")

    @property
    def lacking(self) -> str:
        """Why answers were not timed, and how many."""
        reasons = ((self.n_late, "timed out"), (self._count("n_on_file"), "on file"))
        return ", ".join(f"{count(n)} {reason}" for n, reason in reasons if n) or "-"

    def seconds(self, percentile: Literal["p50", "p90"]) -> str:
        """Return a percentile in seconds."""
        value = number(figure_in(self.figures, percentile).value)
        return "-" if value is None else f"{seconds(value)} s"

    def _count(self, column: TableColumn) -> int:
        return whole(figure_in(self.figures, column).value) or 0


def latency_lines(report: Report) -> list[LatencyLine]:
    """Return the rows of that table where several metrics are shown under one another; else it is among the tables alone."""
    table = report.tables.get(LATENCY)
    if table is None or len(report.measures) < 2 or not set(table.columns) >= NEEDED:
        return []
    return [LatencyLine(table, row) for row in range(len(table.rows))]


LONGEST_METRIC = 20
"""Columns that a metric's name has at most before there is room to spare."""
LEAST_BAR, BAR, WIDE_BAR = 9, 11, 21
"""Columns of a bar; the last from `ROOMY` columns of the terminal on."""
ROOMY = 100
NARROW, MOST_CUT = 13, 6
"""Columns of a model's name beside it, and by how many a name may be longer."""
FIXED = 2
"""Columns that say what a line is of: they stay where they are."""


class StandingLine(NamedTuple):
    """Line of how a model did by a measure."""

    measure: Measure
    standing: MetricStanding

    @property
    def scale(self) -> Scale:
        """The axis of its metric."""
        return scale_of(self.measure.metric)

    @property
    def value(self) -> float | None:
        """Its estimate."""
        value = self.standing.accuracy.value
        return value if isinstance(value, float | int) else None


Line = StandingLine | LatencyLine


def _cell_of(
    standing: Callable[[StandingLine], Cell], latency: Callable[[LatencyLine], Cell] = blank
) -> Callable[[Line], Cell]:
    """Make the cell of both sorts of lines: of a model by a measure, and, below these, of how long its answers took."""
    return lambda line: standing(line) if isinstance(line, StandingLine) else latency(line)


def _estimate(line: StandingLine) -> Cell:
    return "-" if line.value is None else line.scale.told(line.value)


def _interval(line: StandingLine) -> Cell:
    is_share = line.scale.is_share
    return interval("accuracy" if is_share else "mean", line.standing.accuracy, not is_share)


def _bar(line: StandingLine, width: int) -> Cell:
    scale, figure = line.scale, line.standing.accuracy
    mean, low, high = (None if x is None else scale.part(x) for x in (line.value, figure.low, figure.high))
    return interval_bar(mean, low, high, width), "accent"


NAME: Column[Line] = Column(
    "model",
    NARROW,
    _cell_of(lambda line: (safe_line(line.standing.name), "strong"), lambda line: (line.name, "strong")),
    share=1,
    middle=True,
    is_folded=True,
)
RANK: Column[Line] = Column("rank", 6, _cell_of(lambda line: line.standing.ranks), right=True)
METRIC: Column[Line] = Column(
    "metric", 14, _cell_of(lambda line: line.measure.name, lambda line: (f"{LATENCY} p50", "accent")), share=1
)
ESTIMATE: Column[Line] = Column("accuracy", 8, _cell_of(_estimate, lambda line: line.seconds("p50")), right=True)
SPENT: Sequence[Column[Line]] = (
    Column("s", 5, _cell_of(lambda line: seconds(line.standing.latency_ms)), right=True),
    Column("cost", 9, _cell_of(lambda line: usd(line.standing.cost_usd, line.standing.cost_unknown)), right=True),
)
RESTS_ON: Sequence[Column[Line]] = (
    Column("95 % interval", 13, _cell_of(_interval, lambda line: f"p90 {line.seconds('p90')}")),
    Column("n", 4, _cell_of(lambda line: count(line.standing.accuracy.n), lambda line: count(line.n)), right=True),
    Column(
        "no value",
        8,
        _cell_of(
            lambda line: (count(line.standing.n_missing), "warn" if line.standing.n_missing else "dim"),
            lambda line: (count(line.n_late), "warn" if line.n_late else "dim"),
        ),
        right=True,
    ),
)
WHY: Sequence[Column[Line]] = (
    Column("n of s", 6, _cell_of(lambda line: count(line.standing.n_latency or None)), right=True, above=99),
    Column(
        "why there is none",
        20,
        _cell_of(
            lambda line: (safe_line(line.standing.missing), "warn" if line.standing.n_missing else "dim"),
            lambda line: (line.lacking, "warn" if line.n_late else "dim"),
        ),
        share=4,
        above=121,
    ),
)


def bar_column(title: str, width: int) -> Column[Line]:
    """Return the column of bars that wide, under the ends of their scale."""
    return Column(title, width, _cell_of(lambda line: _bar(line, width)))


STANDINGS = (RANK, NAME, bar_column("0   50  100", BAR), ESTIMATE, *RESTS_ON, *SPENT, *WHY)
"""The columns of one measure, right or wrong. One that several measures have, too, is added to `RESTS_ON`, `SPENT` or `WHY`."""


def standing_columns(measures: Sequence[Measure], wide: int) -> Sequence[Column[Line]]:
    """Return the columns of one measure with its scale over a bar of `wide` columns, of several with their names."""
    if len(measures) > 1:
        longest = max(len(measure.name) for measure in measures)
        metric = replace(METRIC, width=max(METRIC.width, min(longest, LONGEST_METRIC)))
        spent = (replace(column, above=99) for column in SPENT)
        return (RANK, replace(NAME, share=2), metric, replace(ESTIMATE, title="score"), *RESTS_ON, *spent, *WHY)
    metric_of_all, more = measures[0].metric, wide - BAR
    if is_binary(metric_of_all):
        ends, title = f"0{' ' * (3 + more // 2)}50{' ' * (2 + more // 2)}100", "accuracy"
    else:
        high = f"{scale_of(metric_of_all).high:g}"
        ends, title = f"{metric_of_all.low:g}".ljust(wide // 2) + high.rjust(wide - wide // 2), "mean"
    return (RANK, NAME, *([bar_column(ends, wide)] if wide else ()), replace(ESTIMATE, title=title), *RESTS_ON, *SPENT, *WHY)


def fitted_standings(measures: Sequence[Measure], lines: Sequence[Line], room: int, terminal: int) -> Sequence[Column[Line]]:
    """Return the columns as these lines need them; on a narrow terminal bars make room for all else."""
    longest = max((cell_len(cell_text(NAME.cell(line))) for line in lines), default=0)
    for wide in (WIDE_BAR,) if room >= ROOMY - 2 else (BAR, LEAST_BAR, 0):
        columns = fitted_columns(standing_columns(measures, wide), lines, room, terminal, FIXED)
        sizes = widths(columns, room, terminal, fixed=FIXED)
        is_whole = all(size or not column.width or column.above for column, size in zip(columns, sizes, strict=True))
        if is_whole and longest <= sizes[1] + MOST_CUT:
            break
    return columns


class TallyLine(NamedTuple):
    """Line of what a model came to by a metric so far."""

    stage: str
    model: str
    variant: str
    """Of what was asked; empty where there is one."""
    metric: str
    sums: Sums

    @property
    def passing(self) -> str:
        """Number of answers that are right, or pass."""
        return "-" if self.sums.metric.threshold is None else count(self.sums.right)

    @property
    def mean(self) -> str:
        """The share of what is right, or the mean mark."""
        sums = self.sums
        if not sums.scored:
            return "-"
        return share(sums.total / sums.scored) if is_binary(sums.metric) else f"{sums.total / sums.scored:.2f}"


TALLIED: Sequence[Column[TallyLine]] = (
    Column("stage", 12, lambda line: safe_line(line.stage, 40), share=1),
    Column("model", 20, lambda line: safe_line(line.model, 60), share=2),
    Column("right", 8, lambda line: line.passing, right=True),
    Column("scored", 8, lambda line: count(line.sums.scored), right=True),
    Column("right so far", 12, lambda line: line.mean, right=True),
    Column("no value", 8, lambda line: count(line.sums.lacking), right=True),
)
MARKED: Sequence[Column[TallyLine]] = (
    Column("stage", 10, lambda line: safe_line(line.stage, 40), share=1),
    Column("model", 16, lambda line: safe_line(line.model, 60), share=2),
    Column("metric", 14, lambda line: safe_line(line.metric, 40), share=1),
    Column("pass", 6, lambda line: line.passing, right=True),
    Column("scored", 7, lambda line: count(line.sums.scored), right=True),
    Column("so far", 8, lambda line: line.mean, right=True),
    Column("no value", 8, lambda line: count(line.sums.lacking), right=True),
)
"""The same where there are several metrics, or marks."""


def tally_columns(marked: bool, variant: str) -> Sequence[Column[TallyLine]]:
    """Return the columns of sums so far; `marked`: by metrics, or marks; `variant`: what a model was asked several of."""
    stage, model, *rest = MARKED if marked else TALLIED
    variant_column: Column[TallyLine] = Column(variant, 10, lambda line: safe_line(line.variant, 60), share=1)
    return (stage, model, *([variant_column] if variant else []), *rest)
