"""Pearson's correlation, and its interval by Fisher's transformation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul

from tui_eval.statistics.estimates import Z

LEAST_PAIRS = 5
"""From so many pairs on a correlation has an interval."""


def pearson(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return the correlation of n pairs; None of fewer than two, and where either side has one value only.

    ValueError where the lengths differ.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} values do not form pairs")
    if len(set(a)) < 2 or len(set(b)) < 2:
        return None
    off_a, off_b = _off_the_mean(a), _off_the_mean(b)
    spread = math.sqrt(math.fsum(map(mul, off_a, off_a))) * math.sqrt(math.fsum(map(mul, off_b, off_b)))
    return min(max(math.fsum(map(mul, off_a, off_b)) / spread, -1.0), 1.0) if spread else None


def correlation_interval(correlation: float, pairs: int) -> tuple[float, float] | None:
    """Return the 95 % interval of a correlation of so many independent pairs; None of fewer than five.

    A correlation of 1 counts as 1 less 1 / pairs squared, so that no interval is without width.
    """
    if pairs < LEAST_PAIRS:
        return None
    most = 1 - 1 / pairs**2
    middle, half = math.atanh(min(max(correlation, -most), most)), Z / math.sqrt(pairs - 3)
    low, high = math.tanh(middle - half), math.tanh(middle + half)
    return min(low, correlation), max(high, correlation)


def _off_the_mean(values: Sequence[float]) -> list[float]:
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]
