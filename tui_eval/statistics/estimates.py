"""Means that say their n, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import count, islice
from statistics import NormalDist, fmean, median
from typing import TypeVar

from tui_eval.statistics.clusters import degrees_of_clusters, effective_clusters, unequal_widening

Value = TypeVar("Value", int, float)

__all__ = [
    "Repeats",
    "binomial_tail",
    "chi_square_tail",
    "clustered_wilson",
    "least_number",
    "mean",
    "median_of",
    "nearest_rank",
    "pass_at_k",
    "pass_hat_k",
    "repeats",
    "resamples",
    "shuffled",
    "student_t",
    "student_t_tail",
    "wilson",
]

Z = NormalDist().inv_cdf(0.975)
"""The standard errors on either side of an interval of 95 %, where they are known."""
ROUNDING = 1e-12
"""The part of a figure below which a spread about it is the error of adding up."""
CONVERGED = 1e-14
"""A continued fraction has converged when one more step changes it by less than this share."""


def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float] | None:
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
    low = 0.0 if successes <= 0 else max(centre - half, 0.0)
    high = 1.0 if successes >= n else min(centre + half, 1.0)
    return low, high


PSEUDO_CLUSTER = 0.1
"""The part of a cluster that `clustered_wilson` adds to the variance on either side."""


def clustered_wilson(
    successes: Sequence[float], sizes: Sequence[int], answers: int | None = None
) -> tuple[float, float, float] | None:
    """95 % interval of a proportion whose items come in clusters, and the effective n it rests on: (low, high, n).

    `successes`: by cluster, the sum of its items' means, each 0 to 1; `sizes`: its items. Where items have several answers,
    `answers` is how many these are in all: no more than so many independent ones. None of no item.

    Several questions of one document are no independent evidence. The variance is CR1 (METHOD.md 1.3): sum over clusters of
    (successes - p size)², over n², times C/(C-1); of clusters of unequal size what `unequal_widening` makes of it. To the C
    clusters a tenth of one that is all right and a tenth of one that is all wrong are added, as Agresti and Coull (1998) add
    answers: the variance of few clusters that happen to agree is not known to be small. The effective n is p(1-p) over the
    variance, never above the answers, times (z / t)² of Student's t with `degrees_of_clusters`; Wilson's interval is taken
    with it. It is never below `effective_clusters`, which it would be were each cluster all right or all wrong: so a second
    answer that equals the first never widens what one answer to each item had brought, and clusters of one answer bring the
    plain Wilson interval.

    Of 3 to 50 clusters of 5 to 50 items, equal or not, 93 % or more hold the truth; of clusters that are nearly all right or
    all wrong, as of so few single answers, on average over the shares (tests/unit/statistics/test_coverage.py).
    """
    pairs = [(k, size) for k, size in zip(successes, sizes, strict=True) if size]
    n = sum(size for _, size in pairs)
    if n == 0:
        return None
    p = math.fsum(k for k, _ in pairs) / n
    effective = _effective(pairs, n, max(answers or n, n))
    low, high = wilson(p * effective, effective) or (0.0, 1.0)
    return low, high, effective


def _effective(pairs: Sequence[tuple[float, int]], n: int, most: int) -> float:
    """As how many independent answers the n items of clusters of (successes, size) count, at most so many."""
    clusters, sizes = len(pairs), [size for _, size in pairs]
    if clusters == most:
        return float(most)
    if clusters == 1:
        return 1.0
    added = PSEUDO_CLUSTER * n / clusters  # items in a tenth of a cluster of the usual size
    whole = n + 2 * added
    p = (math.fsum(k for k, _ in pairs) + added) / whole
    off = [k - p * size for k, size in pairs]
    edge = PSEUDO_CLUSTER * (n / clusters) ** 2 * (p**2 + (1 - p) ** 2)
    variance = (math.fsum(distance**2 for distance in off) + edge) / whole**2 * clusters / (clusters - 1)
    inside = math.fsum(k * (1 - k / size) for k, size in pairs) / max(n - clusters, 1)
    variance *= unequal_widening(off, inside, sizes, edge)
    widening = student_t(0.975, degrees_of_clusters(sizes)) / Z
    return max(min(p * (1 - p) / variance, float(most)) / widening**2, effective_clusters(sizes))


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; None of nothing."""
    return fmean(values) if values else None


def median_of(values: Sequence[float]) -> float | None:
    """Median; None of nothing."""
    return median(values) if values else None


def nearest_rank(counts: Mapping[Value, int], share: float) -> Value | None:
    """The value at rank ceil(share·n), of values given as how often each occurs: always an observed one. None of nothing."""
    rank = max(math.ceil(share * sum(counts.values())), 1)
    for value in sorted(counts):
        rank -= counts[value]
        if rank <= 0:
            return value
    return None


@lru_cache(maxsize=1024)
def student_t(p: float, df: float) -> float:
    """Quantile of Student's t: the t that a share p of the distribution with df degrees of freedom lies below.

    The inverse of `student_t_tail`, by bisection down to neighbouring floats. ValueError unless 0 < p < 1 and df > 0.
    """
    if not (0 < p < 1 and df > 0):
        raise ValueError(f"quantile {p} of Student's t with {df} degrees of freedom")
    if p < 0.5:
        return -student_t(1 - p, df)
    tail = 2 * (1 - p)
    low, high = 0.0, 1.0
    while student_t_tail(high, df) > tail:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if student_t_tail(middle, df) > tail else (low, middle)
    return high if tail < 1 else 0.0


def student_t_tail(t: float, df: float) -> float:
    """Two-sided p of Student's t: P[|T| >= |t|] with df degrees of freedom.

    I_x(df/2, 1/2) at x = df/(df + t²), I the regularised incomplete beta function (Abramowitz & Stegun 26.7.1).
    ValueError unless df > 0.
    """
    if not df > 0:
        raise ValueError(f"Student's t with {df} degrees of freedom")
    if math.isinf(t):
        return 0.0
    square = t * t / df
    return _incomplete_beta(df / 2, 0.5, 1 / (1 + square), square / (1 + square) if math.isfinite(square) else 1.0)


def chi_square_tail(x: float, df: int) -> float:
    """P[X >= x] of a chi-square distribution with df degrees of freedom, a whole number.

    Q(df/2, x/2), Q the regularised upper gamma function, which for halves of whole numbers is a finite sum: Q(1/2, y) =
    erfc(√y), Q(1, y) = exp(-y), Q(a+1, y) = Q(a, y) + y^a exp(-y) / Γ(a+1) (Abramowitz & Stegun 26.4.4, 26.4.5, 26.4.8).
    ValueError for df < 1.
    """
    if df < 1:
        raise ValueError(f"chi-square with {df} degrees of freedom")
    if x <= 0:
        return 1.0
    y = x / 2
    a, total = (0.5, math.erfc(math.sqrt(y))) if df % 2 else (1.0, math.exp(-y))
    while a < df / 2:
        total += math.exp(a * math.log(y) - y - math.lgamma(a + 1))
        a += 1
    return min(total, 1.0)


def binomial_tail(k: int, n: int, p: float) -> float:
    """P[X >= k] of k or more successes in n independent trials of probability p.

    The exact binomial sum, as I_p(k, n-k+1), I the regularised incomplete beta function (Abramowitz & Stegun 26.5.24);
    to nine digits or more up to n = 100,000. ValueError for n < 0 or p outside 0..1.
    """
    if n < 0 or not 0 <= p <= 1:
        raise ValueError(f"{n} trials of probability {p}")
    if k <= 0:
        return 1.0
    return _incomplete_beta(k, n - k + 1, p, 1 - p) if k <= n else 0.0


def _incomplete_beta(a: float, b: float, x: float, y: float) -> float:
    """Regularised incomplete beta function I_x(a, b) with y = 1 - x, by the continued fraction DLMF 8.17.22 (Lentz)."""
    if x <= 0 or y <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _incomplete_beta(b, a, y, x)  # where the fraction converges slowly, its mirror image is fast
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction, change, m = d, 0.0, 1
    while abs(change - 1) > CONVERGED:
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        c, d = 1 + even / c, 1 / (1 + even * d)
        fraction *= c * d
        c, d = 1 + odd / c, 1 / (1 + odd * d)
        change = c * d
        fraction *= change
        m += 1
    return min(scale * fraction, 1.0)


def least_number(enough: Callable[[int], bool], low: int, high: int, near: int) -> int:
    """The least number above low that is enough, of which high is one; sooner found the nearer it lies to `near`."""
    place, step = min(max(near, low + 1), high - 1), max(math.isqrt(max(near, 0)) // 8, 1)
    while high - low > 1:
        if enough(place):
            high, place = place, place - step
        else:
            low, place = place, place + step
        step *= 2
        if not low < place < high:
            place = (low + high) // 2
    return high


def shuffled(n: int, *words: str | int) -> tuple[int, ...]:
    """A permutation of range(n) that the words decide: the same ones give the same order on every machine and version.

    Fisher-Yates (Knuth, The Art of Computer Programming 2, 3.4.2 P) with numbers made by BLAKE2b from the words, kept
    apart so that ("a", "bc") is not ("ab", "c") and 1 is not "1". A number of 64 bits modulo i favours none of the i
    places by more than i / 2**64.
    """
    order = list(range(n))
    for i, number in zip(range(n - 1, 0, -1), _numbers(words), strict=False):
        j = number % (i + 1)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def resamples(n: int, rounds: int, *words: str | int) -> Iterator[tuple[int, ...]]:
    """So many times n places of range(n), drawn with replacement (Efron 1979) by numbers that the words decide."""
    numbers = _numbers(words)
    for _ in range(rounds):
        yield tuple(number % n for number in islice(numbers, n))


def _numbers(words: Sequence[str | int]) -> Iterator[int]:
    """Endless numbers of 64 bits that depend on the words alone: BLAKE2b of a running count, keyed by their digest."""
    seed = blake2b(digest_size=64)
    for word in words:
        kind, data = ("s", word.encode("utf-8", "surrogatepass")) if isinstance(word, str) else ("i", f"{word:x}".encode())
        seed.update(f"{kind}{len(data)}:".encode() + data)
    key = seed.digest()
    for block in count():
        digest = blake2b(block.to_bytes(8, "big"), key=key).digest()
        for start in range(0, len(digest), 8):
            yield int.from_bytes(digest[start : start + 8], "big")


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Chance that at least one of k tries passes, unbiased, from c passes in n tries; None for n < k.

    1 - C(n-c, k) / C(n, k) (Chen et al. 2021, arXiv 2107.03374). ValueError for k < 1 or impossible counts.
    """
    _check_tries(n, c, k)
    every = math.comb(n, k)
    return (every - math.comb(n - c, k)) / every if every else None


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Chance that every one of k tries passes (pass^k), unbiased, from c passes in n tries; None for n < k.

    C(c, k) / C(n, k) (Yao et al. 2024, arXiv 2406.12045). ValueError for k < 1 or impossible counts.
    """
    _check_tries(n, c, k)
    every = math.comb(n, k)
    return math.comb(c, k) / every if every else None


def _check_tries(n: int, c: int, k: int) -> None:
    if k < 1 or not 0 <= c <= n:
        raise ValueError(f"{c} passes of {n} tries, {k} at a time")


@dataclass(frozen=True, slots=True)
class Repeats:
    """Mean and variances of scores of questions that were asked several times (METHOD.md 3); n is the number of questions."""

    n: int
    mean: float
    """Mean of the questions' means: every question counts once, however often it was asked."""
    se: float | None
    """sd of the questions' means / √n, which already holds the noise of the repeats; None for n < 2."""
    within: float | None
    """Variance between repeats of one question, mean over those with two or more; None where there is none."""
    between: float | None
    """Variance between questions without the noise of the repeats, at least 0; None where either part is not known."""

    def se_at(self, k: int) -> float | None:
        """Standard error of the mean with k repeats of each question: √((between + within/k) / n). ValueError for k < 1."""
        if k < 1:
            raise ValueError(f"{k} repeats")
        if self.between is None or self.within is None:
            return None
        return math.sqrt((self.between + self.within / k) / self.n)


def repeats(scores: Sequence[Sequence[float]]) -> Repeats | None:
    """Mean, standard error and the two variances of scores given by question; None where no question has a score.

    m = mean of a question's scores; between = max(0, var(m) - within·mean(1/K)), K the number of its repeats, which may
    differ (METHOD.md 3, Miller 2024). Variances divide by one less than the count. Questions without a score do not count.
    """
    questions = [list(question) for question in scores if len(question)]
    if not questions:
        return None
    means = [fmean(question) for question in questions]
    spreads = [_variance(question) for question in questions if len(question) > 1]
    within = fmean(spreads) if spreads else None
    spread = _variance(means) if len(means) > 1 else None
    between = None
    if spread is not None and within is not None:
        between = max(0.0, spread - within * fmean(1 / len(question) for question in questions))
    se = None if spread is None else math.sqrt(spread / len(means))
    return Repeats(len(means), fmean(means), se, within, between)


def _variance(values: Sequence[float]) -> float:
    """Sum of squared deviations from the mean over n - 1, for n > 1; the order of the values changes nothing."""
    centre = fmean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)
