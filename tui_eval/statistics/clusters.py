"""Effective number of clusters of unequal size, which tell less about a mean than as many equal ones, and its variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

__all__ = ["degrees_of_clusters", "effective_clusters", "inside_variance", "jackknife_error", "unequal_widening"]


def effective_clusters(sizes: Sequence[float]) -> float:
    """As how many clusters of equal size these count: (sum of sizes)² / sum of sizes².

    Kish 1965, Survey Sampling, 8.2: the effective number of weighted values. Exactly their number where all sizes are one.
    """
    return sum(sizes) ** 2 / sum(size * size for size in sizes)


def degrees_of_clusters(sizes: Sequence[float]) -> float:
    """Degrees of freedom of Student's t for a mean over two or more clusters: their effective number less one, at least 1.

    C - 1 of C equal clusters (METHOD.md 1.3); that unequal ones count for fewer: Carter, Schnepel and Steigerwald 2017
    (10.1162/REST_a_00639), who measure it by another formula. The least is 1, since below it Student's t has hardly an end.
    """
    tenths = math.floor(10 * (effective_clusters(sizes) - 1))  # so that thousands of groups share the quantiles of few
    return max(tenths / 10, 1.0)


def inside_variance(groups: Sequence[Sequence[float]]) -> float:
    """The variance of values about the mean of their group; 0 where each is a group."""
    free = sum(map(len, groups)) - len(groups)
    if not free:
        return 0.0
    return math.fsum((value - middle) ** 2 for group in groups for middle in [fmean(group)] for value in group) / free


def unequal_widening(off: Sequence[float], inside: float, sizes: Sequence[int], added: float = 0.0) -> float:
    """Return the variance of a mean over two or more clusters as a multiple of CR1's; 1 where their sizes do not differ.

    `off`: by how much the values of each cluster, added up, lie off the mean; `inside`: the variance of values about the mean
    of their own cluster; `added`: what pretended clusters of the usual size add to the sum of off².

    Large clusters pull the mean to themselves, so CR1 sees too little of how far they lie off. The other sum is what analysis
    of variance makes of unequal groups (Searle, Casella and McCulloch 1992, Variance Components, 3.6): B the sum of off²/size
    and K the effective number of C clusters, (B - (C - K)·inside) / (n·(K - 1)). On average it is the variance of the mean
    where clusters are drawn at random and are as much alike inside; of equal clusters it is CR1. The larger of the two counts,
    since CR1 holds where some clusters are less alike than others.
    """
    n, clusters, effective = sum(sizes), len(sizes), effective_clusters(sizes)
    if effective == clusters:
        return 1.0
    robust = (math.fsum(distance * distance for distance in off) + added) * clusters / (clusters - 1) / n
    between = math.fsum(distance * distance / size for distance, size in zip(off, sizes, strict=True)) + added * clusters / n
    random_variance = (between - (clusters - effective) * inside) / (effective - 1)
    return max(random_variance / robust, 1.0) if robust else 1.0


def jackknife_error(sums: Sequence[float], sizes: Sequence[float]) -> float:
    """Standard error of a mean over two or more clusters, of which `sums` are the values added up: the cluster jackknife.

    √((C - 1)/C · the sum of (mean without the cluster - mean)²), the CV3 of MacKinnon, Nielsen and Webb 2023
    (10.1002/jae.2949). Of clusters of equal size it is CR1 (METHOD.md 1.3). A large cluster pulls the mean to itself, so that
    CR1 sees too little of how far it lies off; without it the mean shows that.
    """
    n, many = math.fsum(sizes), len(sums)
    mean = math.fsum(sums) / n
    moved = ((total - mean * size) / (n - size) for total, size in zip(sums, sizes, strict=True))
    return math.sqrt(math.fsum(shift * shift for shift in moved) * (many - 1) / many)
