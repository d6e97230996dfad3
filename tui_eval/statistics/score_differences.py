"""The paired difference of two models' scores: one t test, its interval, and what it could have shown."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from tui_eval.statistics.clusters import degrees_of_clusters, jackknife_error
from tui_eval.statistics.estimates import student_t, student_t_tail

__all__ = ["ScoreDifference", "detectable_errors", "floor_error", "found_share", "score_difference"]

FLOOR = 0.01
"""The part of a unit that is added at either end of the scale, so that no agreement of few units has a variance of 0."""
POWER = 0.8
"""How often a difference is found that counts as one that would show."""


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """A mean difference over units that are independent of each other, and how sure it is."""

    value: float
    clusters: int
    span: float
    """By how much two scores can differ at most."""
    error: float
    """Standard error, never 0; infinite for one unit."""
    degrees: float
    """Degrees of freedom of Student's t; at least 1."""
    step: float = 0.0
    """How far apart units lie that differ, the further ones for more; the span where none does."""
    sparsity: float = 0.0
    """1 where hardly a unit differs, 0 where all do by as much."""

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """value ± t·error, no further out than two scores can differ."""
        if self.clusters < 2:
            return -self.span, self.span
        half = student_t(0.5 + level / 2, self.degrees) * self.error
        return max(self.value - half, -self.span), min(self.value + half, self.span)

    @property
    def p(self) -> float:
        """Two-sided p of no difference; the interval of 1 - p just leaves out 0."""
        return 1.0 if self.clusters < 2 else student_t_tail(self.value / self.error, self.degrees)

    def p_below(self, margin: float = 0.0) -> float:
        """One-sided p of a difference that is -margin or more: small where it lies below."""
        return self._tail(-(self.value + margin))

    def p_above(self, margin: float = 0.0) -> float:
        """One-sided p of a difference that is -margin or less: small where it lies above."""
        return self._tail(self.value + margin)

    def _tail(self, off: float) -> float:
        if self.clusters < 2:
            return 1.0
        both = student_t_tail(off / self.error, self.degrees)
        return both / 2 if off > 0 else 1 - both / 2

    def detectable(self, level: float) -> float:
        """The smallest difference that such a comparison shows in four of five, where p must lie below 1 - level.

        Above the span where none is that scores can have.
        """
        return math.inf if self.clusters < 2 else self._detectable_difference(detectable_errors(self.degrees, level))

    def _detectable_difference(self, errors: float) -> float:
        """The difference d that is so many of the standard errors which it brings with it.

        Where few units differ a difference comes by more of them that do, each by the step: the variance then grows by
        sparsity·(d·step - d²) over the effective units, and d is the root of a quadratic. With the error as it is a difference
        of marks that are nearly all 5 would be found in 20 to 50 of 100 cases, not in 80 (benchmarks/truth.py).
        """
        least = errors * self.error
        if least >= self.step:
            return least
        weight = self.sparsity * errors * errors / (self.degrees + 1)
        half = weight * self.step / 2
        return (half + math.sqrt(half * half + (1 + weight) * least * least)) / (1 + weight)


def score_difference(differences: Sequence[float], clusters: Sequence[Hashable], span: float) -> ScoreDifference:
    """The mean difference by item, whose evidence are clusters of items.

    The error is that of the jackknife by cluster (`jackknife_error`), with `degrees_of_clusters`. To the variance is added what
    a hundredth of a unit at either end of the scale of differences, -span to span, would add: of C units whose mean lies at the
    share m of that scale (2·span)²·0.01·(m² + (1 - m)²) / (C·(C - 1)), after Agresti and Coull (1998), who add answers.
    By simulation (benchmarks/truth.py) at most 6 % of p are below 0.05 where both sides draw from the same law, of 4 to 505
    units, also of clusters whose sizes go by Zipf's law. ValueError for no difference, and where the lengths differ.
    """
    if not differences:
        raise ValueError("the mean difference of nothing")
    groups: dict[Hashable, list[float]] = {}
    for difference, cluster in zip(differences, clusters, strict=True):
        groups.setdefault(cluster, []).append(difference)
    value, many = math.fsum(differences) / len(differences), len(groups)
    if many < 2:
        return ScoreDifference(value, many, span, math.inf, 1.0)
    sizes, sums = [len(group) for group in groups.values()], [math.fsum(group) for group in groups.values()]
    error = math.hypot(jackknife_error(sums, sizes), floor_error(value, many, span))
    step, sparsity = _how_units_differ([abs(total / size) for total, size in zip(sums, sizes, strict=True)], span)
    return ScoreDifference(value, many, span, error, degrees_of_clusters(sizes), step, sparsity)


def _how_units_differ(distances: Sequence[float], span: float) -> tuple[float, float]:
    """Step and sparsity: the sum of cubes over that of squares, and 1 - (mean)² / mean of squares."""
    squares = math.fsum(distance * distance for distance in distances)
    if not squares:
        return span, 1.0
    return math.fsum(distance**3 for distance in distances) / squares, 1 - math.fsum(distances) ** 2 / squares / len(distances)


def floor_error(value: float, units: int, span: float) -> float:
    """The standard error that no agreement of so many units, two or more, takes away from a mean difference."""
    share = (units * (value + span) / (2 * span) + FLOOR) / (units + 2 * FLOOR)
    return 2 * span * math.sqrt(FLOOR * (share**2 + (1 - share) ** 2) / (units * (units - 1)))


def found_share(errors: float, degrees: float, level: float, sides: int = 2) -> float:
    """Return how often a t test finds a difference of so many standard errors; the inverse of `detectable_errors`."""
    return _beyond(errors, student_t(1 - (1 - level) / sides, degrees), _chi_points(degrees))


@lru_cache(maxsize=1024)
def detectable_errors(degrees: float, level: float, power: float = POWER, sides: int = 2) -> float:
    """Return the number of standard errors a difference must be for a t test to find it with this power.

    The noncentrality of Student's t whose chance beyond the critical value is the power; of the chi distribution of the
    error the mean is taken by Simpson's rule. `level`: the confidence, such as 0.95; `sides`: 1 for a one-sided test, whose
    p lies below 1 - level.
    """
    critical = student_t(1 - (1 - level) / sides, degrees)
    points = _chi_points(degrees)
    low, high = 0.0, 2.0
    while _beyond(high, critical, points) < power:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _beyond(middle, critical, points) < power else (low, middle)
    return high


def _beyond(shift: float, critical: float, points: Sequence[tuple[float, float]]) -> float:
    normal = NormalDist()
    return math.fsum(weight * normal.cdf(shift - critical * s) for s, weight in points)


def _chi_points(degrees: float, steps: int = 400) -> list[tuple[float, float]]:
    """Values of √(chi²/df) and the weights that a mean over them has, of Simpson's rule; the weights add up to 1."""
    spread = 1 / math.sqrt(2 * degrees)
    start, end = max(1 - 8 * spread, 0.0), 1 + 8 * spread
    width = (end - start) / steps
    points = []
    for place in range(steps + 1):
        s = start + place * width
        weight = (1 if place in (0, steps) else 4 if place % 2 else 2) * width / 3
        log = (degrees - 1) * math.log(s) - degrees * s * s / 2 if s > 0 else (0.0 if degrees == 1 else -math.inf)
        points.append((s, weight * math.exp(log)))
    total = math.fsum(weight for _, weight in points)
    return [(s, weight / total) for s, weight in points]
