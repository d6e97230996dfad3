"""Interval of a mean of scores on a bounded scale: Gaffke's bound, which no agreement among few values narrows to a point."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from operator import mul
from statistics import NormalDist

__all__ = ["bounded_mean", "chance_by_saddlepoint", "size_at_the_end"]

EXACT = 64
"""Units up to which the distribution is worked out exactly; above, by a saddlepoint."""
GRID = 2**-23
"""Ends lie on a grid this fine of the scale, each on the outer side of the exact one: so raising a value lowers neither."""
CLOSE = 1e-6
"""Standard deviations within which a quantile is found before its cell of the grid is."""
STEPS = 60
CONVERGED = 1e-8
SAME_POINT = 1e-4
"""Saddlepoints nearer to the mean, where the formula is 0/0, are left to its limit."""
_NORMAL = NormalDist()
_LEAST, _MOST = 1e-300, 1 - 1e-16


def bounded_mean(
    values: Sequence[float], low: float, high: float, sizes: Sequence[float] = (), level: float = 0.95
) -> tuple[float, float]:
    """Interval of the mean over independent units whose values lie between low and high: (low end, high end).

    The lower end is the (1 - level)/2 quantile of the sum of w·value, w drawn from Dirichlet(1, ..., 1) over the units and
    one more at the scale's low end; the upper end likewise from the high end (Gaffke 2005, Three test statistics for a
    nonparametric one-sided hypothesis on the mean of a nonnegative variable; Learned-Miller and Thomas 2020, arXiv
    1905.06208). Of values at the two ends alone it is Clopper and Pearson's interval. Raising a value lowers neither end, the
    order of the units changes nothing, and the width is never 0.

    `sizes`: how many items each unit brings to the mean, where they differ; a unit then counts as often, and the one at the
    end as `size_at_the_end` says. ValueError of no value, of one off the scale, and where the lengths differ.
    """
    if not values or (sizes and len(sizes) != len(values)):
        raise ValueError(f"{len(values)} values of {len(sizes)} sizes")
    if min(values) < low or max(values) > high or not low < high:
        raise ValueError(f"values from {min(values)} to {max(values)} on a scale from {low} to {high}")
    weights = list(sizes) or [1.0] * len(values)
    scaled = [(value - low) / (high - low) for value in values]
    lower = _lower(scaled, weights, (1 - level) / 2)
    upper = 1 - _lower([1 - value for value in scaled], weights, (1 - level) / 2)
    middle = math.fsum(map(math.prod, zip(scaled, weights, strict=True))) / math.fsum(weights)
    return low + (high - low) * min(lower, middle), low + (high - low) * max(upper, middle)


def size_at_the_end(sizes: Sequence[float]) -> float:
    """Return the items that the unit at the scale's end counts for: of C units that count as K equal ones n / (C·K³)^¼.

    It lies between the mean size n/C and n/K, K Kish's (sum of sizes)² / sum of sizes², and is the one size of equal units.
    By simulation (benchmarks/truth.py): with the mean size 73 to 87 % of intervals hold the mean of 505 units whose sizes go
    by Zipf's law, with this one 93 % or more; with n/K more than are asked for, and they are a quarter wider.
    """
    squares = math.fsum(size * size for size in sizes)
    total = math.fsum(sizes)
    return total / math.sqrt(math.sqrt(len(sizes) * (total * total / squares) ** 3))


def _lower(scaled: Sequence[float], weights: Sequence[float], share: float) -> float:
    """The quantile, of values of 0 to 1 and one more unit at 0: the last point of the grid at which the chance is no more."""
    units = sorted(Counter(zip([*scaled, 0.0], [*weights, size_at_the_end(weights)], strict=True)).items())
    pairs, times = [pair for pair, _ in units], [often for _, often in units]
    quantile, saddle = float(_NORMAL.inv_cdf(share)), 0.0

    def above(point: float) -> float:
        nonlocal saddle
        parts = [size * (value - point) for value, size in pairs]
        if len(scaled) > EXACT:
            chance, saddle = _saddlepoint(parts, times, saddle)
        else:
            chance = _chance_exactly(parts, times)
        return float(_NORMAL.inv_cdf(min(max(chance, _LEAST), _MOST))) - quantile

    top = max(scaled)
    cell = math.floor(_root(above, _guess(units, -quantile), top) / GRID)
    while cell > 0 and above(cell * GRID) > 0:
        cell -= 1
    while (cell + 1) * GRID < top and above((cell + 1) * GRID) <= 0:
        cell += 1
    return max(cell, 0) * GRID


def _guess(units: Sequence[tuple[tuple[float, float], int]], errors: float) -> tuple[float, float]:
    """So many standard deviations of the weighted mean below it, and a standard deviation."""
    total = math.fsum(size * times for (_, size), times in units)
    mean = math.fsum(value * size * times for (value, size), times in units) / total
    spread = math.sqrt(math.fsum((size * (value - mean)) ** 2 * times for (value, size), times in units)) / total
    return mean - errors * spread, spread


def _root(above: Callable[[float], float], start: tuple[float, float], right: float) -> float:
    """Find where a growing function, nearly of slope 1 / spread, crosses 0 between 0 and a point: secants in a bracket."""
    (point, spread), lower = start, 0.0
    before = at_before = math.nan
    for _ in range(STEPS):
        if right - lower < GRID / 8:
            break
        if not lower < point < right:
            point = (lower + right) / 2
        height = above(point)
        if abs(height) < CLOSE:
            return point
        lower, right = (lower, point) if height > 0 else (point, right)
        slope = (height - at_before) / (point - before) if before < point or before > point else 1 / spread if spread else 0.0
        before, at_before, point = point, height, point - height / slope if slope > 0 else lower
    return (lower + right) / 2


def _chance_exactly(parts: Sequence[float], times: Sequence[int]) -> float:
    """P[sum of part·E <= 0] over parts that occur so often, each time with another E, exponential of mean 1.

    The parts above 0 are the stages of one process, those below 0 of another; the sum is not above 0 where the first process
    is through before the second, and of two stages at work the one of mean a ends before the one of mean b with b/(a + b).
    """
    ahead = [part for part, often in zip(parts, times, strict=True) for _ in range(often) if part > 0]
    behind = [-part for part, often in zip(parts, times, strict=True) for _ in range(often) if part < 0]
    if not ahead or not behind:
        return float(not ahead)
    row = [1.0] * len(behind)
    for a in ahead:
        after, before, row = 0.0, row, []
        for b, chance in zip(behind, before, strict=True):
            after = (b * chance + a * after) / (a + b)
            row.append(after)
    return row[-1]


def chance_by_saddlepoint(parts: Sequence[float], times: Sequence[float]) -> float:
    """P[sum of part·E <= 0] over parts that occur so often, which need not be whole, each time with another exponential E.

    Lugannani and Rice 1980. It moves an end of an interval by less than 0.5 % of the width, of three equal units or more, and
    by up to 2 % where a few of a hundred have 200 times the size of the others.
    """
    return _saddlepoint(parts, times, 0.0)[0]


def _saddlepoint(parts: Sequence[float], times: Sequence[float], start: float) -> tuple[float, float]:
    """The same, and the saddlepoint; looked for from one nearby."""
    bottom, top = min(parts), max(parts)
    if top <= 0 or bottom >= 0:
        return float(top <= 0), 0.0
    first, last = 1 / bottom, 1 / top
    s = start if first < start < last else 0.0
    for _ in range(STEPS):
        slopes = [part / (1 - part * s) for part in parts]
        slope, bend = math.fsum(map(mul, slopes, times)), math.fsum(map(mul, map(mul, slopes, slopes), times))
        if abs(slope) <= CONVERGED * math.sqrt(bend):
            break
        first, last = (first, s) if slope > 0 else (s, last)
        after = s - slope / bend
        s = after if first < after < last else (first + last) / 2
    slopes = [part / (1 - part * s) for part in parts]
    bend = math.fsum(map(mul, map(mul, slopes, slopes), times))
    height = 2 * math.fsum(math.log1p(-part * s) * often for part, often in zip(parts, times, strict=True))
    w, u = math.copysign(math.sqrt(max(height, 0.0)), s), s * math.sqrt(bend)
    if abs(w) < SAME_POINT:
        skew = math.fsum(value**3 * often for value, often in zip(slopes, times, strict=True)) * 2 / (bend * math.sqrt(bend))
        return 0.5 + skew / 6 / math.sqrt(2 * math.pi), s
    chance = float(_NORMAL.cdf(w)) + math.exp(-w * w / 2) / math.sqrt(2 * math.pi) * (1 / w - 1 / u)
    return min(max(chance, 0.0), 1.0), s
