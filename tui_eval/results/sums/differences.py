"""The one pair: the difference of two sides on what both have a score for, its test, and what it could have shown."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median
from typing import Generic, TypeVar

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.means import scale_seen
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.sums.series import Items, Series
from tui_eval.statistics.clusters import effective_clusters
from tui_eval.statistics.estimates import Z
from tui_eval.statistics.paired import holm, mcnemar_exact, tango
from tui_eval.statistics.power import (
    Futures,
    detectable_share,
    fewest_scores,
    fewest_shares,
    more_items,
)
from tui_eval.statistics.score_differences import ScoreDifference, score_difference
from tui_eval.statistics.share_forecast import more_answers

Owner = TypeVar("Owner")
SIGNIFICANT = 0.05
"""Holm's p below which two sides differ significantly."""
FEW_MISSING = 0.05
"""The share of the answers asked of both that one side alone may lack without a word on what they could change."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of a's scores minus b's over the n items that both have a score for; what is not known is None."""

    n: int
    a_higher: int
    """Items on which a's score is higher."""
    b_higher: int
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    method: str
    scores: ScoreDifference | None = None
    """The t test that p is of; None where it is McNemar's, of as many items as a_higher and b_higher say."""
    span: float = 1.0
    """By how much two scores can differ at most."""
    of_a: int = 0
    """Items that a has a score for; of_b likewise."""
    of_b: int = 0
    answers: int = 0
    """Answers of either side that it rests on: those that both have."""
    answers_a: int = 0
    """Answers that a has a score for; answers_b likewise."""
    answers_b: int = 0
    mean_a: float | None = None
    """Of a's scores over these items; mean_b likewise."""
    mean_b: float | None = None
    bounds: tuple[float, float] | None = None
    """What the difference could be with the answers that one side alone lacks a score for; None where these are few."""

    @property
    def known(self) -> bool:
        """Return whether there is a test of it."""
        return self.p is not None

    def detectable(self, tests: int = 1) -> float | None:
        """The smallest difference that such a comparison shows in four of five, as one of so many; None where none does."""
        level = level_of(tests)
        if not self.known:
            return None
        if self.scores is not None:
            smallest = self.scores.detectable(level)
            return smallest if smallest <= self.span else None
        return detectable_share(self.n, self.a_higher + self.b_higher, level)

    def could_show(self, tests: int = 1) -> bool:
        """Return whether all of the items that differ, on one side, would be enough to show it."""
        return self.scores is not None or self.a_higher + self.b_higher >= self.fewest(tests)

    def fewest(self, tests: int = 1) -> int:
        """With how many units, at least, any data at all would show a difference, as one of so many tests.

        Units are clusters of such sizes as there are here, or items where these are independent.
        """
        if self.scores is None:
            return fewest_shares(level_of(tests))
        equal = (self.scores.degrees + 1) / max(self.scores.clusters, 2)
        return fewest_scores(level_of(tests), min(equal, 1.0))

    @property
    def independent(self) -> int:
        """Number of independent units that the test rests on."""
        return self.n if self.scores is None else self.scores.clusters

    def more(self, tests: int = 1) -> Futures | None:
        """With how many items more it would show in 50 and in 80 of 100 futures; None of either: beyond reason.

        None where nothing is known of it, and where it is shown already.
        """
        level = level_of(tests)
        if self.p is None or not self.value or self.p < 1 - level or (self.scores and math.isinf(self.scores.error)):
            return None
        if self.scores is None:
            return more_answers(self.a_higher, self.b_higher, self.n, level)
        return self.in_items(more_items(self.value, self.scores.error, self.scores.clusters, level, self.scores.degrees))

    def in_items(self, units: Futures) -> Futures:
        """So many clusters more as items, one at least."""
        size = 1.0 if self.scores is None else self.n / self.scores.clusters
        few, many = (None if more is None else max(math.ceil(more * size), 1) for more in units)
        return few, None if few is None else many

    @property
    def disagrees(self) -> bool:
        """Return whether the interval leaves out 0 and the test finds nothing, or the other way round."""
        if self.low is None or self.high is None or self.p is None:
            return False
        return (self.low > 0 or self.high < 0) != (self.p < SIGNIFICANT)


def level_of(tests: int) -> float:
    """At which confidence each of so many comparisons is made, so that all together are wrong as seldom as one."""
    return 1 - SIGNIFICANT / max(tests, 1)


def each_of(tests: int) -> str:
    """At which p a comparison counts as shown, to stand behind a figure of power; empty where there is one comparison."""
    return f" (at p < {SIGNIFICANT} / {tests:,}, as Holm asks of the first of {tests:,} tests)" if tests > 1 else ""


def paired(a: Series, b: Series, metric: Metric, items: Items) -> Difference | None:
    """Two sides of one run on the items, repeats and turns that both have scored; None where there are none."""
    if is_binary(metric) and a.single and b.single and a.whole and b.whole and items.independent:
        (asked_a, scored_a, right_a), (asked_b, scored_b, right_b) = a.sets(), b.sets()
        both = scored_a & scored_b
        if not both:
            return None
        counts = ((right_a & ~right_b & both).bit_count(), (right_b & ~right_a & both).bit_count())
        difference = difference_of_counts(both.bit_count(), *counts)
        means = ((right_a & both).bit_count() / difference.n, (right_b & both).bit_count() / difference.n)
        of_a, of_b = scored_a.bit_count(), scored_b.bit_count()
        difference = replace(difference, of_a=of_a, of_b=of_b, answers_a=of_a, answers_b=of_b, mean_a=means[0], mean_b=means[1])
        common = asked_a & asked_b
        only_a, only_b = common & scored_a & ~scored_b, common & scored_b & ~scored_a
        gained, lost = (only_a & right_a).bit_count(), (only_b & right_b).bit_count()
        lacking, n = (only_a.bit_count(), only_b.bit_count()), (scored_a & scored_b | only_a | only_b).bit_count()
        total = counts[0] - counts[1] + gained - lost
        ends = ((total - lacking[0]) / n, (total + lacking[1]) / n)
        return _bounded(difference, common.bit_count(), lacking, ends)
    places = {place: place for place in range(min(len(a.asked), len(b.asked)))}
    return compared(a, b, metric, items, places)


def compared(a: Series, b: Series, metric: Metric, items: Items, places: Mapping[int, int]) -> Difference | None:
    """Two sides of one run or of two; `items`: those of a; `places`: by a's number of an item what b calls it."""
    by_item, answers = values_of_both(a, b, places)
    if not by_item:
        return None
    values, clusters = [score_a - score_b for score_a, score_b in by_item.values()], items.clusters(list(by_item))
    scale = scale_seen(metric, [value for series in (a, b) for value in series.marks()])
    difference = difference_of(values, clusters, metric, scale[1] - scale[0])
    mean_a, mean_b = (math.fsum(values) / difference.n for values in zip(*by_item.values(), strict=True))
    difference = replace(difference, answers=answers, of_a=_scored(a), of_b=_scored(b), mean_a=mean_a, mean_b=mean_b)
    difference = replace(difference, answers_a=sum(a.scored), answers_b=sum(b.scored))
    if metric.high - metric.low > difference.span:  # of a scale without an end nothing is the worst
        return difference
    return _bounded(difference, *_what_is_open(a, b, places, scale))


def values_of_both(a: Series, b: Series, places: Mapping[int, int]) -> tuple[dict[int, tuple[float, float]], int]:
    """The mean of each side by a's number of an item, over the answers that both have, and how many answers those are."""
    single = a.single and b.single
    ours, theirs = (a.by_answer(), b.by_answer()) if not single else ({}, {})
    values: dict[int, tuple[float, float]] = {}
    answers = 0
    for place, place_b in places.items():
        if place >= len(a.scored) or place_b >= len(b.scored) or not (a.scored[place] and b.scored[place_b]):
            continue
        if single:
            values[place] = a.total[place], b.total[place_b]
            answers += 1
            continue
        answers_a, answers_b = ours[place], theirs[place_b]
        if common := answers_a.keys() & answers_b.keys():
            n = len(common)
            values[place] = math.fsum(answers_a[key] for key in common) / n, math.fsum(answers_b[key] for key in common) / n
            answers += n
    return values, answers


def _what_is_open(
    a: Series, b: Series, places: Mapping[int, int], scale: tuple[float, float]
) -> tuple[int, tuple[int, int], tuple[float, float]]:
    """Return how many answers both were asked for, how many a alone has a score for, and b, and the ends of the difference.

    The ends: the least and the most of the mean over items were each answer that one of the two lacks at an end of the scale;
    an answer that both lack counts for nothing.
    """
    if a.complete and b.complete:
        return 0, (0, 0), (0.0, 0.0)
    single = a.single and b.single
    (ours, theirs), (low, high) = (_answers_of(series, single) for series in (a, b)), scale
    n_asked, only_a, only_b = 0, 0, 0
    least: list[float] = []
    most: list[float] = []
    for place, place_b in places.items():
        (scored_a, lacking_a), (scored_b, lacking_b) = ours.get(place, NO_ANSWER), theirs.get(place_b, NO_ANSWER)
        both, gained, lost = scored_a.keys() & scored_b.keys(), scored_a.keys() & lacking_b, scored_b.keys() & lacking_a
        n_asked += len(both) + len(gained) + len(lost) + len(lacking_a & lacking_b)
        only_a, only_b = only_a + len(gained), only_b + len(lost)
        if n := len(both) + len(gained) + len(lost):
            total = math.fsum(scored_a[key] for key in both | gained) - math.fsum(scored_b[key] for key in both | lost)
            least.append((total - len(gained) * high + len(lost) * low) / n)
            most.append((total - len(gained) * low + len(lost) * high) / n)
    ends = (math.fsum(least) / max(len(least), 1), math.fsum(most) / max(len(most), 1))
    return n_asked, (only_a, only_b), ends


Answers = tuple[Mapping[int, float], AbstractSet[int]]
"""Of an item: its answers' scores, and which answers were to be scored and have none."""
NO_ANSWER: Answers = ({}, frozenset())


def _answers_of(series: Series, single: bool) -> dict[int, Answers]:
    """By item; where each was asked once, its one answer is the same whatever it is called."""
    if single:
        return {
            place: ({0: total}, frozenset()) if scored else ({}, {0})
            for place, (is_asked, scored, total) in enumerate(zip(series.asked, series.scored, series.total, strict=True))
            if is_asked
        }
    answered, lacking = series.by_answer(), series.lacking()
    return {place: (answered.get(place, {}), lacking.get(place, frozenset())) for place in answered.keys() | lacking.keys()}


def _scored(series: Series) -> int:
    return sum(map(bool, series.scored))


def _bounded(difference: Difference, n_asked: int, n_alone: tuple[int, int], ends: tuple[float, float]) -> Difference:
    """With what the answers could make of it that one side alone lacks, where it lacks more than a few of those asked of both.

    `n_alone`: answers that a alone has a score for, and b; `ends`: the least and the most that the difference could then be.
    """
    return difference if max(n_alone) <= FEW_MISSING * n_asked else replace(difference, bounds=ends)


def difference_of(values: Sequence[float], clusters: Sequence[Hashable] | None, metric: Metric, span: float) -> Difference:
    """From the differences by item.

    Where each is all or nothing, exact McNemar: of one answer on either side, and of several that say the same.
    """
    n, b, c = len(values), sum(d > 0 for d in values), sum(d < 0 for d in values)
    if is_binary(metric) and clusters is None and all(value in (-1, 0, 1) for value in values):
        return difference_of_counts(n, b, c)
    difference = score_difference(values, range(n) if clusters is None else clusters, span)
    p = difference.p if difference.clusters > 1 else None
    by = "" if clusters is None else f" by {difference.clusters} clusters"
    if is_binary(metric):
        effective = effective_items(values, clusters, difference)
        more, less = (math.fsum(max(sign * d, 0.0) for d in values) * effective / n for sign in (1, -1))
        low, high = tango(more, less, max(effective, more + less))
        return Difference(n, b, c, difference.value, low, high, p, f"t{by} p, Tango interval", difference, span)
    low, high = difference.interval()
    return Difference(n, b, c, difference.value, low, high, p, f"paired t{by}", difference, span)


@lru_cache(maxsize=4096)
def difference_of_counts(n: int, b: int, c: int) -> Difference:
    """Return the difference over n items, each right or wrong once: b that only a has right, c that only b has right."""
    low, high = tango(b, c, n)
    method = "exact McNemar p, Tango interval"
    p = mcnemar_exact(b, c) if n > 1 else None
    return Difference(n, b, c, (b - c) / n, low, high, p, method, None, 1.0, n, n, n, n, n)


def effective_items(values: Sequence[float], clusters: Sequence[Hashable] | None, difference: ScoreDifference) -> float:
    """As how many independent items, right or wrong once, they count: so many that Tango's interval is as wide as that of t.

    Never more than there are, each of as many answers as the smallest difference tells; never fewer than the clusters count
    for by their sizes (Kish 1965).
    """
    n = len(values)
    sizes: dict[Hashable, int] = {}
    for name in range(n) if clusters is None else clusters:
        sizes[name] = sizes.get(name, 0) + 1
    least = effective_clusters(list(sizes.values()))
    low, high = difference.interval()
    apart, mean = math.fsum(map(abs, values)) / n, math.fsum(values) / n
    spread = max(apart - mean * mean, 0.0) * n / (n - 1) if n > 1 else 0.0
    if math.isinf(difference.error) or not spread:
        return least
    arm = max(high - low, 1e-12) / 2
    answers = n / min((abs(value) for value in values if value), default=1.0)
    return min(max(Z * Z * spread / arm**2, least), answers)


# many sides


class Tested:
    """A difference as one of several: what it would show, and whether it survives the correction for their number."""

    __slots__ = ()
    found: Difference
    p_holm: float | None
    tests: int
    """Pairs and metrics that Holm corrects for; 0 where this one is not tested."""

    @property
    def detectable(self) -> float | None:
        """The smallest difference that it would show in four of five runs, as one of so many; None where none."""
        return self.found.detectable(self.tests) if self.tests else None

    @property
    def significant(self) -> bool:
        """Return whether the difference is significant after the correction."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Pair(Tested, Generic[Owner]):
    """Two of several sides, with Holm's correction for the number of tests; differences are a's minus b's."""

    a: Owner
    b: Owner
    found: Difference
    p_holm: float | None
    tests: int


def corrected(pairs: Sequence[tuple[Owner, Owner, Difference]], tested: Sequence[bool] = ()) -> list[Pair[Owner]]:
    """Holm over every pair that has a p and is `tested`; all are where nothing is said."""
    flags = list(tested) or [True] * len(pairs)
    p_values = [difference.p if flag else None for (_, _, difference), flag in zip(pairs, flags, strict=True)]
    adjusted, tests = iter(holm_of(p_values)), tests_of(p_values)
    return [
        Pair(a, b, difference, next(adjusted), tests if flag else 0)
        for (a, b, difference), flag in zip(pairs, flags, strict=True)
    ]


def tests_of(p_values: Sequence[float | None]) -> int:
    """Return how many comparisons Holm corrects for: those that have a p."""
    return sum(p is not None for p in p_values)


def holm_of(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction over those that are known."""
    adjusted = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(adjusted) for p in p_values]


@dataclass(frozen=True, slots=True)
class Power:
    """Power of a run of several models: of its pairs the median, each as one of `tests`."""

    common: int
    """Items that a pair has in common."""
    disagreement: float
    """The share of them on which it disagrees."""
    detectable: float | None
    """The smallest difference that it shows in four of five runs; None where it shows none."""
    tests: int
    independent: int = 0
    """Units that are independent of each other, where these are fewer than the items; 0 where they are not."""
    fewest: int = 0
    """With how many units, at least, any data at all would show a difference."""


def power_of(pairs: Sequence[Pair[Owner]]) -> Power | None:
    """Of all pairs; None of none."""
    if not pairs:
        return None
    common = round(median(pair.found.n for pair in pairs))
    disagreement = median((pair.found.a_higher + pair.found.b_higher) / pair.found.n for pair in pairs)
    detectables = [share for share in (pair.detectable for pair in pairs) if share is not None]
    units, tests = round(median(pair.found.independent for pair in pairs)), pairs[0].tests
    fewest = round(median(pair.found.fewest(tests) for pair in pairs))
    detectable = median(detectables) if 2 * len(detectables) > len(pairs) else None
    return Power(common, disagreement, detectable, tests, units if units < common else 0, fewest)
