"""Spearman's rank correlation, with ties; also with a third value partialled out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from operator import mul


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Pearson's correlation of the ranks of n pairs, equal values sharing the mean of their ranks.

    Reckoned in whole numbers, so that the order of the pairs changes nothing. None of fewer than two pairs, and where either
    side has one value only: then nothing can follow. ValueError where the lengths differ.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} values do not form pairs")
    off_a, off_b = _off_the_middle(a), _off_the_middle(b)
    spread = sum(map(mul, off_a, off_a)) * sum(map(mul, off_b, off_b))
    return sum(map(mul, off_a, off_b)) / math.sqrt(spread) if spread else None


def partial_spearman(a: Sequence[float], b: Sequence[float], beside: Sequence[float]) -> float | None:
    """Rank correlation of a and b with the ranks of a third value partialled out of both.

    (r_ab - r_ac·r_bc) / √((1 - r_ac²)(1 - r_bc²)). None where any of the three is not defined, or where the third value ranks
    a or b entirely. ValueError where the lengths differ.
    """
    ab, ac, bc = spearman(a, b), spearman(a, beside), spearman(b, beside)
    if ab is None or ac is None or bc is None:
        return None
    rest = (1 - ac * ac) * (1 - bc * bc)
    return min(max((ab - ac * bc) / math.sqrt(rest), -1.0), 1.0) if rest > 1e-12 else None


def _off_the_middle(values: Sequence[float]) -> list[int]:
    """Twice the rank of each value less twice the mean of all ranks; equal values share the mean of their ranks."""
    counts = Counter(values)
    place, twice = -len(values), {}
    for value in sorted(counts):
        twice[value] = place + counts[value]
        place += 2 * counts[value]
    return [twice[value] for value in values]
