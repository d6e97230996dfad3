"""Two models on the same questions, and many of them: paired tests with p-values, Holm, ranks, and what a run can see."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

from tui_eval.statistics.clusters import degrees_of_clusters, inside_variance, unequal_widening
from tui_eval.statistics.estimates import ROUNDING, binomial_tail, student_t
from tui_eval.statistics.score_differences import floor_error

TANGO_PRECISION = 1e-9


def mcnemar_exact(b: int, c: int) -> float:
    """Exact two-sided McNemar p of two models' accuracies; n = the b + c questions that exactly one of them has right.

    min(1, 2·P[Bin(b + c, ½) <= min(b, c)]) with b = A right and B wrong, c the reverse (METHOD.md 2.2); 1 where b = c = 0.
    ValueError for negative counts.
    """
    if b < 0 or c < 0:
        raise ValueError(f"{b} and {c} disagreements")
    return 1.0 if b == c else min(1.0, 2 * binomial_tail(max(b, c), b + c, 0.5))


def mcnemar_below(b: int, c: int) -> float:
    """Exact one-sided McNemar p, small where A lies below B: P[Bin(b + c, ½) >= c]; 1 where c = 0.

    b = A right and B wrong, c the reverse. ValueError for negative counts.
    """
    if b < 0 or c < 0:
        raise ValueError(f"{b} and {c} disagreements")
    return binomial_tail(c, b + c, 0.5)


def tango(b: float, c: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Tango's score interval of accuracy A - accuracy B over n questions: (low, high), within -1..1, to 1e-9.

    b = A right and B wrong, c the reverse; no whole numbers where n is an effective number of questions. The ends are the
    d where (b - c - n·d) / √(n·(2q + d(1 - d))) is ±z, q the chance of c's cell were the difference d, the root of a
    quadratic (Tango 1998, METHOD.md 2.2). Of no question nothing is known: (-1, 1). ValueError unless b, c >= 0 and
    b + c <= n.
    """
    if b < 0 or c < 0 or b + c > n:
        raise ValueError(f"{b} and {c} disagreements in {n} questions")
    if n == 0:
        return -1.0, 1.0
    z = NormalDist().inv_cdf(0.5 + level / 2)
    return -_tango_high(c, b, n, z), _tango_high(b, c, n, z)


def tango_p(b: float, c: float, n: float, margin: float = 0.0) -> float:
    """One-sided p of Tango's score test over n questions, small where accuracy A - accuracy B lies below -margin.

    The normal tail of (b - c + n·margin) / √(n·(2q + d(1 - d))) at d = -margin, with q as in `tango`, whose interval of level
    1 - 2p just ends there; 1 - p is small where A - B lies above -margin. Without a margin (b - c) / √(b + c), McNemar's. A
    half where n = 0, or where nothing differs and there is no margin. ValueError as in `tango`, and unless |margin| < 1.
    """
    if b < 0 or c < 0 or b + c > n or not -1 < margin < 1:
        raise ValueError(f"{b} and {c} disagreements in {n} questions, margin {margin}")
    variance = n * tango_variance(b, c, n, -margin) if n else 0.0
    return NormalDist().cdf((b - c + n * margin) / math.sqrt(variance)) if variance > 0 else 0.5


def tango_variance(b: float, c: float, n: float, d: float) -> float:
    """2q + d(1 - d), the variance of a question's difference were the true one d, q then the chance of c's cell."""
    middle = (2 * n - b + c) * d - b - c
    q = (math.sqrt(middle * middle + 8 * n * c * d * (1 - d)) - middle) / (4 * n)
    return max(2 * q + d * (1 - d), 0.0)


def _tango_high(b: float, c: float, n: float, z: float) -> float:
    """The upper end. Below it b - c - n·d + z·√(n·(2q + d(1 - d))) is positive, above it negative: bisection."""
    low, high = (b - c) / n, 1.0
    while high - low > TANGO_PRECISION:
        d = (low + high) / 2
        if b - c - n * d + z * math.sqrt(n * tango_variance(b, c, n, d)) > 0:
            low = d
        else:
            high = d
    return (low + high) / 2


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p of a family of tests, in the order given; n = the number of tests, m.

    The i-th smallest becomes the largest of min(1, (m - j + 1)·p_(j)) over j <= i (Holm 1979, METHOD.md 2.4).
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def benjamini_yekutieli(p_values: Sequence[float], level: float = 0.05) -> list[bool]:
    """Return which of a family of tests are significant, in order, at a false discovery rate under any dependence.

    Those up to the largest rank r of m with p_(r) <= level·r / (m·(1 + 1/2 + ... + 1/m)) (Benjamini and Yekutieli 2001).
    """
    many = len(p_values)
    harmonic = math.fsum(1 / rank for rank in range(1, many + 1))
    order = sorted(range(many), key=p_values.__getitem__)
    ranks = [rank for rank, i in enumerate(order, start=1) if p_values[i] <= level * rank / (many * harmonic)]
    significant = set(order[: max(ranks, default=0)])
    return [place in significant for place in range(many)]


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """A mean of n values that come in clusters, its 95 % interval, and what that rests on."""

    n: int
    clusters: int
    mean: float
    se: float | None
    """CR1; None for fewer than two clusters, as what follows is."""
    error: float | None
    """What the interval rests on: CR1, or more where clusters are of unequal size, and the floor of a scale."""
    degrees: float | None
    """Degrees of freedom of Student's t."""
    low: float | None
    """None, as high is, where nothing shows how far it varies: all values are the same, and lie on no scale."""
    high: float | None


def clustered_mean(values: Sequence[float], clusters: Sequence[Hashable], span: float | None = None) -> ClusteredMean:
    """Mean and t interval of values that share a document or a conversation.

    CR1: the sum over clusters of (the sum of value - mean)², its root over n, times √(C / (C - 1)) (METHOD.md 1.3); for
    clusters of one value the plain standard error. Of clusters of unequal size the interval is wider: `unequal_widening` and
    `degrees_of_clusters`, which are C - 1 of equal ones. Of values that lie within -span to span it has the floor of a
    difference (`floor_error`), so that no agreement of few clusters narrows it to a point; of values that lie on no scale
    there is then no interval. ValueError for no value, and where the lengths differ.
    """
    if not values:
        raise ValueError("the mean of nothing")
    centre = fmean(values)
    groups = _off(values, clusters, centre)
    sums, sizes = list(map(math.fsum, groups)), list(map(len, groups))
    n, many = len(values), len(sums)
    if many < 2:
        return ClusteredMean(n, many, centre, None, None, None, None, None)
    se = math.sqrt(math.fsum(off**2 for off in sums) * many / (many - 1)) / n
    error = se * math.sqrt(unequal_widening(sums, inside_variance(groups), sizes))
    error = math.hypot(error, floor_error(centre, many, span) if span else 0.0)
    degrees = degrees_of_clusters(sizes)
    half = student_t(0.975, degrees) * error
    low, high = (centre - half, centre + half) if half > ROUNDING * abs(centre) else (None, None)
    return ClusteredMean(n, many, centre, se, error, degrees, low, high)


def _off(values: Sequence[float], clusters: Sequence[Hashable], centre: float) -> list[list[float]]:
    """By how much the values of each cluster lie off a mean."""
    if len(set(clusters)) == len(values) == len(clusters):
        return [[value - centre] for value in values]
    inside: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        inside.setdefault(cluster, []).append(value - centre)
    return list(inside.values())


def unpaired(a: tuple[float, float, float], b: tuple[float, float, float]) -> tuple[float, float]:
    """Interval of the difference of two independent estimates, each (value, low, high) of the same level.

    Square and add: d - √((a - low_a)² + (high_b - b)²) up to d + √((high_a - a)² + (b - low_b)²). With Wilson's intervals it
    is Newcombe's of two proportions (METHOD.md 2.3, Newcombe 1998, method 10); with t intervals nearly Welch's.
    """
    (value_a, low_a, high_a), (value_b, low_b, high_b) = a, b
    difference = value_a - value_b
    return difference - math.hypot(value_a - low_a, high_b - value_b), difference + math.hypot(
        high_a - value_a, value_b - low_b
    )
