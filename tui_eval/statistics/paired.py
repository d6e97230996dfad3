"""Two models on the same questions, and many of them: paired tests with p-values, Holm, ranks, and what a run can see."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import shake_128
from operator import getitem
from statistics import NormalDist, fmean

from tui_eval.statistics.clusters import degrees_of_clusters, inside_variance, unequal_widening
from tui_eval.statistics.estimates import binomial_tail, student_t

# Bit-parallel sign flips: of each whole number one long integer that has a bit for every drawn pattern of signs.
BLOCK = 8
"""Numbers whose signs one random byte decides."""
LARGEST = 10**9
"""Whole numbers whose sum is above this are left to those who add them up one pattern at a time."""
_DRAWN_AT_ONCE = 64
_FINEST = 60
"""The finest grid is that of sixtieths: means of up to six replies, and more."""
_BITS = [bytes(ord("0") + (byte >> bit & 1) for byte in range(256)) for bit in range(BLOCK)]


def drawn_bytes(size: int, draws: int) -> Iterator[bytes]:
    """So many times `size` bytes, always the same ones."""
    for first in range(0, draws, _DRAWN_AT_ONCE):
        stream = shake_128(b"signs of differences %d" % first).digest(size * _DRAWN_AT_ONCE)
        for i in range(min(_DRAWN_AT_ONCE, draws - first)):
            yield stream[i * size : (i + 1) * size]


def whole_numbers(values: Sequence[float], allowed: float) -> tuple[list[int], int] | None:
    """Values as multiples of 1/q, and q; None where they lie further than `allowed`, in all, from every grid looked at."""
    for q in range(1, _FINEST + 1):
        if all(abs(value * q - round(value * q)) <= allowed * q for value in values):
            found = [round(value * q) for value in values]
            off = sum(abs(value - whole / q) for value, whole in zip(values, found, strict=True))
            return (found, q) if off <= allowed and sum(found) <= LARGEST else None
    return None


def patterns_as_far(numbers: Sequence[int], reached: int, draws: int) -> int:
    """How many of the drawn patterns of signs bring a sum at least `reached` (above 0) away from 0."""
    columns: list[list[int]] = []
    planes = _planes(-(-len(numbers) // BLOCK), draws)
    for place, number in enumerate(numbers):
        inside = min(BLOCK, len(numbers) - place // BLOCK * BLOCK)
        plane = planes[place // BLOCK][inside - 1 - place % BLOCK]
        for level in range(number.bit_length()):
            if number >> level & 1:
                columns += [[] for _ in range(level + 1 - len(columns))]
                columns[level].append(plane)
    negative, total = _added(columns), sum(numbers)  # the sum of a pattern is the total less twice what is negative in it
    every = (1 << draws) - 1
    low, high = (total - reached) // 2, -(-(total + reached) // 2)
    return (every & ~_at_least(negative, low + 1, every)).bit_count() + _at_least(negative, high, every).bit_count()


@lru_cache(maxsize=256)
def _planes(size: int, draws: int) -> tuple[tuple[int, ...], ...]:
    """By byte of a pattern and bit of that byte, a bit for each pattern."""
    drawn = b"".join(drawn_bytes(size, draws))
    return tuple(tuple(int(drawn[byte::size].translate(bit), 2) for bit in _BITS) for byte in range(size))


def _added(columns: list[list[int]]) -> list[int]:
    """The sum of the planes of each pattern, as its binary digits, the lowest first; a plane of `columns[i]` counts 2**i."""
    digits = []
    while columns:
        column, carried = columns.pop(0), []
        while len(column) > 1:
            a, b, c = column.pop(), column.pop(), column.pop() if column else 0
            column.append(a ^ b ^ c)
            carried.append(a & b | (a ^ b) & c)
        digits.append(column[0] if column else 0)
        if carried:
            columns[:1] = [(columns[0] if columns else []) + carried]
    return digits


def _at_least(digits: Sequence[int], least: int, every: int) -> int:
    """A bit for each pattern whose number, of these binary digits, is `least` or more."""
    if least >> len(digits):
        return 0
    more, equal = 0, every
    for place in reversed(range(len(digits))):
        if least >> place & 1:
            equal &= digits[place]
        else:
            more |= equal & digits[place]
            equal &= ~digits[place]
    return more | equal


__all__ = [
    "MAX_SIGNS",
    "ClusteredMean",
    "clustered_mean",
    "holm",
    "mcnemar_exact",
    "questions_needed",
    "rank_ranges",
    "sign_flip",
    "sign_flip_drawn",
    "smallest_difference",
    "smallest_mean_difference",
    "tango",
    "unpaired",
]

MAX_SIGNS = 16
"""Non-zero differences up to which `sign_flip` goes through every pattern."""
TANGO_PRECISION = 1e-9
SIGN_DRAWS = 10_000
"""Patterns of signs that `sign_flip_drawn` looks at."""
SAME = 1e-12
"""Sums nearer than this share of what was summed are the same sum, added up in another order."""


def mcnemar_exact(b: int, c: int) -> float:
    """Exact two-sided McNemar p of two models' accuracies; n = the b + c questions that exactly one of them has right.

    min(1, 2·P[Bin(b + c, ½) <= min(b, c)]) with b = A right and B wrong, c the reverse (METHOD.md 2.2); 1 where b = c = 0.
    ValueError for negative counts.
    """
    if b < 0 or c < 0:
        raise ValueError(f"{b} and {c} disagreements")
    return 1.0 if b == c else min(1.0, 2 * binomial_tail(max(b, c), b + c, 0.5))


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


def _tango_high(b: float, c: float, n: float, z: float) -> float:
    """The upper end. Below it b - c - n·d + z·√(n·(2q + d(1 - d))) is positive, above it negative: bisection."""
    low, high = (b - c) / n, 1.0
    while high - low > TANGO_PRECISION:
        d = (low + high) / 2
        middle = (2 * n - b + c) * d - b - c
        q = (math.sqrt(middle * middle + 8 * n * c * d * (1 - d)) - middle) / (4 * n)
        if b - c - n * d + z * math.sqrt(max(n * (2 * q + d * (1 - d)), 0.0)) > 0:
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


def rank_ranges(intervals: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """The best and the worst rank of each of k models that their intervals (low, high) leave open, in the order given.

    best = 1 + how many begin above its end, worst = k - how many end below its begin (METHOD.md 2.5, after FastChat).
    """
    lows, highs = sorted(low for low, _ in intervals), sorted(high for _, high in intervals)
    k = len(intervals)
    return [(1 + k - bisect_right(lows, high), k - bisect_left(highs, low)) for low, high in intervals]


def smallest_difference(n: int, disagreement: float, power: float = 0.8, level: float = 0.95) -> float | None:
    """The smallest difference of two accuracies that a paired comparison over n questions finds with this power.

    `disagreement` is the share π of questions that exactly one of the two has right. Connor 1987 (METHOD.md 2.6) solved
    for the difference: √π·(z_a·√n + z_b·√(n + z_b² - z_a²)) / (n + z_b²), z_a of the level, z_b of the power. Connor's is
    a normal approximation: McNemar's exact test needs slightly more. None where not even a difference of π itself, all
    disagreement on one side, is found. ValueError for n < 0 or a share outside 0..1.
    """
    if n < 0 or not 0 <= disagreement <= 1:
        raise ValueError(f"disagreement {disagreement} on {n} questions")
    z_level, z_power = _quantiles(power, level)
    under_root = n + z_power**2 - z_level**2
    if under_root < 0 or disagreement == 0:
        return None
    found = math.sqrt(disagreement) * (z_level * math.sqrt(n) + z_power * math.sqrt(under_root)) / (n + z_power**2)
    return found if found <= disagreement else None


def smallest_mean_difference(n: float, variance: float, power: float = 0.8, level: float = 0.95) -> float:
    """The smallest difference of two models' mean scores that n questions detect: (z_α/2 + z_β)·√(variance / n).

    `variance` is that of the difference by question: the spread between questions plus each model's spread within a
    question over its number of replies (Miller 2024, METHOD.md 2.6). n > 0.
    """
    return sum(_quantiles(power, level)) * math.sqrt(variance / n)


def questions_needed(p10: float, p01: float, power: float = 0.8, level: float = 0.95) -> float:
    """How many questions a paired comparison needs to find the difference p10 - p01; round it up to ask them.

    p10 = share that A has right and B wrong, p01 the reverse. (z_a·√π + z_b·√(π - δ²))² / δ² with π = p10 + p01, δ = p10 -
    p01 (Connor 1987, METHOD.md 2.6); infinite for δ = 0. ValueError unless both are shares, and their sum is.
    """
    if min(p10, p01) < 0 or p10 + p01 > 1:
        raise ValueError(f"shares {p10} and {p01}")
    difference, disagreement = p10 - p01, p10 + p01
    if difference == 0:
        return math.inf
    z_level, z_power = _quantiles(power, level)
    root = z_level * math.sqrt(disagreement) + z_power * math.sqrt(disagreement - difference**2)
    return (root / difference) ** 2


def _quantiles(power: float, level: float) -> tuple[float, float]:
    return NormalDist().inv_cdf(0.5 + level / 2), NormalDist().inv_cdf(power)


def sign_flip(differences: Sequence[float]) -> float:
    """Exact two-sided permutation p of a mean difference by pair; n = the non-zero differences, zeros change nothing.

    The share of all 2**n patterns of signs whose mean is at least as far from 0 as the one seen (METHOD.md 2.3); 1 where
    every difference is 0. ValueError above 16 non-zero ones.
    """
    moved = sorted(abs(d) for d in differences if d)
    if len(moved) > MAX_SIGNS:
        raise ValueError(f"{len(moved)} non-zero differences: every pattern of signs is tried for at most {MAX_SIGNS}")
    seen = abs(math.fsum(differences))
    reached = seen - SAME * math.fsum(moved)
    if reached <= 0:
        return 1.0
    # A pattern is one of each half: for every sum of the one, count the sums of the other that bring it there.
    one, other = _signed_sums(moved[::2]), sorted(_signed_sums(moved[1::2]))
    above = sum(len(other) - bisect_left(other, reached - total) for total in one)
    return 2 * above / (len(one) * len(other))


def _signed_sums(values: Sequence[float]) -> list[float]:
    """The sum of the values under every pattern of signs."""
    sums = [0.0]
    for value in values:
        sums = [total + sign for total in sums for sign in (value, -value)]
    return sums


def sign_flip_drawn(differences: Sequence[float], draws: int = SIGN_DRAWS) -> float:
    """Permutation p of a mean difference by drawn patterns of signs, for more than `sign_flip` can go through.

    (1 + patterns whose mean is at least as far from 0 as the one seen) / (1 + draws) (METHOD.md 2.3). The patterns are a
    fixed stream of SHAKE-128, so the same differences bring the same p, in whatever order, whichever model comes first.
    """
    moved = sorted(abs(d) for d in differences if d)
    reached = abs(math.fsum(differences)) - SAME * math.fsum(moved)
    if reached <= 0:
        return 1.0
    if whole := whole_numbers(moved, SAME / 4 * math.fsum(moved)):  # so near that no comparison of sums ends otherwise
        numbers, q = whole
        return (1 + patterns_as_far(numbers, abs(round(math.fsum(differences) * q)), draws)) / (1 + draws)
    return (1 + _patterns_as_far(moved, reached, draws)) / (1 + draws)


def _patterns_as_far(moved: Sequence[float], reached: float, draws: int) -> int:
    """How many of the drawn patterns bring a sum as far from 0, one pattern after the other."""
    tables = [_signed_sums(moved[i : i + BLOCK]) for i in range(0, len(moved), BLOCK)]
    tables[-1] *= 2**BLOCK // len(tables[-1])  # a byte chooses among the fewer patterns of a short last block as well
    return sum(abs(sum(map(getitem, tables, chosen))) >= reached for chosen in drawn_bytes(len(tables), draws))


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """A mean of n values that come in clusters, its 95 % interval, and what that rests on."""

    n: int
    clusters: int
    mean: float
    se: float | None
    """CR1; None for fewer than two clusters, as what follows is."""
    error: float | None
    """What the interval rests on: CR1, or more where clusters are of unequal size."""
    degrees: float | None
    """Degrees of freedom of Student's t."""
    low: float | None
    high: float | None


def clustered_mean(values: Sequence[float], clusters: Sequence[Hashable]) -> ClusteredMean:
    """Mean and t interval of values that share a document or a conversation.

    CR1: the sum over clusters of (the sum of value - mean)², its root over n, times √(C / (C - 1)) (METHOD.md 1.3); for
    clusters of one value the plain standard error. Of clusters of unequal size the interval is wider: `unequal_widening` and
    `degrees_of_clusters`, which are C - 1 of equal ones. ValueError for no value, and where the lengths differ.
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
    degrees = degrees_of_clusters(sizes)
    half = student_t(0.975, degrees) * error
    return ClusteredMean(n, many, centre, se, error, degrees, centre - half, centre + half)


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
