"""Means that say their n, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, median

__all__ = ["mean", "median_of", "nearest_rank", "wilson"]


def wilson(successes: int, n: int, level: float = 0.95) -> tuple[float, float] | None:
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
    low = 0.0 if successes == 0 else max(centre - half, 0.0)
    high = 1.0 if successes == n else min(centre + half, 1.0)
    return low, high


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; None of nothing."""
    return fmean(values) if values else None


def median_of(values: Sequence[float]) -> float | None:
    """Median; None of nothing."""
    return median(values) if values else None


def nearest_rank(ordered: Sequence[float], share: float) -> float | None:
    """The value at rank ceil(share·n) of values in ascending order: always an observed one. None of nothing."""
    if not ordered:
        return None
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]
