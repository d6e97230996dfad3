"""What is plotted of a run: scores with their intervals, latencies, cost against score, scores by category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.kinds import Metric
from tui_eval.core.results import Cell as Figure
from tui_eval.results.metrics import RIGHT_OR_WRONG, is_binary
from tui_eval.results.metrics import scale_of as scale_words
from tui_eval.results.read_report import number, whole
from tui_eval.statistics.estimates import nearest_rank
from tui_eval.tui.report_rows import ACCURACY, Measure, Report, is_share, text
from tui_eval.tui.words import count, seconds, share, usd

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST = 200
"""Things that are plotted at most; no terminal shows as many apart."""
SIMULATED = " Simulated."
Latencies = Mapping[tuple[str, str], Mapping[int, int]]
"""By stage and model: how many good replies took so many milliseconds."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From where to where an axis of scores goes: as it is, or a share of 1 in per cent."""

    low: float = 0.0
    high: float = 1.0
    is_share: bool = True

    def part(self, value: float) -> float:
        """How far up it a value lies, as a share of 1."""
        return (value - self.low) / (self.high - self.low)

    def told(self, value: float) -> str:
        """A value in its unit."""
        return share(value) if self.is_share else f"{value:.2f}"


PER_CENT = Scale()


def scale_of(metric: Metric) -> Scale:
    """The axis of a metric."""
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
    """How many replies took how long."""

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
class Swarm:
    """A line for each category, letters where the models stand on it."""

    categories: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    scale: Scale = PER_CENT


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart: what is drawn, what it is called, and what must be said of it. Texts are on one line and steer nothing."""

    name: str
    about: str
    drawn: Intervals | Histogram | Scatter | Swarm | None
    """None: there is nothing to draw, and `about` says why."""
    legend: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    """What else the same chart can be drawn of."""


def _measure(report: Report, chosen: int) -> tuple[Measure, tuple[str, ...]]:
    """The chosen one of a report's measures, and what there is to choose from."""
    found = report.measures or [Measure(replace(RIGHT_OR_WRONG, name=ACCURACY), ())]
    return found[chosen % len(found)], tuple(measure.name for measure in found) if len(found) > 1 else ()


def scores(report: Report, chosen: int = 0) -> Picture:
    """Every model's accuracy, or its mean mark by one metric, with its interval, on the metric's scale."""
    group, choices = _measure(report, chosen)
    metric = group.metric
    name = "Accuracy with intervals" if is_binary(metric) else "Marks with intervals"
    found = [standing for standing in group.standings if group.value(standing) is not None][:MOST]
    if not found:
        what = "no table of accuracies" if is_binary(metric) else f"no mean of {text(metric.name, 40)} on its scale"
        return Picture(name, f"This kind of run has {what}" + _or_no_report(report), None, choices=choices)
    spreads = tuple(Spread(s.name, float(group.value(s) or 0), s.accuracy.low, s.accuracy.high) for s in found)
    right = "Share of right answers" if metric.name == ACCURACY else f"Share of answers that are {group.name}"
    what = right if is_binary(metric) else _mean_of(metric)
    unit = ", in per cent" if is_binary(metric) else ""
    about = f"{what} (●) and its 95 % interval{unit}. {_n_of([s.accuracy.n for s in found])}"
    return Picture(name, about + _simulated(report), Intervals(spreads, scale_of(metric)), choices=choices)


def latencies(found: Latencies, chosen: int, unread: int, simulated: bool) -> Picture:
    """How long one model's good replies took. `unread`: attempts of the log that are not read yet."""
    name = "Latency distribution"
    known = [(key, dict(counts)) for key, counts in list(found.items())[:MOST]]
    known = [(key, counts) for key, counts in known if counts]
    if not known:
        return Picture(name, "No reply with a known latency is in the log" + (" so far." if unread else "."), None)
    choices = tuple(f"{text(stage, 30)} {text(model, 40)}" for (stage, model), _ in known)
    counts = known[chosen % len(known)][1]
    n = sum(counts.values())
    middle = nearest_rank(counts, 0.5)
    about = f"Replies of {choices[chosen % len(known)]} by seconds from sending to the last byte: n = {count(n)} "
    about += f"good attempts, median {seconds(middle)} s, longest {seconds(max(counts))} s. All models have this scale."
    about += f" {count(unread)} attempts of the log are not read yet." if unread else ""
    most = max(max(counts) for _, counts in known)
    drawn = Histogram(tuple(sorted(counts.items())), max(most, 1))
    return Picture(name, about + (SIMULATED if simulated else ""), drawn, choices=choices)


def cost(report: Report, chosen: int = 0) -> Picture:
    """What a model's calls cost against how often it was right, or against its mean mark by one metric."""
    group, choices = _measure(report, chosen)
    scale, is_right = scale_of(group.metric), is_binary(group.metric)
    name, word = ("Cost against accuracy", "accuracy") if is_right else ("Cost against marks", "mean")
    standings = group.standings[:MOST]
    known = [s for s in standings if s.cost_usd is not None and s.cost_usd >= 0 and group.value(s) is not None]
    if not known:
        why = "This kind of run has no table of accuracies"
        why = f"No model has both a known cost and a{'n' * is_right} {word}" if standings else why
        return Picture(name, why + _or_no_report(report), None, choices=choices)
    points, legend = [], []
    for place, standing in enumerate(known):
        letter = letter_of(place)
        value = float(group.value(standing) or 0)
        points.append((letter, standing.cost_usd or 0.0, value))
        unknown = " + unknown" if standing.cost_unknown else ""
        legend.append(f"{letter} {standing.name}  {scale.told(value)}  {usd(standing.cost_usd)}{unknown}")
    what = f"its {group.name}" if is_right else _mean_of(group.metric).lower()
    about = f"Cost of a model's calls in this run (USD, to the right) and {what}. {_n_of([s.accuracy.n for s in known])}"
    left = len(standings) - len(known)
    about += f" {count(left)} models without a known cost or {word} are left out." if left else ""
    return Picture(name, about + _simulated(report), Scatter(tuple(points), scale), tuple(legend), choices)


def categories(report: Report, chosen: int) -> Picture:
    """Accuracies within one grouping of the questions, such as difficulty."""
    name = "Score by category"
    table = report.tables.get("groups")
    if table is None or not {"by", "value", "model", "accuracy"} <= set(table.columns) or not table.rows:
        return Picture(name, "This kind of run has no table of scores by category" + _or_no_report(report), None)
    rows = [table.values(row) for row in range(len(table.rows))]
    choices = tuple(dict.fromkeys(text(row["by"].value, 40) for row in rows))
    by = choices[chosen % len(choices)]
    rows = [row for row in rows if text(row["by"].value, 40) == by]
    order = _by_rank(report)
    models = sorted({str(row["model"].value) for row in rows}, key=lambda m: (order.index(m) if m in order else len(order), m))
    letters = {model: letter_of(place) for place, model in enumerate(models)}
    values: dict[str, list[Mapping[str, Figure]]] = {}
    for row in rows:
        values.setdefault(text(row["value"].value, 40), []).append(row)
    lines = []
    for value, inside in list(values.items())[:MOST]:
        found = [(letters[str(row["model"].value)], _share_of(row["accuracy"])) for row in inside]
        label = f"{value} ({_span([row['accuracy'].n for row in inside if _share_of(row['accuracy']) is not None])})"
        lines.append((label, tuple((letter, part) for letter, part in found if part is not None)))
    about = f"Accuracy by {by}, in per cent; in brackets the n of each accuracy. Letters on one spot are stacked."
    about += f" Intervals: Tables, {text(table.title)}."
    legend = tuple(f"{letter} {text(model, 40)}" for model, letter in letters.items())
    return Picture(name, about + _simulated(report), Swarm(tuple(lines)), legend, choices)


def _mean_of(metric: Metric) -> str:
    return f"Mean {text(metric.name, 40)} ({scale_words(metric)}, {metric.better} is better)"


def letter_of(place: int) -> str:
    """The letter of the n-th thing in a legend."""
    return LETTERS[place] if place < len(LETTERS) else "•"


def _by_rank(report: Report) -> list[str]:
    table = report.tables.get("accuracy")
    if table is None or "model" not in table.columns:
        return []
    place = table.columns.index("model")
    return [str(row[place].value) for row in table.rows]


def _share_of(figure: Figure) -> float | None:
    value = number(figure.value)
    return value if value is not None and is_share("accuracy", value) else None


def _n_of(found: Sequence[int | None]) -> str:
    return f"n = {_span(found)} answers each."


def _span(found: Sequence[int | None]) -> str:
    known = [n for n in map(whole, found) if n is not None]
    if not known:
        return "not known"
    return count(known[0]) if min(known) == max(known) else f"{count(min(known))} to {count(max(known))}"


def _simulated(report: Report) -> str:
    return SIMULATED if report.simulated else ""


def _or_no_report(report: Report) -> str:
    return "." if report.there else ", or there is no report yet."
