"""The one mean: over items, with its interval, what it rests on, and what is missing."""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.results.sums.metrics import NO_END, is_binary, within
from tui_eval.results.sums.series import Group, Items, Series
from tui_eval.statistics.bounded_means import bounded_mean
from tui_eval.statistics.estimates import clustered_wilson, mean, wilson

__all__ = ["Estimate", "IndependentUnits", "estimate", "independent_units", "of_counts", "units_of_side"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over n items and its 95 % interval; None of no item."""

    n: int
    """Items with a score."""
    value: float | None
    """Mean over them, each by the mean of its answers."""
    low: float | None = None
    high: float | None = None
    scored: int = 0
    """Answers with a score."""
    asked: int = 0
    """Answers that were to be scored."""
    right: float = 0.0
    """The sum of the answers' scores."""
    effective: float | None = None
    """As how many independent right or wrong items they count; None of marks."""
    share: bool = False
    """Whether each item is right or wrong, so that the interval is Wilson's."""
    strict: float | None = None
    """Of a share: the same mean over all items that were asked, as if every missing answer were wrong."""
    best_case: float | None = None
    """The same as if every missing answer were right."""

    @property
    def missing(self) -> int:
        """Answers without a score."""
        return self.asked - self.scored


@dataclass(frozen=True, slots=True)
class IndependentUnits:
    """Units that the interval of a mean of marks rests on: clusters of items, or items where each is independent."""

    means: list[float]
    sizes: list[int]
    """Items of each."""
    low: float
    """Of the scale that the interval goes by."""
    high: float

    def interval(self) -> tuple[float, float]:
        """Gaffke's."""
        return bounded_mean(self.means, self.low, self.high, self.sizes)


def independent_units(values: Sequence[float], clusters: Sequence[Hashable] | None, metric: Metric) -> IndependentUnits:
    """Of the means of items, and the clusters that these belong to, as `Items.clusters` has them."""
    (sums, sizes), (least, most) = summed(values, clusters), scale_seen(metric, values)
    means = [min(max(total / size, least), most) for total, size in zip(sums, sizes, strict=True)]
    return IndependentUnits(means, sizes, least, most)


def units_of_side(series: Series, items: Items, metric: Metric) -> IndependentUnits | None:
    """Of all items of a side that have a score; None where none has."""
    values = series.means()
    return independent_units(list(values.values()), items.clusters(list(values)), metric) if values else None


def estimate(series: Series, items: Items, metric: Metric, group: Group | None = None) -> Estimate:
    """Over all items, or a group of them: the mean of the items' means.

    The interval of what is right or wrong is Wilson's with the effective number of items, of marks Gaffke's on the metric's
    scale; both go by clusters, the coarsest level that takes four values or more (`core.units.clusters_of`).
    """
    if is_binary(metric) and series.single and series.whole and items.independent:
        return _by_counting(series, -1 if group is None else group.bits)
    inside = range(len(series.asked)) if group is None else [place for place in group.indexes if place < len(series.asked)]
    places = [place for place in inside if series.scored[place]]
    values = array("d", (series.total[place] / series.scored[place] for place in places))
    counts = (sum(series.scored[i] for i in places), sum(series.asked[i] for i in inside))
    right = math.fsum(series.total[place] for place in places)
    right = round(right) if series.whole else round(right, 6)
    result = _estimate(values, items.clusters(places), metric, (*counts, right))
    if not result.share:
        return result
    strict, best_case = _bounds(series, inside)
    return replace(result, strict=strict, best_case=best_case)


def _bounds(series: Series, inside: Sequence[int]) -> tuple[float | None, float | None]:
    """The means over all items that were asked, were each missing answer wrong, or right."""
    asked_places = array("I", (place for place in inside if series.asked[place]))
    wrong = array("d", (series.total[place] / series.asked[place] for place in asked_places))
    right = array(
        "d", (low + 1 - series.scored[place] / series.asked[place] for low, place in zip(wrong, asked_places, strict=True))
    )
    return mean(wrong), mean(right)


def _by_counting(series: Series, mask: int) -> Estimate:
    """The same where every item has at most one answer: by counting bits, since a report has thousands of groups."""
    n_asked, scored, right = ((bits & mask).bit_count() for bits in series.sets())
    return of_counts(n_asked, scored, right)


@lru_cache(maxsize=4096)
def of_counts(n_asked: int, scored: int, right: int) -> Estimate:
    """The estimate of independent items, each asked once: how many were, how many have a score, and how many are right."""
    low, high = wilson(right, scored) or (None, None)
    effective, value = (float(scored), right / scored) if scored else (None, None)
    result = Estimate(scored, value, low, high, scored, n_asked, right, effective, share=True)
    return replace(result, strict=right / n_asked, best_case=(right + n_asked - scored) / n_asked) if n_asked else result


def _estimate(
    values: Sequence[float], clusters: Sequence[Hashable] | None, metric: Metric, counts: tuple[int, int, float]
) -> Estimate:
    """`counts`: answers with a score, answers that were to have one, the sum of their scores."""
    scored, n_asked, right = counts
    if not values:
        return Estimate(0, None, scored=scored, asked=n_asked, right=right, share=is_binary(metric))
    value = mean(values)
    assert value is not None
    if is_binary(metric) and all(0 <= score <= 1 for score in values):
        sums, sizes = summed(values, clusters)
        low, high, effective = clustered_wilson(sums, sizes, max(scored, len(values))) or (0.0, 1.0, 0.0)
        return Estimate(len(values), value, min(low, value), max(high, value), scored, n_asked, right, effective, share=True)
    low, high = independent_units(values, clusters, metric).interval()
    return Estimate(
        len(values), value, min(within(metric, low), value), max(within(metric, high), value), scored, n_asked, right
    )


def summed(values: Sequence[float], clusters: Sequence[Hashable] | None) -> tuple[list[float], list[int]]:
    """The sums and the sizes of clusters; of each value for itself where there are none."""
    if clusters is None:
        return list(values), [1] * len(values)
    parts = gathered(zip(clusters, values, strict=True)).values()
    return list(map(math.fsum, parts)), list(map(len, parts))


def scale_seen(metric: Metric, values: Sequence[float]) -> tuple[float, float]:
    """The scale that an interval goes by: the metric's own; of one without an end, 0 to the larger of 1 and what was seen."""
    if metric.high >= NO_END:
        return min(metric.low, *values), max(1.0, *values)
    return min(metric.low, *values), max(metric.high, *values)
