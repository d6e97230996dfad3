"""Formulas of sums worked out another way than the program does: slowly, and in whole fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import fsum, prod


def gaffke(values: Sequence[float], low: float, high: float, level: Fraction = Fraction(95, 100)) -> tuple[float, float]:
    """Gaffke's interval of the mean of independent values on a scale from low to high, to five digits.

    By partial fractions of the law of a weighted sum of exponentials, where the program goes by a race of them; equal values
    are moved apart by a millionth of the scale.
    """
    scale = Fraction(high) - Fraction(low)
    scaled = [(Fraction(value) - Fraction(low)) / scale for value in values]
    share = (1 - level) / 2
    lower, upper = _quantile(scaled, share), 1 - _quantile([1 - value for value in scaled], share)
    return float(low + scale * lower), float(low + scale * upper)


def _quantile(scaled: Sequence[Fraction], share: Fraction) -> Fraction:
    every = [value + Fraction(place, 1_000_000) for place, value in enumerate(sorted([*scaled, Fraction(0)]))]
    low, high = Fraction(0), max(every)
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if _chance(every, middle) < share else (low, middle)
    return (low + high) / 2


def _chance(every: Sequence[Fraction], point: Fraction) -> Fraction:
    """That a mean with weights of Dirichlet(1, ..., 1) is at most this."""
    parts = [value - point for value in every]
    if 0 in parts:
        return _chance(every, point + Fraction(1, 10**9))
    others = [[other for place, other in enumerate(parts) if place != mine] for mine in range(len(parts))]
    behind = [
        prod((part / (part - other) for other in rest), start=Fraction(1))
        for part, rest in zip(parts, others, strict=True)
        if part < 0
    ]
    return sum(behind, Fraction(0))


def sign_flip(differences: Sequence[float]) -> float:
    """Exact two-sided permutation p of a mean difference by pair (METHOD.md 2.3), by every pattern of signs."""
    moved = [abs(d) for d in differences if d]
    reached = abs(fsum(differences)) - 1e-12 * fsum(moved)
    patterns = list(product((1, -1), repeat=len(moved)))
    as_far = sum(abs(fsum(sign * d for sign, d in zip(signs, moved, strict=True))) >= reached for signs in patterns)
    return as_far / len(patterns)
