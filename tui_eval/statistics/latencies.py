"""Latencies: percentiles that were observed, how sure they are, and what calls that timed out do to them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from tui_eval.statistics.estimates import binomial_tail, least_number, nearest_rank, student_t

SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
NOMINAL = 1e-12
"""A probability nearer than this to a tail of the interval is that tail, reckoned another way."""


@dataclass(frozen=True, slots=True)
class Percentile:
    """One percentile, by nearest rank: a value that was observed."""

    share: float
    value: float | None
    """None of nothing."""
    low: float | None
    high: float | None
    """95 % interval by order statistics; None where there are too few values for that end, and where both would be one."""
    enough: bool
    """Whether the greatest value bounds the percentile at all, with 95 %: if not, it is to be shown greyed."""
    censored: bool = False
    """Whether it is the limit at which calls were given up: the truth is that or more."""


@dataclass(frozen=True, slots=True)
class Latencies:
    """Summary of n latencies, in the unit given."""

    n: int
    timed_out: int
    """How many of the n were given up at their limit."""
    mean: float | None
    """With calls that timed out a lower bound."""
    low: float | None
    high: float | None
    """t interval of the mean; None for n < 2, and where all are the same: time has no scale by which a constant could vary."""
    greatest: float | None
    percentiles: dict[str, Percentile]
    """By p50, p90, p99."""


def latencies(answered: Sequence[float], timed_out: Sequence[float] = ()) -> Latencies:
    """Of calls that were answered; with `timed_out`, the limits of those that were not, of all calls (METHOD.md 8).

    A call that timed out counts at its limit and never less, so that slow models do not look quick by failing: percentiles
    at or beyond the least such limit are marked censored.
    """
    every = sorted([*answered, *timed_out])
    n = len(every)
    mean = fmean(every) if every else None
    low = high = None
    if mean is not None and n > 1:
        half = student_t(0.975, n - 1) * math.sqrt(variance(every, mean) / n)
        low, high = (mean - half, mean + half) if every[0] < every[-1] else (None, None)
    limit = min(timed_out, default=math.inf)
    counts = Counter(every)
    percentiles = {}
    for name, share in SHARES.items():
        value = nearest_rank(counts, share)
        bounds = percentile_bounds(every, share)
        percentiles[name] = Percentile(share, value, *bounds, n >= least_n(share), value is not None and value >= limit)
    return Latencies(n, len(timed_out), mean, low, high, every[-1] if every else None, percentiles)


def least_n(share: float) -> int:
    """So many values are needed for the greatest to be above the percentile with 95 %: ⌈ln .05 / ln share⌉.

    ValueError unless 0 < share < 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"percentile {share}")
    return math.ceil(math.log(0.05) / math.log(share))


def percentile_bounds(values: Sequence[float], share: float, level: float = 0.95) -> tuple[float | None, float | None]:
    """An interval of a percentile by order statistics: the k-th least and the l-th, counted from 1; None for an end beyond.

    None for both where they are one and the same value: nothing then shows how far it varies.

    k = the least with P[X <= k] >= (1 - level)/2, l = 1 + the least with P[X > l - 1] <= (1 - level)/2, X binomial of n and
    the share: distribution-free (Conover 1999). ValueError unless 0 < share < 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"percentile {share}")
    ordered, tail = sorted(values), (1 - level) / 2
    n = len(ordered)
    if not n:
        return None, None
    near = round(n * share)
    k = least_number(lambda x: 1 - binomial_tail(x + 1, n, share) >= tail - NOMINAL, -1, n, near)
    above = least_number(lambda x: binomial_tail(x + 1, n, share) <= tail + NOMINAL, -1, n, near)
    low, high = ordered[k - 1] if k > 0 else None, ordered[above] if above < n else None
    return (None, None) if low == high else (low, high)
