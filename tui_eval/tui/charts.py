"""Charts of a run: scores with their intervals, latencies, cost against score, scores by category."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.reports import OF_SCORERS
from tui_eval.core.results import Cell as Figure
from tui_eval.results.read_report import TableColumn, figure_in, number, whole
from tui_eval.results.sums.metrics import NO_END, RIGHT_OR_WRONG, is_binary
from tui_eval.results.sums.metrics import scale_of as scale_words
from tui_eval.runs.stats_columns import StatsColumn
from tui_eval.statistics.estimates import nearest_rank
from tui_eval.tui.report_rows import ACCURACY, CALLS, Measure, Report, text
from tui_eval.tui.words import count, seconds, share, usd

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST = 200
"""Things that are plotted at most; no terminal shows as many apart."""
SIMULATED = " Simulated."
PARTLY_SIMULATED = " Partly simulated."
LONGEST_LABEL = 26
"""Columns of what stands beside a line of a chart."""
LOWER = " ↓"
RATE = "_rate"
"""How names of error rates end."""
Latencies = Mapping[tuple[str, str], Mapping[int, int]]
"""By stage and model: how many good replies took so many milliseconds."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From where to where an axis of scores goes: as it is, or a share of 1 in per cent."""

    low: float = 0.0
    high: float = 1.0
    is_share: bool = True

    def part(self, value: float) -> float:
        """Return the position of a value on the scale as a share of 1; a value beyond its end lies at that."""
        return min((value - self.low) / (self.high - self.low), 1.0)

    def told(self, value: float) -> str:
        """A value in its unit."""
        return share(value) if self.is_share else f"{value:.2f}"


PER_CENT = Scale()


def scale_of(metric: Metric) -> Scale:
    """The axis of a metric; of one whose scale has no end up to 100: per cent of an error rate, else words or seconds."""
    if metric.high >= NO_END:
        return Scale(metric.low) if metric.name.endswith(RATE) else Scale(metric.low, 100.0, False)
    return PER_CENT if is_binary(metric) else Scale(metric.low, metric.high, False)


@dataclass(frozen=True, slots=True)
class Spread:
    """A score with its interval."""

    label: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Intervals:
    """Scores under one another."""

    spreads: tuple[Spread, ...]
    scale: Scale = PER_CENT


@dataclass(frozen=True, slots=True)
class Histogram:
    """Distribution of reply times."""

    counts: tuple[tuple[int, int], ...]
    """Milliseconds, and how many replies took as long."""
    most_ms: int
    """Where the axis ends: the same for all models, so that they can be compared."""


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points with letters: USD to the right, a score upwards."""

    points: tuple[tuple[str, float, float], ...]
    scale: Scale = PER_CENT


@dataclass(frozen=True, slots=True)
class Cloud:
    """Many points of a few sorts, each sort by its sign; in a cell that several share stands how many there are."""

    points: tuple[tuple[str, float, float], ...]
    """Sign, how far to the right, and how far upwards."""
    x: Scale = PER_CENT
    y: Scale = PER_CENT


ON_TOP = "?"
"""The sign of a cloud that none hides."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Amounts under one another, each with its words."""

    bars: tuple[tuple[str, float | None, str], ...]
    """Label, amount, and what stands behind the bar; None = the amount is not known."""


@dataclass(frozen=True, slots=True)
class Swarm:
    """A line for each category, letters where the models stand on it."""

    categories: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    scale: Scale = PER_CENT


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart: what is drawn, what it is called, and what must be said of it. Texts are on one line and steer nothing."""

    name: str
    about: str
    drawn: Intervals | Histogram | Scatter | Swarm | Bars | Cloud | None
    """None: there is nothing to draw, and `about` says why."""
    legend: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    """What else the same chart can be drawn of."""


def _measure(report: Report, index: int) -> tuple[Measure, tuple[str, ...]]:
    """The chosen one of a report's measures, and what there is to choose from."""
    measures = report.measures or [Measure(replace(RIGHT_OR_WRONG, name=ACCURACY), ())]
    return measures[index % len(measures)], tuple(measure.name for measure in measures) if len(measures) > 1 else ()


def scores(report: Report, index: int = 0) -> Picture:
    """Every model's accuracy, or its mean mark by one metric, with its interval, on the metric's scale."""
    group, choices = _measure(report, index)
    metric = group.metric
    name = "Accuracy with intervals" if is_binary(metric) else "Scores with intervals"
    standings = [standing for standing in group.standings if group.value(standing) is not None][:MOST]
    if not standings:
        missing = "no table of accuracies" if is_binary(metric) else f"no mean of {text(metric.name, 40)} on its scale"
        return Picture(name, nothing_words(report, f"This kind of run has {missing}"), None, choices=choices)
    spreads = tuple(Spread(s.name, float(group.value(s) or 0), s.accuracy.low, s.accuracy.high) for s in standings)
    label = "Share of right answers" if metric.name == ACCURACY else _metric_label(metric)
    unit = ", in per cent" if is_binary(metric) else ""
    about = f"{label} (●) and its 95 % interval{unit}. {_n_of([s.accuracy.n for s in standings])}"
    return Picture(name, about + simulated_words(report), Intervals(spreads, scale_of(metric)), choices=choices)


def latencies(by_model: Latencies, index: int, unread: int, simulated: bool) -> Picture:
    """Chart the latencies of one model's good replies. `unread`: attempts of the log that are not read yet."""
    name = "Latency distribution"
    series = [(key, dict(counts)) for key, counts in list(by_model.items())[:MOST]]
    series = [(key, counts) for key, counts in series if counts]
    if not series:
        return Picture(name, "No reply with a known latency is in the log" + (" so far." if unread else "."), None)
    choices = tuple(f"{text(stage, 30)} {text(model, 40)}" for (stage, model), _ in series)
    counts = series[index % len(series)][1]
    n = sum(counts.values())
    middle = nearest_rank(counts, 0.5)
    about = f"Replies of {choices[index % len(series)]} by seconds from sending to the last byte: n = {count(n)} "
    about += f"good attempts, median {seconds(middle)} s, longest {seconds(max(counts))} s. All models have this scale."
    about += f" {count(unread)} attempts of the log are not read yet." if unread else ""
    most = max(max(counts) for _, counts in series)
    histogram = Histogram(tuple(sorted(counts.items())), max(most, 1))
    return Picture(name, about + (SIMULATED if simulated else ""), histogram, choices=choices)


def cost(report: Report, index: int = 0) -> Picture:
    """Chart the cost of each model's calls against its accuracy, or against its mean mark by one metric."""
    group, choices = _measure(report, index)
    scale, is_right = scale_of(group.metric), is_binary(group.metric)
    name, word = ("Cost against accuracy", "accuracy") if is_right else ("Cost against scores", "mean")
    standings = group.standings[:MOST]
    priced = [s for s in standings if s.cost_usd is not None and s.cost_usd >= 0 and group.value(s) is not None]
    if not priced:
        why = "This kind of run has no table of accuracies"
        why = f"No model has both a known cost and a{'n' * is_right} {word}" if standings else why
        return Picture(name, nothing_words(report, why), None, choices=choices)
    points, legend = [], []
    for place, standing in enumerate(priced):
        letter = letter_of(place)
        value = float(group.value(standing) or 0)
        points.append((letter, standing.cost_usd or 0.0, value))
        unknown = " + unknown" if standing.cost_unknown else ""
        legend.append(f"{letter} {standing.name}  {scale.told(value)}  {usd(standing.cost_usd)}{unknown}")
    score_name = f"its {group.name}" if is_right else _mean_of(group.metric).lower()
    about = f"Cost of a model's calls in this run (USD, to the right) and {score_name}. {_n_of([s.accuracy.n for s in priced])}"
    n_left_out = len(standings) - len(priced)
    about += f" {count(n_left_out)} models without a known cost or {word} are left out." if n_left_out else ""
    return Picture(name, about + simulated_words(report), Scatter(tuple(points), scale), tuple(legend), choices)


def categories(report: Report, index: int) -> Picture:
    """Scores within one grouping of the questions, such as difficulty."""
    name = "Score by category"
    rows = [row for table, column in GROUPED.items() for row in _in_groups(report, table, column)]
    if not rows:
        return Picture(name, nothing_words(report, "This kind of run has no scores by category"), None)
    several = len({row.metric for row in rows}) > 1
    choices = tuple(dict.fromkeys(row.choice(several) for row in rows))
    rows = [row for row in rows if row.choice(several) == choices[index % len(choices)]]
    metric, order = rows[0].metric, [str(row["model"].value) for row in _rows(report, ACCURACY) if "model" in row]
    models = sorted({row.model for row in rows}, key=lambda m: (order.index(m) if m in order else len(order), m))
    letters = {model: letter_of(place) for place, model in enumerate(models)}
    label = "Accuracy" if metric.name == ACCURACY else _metric_label(metric)
    about = f"{label} by {rows[0].by}{', in per cent' * is_binary(metric)}; "
    about += f"in brackets the n of each {'accuracy' if is_binary(metric) else 'mean'}. Letters on one spot are stacked."
    about += f" Intervals: Tables, {rows[0].table}."
    legend = tuple(f"{letter} {text(model, 40)}" for model, letter in letters.items())
    return Picture(name, about + simulated_words(report), Swarm(_lines(rows, letters), scale_of(metric)), legend, choices)


def side_by_side(report: Report, index: int = 0) -> Picture:
    """Every metric of one scale on a line of its own, and where each model stands on it."""
    name = "Metrics side by side"
    usable = (
        measure for measure in report.measures if any(measure.value(standing) is not None for standing in measure.standings)
    )
    scales = gathered((scale_of(measure.metric), measure) for measure in usable)
    if not scales:
        return Picture(name, nothing_words(report, "This kind of run has no means by metric"), None)
    groups = sorted(scales.values(), key=len, reverse=True)
    choices = tuple(", ".join(measure.name for measure in measures) for measures in groups)
    measures = groups[index % len(groups)][:MOST]
    models = list(dict.fromkeys(standing.name for measure in measures for standing in measure.standings))[:MOST]
    letters = {model: letter_of(place) for place, model in enumerate(models)}
    lines = tuple((_with_n(measure), _standing_letters(measure, letters)) for measure in measures)
    scale = scale_of(measures[0].metric)
    ends = "in per cent" if scale.is_share else f"{scale.low:g} to {scale.high:g}"
    about = f"Each model's mean by each metric, {ends}; in brackets the n of each mean. Letters on one spot are stacked."
    about += f"{LOWER}: lower is better." if any(measure.metric.better != "higher" for measure in measures) else ""
    about += " Intervals: the chart of each metric."
    legend = tuple(f"{letter} {model}" for model, letter in letters.items())
    return Picture(name, about + simulated_words(report), Swarm(lines, scale), legend, choices if len(groups) > 1 else ())


def times(report: Report, index: int = 0) -> Picture:
    """Chart the latency of each model: the median of its good replies, up to the 90th percentile, all on one scale."""
    name, rows = "Latency by model", _rows(report, CALLS)[:MOST]
    spreads = []
    for row in rows:
        middle = number(figure_in(row, "p50_latency_ms_ok").value)
        late = number(figure_in(row, "p90_latency_ms_ok").value)
        if middle is not None and middle >= 0:
            label = _stage_and_model(row)
            high = None if late is None else max(late, middle) / 1000
            spreads.append(Spread(label, middle / 1000, None if high is None else middle / 1000, high))
    if not spreads:
        return Picture(name, nothing_words(report, "No reply with a known latency is in the report"), None)
    counts = [whole(figure_in(row, "n_latency_ok").value) for row in rows]
    about = "Seconds from sending to the last byte: the median of each model's good replies (●), to the right the 90th"
    about += f" percentile, where there are 29 of them or more. n = {_span(counts)} replies each."
    scale = Scale(0.0, _rounded_up(max(max(spread.high or spread.value for spread in spreads), 0.001)), False)
    return Picture(name, about + simulated_words(report), Intervals(tuple(spreads), scale))


def costs(report: Report, index: int = 0) -> Picture:
    """Chart the cost of each model at each stage, retries included, with its attempts and tokens."""
    name = "Cost by stage and model"
    bars: list[tuple[str, float | None, str]] = []
    for row in _rows(report, CALLS)[:MOST]:
        n_known, cost = _whole(row, "n_cost_known"), number(figure_in(row, "sum_cost_usd").value)
        amount = cost if n_known and cost is not None and cost >= 0 else None
        unknown = _whole(row, "n_cost_unknown") or 0
        words = [usd(amount), f"{count(_whole(row, 'attempts_total'))} attempts"]
        words += [f"{count(unknown)} at an unknown cost"] if unknown else []
        tokens_in, tokens_out = _whole(row, "sum_prompt_tokens"), _whole(row, "sum_completion_tokens")
        words.append(f"{count(tokens_in)} in, {count(tokens_out)} out")
        bars.append((_stage_and_model(row), amount, " · ".join(words)))
    if not any(amount is not None for _, amount, _ in bars):
        return Picture(name, nothing_words(report, "No attempt with a known cost is in the report"), None)
    total = sum(amount or 0.0 for _, amount, _ in bars)
    about = (
        f"USD by stage and model, of {usd(total)} in all, with attempts (retries too) and tokens in and out. A cost that is not"
    )
    about += " known has no bar."
    return Picture(name, about + simulated_words(report), Bars(tuple(bars)))


def _whole(row: Mapping[str, Figure], column: StatsColumn) -> int | None:
    return whole(figure_in(row, column).value)


def _rows(report: Report, name: str) -> list[Mapping[str, Figure]]:
    """The rows of a table by the names of its columns; none where there is no such table."""
    table = report.tables.get(name)
    return [] if table is None else [table.values(row) for row in range(len(table.rows))]


def _stage_and_model(row: Mapping[str, Figure]) -> str:
    return f"{text(figure_in(row, 'stage').value, 30)} {text(figure_in(row, 'model').value, 40)}"


def _rounded_up(most: float) -> float:
    """The end of an axis from 0 on that is cut into three to five round steps."""
    step = round_step(most / 5)
    return step * math.ceil(most / step - 1e-9)


def round_step(step: float, least: float = 1e-12) -> float:
    """1, 2 or 5 times a power of ten that is not below."""
    step = max(step, least)
    power = 10.0 ** math.floor(math.log10(step))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= step * (1 - 1e-9))


def _with_n(measure: Measure) -> str:
    """A metric's name, cut where n would not stand beside it; an arrow where lower is better."""
    rest = f"{'' if measure.metric.better == 'higher' else LOWER} ({_span([s.accuracy.n for s in measure.standings])})"
    room = max(LONGEST_LABEL - len(rest), 8)
    name = measure.name if len(measure.name) <= room else measure.name[: room - 1] + "…"
    return name + rest


def _standing_letters(measure: Measure, letters: Mapping[str, str]) -> tuple[tuple[str, float], ...]:
    pairs = ((letters.get(standing.name), measure.value(standing)) for standing in measure.standings)
    return tuple((letter, value) for letter, value in pairs if letter is not None and value is not None)


def _lines(rows: Sequence[_InGroup], letters: Mapping[str, str]) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Of each category its name with its n, and where the models stand."""
    values = gathered((row.value, row) for row in rows)
    scored = {value: [row for row in inside if row.score is not None] for value, inside in list(values.items())[:MOST]}
    return tuple(
        (f"{value} ({_span([row.n for row in inside])})", tuple((letters[row.model], row.score or 0.0) for row in inside))
        for value, inside in scored.items()
    )


GROUPED: Mapping[str, TableColumn] = {
    "groups": ACCURACY,
    "group_scores": "mean",
    f"{OF_SCORERS}groups": ACCURACY,
    f"{OF_SCORERS}group_scores": "mean",
}
"""Tables of scores by category, and the column that has them."""


@dataclass(frozen=True, slots=True)
class _InGroup:
    """Result of a model by a metric in one category of a grouping."""

    table: str
    metric: Metric
    by: str
    value: str
    model: str
    score: float | None
    n: int | None

    def choice(self, several: bool) -> str:
        """Return its name among the choices: its grouping, and its metric where there are several."""
        return f"{text(self.metric.name, 40)} by {self.by}" if several else self.by


def _in_groups(report: Report, name: str, column: TableColumn) -> Iterator[_InGroup]:
    """The rows of a table that are of the measures shown."""
    table = report.tables.get(name)
    needed: set[TableColumn] = {"by", "value", "model", column}
    if table is None or not needed <= set(table.columns):
        return
    metrics = {measure.metric.name: measure.metric for measure in report.measures}
    rows = _rows(report, name)
    stages = {str(figure_in(row, "stage").value) for row in rows}
    for place, row in enumerate(rows):
        of = figure_in(row, "metric").value if column != ACCURACY else (table.rest(place) or {}).get("name") or ACCURACY
        metric = metrics.get(str(of))
        if metric is None:
            continue
        score, model = number(figure_in(row, column).value), str(figure_in(row, "model").value)
        valid_score = score if score is not None and metric.holds(score) else None
        model = f"{figure_in(row, 'stage').value} {model}" if len(stages) > 1 else model
        by, value = text(figure_in(row, "by").value, 40), text(figure_in(row, "value").value, 40)
        yield _InGroup(text(table.title), metric, by, value, model, valid_score, figure_in(row, column).n)


def _metric_label(metric: Metric) -> str:
    return f"{text(metric.name, 40)}: share of right answers" if is_binary(metric) else _mean_of(metric)


def _mean_of(metric: Metric) -> str:
    return f"Mean {text(metric.name, 40)} ({scale_words(metric)}, {metric.better} is better)"


def letter_of(place: int) -> str:
    """The letter of the n-th thing in a legend."""
    return LETTERS[place] if place < len(LETTERS) else "•"


def _n_of(counts: Sequence[int | None]) -> str:
    return f"n = {_span(counts)} answers each."


def _span(counts: Sequence[int | None]) -> str:
    values = [n for n in map(whole, counts) if n is not None]
    if not values:
        return "not known"
    return count(values[0]) if min(values) == max(values) else f"{count(min(values))} to {count(max(values))}"


def simulated_words(report: Report) -> str:
    """Return a sentence that says whether the chart is simulated; empty where nothing is."""
    return {"nothing": "", "some": PARTLY_SIMULATED, "all": SIMULATED}[report.made_up]


def nothing_words(report: Report, why: str) -> str:
    """Why there is nothing to draw."""
    return f"{why}." if report.there else "There is no report."
