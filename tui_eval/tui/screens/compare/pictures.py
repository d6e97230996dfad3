"""Charts of a comparison: scores with their intervals, cost against score, scores by category."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import one_line
from tui_eval.results.comparison import text as said
from tui_eval.results.comparison.comparing import Comparison
from tui_eval.results.comparison.notes import simulated
from tui_eval.results.comparison.sides import Standing
from tui_eval.results.sums.in_words import in_unit
from tui_eval.results.sums.metrics import is_binary, upwards, within
from tui_eval.results.sums.metrics import scale_of as scale_words
from tui_eval.statistics.estimates import mean
from tui_eval.tui.charts import LETTERS, MOST, Intervals, Picture, Scatter, Spread, Swarm, scale_of
from tui_eval.tui.page import beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.compare.compare_part import ComparePart
from tui_eval.tui.widgets.chart_turner import ChartTurner
from tui_eval.tui.words import count

LINES = 3
"""Of words above a chart; more where they are needed."""


SMALL = LETTERS[:26]
Need = tuple[str, Callable[[Standing], object]]
"""What is said of sides that are not drawn for want of it, and whether a side has it."""


def scores(comparison: Comparison, choice: int = 0) -> Picture:
    """Every side's score by one metric with its interval, on the metric's scale."""
    name = "Scores with intervals"
    metrics = comparison.metrics
    metric = metrics[choice % len(metrics)]
    choices = tuple(safe_line(metric.name, 40) for metric in metrics) if len(metrics) > 1 else ()
    sides, omitted = _drawable([standing for standing in comparison.standings if standing.metric == metric], MOST)
    if not sides:
        words = f"No side has scores between {scale_words(metric).replace(' to ', ' and ')}, which these charts are drawn of."
        return Picture(name, words + omitted, None, choices=choices)
    several = len(comparison.stages) > 1
    spreads = tuple(Spread(_name(s, several), s.score.value or 0.0, *_ends(s)) for s in sides)
    about = f"{_axis_title(metric)} (●) and its 95 % interval{_unit(metric)}, over each side's own questions. {_n(sides)}"
    return Picture(name, about + omitted + _simulated(sides), Intervals(spreads, scale_of(metric)), choices=choices)


def costs(comparison: Comparison, choice: int) -> Picture:
    """Plot the cost of a call against the score, of one stage and metric; sides that no other beats in both are marked."""
    name = "Cost against score"
    groups = _groups(comparison)
    stage, metric = groups[choice % len(groups)]
    inside = _of(comparison, stage, metric)
    sides, omitted = _drawable(
        inside, len(SMALL), ("without a known cost", lambda standing: said.cost_each(standing) is not None)
    )
    choices = tuple(_group(comparison, stage, metric) for stage, metric in groups)
    if not sides:
        return Picture(name, f"No side of this stage has both a known cost and a score.{omitted}", None, choices=choices)
    points, legend = [], []
    for letter, standing in zip(SMALL, sides, strict=False):
        best = not any(_beats(rival, standing) for rival in sides)
        sign = letter.upper() if best else letter
        value = standing.score.value or 0.0
        points.append((sign, said.cost_each(standing) or 0.0, value))
        mark, score = " ★" if best else "", in_unit(value, metric)
        legend.append(f"{sign} {safe_line(standing.label, 40)}  {score}  {said.usd(said.cost_each(standing))}{mark}")
    about = f"USD of a call (to the right) and {_axis_title(metric).lower()}."
    about += f" Capital letters, ★: no other side is both cheaper and better. {_n(sides)}{omitted}"
    return Picture(name, about + _simulated(sides), Scatter(tuple(points), scale_of(metric)), tuple(legend), choices)


def categories(comparison: Comparison, choice: int) -> Picture:
    """Scores within one grouping of the questions, such as difficulty."""
    name = "Score by category"
    sides = _groups(comparison)
    groupings = [(stage, metric, by) for stage, metric in sides for by in _groupings(comparison, stage)]
    if not groupings:
        return Picture(name, "The runs do not say what their questions belong to.", None)
    several = len(sides) > 1
    groups = [_group(comparison, stage, metric) for stage, metric, _ in groupings]
    choices = tuple(
        safe_line(f"{group}, {by}" if several else by, 60) for group, (_, _, by) in zip(groups, groupings, strict=True)
    )
    stage, metric, by = groupings[choice % len(groupings)]
    inside, omitted = _drawable(
        _of(comparison, stage, metric), len(SMALL), (f"without questions by {by}", lambda standing: _by_value(standing, by))
    )
    tallies = [_by_value(standing, by) for standing in inside]
    values = list(dict.fromkeys(value for tally in tallies for value in tally))
    lines = tuple(_category(value, tallies) for value in values[:MOST])
    legend = tuple(f"{letter} {safe_line(standing.label, 40)}" for letter, standing in zip(SMALL, inside, strict=False))
    about = f"Score by {choices[choice % len(groupings)]}{_unit(metric)}; in brackets the questions of each score, n."
    about += " Letters on one spot are stacked. No intervals here: trust no small difference."
    about += f" {count(len(values) - MOST)} categories beyond the first {MOST} are not drawn." if len(values) > MOST else ""
    return Picture(name, about + omitted + _simulated(inside), Swarm(lines, scale_of(metric)), legend, choices)


def _category(value: str, tallies: Sequence[Mapping[str, list[float]]]) -> tuple[str, tuple[tuple[str, float], ...]]:
    """A line of a swarm: what questions belong to, how many there are, and the mean of each side that has some."""
    here = [(letter, tally[value]) for letter, tally in zip(SMALL, tallies, strict=False) if value in tally]
    sizes = [len(scores) for _, scores in here]
    n = count(sizes[0]) if min(sizes) == max(sizes) else f"{count(min(sizes))} to {count(max(sizes))}"
    return f"{safe_line(value, 40)} ({n})", tuple((letter, mean(scores) or 0.0) for letter, scores in here)


def _groups(comparison: Comparison) -> list[tuple[str, Metric]]:
    """Every stage with every metric it was scored by."""
    return list(dict.fromkeys((standing.side.key.stage, standing.metric) for standing in comparison.standings))


def _of(comparison: Comparison, stage: str, metric: Metric) -> list[Standing]:
    return [standing for standing in comparison.standings if (standing.side.key.stage, standing.metric) == (stage, metric)]


def _drawable(standings: Sequence[Standing], most: int, *needed: Need) -> tuple[list[Standing], str]:
    """The sides that can be drawn, and in words how many cannot, each for the first reason that holds for it."""
    drawable, reasons = list(standings), []
    scale = scale_words(standings[0].metric) if standings else ""
    scored: tuple[Need, ...] = (
        ("without a score", lambda standing: standing.score.value is not None),
        (f"with a score outside {scale}", lambda standing: standing.metric.holds(standing.score.value or 0.0)),
    )
    for lack, has in (*scored, *needed):
        remaining = [standing for standing in drawable if has(standing)]
        reasons.append((len(drawable) - len(remaining), lack))
        drawable = remaining
    reasons.append((len(drawable[most:]), f"beyond the first {most}"))
    lacks = ", ".join(f"{count(n)} {lack}" for n, lack in reasons if n)
    n_omitted = len(standings) - len(drawable[:most])
    return drawable[:most], f" Not drawn: {count(n_omitted)} of {count(len(standings))} sides ({lacks})." if lacks else ""


def _beats(standing: Standing, rival: Standing) -> bool:
    """Return whether a side is at least as cheap and as good as its rival, and one of the two more."""
    a, b = ((said.cost_each(s) or 0.0, -upwards(s.metric, s.score.value or 0.0)) for s in (standing, rival))
    return a != b and a[0] <= b[0] and a[1] <= b[1]


def _groupings(comparison: Comparison, stage: str) -> list[str]:
    sides = [standing.side for standing in comparison.standings if standing.side.key.stage == stage]
    names = (by for side in sides for place in side.series.means() for by in side.run.board.items.groups[place])
    return list(dict.fromkeys(one_line(by, 40) for by in names))


def _by_value(standing: Standing, by: str) -> dict[str, list[float]]:
    """Scores by what the questions belong to."""
    scores_by_value: dict[str, list[float]] = {}
    groups = standing.side.run.board.items.groups
    for place, score in standing.side.series.means().items():
        for name, values in groups[place].items():
            for value in values if one_line(name, 40) == by else ():
                scores_by_value.setdefault(one_line(value, 60), []).append(score)
    return scores_by_value


def _group(comparison: Comparison, stage: str, metric: Metric) -> str:
    """A stage, and what was scored where it must be said."""
    parts = [stage] * (len(comparison.stages) > 1 or not comparison.named) + [metric.name] * comparison.named
    return safe_line(", ".join(parts), 40)


def _axis_title(metric: Metric) -> str:
    """Return the title of an axis."""
    return "Score" if is_binary(metric) else f"Mean {safe_line(said.metric_words(metric), 60)}"


def _unit(metric: Metric) -> str:
    return ", in per cent" if is_binary(metric) else ""


def _ends(standing: Standing) -> tuple[float | None, float | None]:
    """Return both ends of an interval on its chart."""
    low, high = standing.score.low, standing.score.high
    return None if low is None else within(standing.metric, low), None if high is None else within(standing.metric, high)


def _name(standing: Standing, several: bool) -> str:
    return safe_line(f"{standing.side.key.stage} {standing.label}" if several else standing.label, 60)


def _n(standings: Sequence[Standing]) -> str:
    sizes = [standing.score.n for standing in standings]
    item = standings[0].units.item
    return f"n = {count(min(sizes))}" + ("" if min(sizes) == max(sizes) else f" to {count(max(sizes))}") + f" {item}s each."


def _simulated(standings: Sequence[Standing]) -> str:
    words = safe_line(simulated(standings), 300)
    return f" {words}" if words else ""


CHARTS: tuple[Callable[[Comparison, int], Picture], ...] = (scores, costs, categories)


class ComparisonCharts(ComparePart, ChartTurner):
    """A chart, what it is called, and what must be said of it."""

    HOW_MANY = len(CHARTS)

    def show(self, comparison: Comparison) -> None:
        """The chart that was chosen."""
        super().show(comparison)
        self.draw()

    def draw(self) -> None:
        """Make the picture in the background: ten thousand questions take longer than a key may."""
        if self.comparison is not None:
            make = partial(CHARTS[self.number], self.comparison, self.chosen)
            then = partial(self._show_picture, self.number, self.chosen)
            beside(self.page, make, then, group="chart", keys_wait=False)

    def _show_picture(self, number: int, choice: int, picture: Picture) -> None:
        if (number, choice) == (self.number, self.chosen):
            self.put(picture)
            self.say_words()

    def say_words(self) -> None:
        """Say what the chart shows."""
        if self.picture is not None:
            self.tell([(self.picture.about, "")], LINES, 2 * LINES)
