"""How sure the difference of two models is: its interval, its p, and what so many questions could have shown."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from statistics import NormalDist, median, variance
from typing import Generic, TypeVar

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.means import Sources, clusterings, is_whole
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.sums.series import Series
from tui_eval.statistics.estimates import mean, paired_difference, student_t, student_t_tail
from tui_eval.statistics.paired import (
    MAX_SIGNS,
    ClusteredMean,
    clustered_mean,
    holm,
    mcnemar_exact,
    questions_needed,
    sign_flip,
    sign_flip_drawn,
    smallest_difference,
    smallest_mean_difference,
    tango,
)

Owner = TypeVar("Owner")
SIGNIFICANT = 0.05
"""Holm's p below which two models are told apart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of a's scores minus b's over the n questions that both have a score for; what is not known is None."""

    n: int
    a_higher: int
    """Questions on which a's score is higher."""
    b_higher: int
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    evidence: Evidence | None
    method: str

    def detectable(self, tests: int = 1) -> float | None:
        """The smallest difference that so many questions show in four of five comparisons, as one of `tests` of them."""
        return None if self.evidence is None else self.evidence.detectable(tests)

    def needed(self, tests: int = 1) -> int | None:
        """How many such questions it would take to show this difference as often; None where that is not known."""
        if self.evidence is None or not self.value:
            return None
        found = self.evidence.needed(self.value, tests)
        return None if found is None else math.ceil(found)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the power of a comparison is reckoned from (METHOD.md 2.6).

    One of `tests` comparisons is shown where its p lies below 0.05 / tests: so much Holm asks of the first, and nothing is
    promised of the others.
    """

    n: float
    """As how many independent questions they count."""
    spread: float
    """The share of them on which the two disagree; of marks the variance of the difference by question."""
    shares: bool
    """Whether the two are right or wrong."""
    grows: bool = True
    """Whether it is known how the evidence grows with more questions: not where they share documents."""
    most: float = math.inf
    """By how much two scores can differ at most."""

    def detectable(self, tests: int) -> float | None:
        """The smallest difference that shows in four of five comparisons; None where none does that there can be."""
        if self.shares:
            return smallest_difference(int(self.n), min(self.spread, 1.0), level=level_of(tests))
        seen = self._mean_seen(tests)
        return seen if seen is not None and seen <= self.most else None

    def _mean_seen(self, tests: int) -> float | None:
        return smallest_mean_difference(self.n, self.spread, level=level_of(tests)) if self.spread else None

    def needed(self, difference: float, tests: int) -> float | None:
        """How many questions show this difference as often."""
        if not self.grows:
            return None
        if self.shares:
            one, other = (self.spread + difference) / 2, (self.spread - difference) / 2
            return questions_needed(max(one, 0.0), max(other, 0.0), level=level_of(tests))
        seen = self._mean_seen(tests)
        return None if seen is None else self.n * (seen / difference) ** 2


def level_of(tests: int) -> float:
    """At which confidence each of so many comparisons is made, so that all together are wrong as seldom as one."""
    return 1 - SIGNIFICANT / max(tests, 1)


def each_of(tests: int) -> str:
    """At which p a comparison counts as shown, to stand behind a figure of power; empty where there is one comparison."""
    return f" (at p < {SIGNIFICANT} / {tests:,}, as Holm asks of the first of {tests:,} pairs)" if tests > 1 else ""


def difference_of(differences: Sequence[float], ways: Sources, whole: bool, drawn: bool = True) -> Difference:
    """From the differences by question (METHOD.md 2.1-2.3, 2.6): by clusters where several questions share one; of several
    ways to cluster them the one with the widest interval.

    `whole`: every score is 0 or 1. `drawn`: where more questions differ than every pattern of signs can be tried for, p is
    of patterns that are drawn; else of t, which takes a hundredth of the time.
    """
    n, b, c = len(differences), sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if n < 2:
        return Difference(n, b, c, mean(differences), None, None, None, None, "fewer than two common questions")
    if clustered := [clusters for clusters in ways if len(set(clusters)) < n]:
        found = [_by_cluster(differences, clusters, whole, drawn) for clusters in clustered]
        return max(found, key=lambda one: (one.high or 0.0) - (one.low or 0.0))
    if whole:
        return difference_of_counts(n, b, c)
    by_t = paired_difference(differences, [0.0] * n)
    p, named = _p_of(differences, by_t.p, drawn)
    evidence = Evidence(n, variance(differences), shares=False)
    return Difference(n, b, c, by_t.difference, by_t.low, by_t.high, p, evidence, f"paired t interval, {named} p")


@lru_cache(maxsize=4096)
def difference_of_counts(n: int, b: int, c: int) -> Difference:
    """Where each of n questions is right or wrong once: b that only a has right, c that only b has right."""
    low, high = tango(b, c, n)
    evidence, method = Evidence(n, (b + c) / n, shares=True), "Tango interval, exact McNemar p"
    return Difference(n, b, c, (b - c) / n, low, high, mcnemar_exact(b, c), evidence, method)


def _by_cluster(differences: Sequence[float], clusters: Sequence[Hashable], whole: bool, drawn: bool) -> Difference:
    """The same where questions of one document are no independent evidence (METHOD.md 1.3)."""
    found = clustered_mean(differences, clusters)
    sums: dict[Hashable, float] = {}
    for cluster, difference in zip(clusters, differences, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + difference
    p, named = _p_of(list(sums.values()), _p_by_t(found), drawn)
    how, many = f"and {named} p by cluster", f"({found.clusters} clusters)"
    b, c = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if not whole:
        evidence = Evidence(found.n, (found.error or 0.0) ** 2 * found.n, shares=False, grows=False)
        method = f"t interval {how} {many}"
        return Difference(found.n, b, c, found.mean, found.low, found.high, p, evidence, method)
    effective = _effective(differences, found)
    share = effective / found.n
    more, less = b * share, c * share
    effective = max(effective, more + less)  # where all differ, rounding may have made the parts more than the whole
    evidence = Evidence(effective, (more + less) / effective, shares=True, grows=False)
    low, high = tango(more, less, effective)
    return Difference(found.n, b, c, found.mean, low, high, p, evidence, f"Tango interval {how} {many}")


def _p_by_t(found: ClusteredMean) -> float | None:
    """Two-sided p of a mean by its clusters; where all of them are alike 0, or 1 for a mean of 0, as of pairs."""
    if found.error is None or found.degrees is None:
        return None
    return student_t_tail(found.mean / found.error, found.degrees) if found.error else float(found.mean == 0)


def _effective(differences: Sequence[float], found: ClusteredMean) -> float:
    """As how many independent questions they count: so many that an interval is as wide as the t interval by document.

    Never more than there are; the number of documents where each differs by the same.
    """
    plain = variance(differences) / found.n
    if not found.error or not found.degrees or not plain:
        return float(found.clusters)
    widening = student_t(0.975, found.degrees) / NormalDist().inv_cdf(0.975)
    return found.n * min(plain / (found.error * widening) ** 2, 1.0)


def _p_of(differences: Sequence[float], by_t: float | None, drawn: bool) -> tuple[float | None, str]:
    """The p of a mean difference, and what it is called."""
    moved = [d for d in differences if d]
    if len(moved) <= MAX_SIGNS:
        return sign_flip(moved), "sign-flip"
    return (sign_flip_drawn(moved), "sign-flip") if drawn else (by_t, "t")


# many models


class Tested:
    """A difference as one of several: what it would show, and whether it survives the correction for their number."""

    __slots__ = ()
    found: Difference
    p_holm: float | None
    tests: int
    """Pairs that Holm corrects for."""

    @property
    def detectable(self) -> float | None:
        """The smallest difference that it would show in four of five runs, as one of so many; None where none."""
        return self.found.detectable(self.tests)

    @property
    def needed(self) -> int | None:
        """About how many such questions it takes to show a difference like this one as often."""
        return self.found.needed(self.tests)

    @property
    def significant(self) -> bool:
        """Whether the difference survives the correction."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Pair(Tested, Generic[Owner]):
    """Two of several models, with Holm's correction for the number of pairs; differences are a's minus b's."""

    a: Owner
    b: Owner
    found: Difference
    p_holm: float | None
    tests: int


def paired(a: Series, b: Series, metric: Metric, sources: Sources = (), means_by_t: bool = False) -> Difference | None:
    """Two models on the questions that both have a score for; None where there are none.

    `means_by_t`: the mean of several answers is neither right nor wrong, even where all of them are.
    """
    if is_binary(metric) and not sources and a.single and b.single and a.whole and b.whole:
        (_, one, right), (_, other, right_too) = a.sets(), b.sets()
        both = one & other
        counts = ((right & ~right_too & both).bit_count(), (right_too & ~right & both).bit_count())
        return difference_of_counts(both.bit_count(), *counts) if both else None
    means, others = a.means(), b.means()
    common = [place for place in means if place in others]
    if not common:
        return None
    whole = not means_by_t and is_whole(metric, [value for place in common for value in (means[place], others[place])])
    ways = clusterings(*([source[place] for place in common] for source in sources)) if sources else [range(len(common))]
    return held(difference_of([means[place] - others[place] for place in common], ways, whole, drawn=False), metric)


def held(found: Difference, metric: Metric) -> Difference:
    """The same, interval and detectable difference no wider than two marks can differ; one question excludes no difference."""
    most = metric.high - metric.low
    if found.n == 1:
        return replace(found, low=-most, high=most, p=1.0)
    evidence = found.evidence
    if evidence is not None and not evidence.shares:
        evidence = replace(evidence, most=most)
    low, high = (span(end, found.value, metric) for end in (found.low, found.high))
    return replace(found, low=low, high=high, evidence=evidence)


def span(end: float | None, value: float | None, metric: Metric) -> float | None:
    """An end of the interval around a difference, no further out than two marks can differ."""
    if end is None:
        return end
    most = max(metric.high - metric.low, abs(value or 0.0))
    return min(max(end, -most), most)


def every_pair(
    series: Sequence[tuple[Owner, Series]], metric: Metric, sources: Sources = (), means_by_t: bool = False
) -> Iterator[tuple[Owner, Owner, Difference]]:
    """Every two that have a question in common, in the order given; not yet corrected for how many they are."""
    for (one, a), (other, b) in combinations(series, 2):
        found = paired(a, b, metric, sources, means_by_t)
        if found is not None:
            yield one, other, found


def corrected(pairs: Sequence[tuple[Owner, Owner, Difference]]) -> list[Pair[Owner]]:
    """Holm over every pair that has a p."""
    known = [found.p for _, _, found in pairs]
    adjusted, tests = iter(holm_of(known)), tests_of(known)
    return [Pair(a, b, found, next(adjusted), tests) for a, b, found in pairs]


def tests_of(p_values: Sequence[float | None]) -> int:
    """How many comparisons Holm corrects for: those that have a p."""
    return sum(p is not None for p in p_values)


def holm_of(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction over those that are known."""
    adjusted = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(adjusted) for p in p_values]


@dataclass(frozen=True, slots=True)
class Power:
    """What a run of several models can show: of its pairs the median, each as one of `tests`."""

    common: int
    """Questions that a pair has in common."""
    disagreement: float
    """The share of them on which it disagrees."""
    detectable: float | None
    """The smallest difference that it shows in four of five runs; None where it shows none."""
    tests: int


def power_of(pairs: Sequence[Pair[Owner]], single: bool) -> Power | None:
    """Of all pairs; None of none. `single`: every question was asked once, and is right or wrong."""
    if not pairs:
        return None
    common = round(median(pair.found.n for pair in pairs))
    disagreement = median((pair.found.a_higher + pair.found.b_higher) / pair.found.n for pair in pairs)
    if single:
        seen = Evidence(common, disagreement, shares=True).detectable(pairs[0].tests)
    else:
        shown = [found for found in (pair.detectable for pair in pairs) if found is not None]
        seen = median(shown) if shown else None
    return Power(common, disagreement, seen, pairs[0].tests)
