"""Means that say their n, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist, fmean, median
from typing import TypeVar

Value = TypeVar("Value", int, float)

__all__ = ["clustered_wilson", "mean", "median_of", "nearest_rank", "wilson"]


def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson score interval of a proportion; None when n = 0.

    Wilson 1927: centre (p + z²/2n) / (1 + z²/n), half width z·√(p(1-p)/n + z²/4n²) / (1 + z²/n). The lower end is
    exactly 0 at no success, the upper exactly 1 at all.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return None
    z = NormalDist().inv_cdf(0.5 + level / 2)
    p = successes / n
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    low = 0.0 if successes <= 0 else max(centre - half, 0.0)
    high = 1.0 if successes >= n else min(centre + half, 1.0)
    return low, high


def clustered_wilson(successes: Sequence[int], sizes: Sequence[int]) -> tuple[float, float, float] | None:
    """95 % interval of a proportion whose rows come in clusters, and the effective n it rests on: (low, high, n).

    Several answers to one question are no independent evidence. The variance is CR1 (METHOD.md 1.3): sum over clusters
    of (successes - p size)², over n², times C/(C-1); the effective n is p(1-p) over it, never above n, and the number
    of clusters where every row agrees. Clusters of one row bring the plain Wilson interval. None of nothing.
    """
    pairs = [(k, size) for k, size in zip(successes, sizes, strict=True) if size]
    n = sum(size for _, size in pairs)
    if n == 0:
        return None
    p = sum(k for k, _ in pairs) / n
    clusters = len(pairs)
    effective = float(n)
    if clusters < n:
        effective = float(clusters)
        variance = sum((k - p * size) ** 2 for k, size in pairs) / n**2 * clusters / max(clusters - 1, 1)
        if variance > 0 and clusters > 1:
            effective = min(p * (1 - p) / variance, float(n))
    low, high = wilson(p * effective, effective) or (0.0, 1.0)
    return low, high, effective


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; None of nothing."""
    return fmean(values) if values else None


def median_of(values: Sequence[float]) -> float | None:
    """Median; None of nothing."""
    return median(values) if values else None


def nearest_rank(counts: Mapping[Value, int], share: float) -> Value | None:
    """The value at rank ceil(share·n), of values given as how often each occurs: always an observed one. None of nothing."""
    rank = max(math.ceil(share * sum(counts.values())), 1)
    for value in sorted(counts):
        rank -= counts[value]
        if rank <= 0:
            return value
    return None
