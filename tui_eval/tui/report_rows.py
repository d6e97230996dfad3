"""A run's report.json as rows to show: tables, their cells as text, and the few figures that are read first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Final

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.money import MadeUp, in_doubt_words
from tui_eval.core.reports import OF_SCORERS
from tui_eval.core.results import Cell as Figure
from tui_eval.core.units import units_of
from tui_eval.results.attempts import from_cache_words, without_text
from tui_eval.results.read_report import (
    OLD_COUNTS,
    ReportTable,
    TableColumn,
    figure_in,
    figure_of,
    list_of,
    number,
    read_table,
    table_of,
    whole,
)
from tui_eval.results.report_verdict import WITHOUT, verdict_in
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG, is_binary, metrics_of
from tui_eval.results.tables import is_simulated
from tui_eval.results.verdicts import verdicts_of
from tui_eval.runs.stats_columns import StatsColumn, stat
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.words import bar, count, share, usd

UNSENT: Mapping[StatsColumn, str] = {
    "calls_skipped_budget": "for the budget",
    "calls_not_sent": "stopped, or with nothing to build on",
}
MOST_STANDINGS = 2_000
"""Lines of a summary; the table has every row."""

CALLS = "calls_by_stage_and_model"
SHARES = {"accuracy", "share", "rate", "recall"}
ENDS: Collection[TableColumn] = {"ci_low", "ci_high"}
ACCURACY: Final = "accuracy"
"""The table of what is right or wrong, its column with the estimate, and what that is called where there is one such metric."""
MARKS = "scores"
"""The table of what is not right or wrong: means by metric."""
MEANS: Collection[TableColumn] = {"mean", *ENDS}
"""Its columns that are in the unit of the marks."""
BAR = 6
COUNTED: Collection[TableColumn] = {
    "n_total",
    "n_replies",
    "n_scored",
    "n_correct",
    "n_items",
    "n_effective",
    "n_cost_known",
    "n_cost_unknown",
    "n_on_file",
}
"""Columns that count what an accuracy was made of; the others that begin with n_ count what has no value, by the reason."""


@dataclass(frozen=True, slots=True)
class MetricStanding:
    """Result of one model by one metric, a line of the summary."""

    name: str
    ranks: str
    """Which it may have, from best to worst; empty where none is told."""
    accuracy: Figure
    """Its estimate: a share of what is right, or a mean mark."""
    missing: str
    """What has no value, by the reason: no reply, or none that could be read or scored; and what counts as wrong for it."""
    n_missing: int
    """Answers without a value."""
    latency_ms: float | None
    n_latency: int | None
    cost_usd: float | None
    cost_unknown: int
    table: str
    """The table that it stands in, and its row there."""
    row: int


@dataclass(frozen=True, slots=True)
class Measure:
    """Results of models by one metric."""

    metric: Metric
    standings: Sequence[MetricStanding]

    @property
    def name(self) -> str:
        """Its name on a screen."""
        return text(self.metric.name, 40)

    def value(self, standing: MetricStanding) -> float | None:
        """The score of a model; None where it is none of the metric's scale."""
        value = number(standing.accuracy.value)
        return value if value is not None and self.metric.holds(value) else None


class Report:
    """Content of report.json, as far as it has the form it should have."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.there = bool(content)
        self._alone: dict[str, bool] = {}
        self.simulated = content.get("simulated") is True
        self.simulated_models = frozenset(name for name in list_of(content.get("simulated_models")) if isinstance(name, str))
        """By their names, where there are real ones beside them."""
        self.units = units_of(content.get("units"))
        self.verdict = verdict_in(content)
        """What a person can repeat of it."""
        self.made_up: MadeUp = "some" if self.simulated_models else "all" if self.simulated else "nothing"
        self.judged = table_of(content.get("judged"))
        """By metric what persons may rate, as the run's kind declares it; empty where nothing is, and in older reports."""
        self.calls = table_of(content.get("calls"))
        self.items = table_of(content.get("items"))
        self.metrics: Mapping[str, Metric] = metrics_of(content)
        """Those that are named: where all is right or wrong, none is."""
        self.outcomes = {name: n for name, n in table_of(content.get("outcomes")).items() if whole(n) is not None}
        self.headline = tuple(read_table(f"headline {i}", table) for i, table in enumerate(list_of(content.get("headline"))))
        self.tables = {name: read_table(name, table) for name, table in table_of(content.get("tables")).items()}
        calls = _flat(list_of(content.get(CALLS)))
        if calls.rows:
            self.tables[CALLS] = calls
        self._asked: dict[tuple[Any, Any], dict[str, Figure]] = {}
        call_rows = [calls.values(row) for row in range(len(calls.rows))]
        stages_of = Counter(figure_in(row, "model").value for row in call_rows)
        for row in call_rows:
            stage, model = figure_in(row, "stage").value, figure_in(row, "model").value
            self._asked.setdefault((stage, model), row)
            if stages_of[model] == 1:
                self._asked[None, model] = row
        self.in_doubt = len(list_of(content.get("in_doubt")))
        """Calls that were in flight at a kill, the most that they cost, and of how many that is not known."""
        self.in_doubt_usd, self.in_doubt_unknown = number(content.get("in_doubt_usd")), whole(content.get("n_in_doubt_unknown"))
        self.in_doubt_granted = whole(content.get("n_in_doubt_granted"))
        self.gates = verdicts_of(content)
        """Those of its config, with their verdicts; none where it has none."""
        by_metric = gathered((*self._shares(), *self._means()))
        order = {name: place for place, name in enumerate(self.metrics)}
        metrics = sorted(by_metric, key=lambda metric: order.get(metric.name, -1))
        if any(name.startswith(OF_SCORERS) for name in self.tables):  # the headline may be in either table
            metrics.sort(key=lambda metric: not self.units.tests(metric.name))
        self.measures = [Measure(metric, by_metric[metric]) for metric in metrics]
        """In the order in which the report names its metrics; of each a line for every row of its table, in order."""

    def is_simulated(self, row: Mapping[str, Any]) -> bool:
        """Return whether the subject of a table row is simulated, by the models that it names."""
        return is_simulated(row, self.simulated_models) if self.simulated_models else self.simulated

    def by(self, measure: Measure) -> Report:
        """The same by one of its measures alone."""
        report = copy(self)
        report.measures = [measure]
        return report

    def _shares(self) -> Iterator[tuple[Metric, MetricStanding]]:
        for table in self._metric_tables(ACCURACY):
            for row in range(min(len(table.rows), MOST_STANDINGS) if ACCURACY in table.columns else 0):
                name = (table.rest(row) or {}).get("name")  # the report says it where there are several metrics
                metric = replace(RIGHT_OR_WRONG, name=str(name or ACCURACY))
                yield metric, self._standing(table, row, ACCURACY, self._one_stage(table))

    def _means(self) -> Iterator[tuple[Metric, MetricStanding]]:
        for table in self._metric_tables(MARKS):
            for row in range(min(len(table.rows), MOST_STANDINGS) if table.marked else 0):
                metric = self.metrics.get(str(figure_in(table.values(row), "metric").value))
                if metric is not None and not is_binary(metric):
                    yield metric, self._standing(table, row, "mean", self._one_stage(table))

    def _metric_tables(self, name: str) -> Iterator[ReportTable]:
        """The table of the kind's own metrics, and that of scorers beside it."""
        return (self.tables[each] for each in (name, f"{OF_SCORERS}{name}") if each in self.tables)

    def _one_stage(self, table: ReportTable) -> bool:
        """Return whether all rows of a table are of one stage."""
        if table.name not in self._alone:
            stages = (figure_in(table.values(row), "stage").value for row in range(min(len(table.rows), MOST_STANDINGS)))
            self._alone[table.name] = len({*stages}) < 2
        return self._alone[table.name]

    def _standing(self, table: ReportTable, row: int, estimate: TableColumn, one_stage: bool) -> MetricStanding:
        figures = table.values(row)
        stage, model = figure_in(figures, "stage").value, figure_in(figures, "model").value
        calls = {} if self._by_variant(figures) else self._asked.get((stage, model), {})
        lacking = [name for name in figures if name.startswith("n_") and name not in {*COUNTED, *OLD_COUNTS}]
        missing = [(name.removeprefix("n_"), whole(figures[name].value)) for name in lacking]
        words = [f"{n:,} {name.replace('_', ' ')}" for name, n in missing if n]
        n_listed, n_total = sum(n for _, n in missing if n), whole(figure_in(figures, "n_total").value)
        scored = whole(figure_in(figures, "n_scored").value)
        lacking_value = n_listed if n_total is None or scored is None else n_total - scored
        words += [f"{n_listed - lacking_value:,} of these are wrong"] if n_listed > lacking_value else []
        unknown, variant = whole(figure_in(calls, "n_cost_unknown").value), self._variant(figures)
        parts = (None if one_stage and variant is not None else stage, model, variant)  # a stage that all have tells none apart
        return MetricStanding(
            name=" ".join(text(part) for part in parts if part is not None),
            ranks=_ranks(figures),
            accuracy=figures[estimate] if estimate == ACCURACY else _with_ends(figures, figures[estimate]),
            missing=", ".join(words) or "-",
            n_missing=lacking_value,
            latency_ms=number(figure_in(calls, "p50_latency_ms_ok").value),
            n_latency=whole(figure_in(calls, "n_latency_ok").value),
            cost_usd=number(figure_in(calls, "sum_cost_usd").value),
            cost_unknown=unknown or 0,
            table=table.name,
            row=row,
        )

    def _by_variant(self, row: Mapping[str, Figure]) -> bool:
        """Return whether a row is of one variant of the input; calls are counted by model over all variants."""
        return bool(self.units.variant) and self._variant(row) is not None

    def _variant(self, row: Mapping[str, Figure]) -> object:
        """Return the variant of the input that a row is of; None where there is one."""
        return row[self.units.variant].value if self.units.variant in row else None

    def sentences(self) -> list[tuple[str, bool]]:
        """Return the necessary notes on the figures as whole sentences, each with whether it is a warning."""
        notes: list[tuple[str, bool]] = []
        is_said = self.verdict is not WITHOUT  # a verdict says it first
        if not is_said and self.simulated_models:
            names = ", ".join(sorted(self.simulated_models))
            notes.append((f"Simulated, not real models: {names}; the others are real.", True))
        elif not is_said and self.simulated:
            notes.append(("Simulated: no model was asked; the figures show how the tool works, not how any model does.", True))
        planned, finished = whole(self.items.get("planned")), whole(self.items.get("finished"))
        if planned is not None and finished is not None and finished < planned:
            n = planned - finished
            notes.append((f"{n:,} of {planned:,} samples are not finished: r takes the run up again.", True))
        if failed := self._failed():
            notes.append(
                (f"Of {count(whole(stat(self.calls, 'attempts_total')))} attempts sent: {failed}; L shows them.", True)
            )
        if unsent := self._call_counts(UNSENT):
            notes.append((f"Calls that were never sent: {unsent}.", True))
        if self.in_doubt:
            notes.append(
                (in_doubt_words(self.in_doubt, self.in_doubt_usd, self.in_doubt_unknown or 0, self.in_doubt_granted or 0), True)
            )
        if any(self._by_variant(table.values(0)) for table in self.tables.values() if table.rows):
            of = text(self.units.variant)
            notes.append((f"Latency and cost are known by model, over every {of}: the table of calls has them.", False))
        ends = ", ".join(f"{n:,} {text(name)}" for name, n in self.outcomes.items())
        if ends:
            cached = whole(stat(self.calls, "calls_cached"))
            notes.append((f"Calls by how they ended: {ends}{f'; {from_cache_words(cached)}' if cached else ''}.", False))
        return notes

    def _failed(self) -> str:
        """Attempts that came to nothing, and replies without a text, which are the model's own."""
        bare = without_text(self.calls)
        errors, late = whole(stat(self.calls, "calls_error")) or 0, whole(stat(self.calls, "calls_timeout")) or 0
        counts = {"failed": errors - bare, "timed out": late, "replied without a text": bare}
        return ", ".join(f"{n:,} {outcome}" for outcome, n in counts.items() if n)

    def _call_counts(self, words: Mapping[StatsColumn, str]) -> str:
        """Return the number of calls of each sort that there were any of."""
        counts = [(whole(stat(self.calls, name)), label) for name, label in words.items()]
        return ", ".join(f"{n:,} {label}" for n, label in counts if n)


def short_cell_text(column: str, figure: Figure, marked: bool = False) -> str:
    """A cell as text: shares as per cent, behind a small bar where its n is known; amounts and latencies by their columns.

    `marked`: of a table of marks, whose means and their intervals are on a metric's own scale.
    """
    value = figure.value
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return text(value)
    if not math.isfinite(value):
        return str(value)
    if marked and column in MEANS:
        return f"{value:,.2f}"
    if is_share(column, value, marked):
        return share(value) if figure.n is None else f"{bar(value, BAR)} {share(value):>7}"
    if "usd" in column.split("_"):
        return usd(value) if value == 0 or abs(value) >= 0.001 else f"${value:.6f}"
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return f"{int(value):,}" if abs(value) < 10**18 else f"{value:.6g}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def is_share(column: str, value: float, marked: bool = False) -> bool:
    """Return whether a value of a column is a share of 1."""
    return ((column in ENDS and not marked) or bool(SHARES.intersection(column.split("_")))) and 0 <= value <= 1


def full_cell_text(column: str, figure: Figure, marked: bool = False) -> str:
    """A cell in full: value, n, interval, formula, as far as they are known."""
    parts = [short_cell_text(column, Figure(figure.value), marked)]
    if figure.n is not None:
        parts.append(f"n = {figure.n:,}")
    if figure.low is not None and figure.high is not None:
        parts.append(f"95 % interval {interval(column, figure, marked)}")
    if figure.formula:
        parts.append(text(figure.formula))
    return "   ".join(parts)


def interval(column: str, figure: Figure, marked: bool = False) -> str:
    """[low, high] in the unit of the value; "-" where there is none."""
    if figure.low is None or figure.high is None:
        return "-"
    ends = (figure.low, figure.high)
    if marked and column in MEANS:
        return "[" + ", ".join(f"{end:.2f}" for end in ends) + "]"
    is_text = isinstance(figure.value, str) and figure.value.endswith("%")
    if is_text or all(is_share(column, end) for end in ends):
        return "[" + ", ".join(f"{100 * end:.1f}" for end in ends) + "]"
    return "[" + ", ".join(f"{end:.4g}" for end in ends) + "]"


def is_numeric(table: ReportTable, column: int) -> bool:
    """Return whether a column holds numbers, as far as its first rows show."""
    values = [row[column].value for row in table.rows[:200]]
    return any(isinstance(value, int | float) for value in values) and not any(isinstance(value, str) for value in values)


def arranged(table: ReportTable) -> ReportTable:
    """A table as a screen has it: first what a row is called, then what can be opened, then what that was made of."""
    columns = range(len(table.columns))
    texts = [column for column in columns if not is_numeric(table, column)]
    names = [column for place, column in enumerate(texts) if column == place] or texts[:1]
    opened = [
        column for column in columns if column not in names and any(row[column].n is not None for row in table.rows[:200])
    ]
    order = [*names, *opened, *(column for column in columns if column not in names and column not in opened)]
    rows = tuple(tuple(row[column] for column in order) for row in table.rows)
    return replace(table, columns=tuple(table.columns[column] for column in order), rows=rows)


def text(value: object, limit: int = 120) -> str:
    """Foreign text on one line."""
    return safe_line(str(value), limit)


def _ranks(row: Mapping[str, Figure]) -> str:
    best, worst = figure_in(row, "rank_best").value, figure_in(row, "rank_worst").value
    if best is None or worst is None:
        return ""
    return f"{best}" if best == worst else f"{best}-{worst}"


def _with_ends(row: Mapping[str, Figure], figure: Figure) -> Figure:
    """An estimate with the ends of its interval, where they stand in columns of their own."""
    low, high = number(figure_in(row, "ci_low").value), number(figure_in(row, "ci_high").value)
    if figure.low is not None or low is None or high is None:
        return figure
    return figure._replace(low=low, high=high)


def _flat(rows: Sequence[Any]) -> ReportTable:
    """Flat rows by column name as a table."""
    valid_rows = [row for row in rows if isinstance(row, dict) and {"stage", "model"} <= row.keys()]
    columns = tuple(str(name) for name in valid_rows[0] if name not in ("scope", "error_kinds")) if valid_rows else ()
    cells = tuple(tuple(figure_of({"value": row.get(name)}) for name in columns) for row in valid_rows)
    note = "Rates are over attempts that were sent; latencies over those that were answered. Enter shows the calls in the log."
    return ReportTable(CALLS, "Calls by stage and model", note, columns, cells)
