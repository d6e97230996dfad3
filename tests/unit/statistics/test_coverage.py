"""How often intervals hold the truth they are made for, by simulation with fixed seeds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from random import Random
from statistics import fmean

import pytest

from tui_eval.results.sums.differences import difference_of
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG
from tui_eval.statistics.clusters import degrees_of_clusters, effective_clusters, inside_variance, unequal_widening
from tui_eval.statistics.estimates import clustered_wilson
from tui_eval.statistics.paired import clustered_mean

Sizes = tuple[int, ...]
"""How many answers each cluster has."""
Shape = tuple[Sizes, float, float]
"""Clusters, how alike answers of one cluster are (intraclass correlation), and the share of right ones."""
SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
TWO_LARGE = (5,) * 10 + (50,) * 2
UNEQUAL: list[Sizes] = [
    (5, 5, 50), (5, 50, 50), (5, 5, 5, 50), (5, 50, 50, 50), (5, 5, 50, 50), (5, 8, 13, 21, 34, 50), (5,) * 5 + (50,),
    (5,) * 5 + (50,) * 2, (5,) * 10 + (50,), TWO_LARGE, (5,) * 10 + (50,) * 10, (5,) * 25 + (50,), (5,) * 40 + (50,) * 10,
    (5,) * 48 + (50,) * 2, tuple(range(5, 51, 5)), (1, 1, 1, 30), (2, 2, 40), (1, 2, 5, 10, 20, 40), (1, 2) * 10,
]  # fmt: skip


def cumulated(size: int, alike: float, share: float) -> list[float]:
    """The distribution of right answers in a cluster, added up: binomial, beta-binomial, or all or none."""
    if alike == 1:
        chances = [1 - share, *[0.0] * (size - 1), share]
    elif alike == 0:
        chances = [math.comb(size, k) * share**k * (1 - share) ** (size - k) for k in range(size + 1)]
    else:
        a, b = (part * (1 - alike) / alike for part in (share, 1 - share))
        logs = [beta(k + a, size - k + b) - beta(a, b) + math.log(math.comb(size, k)) for k in range(size + 1)]
        chances = list(map(math.exp, logs))
    return [math.fsum(chances[: k + 1]) for k in range(size + 1)]


def beta(a: float, b: float) -> float:
    """The logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def coverage(shape: Shape, draws: int, random: Random) -> float:
    """Of so many drawn runs the share whose interval holds the truth."""
    sizes, alike, share = shape
    chances = {size: cumulated(size, alike, share) for size in set(sizes)}
    drawn = [random.choices(range(size + 1), cum_weights=chances[size], k=draws) for size in sizes]
    held = 0
    for right, times in Counter(zip(*drawn, strict=True)).items():
        low, high, _ = clustered_wilson(right, sizes) or (1.0, 0.0, 0.0)
        held += times * (low <= share + 1e-12 and share - 1e-12 <= high)
    return held / draws


def in_the_long_run(share_of: Callable[[int], float], least: float, draws: int) -> float:
    """The share of so many draws, but of a fifth of them where 2.5 standard errors lie between it and the least it may be:
    of shapes that hold the truth too seldom one in 160 is let through by that, and each has neighbours that are as bad."""
    first = share_of(draws // 5)
    clear = first - least > 2.5 * math.sqrt(least * (1 - least) / (draws // 5))
    return first if clear else share_of(draws)


def worst(shapes: Sequence[Shape], draws: int, least: float) -> tuple[float, Shape]:
    """The shape whose intervals hold the truth most seldom."""
    random = Random(20261122)
    return min((in_the_long_run(partial(coverage, shape, random=random), least, draws), shape) for shape in shapes)


def worst_on_average(sizes: Sequence[Sizes], alike: float, draws: int) -> tuple[float, Sizes]:
    """The sizes whose intervals hold the truth most seldom, on average over the shares of right ones.

    Clusters that are all right or all wrong count as single answers, of which few hold some shares too seldom and others too
    often: Wilson's interval of four 50 % in .875, 40 % in .974 (Agresti and Coull 1998).
    """
    random = Random(20261126)
    return min((fmean(coverage((one, alike, share), draws, random) for share in SHARES), one) for one in sizes)


def marks(sizes: Sizes, alike: float, random: Random) -> list[float]:
    """Whole marks from 1 to 5 around 3, as much alike inside a cluster, one cluster after the other."""
    inside, across = math.sqrt(1 - alike), math.sqrt(alike)
    middles = [random.gauss(3, across) for _ in sizes]
    drawn = (random.gauss(middle, inside) for middle, size in zip(middles, sizes, strict=True) for _ in range(size))
    return [float(min(max(round(mark), 1), 5)) for mark in drawn]


def names(sizes: Sizes) -> list[int]:
    """The cluster of each row."""
    return [place for place, size in enumerate(sizes) for _ in range(size)]


def mean_coverage(sizes: Sizes, alike: float, draws: int) -> float:
    """The share of drawn runs whose t interval holds the mean of 3."""
    random, clusters = Random(20261123), names(sizes)
    found = [clustered_mean(marks(sizes, alike, random), clusters) for _ in range(draws)]
    return fmean((one.low or 9) <= 3 <= (one.high or 0) for one in found)


def paired_coverage(sizes: Sizes, alike: float, draws: int) -> float:
    """The share of drawn pairs of equally good models, each right where a mark is above its middle, told to be no different."""
    random, clusters = Random(20261124), names(sizes)
    held = 0
    for _ in range(draws):
        differences = [{1.0: -1.0, 5.0: 1.0}.get(mark, 0.0) for mark in marks(sizes, alike, random)]
        found = difference_of(differences, clusters, RIGHT_OR_WRONG, 1.0)
        held += (found.low or -1) <= 0 <= (found.high or 1)
    return held / draws


def repeated_coverage(n: int, repeats: int, alike: float, draws: int) -> tuple[float, float]:
    """Of differences of two models that answer several times: how often 95 % hold the truth, and how wide they are.

    `alike`: the share of further answers that say what the first one says.
    """
    random, gap = Random(20261127), 0.1
    held, width = 0, 0.0

    def mean(share: float) -> float:
        first = float(random.random() < share)
        others = (first if random.random() < alike else float(random.random() < share) for _ in range(repeats - 1))
        return fmean([first, *others])

    for _ in range(draws):
        shares = [random.uniform(gap, 1) for _ in range(n)]
        found = difference_of([mean(share) - mean(share - gap) for share in shares], None, RIGHT_OR_WRONG, 1.0)
        held += (found.low or -1) <= gap <= (found.high or 1)
        width += (found.high or 1) - (found.low or -1)
    return held / draws, width / draws


@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
def test_more_answers_make_intervals_of_pairs_narrower_and_no_less_true(alike: float) -> None:
    """Three answers of each of 30 questions that share nothing: six tenths as wide as one; that say the same: as wide."""
    coverage, width = repeated_coverage(30, 3, alike, 400)
    once = repeated_coverage(30, 1, 0.0, 400)[1]

    assert coverage >= 0.92
    assert width == pytest.approx(once * (1 - 0.42 * (1 - alike)), rel=0.12)


def test_few_clusters_are_not_taken_for_many_answers() -> None:
    """The shapes that were worst before the interval knew Student's t: down to 77 % of 95."""
    equal = [(4, 50, 0.4, 0.9), (5, 50, 0.4, 0.1), (8, 50, 0.6, 0.1), (3, 50, 0.2, 0.9), (10, 10, 0.3, 0.8)]
    share, shape = worst([((size,) * clusters, alike, right) for clusters, size, alike, right in equal], 500, 0.92)
    assert share >= 0.92, shape


def test_a_large_cluster_is_not_taken_for_many() -> None:
    """Shapes that were among the worst while unequal clusters counted as equal ones: 67 to 88 % of 95; of marks 69 to 80 %."""
    shapes = [(TWO_LARGE, 0.6, 0.5), ((5, 5, 5, 50), 0.6, 0.1), ((5,) * 5 + (50,), 0.6, 0.8), ((1, 1, 1, 30), 0.3, 0.9)]
    share, shape = worst(shapes, 300, 0.93)
    assert share >= 0.93, shape
    share, one = worst_on_average([TWO_LARGE, (1, 1, 1, 30), (5,) * 3], 1.0, 200)
    assert share >= 0.93, one
    assert min(mean_coverage(sizes, 0.6, 150) for sizes in [(5, 5, 5, 50), TWO_LARGE]) >= 0.93


@pytest.mark.parametrize("sizes", [(5,) * 6, (1,) * 9, (50,) * 20])
def test_clusters_of_one_size_count_as_they_are(sizes: Sizes) -> None:
    """Their degrees of freedom are one less than their number, and the variance is CR1."""
    assert (effective_clusters(sizes), degrees_of_clusters(sizes)) == (len(sizes), len(sizes) - 1)
    assert unequal_widening([float(place) for place, _ in enumerate(sizes)], 0.2, sizes) == 1


def test_unequal_clusters_have_the_variance_of_an_analysis_of_variance() -> None:
    """By hand, of 0 and 4, 2, and 9: K is 8/3, B 36.75, and CR1 4.02 where the groups make 5.11 of it."""
    groups = [[-3.75, 0.25], [-1.75], [5.25]]
    robust = (3.5**2 + 1.75**2 + 5.25**2) * 3 / 2 / 4**2
    drawn = (36.75 - (3 - 8 / 3) * 8) / (4 * (8 / 3 - 1))

    assert inside_variance(groups) == 8
    assert unequal_widening([-3.5, -1.75, 5.25], 8, [2, 1, 1]) == pytest.approx(drawn / robust)


@pytest.mark.soak
def test_intervals_of_clusters_hold_the_truth_as_often_as_they_say() -> None:
    """3 to 50 clusters of 5 to 50 answers, from independent to much alike: 93 % at least of 2,000 draws each."""
    sizes = [(size,) * clusters for clusters in (3, 4, 5, 8, 12, 20, 50) for size in (5, 10, 50)]
    share, shape = worst(list(product(sizes, (0.0, 0.05, 0.2, 0.4, 0.6), (0.1, 0.2, 0.5))), 2_000, 0.93)
    assert share >= 0.93, shape


@pytest.mark.soak
def test_intervals_of_unequal_clusters_hold_the_truth_as_often_as_they_say() -> None:
    """The same of clusters that differ in size, 93 % of 8,000 draws each, also of fewer than 5 answers."""
    share, shape = worst(list(product(UNEQUAL, (0.0, 0.1, 0.3, 0.6), (0.1, 0.2, 0.5))), 8_000, 0.93)
    assert share >= 0.93, shape


@pytest.mark.soak
@pytest.mark.parametrize("alike", [0.8, 1.0])
def test_clusters_all_right_or_all_wrong_are_as_sure_as_single_answers(alike: float) -> None:
    """93 % at least on average over the shares, of clusters that are nearly or wholly alike, equal or not."""
    share, sizes = worst_on_average([(5,) * clusters for clusters in (3, 4, 5, 8, 12, 20)] + UNEQUAL, alike, 500)
    assert share >= 0.93, sizes


@pytest.mark.soak
@pytest.mark.parametrize("sizes", UNEQUAL, ids=lambda sizes: f"{len(sizes)} of {min(sizes)} to {max(sizes)}")
def test_means_of_unequal_clusters_lie_within_their_intervals(sizes: Sizes) -> None:
    """Marks, and differences of two models that are equally often right: 93 % of 800 draws, 90 of clusters below 5."""
    least = 0.93 if min(sizes) >= 5 else 0.9
    for alike in (0.1, 0.3, 0.6):
        assert in_the_long_run(partial(mean_coverage, sizes, alike), least, 800) >= least, alike
        assert in_the_long_run(partial(paired_coverage, sizes, alike), least, 800) >= least, alike


def test_right_and_wrong_are_one() -> None:
    """Intervals of the share of wrong answers are those of right ones, seen from the other end: 10 % right, 10 % wrong."""
    random = Random(9)
    for sizes in UNEQUAL:
        right = [random.randint(0, size) for size in sizes]
        low, high, n = clustered_wilson(right, sizes) or (0.0, 0.0, 0.0)
        wrong = clustered_wilson([size - one for one, size in zip(right, sizes, strict=True)], sizes)
        assert wrong == pytest.approx((1 - high, 1 - low, n))
