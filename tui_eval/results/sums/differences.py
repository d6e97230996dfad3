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
from tui_eval.results.sums.means import clusters_of, is_whole
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
    detectable: float | None
    """The smallest difference that so many questions would show in four of five comparisons."""
    needed: int | None
    """How many such questions it would take to show this difference as often."""
    method: str


def difference_of(differences: Sequence[float], clusters: Sequence[Hashable], whole: bool, drawn: bool = True) -> Difference:
    """From the differences by question (METHOD.md 2.1-2.3, 2.6): by clusters where several questions share one.

    `whole`: every score is 0 or 1. `drawn`: where more questions differ than every pattern of signs can be tried for, p is
    of patterns that are drawn; else of t, which takes a hundredth of the time.
    """
    n, b, c = len(differences), sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if n < 2:
        return Difference(n, b, c, mean(differences), None, None, None, None, None, "fewer than two common questions")
    if len(set(clusters)) < n:
        return _by_cluster(differences, clusters, whole, drawn)
    if whole:
        return difference_of_counts(n, b, c)
    found = paired_difference(differences, [0.0] * n)
    spread = variance(differences)
    detectable = smallest_mean_difference(n, spread) if spread else None
    needed = math.ceil(n * (detectable / found.difference) ** 2) if detectable and found.difference else None
    p, named = _p_of(differences, found.p, drawn)
    method = f"paired t interval, {named} p"
    return Difference(n, b, c, found.difference, found.low, found.high, p, detectable, needed, method)


@lru_cache(maxsize=4096)
def difference_of_counts(n: int, b: int, c: int) -> Difference:
    """Where each of n questions is right or wrong once: b that only a has right, c that only b has right."""
    needed = None if b == c else math.ceil(questions_needed(b / n, c / n))
    low, high = tango(b, c, n)
    detectable, method = smallest_difference(n, (b + c) / n), "Tango interval, exact McNemar p"
    return Difference(n, b, c, (b - c) / n, low, high, mcnemar_exact(b, c), detectable, needed, method)


def _by_cluster(differences: Sequence[float], clusters: Sequence[Hashable], whole: bool, drawn: bool) -> Difference:
    """The same where questions of one document are no independent evidence (METHOD.md 1.3)."""
    found = clustered_mean(differences, clusters)
    sums: dict[Hashable, float] = {}
    for cluster, difference in zip(clusters, differences, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + difference
    by_t = None if found.se is None else student_t_tail(found.mean / found.se, found.clusters - 1) if found.se else 1.0
    p, named = _p_of(list(sums.values()), by_t, drawn)
    how, many = f"and {named} p by document", f"({found.clusters} documents)"
    b, c = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if not whole:
        detectable = smallest_mean_difference(found.n, found.se**2 * found.n) if found.se else None
        method = f"t interval {how} {many}"
        return Difference(found.n, b, c, found.mean, found.low, found.high, p, detectable, None, method)
    effective = _effective(differences, found)
    share = effective / found.n
    more, less = b * share, c * share
    effective = max(effective, more + less)  # where all differ, rounding may have made the parts more than the whole
    detectable = smallest_difference(int(effective), min((more + less) / effective, 1.0))
    low, high = tango(more, less, effective)
    return Difference(found.n, b, c, found.mean, low, high, p, detectable, None, f"Tango interval {how} {many}")


def _effective(differences: Sequence[float], found: ClusteredMean) -> float:
    """As how many independent questions they count: so many that an interval is as wide as the t interval by document.

    Never more than there are; the number of documents where each differs by the same.
    """
    plain = variance(differences) / found.n
    if not found.se or not plain:
        return float(found.clusters)
    widening = student_t(0.975, found.clusters - 1) / NormalDist().inv_cdf(0.975)
    return found.n * min(plain / (found.se * widening) ** 2, 1.0)


def _p_of(differences: Sequence[float], by_t: float | None, drawn: bool) -> tuple[float | None, str]:
    """The p of a mean difference, and what it is called."""
    moved = [d for d in differences if d]
    if len(moved) <= MAX_SIGNS:
        return sign_flip(moved), "sign-flip"
    return (sign_flip_drawn(moved), "sign-flip") if drawn else (by_t, "t")


# many models


@dataclass(frozen=True, slots=True)
class Pair(Generic[Owner]):
    """Two of several models, with Holm's correction for the number of pairs; differences are a's minus b's."""

    a: Owner
    b: Owner
    found: Difference
    p_holm: float | None

    @property
    def significant(self) -> bool:
        """Whether the difference survives the correction."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT


Documents = Sequence[str] | None
"""What each question is about, where questions of one document are no independent evidence; None = each stands for itself."""


def paired(a: Series, b: Series, metric: Metric, documents: Documents = None, means_by_t: bool = False) -> Difference | None:
    """Two models on the questions that both have a score for; None where there are none.

    `means_by_t`: the mean of several answers is neither right nor wrong, even where all of them are.
    """
    if is_binary(metric) and documents is None and a.single and b.single:
        (_, one, right), (_, other, right_too) = a.sets(), b.sets()
        both = one & other
        counts = ((right & ~right_too & both).bit_count(), (right_too & ~right & both).bit_count())
        return difference_of_counts(both.bit_count(), *counts) if both else None
    means, others = a.means(), b.means()
    common = [place for place in means if place in others]
    if not common:
        return None
    whole = not means_by_t and is_whole(metric, [value for place in common for value in (means[place], others[place])])
    inside = range(len(common)) if documents is None else clusters_of([documents[place] for place in common])
    found = difference_of([means[place] - others[place] for place in common], inside, whole, drawn=False)
    if found.p is None:
        most = metric.high - metric.low
        return replace(found, low=-most, high=most, p=1.0)  # one question excludes no difference
    return held(found, metric)


def held(found: Difference, metric: Metric) -> Difference:
    """The same, the interval no wider than two marks can differ."""
    return replace(found, low=span(found.low, found.value, metric), high=span(found.high, found.value, metric))


def span(end: float | None, value: float | None, metric: Metric) -> float | None:
    """An end of the interval around a difference; that of marks is no further out than two marks can differ."""
    if end is None or is_binary(metric):
        return end
    most = max(metric.high - metric.low, abs(value or 0.0))
    return min(max(end, -most), most)


def every_pair(
    series: Sequence[tuple[Owner, Series]], metric: Metric, documents: Documents = None, means_by_t: bool = False
) -> Iterator[tuple[Owner, Owner, Difference]]:
    """Every two that have a question in common, in the order given; not yet corrected for how many they are."""
    for (one, a), (other, b) in combinations(series, 2):
        found = paired(a, b, metric, documents, means_by_t)
        if found is not None:
            yield one, other, found


def corrected(pairs: Sequence[tuple[Owner, Owner, Difference]]) -> list[Pair[Owner]]:
    """Holm over every pair that has a p."""
    adjusted = iter(holm_of([found.p for _, _, found in pairs]))
    return [Pair(a, b, found, next(adjusted)) for a, b, found in pairs]


def holm_of(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction over those that are known."""
    adjusted = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(adjusted) for p in p_values]


@dataclass(frozen=True, slots=True)
class Power:
    """What a run of several models can show: of its pairs the median."""

    common: int
    """Questions that a pair has in common."""
    disagreement: float
    """The share of them on which it disagrees."""
    detectable: float | None
    """The smallest difference that it shows in four of five runs; None where it shows none."""


def power_of(pairs: Sequence[Pair[Owner]], single: bool) -> Power | None:
    """Of all pairs; None of none. `single`: every question was asked once, and is right or wrong."""
    if not pairs:
        return None
    common = round(median(pair.found.n for pair in pairs))
    disagreement = median((pair.found.a_higher + pair.found.b_higher) / pair.found.n for pair in pairs)
    if single:
        return Power(common, disagreement, smallest_difference(common, disagreement))
    seen = [pair.found.detectable for pair in pairs if pair.found.detectable is not None]
    return Power(common, disagreement, median(seen) if seen else None)
