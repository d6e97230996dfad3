"""Rules that the product does not use, with numpy: what its own are compared with."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from truth_designs import Floats

from tui_eval.statistics.clusters import degrees_of_clusters, effective_clusters
from tui_eval.statistics.estimates import student_t
from tui_eval.statistics.score_differences import FLOOR

Z = 1.959963984540054
Ends = tuple[Floats, Floats]
ALL_SUBSETS = 12
"""Units up to which every pattern of signs is gone through."""
SUBSETS = 2_000
AT_ONCE = 2_000_000
"""Numbers that are sorted at a time."""


def weighted(values: Floats, sizes: Floats) -> tuple[Floats, Floats, float]:
    """The mean of each row, its standard error by the jackknife, and the t beyond which 2.5 % lie."""
    total, many = sizes.sum(), len(sizes)
    mean = values @ sizes / total
    moved = (values - mean[:, None]) * sizes / (total - sizes)
    return mean, np.sqrt((moved**2).sum(1) * (many - 1) / many), student_t(0.975, degrees_of_clusters(list(sizes)))


def wilson(mean: Floats, n: Floats | float) -> Ends:
    """Wilson's interval of a share of n."""
    scale = 1 + Z * Z / n
    centre = (mean + Z * Z / (2 * n)) / scale
    half = Z * np.sqrt(np.maximum(mean * (1 - mean), 0) / n + Z * Z / (4 * n * n)) / scale
    return np.maximum(centre - half, 0), np.minimum(centre + half, 1)


def t_with_floor(values: Floats, sizes: Floats) -> Ends:
    """Of a mean on a scale of 0 to 1: the wider of t and of Wilson with the n that a variance with a floor is worth.

    The floor is a hundredth of a unit at either end (probes/numbers/t5fix2.py).
    """
    mean, error, t = weighted(values, sizes)
    many = len(sizes)
    middle = (many * mean + FLOOR) / (many + 2 * FLOOR)
    variance = error**2 + FLOOR * (middle**2 + (1 - middle) ** 2) / (many * (many - 1))
    low, high = wilson(mean, middle * (1 - middle) / variance * (Z / t) ** 2)
    return np.maximum(np.minimum(low, mean - t * error), 0), np.minimum(np.maximum(high, mean + t * error), 1)


def t_up_to_wilson(values: Floats, sizes: Floats) -> Ends:
    """The same, but never wider than Wilson with n = the units (Kish's number of them)."""
    low, high = t_with_floor(values, sizes)
    least, most = wilson(values @ sizes / sizes.sum(), effective_clusters(list(sizes)))
    return np.maximum(low, least), np.minimum(high, most)


def exact_flips(sums: Floats, sizes: Floats) -> Ends:
    """The differences that exact sign flips of units do not reject at 5 %.

    Flipped about d, the sum is as far off where the mean of the units flipped lies beyond d: so the ends are the quantiles at
    2.5 % of the means of all subsets of the units (Hartigan 1969). Above 12 units of 2,000 subsets drawn.
    """
    chosen = subsets(sums.shape[1])
    found = [ends_of(part, chosen, sizes) for part in np.array_split(sums, max(sums.shape[0] * len(chosen) // AT_ONCE, 1))]
    return np.concatenate([low for low, _ in found]), np.concatenate([high for _, high in found])


def ends_of(sums: Floats, chosen: Floats, sizes: Floats) -> Ends:
    """The quantiles of the subsets' means, the whole of no unit counted as one that lies beyond either end."""
    means = np.sort(sums @ chosen.T / (chosen @ sizes), axis=1)
    place = int(np.floor(0.025 * (len(chosen) + 1)))
    if place < 1:
        return np.full(len(sums), -np.inf), np.full(len(sums), np.inf)
    return means[:, place - 1], means[:, -place]


@lru_cache(maxsize=16)
def subsets(units: int) -> Floats:
    """Subsets of the units, each a row of 0 and 1, none empty."""
    if units <= ALL_SUBSETS:
        every = np.arange(1, 2**units)[:, None] >> np.arange(units) & 1
        return every.astype(np.float64)
    drawn = np.random.default_rng(units).integers(0, 2, (SUBSETS, units)).astype(np.float64)
    return drawn[drawn.any(axis=1)]
