"""Power of the tests that are used: what so many items show, what a gate catches, and how many more it takes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist

from tui_eval.statistics.bounded_means import chance_by_saddlepoint, size_at_the_end
from tui_eval.statistics.clusters import jackknife_error
from tui_eval.statistics.estimates import binomial_tail, least_number, student_t, student_t_tail
from tui_eval.statistics.paired import tango_p, tango_variance
from tui_eval.statistics.score_differences import POWER, floor_error
from tui_eval.statistics.share_forecast import EVEN, fewest_more, least_apart

__all__ = [
    "Futures",
    "caught_drop",
    "caught_share",
    "detectable_share",
    "fewest_scores",
    "fewest_shares",
    "items_to_exclude",
    "items_to_exclude_mean",
    "items_to_exclude_share",
    "more_items",
]

STEPS = 2**14
"""Parts of the range in which a share is looked for: to a hundredth of a point."""
SAME = 1e-9
TINY = 1e-280
DEVIATIONS = 6
"""Standard deviations of a count beyond which it does not come."""
FEW_DEGREES = 30
"""Degrees of freedom below which Student's t is not taken from its expansion."""
MOST_UNLIKE = 256
"""Units of a mean that a forecast tells apart, so that thousands of them take no longer."""
_NORMAL = NormalDist()

Futures = tuple[int | None, int | None]
"""How many more items it takes in 50 and in 80 of 100 futures; None above `share_forecast.FAR` times as many as there are."""


@lru_cache(maxsize=4096)
def detectable_share(n: int, discordant: int, level: float, power: float = POWER) -> float | None:
    """The smallest difference of two accuracies over n items that the exact two-sided McNemar test shows with this power.

    The test's p must lie below 1 - level. Of other n items as large a share is discordant, right for exactly one of the two,
    as of these, or as large a share as the difference where that is more. How many they are varies: given as many as were
    seen, comparisons with few of them would show the difference in 46 to 75 of 100 cases, not in 80 (benchmarks/truth.py).
    None where not even n items on one side are shown: 2^(1 - n) >= 1 - level. ValueError unless 0 <= discordant <= n and
    0 < level < 1.
    """
    if not (0 <= discordant <= n and 0 < level < 1):
        raise ValueError(f"{discordant} discordant of {n} items at level {level}")
    if n < fewest_shares(level):
        return None

    def enough(steps: int) -> bool:
        difference = steps / STEPS
        share = max(discordant / n, difference)
        return _exact_power(n, share, (share + difference) / 2, (1 - level) / 2) >= power

    near = -(_NORMAL.inv_cdf((1 - level) / 2) + _NORMAL.inv_cdf(1 - power)) * math.sqrt(discordant) / n
    return least_number(enough, 0, STEPS, round(near * STEPS)) / STEPS


def fewest_shares(level: float) -> int:
    """The least number of discordant items that the exact two-sided McNemar test could show anything with.

    The least D with 2^(1 - D) < 1 - level: 6 at 0.95; where 1 - level is no power of 2, ceil(1 + log2(1 / (1 - level))).
    ValueError unless 0 <= level < 1.
    """
    if not 0 <= level < 1:
        raise ValueError(f"level {level}")
    count = 1
    while 2.0 ** (1 - count) >= 1 - level:
        count += 1
    return count


@lru_cache(maxsize=1024)
def fewest_scores(level: float, equal: float = 1.0) -> int:
    """The least number of units that the t test of `score_difference` could show anything with.

    Of the most extreme data there are: every unit differs by all of the scale, and only `floor_error` is left. `equal`: as
    how large a part of their number units of unequal size count, (degrees + 1) / units; the others are taken for such, too.
    ValueError unless 0 <= level < 1 and 0 < equal <= 1.
    """
    if not (0 <= level < 1 and 0 < equal <= 1):
        raise ValueError(f"level {level}, {equal} of the units")
    units = 2
    while student_t_tail(1 / floor_error(1.0, units, 1.0), max(_tenths(units * equal - 1), 1.0)) >= 1 - level:
        units += 1
    return units


def more_items(value: float, error: float, n: int, level: float, degrees: float | None = None) -> Futures:
    """Return how many more items show a mean difference, old and new ones pooled: (in 50, in 80 of 100 futures).

    The true difference is drawn from its estimate and error, normally. Of N = n + k items the pooled difference then varies
    about the value with error·√(k/N), and is shown where it lies beyond t·error·√(n/N), t Student's (with z instead, 12 units
    more came in 33 to 48 of 100 futures, not in 50). `degrees`: those that t has now, n - 1 where nothing is said; of units of
    unequal size they are fewer (`degrees_of_clusters`), and with N units of such sizes (degrees + 1)·N/n - 1. Items are units
    that are independent of each other. (0, 0) of a difference that is shown already. ValueError unless n > 1, error > 0 and
    degrees > 0.
    """
    free = n - 1 if degrees is None else degrees
    if n < 2 or not error > 0 or not free > 0:
        raise ValueError(f"{n} items, error {error}, {free} degrees of freedom")

    def beyond(items: int) -> float:
        return _student_t(0.5 + level / 2, (free + 1) * items / n - 1) * error * math.sqrt(n / items)

    if abs(value) > beyond(n):
        return 0, 0

    def futures(more: int) -> float:
        spread = error * math.sqrt(more / (n + more))
        return sum(_NORMAL.cdf((side * abs(value) - beyond(n + more)) / spread) for side in (1, -1))

    return fewest_more(lambda more: futures(more) >= EVEN, n, n), fewest_more(lambda more: futures(more) >= POWER, n, n)


def items_to_exclude(b: float, c: float, n: int, margin: float, level: float = 0.95) -> Futures:
    """Return how many more items make Tango's interval of a difference leave out -margin: (in 50, in 80 of 100 futures).

    b of n items that only A has right, c that only B has; the interval's end on the side of the value is meant, and the
    interval's own equation is solved for n. In the middle future the shares stay what they are; in 80 of 100 the pooled
    difference lies no further to the margin than 0.84 of its standard deviation √(k/N)·√(variance of a difference / n). Where
    nothing differs, as between identical replies, nothing varies. (None, None) where the value lies on the margin, (0, 0)
    where it is left out already. A one-sided test at p < 0.05 is level 0.9. ValueError as in `tango_p`, and of no item.
    """
    if n < 1 or b < 0 or c < 0 or b + c > n or not -1 < margin < 1:
        raise ValueError(f"{b} and {c} disagreements in {n} items, margin {margin}")
    value, shared = (b - c) / n, (b + c) / n
    side = math.copysign(1, value + margin)

    def excluded(more: int, share: float) -> bool:
        total = n + more
        shift = _NORMAL.inv_cdf(share) * math.sqrt((shared - value * value) * more / (total * n))
        moved = value - side * shift
        differing = max(shared, abs(moved))
        if differing > 1:
            return False
        p = tango_p((differing + moved) / 2 * total, (differing - moved) / 2 * total, total, margin)
        return (1 - p if side > 0 else p) < (1 - level) / 2

    return _futures(excluded, n, at_all=abs(value + margin) > SAME)


def items_to_exclude_share(
    share: float, n: int, threshold: float, level: float = 0.95, effective: float | None = None
) -> Futures:
    """Return how many more items make Wilson's interval of a share leave out a threshold: (in 50, in 80 of 100 futures).

    Of N items it does where |share - t| > z·√(t(1 - t)/N). In 80 of 100 futures the pooled share lies no further to the
    threshold than 0.84·√(k·s(1 - s)/(N·n)), s the share of n items and half a one more of either kind. `effective`: as how many
    independent ones the n count (`clustered_wilson`), where not as n. (None, None) where the share lies on the threshold,
    (0, 0) where that is left out already. ValueError unless both are shares, and n > 0.
    """
    if not (0 <= share <= 1 and 0 <= threshold <= 1 and n > 0):
        raise ValueError(f"share {share} of {n} items, threshold {threshold}")
    independent, z = effective or n, _NORMAL.inv_cdf(0.5 + level / 2)
    spread = (share * independent + 0.5) / (independent + 1)

    def excluded(more: int, futures: float) -> bool:
        old, total = independent, independent * (n + more) / n
        shift = _NORMAL.inv_cdf(futures) * math.sqrt(spread * (1 - spread) * (total - old) / (total * old))
        return abs(share - threshold) - shift > z * math.sqrt(threshold * (1 - threshold) / total)

    return _futures(excluded, n, at_all=abs(share - threshold) > SAME)


def items_to_exclude_mean(
    values: Sequence[float],
    low: float,
    high: float,
    threshold: float,
    sizes: Sequence[float] = (),
    level: float = 0.95,
) -> Futures:
    """Return how many more units make `bounded_mean`'s interval leave out a threshold: (in 50, in 80 of 100 futures).

    As if each unit came N/n times; in 80 of 100 futures the pooled mean lies no further to the threshold than 0.84·√(k/N) of
    its standard error. (None, None) where the mean lies on the threshold, (0, 0) where that is left out already, and of one
    unit (None, None). ValueError of a threshold off the scale, and where the lengths differ.
    """
    if not low <= threshold <= high or (sizes and len(sizes) != len(values)):
        raise ValueError(f"threshold {threshold} on a scale from {low} to {high}, {len(values)} values of {len(sizes)} sizes")
    n, weights = len(values), list(sizes) or [1.0] * len(values)
    if n < 2:
        return None, None
    sums = [(value - low) / (high - low) * size for value, size in zip(values, weights, strict=True)]
    mean, error, point = math.fsum(sums) / math.fsum(weights), jackknife_error(sums, weights), (threshold - low) / (high - low)
    side = math.copysign(1, mean - point)
    end = -(point if side > 0 else 1 - point) * size_at_the_end(weights)
    off = _alike([(side * (total - point * size), size) for total, size in zip(sums, weights, strict=True)])

    def excluded(more: int, futures: float) -> bool:
        shift = _NORMAL.inv_cdf(futures) * error * math.sqrt(more / (n + more))
        parts, times = [distance - shift * size for distance, size, _ in off], [often * (n + more) / n for *_, often in off]
        return chance_by_saddlepoint([*parts, end], [*times, 1.0]) < (1 - level) / 2

    return _futures(excluded, n, at_all=abs(mean - point) > SAME)


def _alike(units: Sequence[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """Pairs with how many there are of each; of more than `MOST_UNLIKE` those next to each other count as their mean."""
    pairs = sorted(Counter(units).items())
    each = math.ceil(len(pairs) / MOST_UNLIKE)
    groups = []
    for start in range(0, len(pairs), each):
        near = pairs[start : start + each]
        often = sum(times for _, times in near)
        first, second = (math.fsum(pair[at] * times for pair, times in near) / often for at in (0, 1))
        groups.append((first, second, often))
    return groups


@lru_cache(maxsize=1024)
def caught_drop(n: int, churn: float, alpha: float, margin: float = 0.0) -> float | None:
    """The net drop of an accuracy over n items that fails a build in four of five, as `caught_share` has it.

    None where not even the largest drop there can be is caught so often.
    ValueError as in `caught_share`.
    """

    step = (1 - churn - margin) / STEPS

    def caught(steps: int) -> bool:
        return caught_share(n, churn, margin + steps * step, alpha, margin) >= POWER

    return margin + step * least_number(caught, 0, STEPS, STEPS // 16) if step > 0 and caught(STEPS) else None


def caught_share(n: int, churn: float, drop: float, alpha: float, margin: float = 0.0) -> float:
    """Return how often a net drop of accuracy over n items fails a build by a one-sided test whose p must be below alpha.

    It is the exact McNemar test, or with a margin Tango's score test, whose statistic is then taken for normal, but where
    nothing changes besides. `churn`: the share of items that change between two runs of one and the same model, half of them
    each way; with the drop a share churn/2 becomes right and churn/2 + drop wrong. ValueError unless n > 0 and churn and alpha
    are shares.
    """
    if not (n > 0 and 0 <= churn <= 1 and 0 < alpha < 1):
        raise ValueError(f"churn {churn} of {n} items at {alpha}")
    if not margin:
        return _exact_power(n, churn + drop, churn / 2 + drop, alpha)
    if not churn:
        return binomial_tail(_fewest_wrong(n, alpha, margin), n, drop)
    null = math.sqrt(tango_variance(n * churn / 2, n * (churn / 2 + drop), n, -margin))
    off = math.sqrt(n) * (drop - margin) + _NORMAL.inv_cdf(alpha) * null
    return _NORMAL.cdf(off / math.sqrt(max(churn + drop - drop * drop, 1 / n)))


@lru_cache(maxsize=1024)
def _fewest_wrong(n: int, alpha: float, margin: float) -> int:
    """The least number of items, of which none becomes right, that are wrong by more than the margin at p < alpha."""
    return least_number(lambda wrong: tango_p(0, wrong, n, margin) < alpha, 0, n + 1, round(margin * n))


def _exact_power(n: int, discordant: float, one_way: float, tail: float) -> float:
    """Return how often n items, so large a share discordant, and that one way, show the more of these at p < tail.

    The chance of D discordant ones times that of k of them one way, k what the one-sided exact McNemar test wants of D, added
    up over D; the second chance is carried from D to D + 1.
    """
    if discordant <= 0:
        return 0.0
    middle, away = n * discordant, DEVIATIONS * math.sqrt(n * max(discordant * (1 - discordant), 0.0)) + 1
    first, last = max(math.floor(middle - away), 1), min(math.ceil(middle + away), n)
    share, least = min(one_way / discordant, 1.0), least_apart(first, tail)
    beyond, total = binomial_tail(least, first, share), 0.0
    chance, at = _chance_of(first, n, discordant), _chance_of(least, first, share)
    for count in range(first, last + 1):
        total += chance * beyond
        chance = (
            _chance_of(count + 1, n, discordant)
            if discordant >= 1
            else (chance * (n - count) * discordant / ((count + 1) * (1 - discordant)))
        )
        after = least_apart(count + 1, tail)
        if at < TINY or share >= 1:  # nothing to carry from
            below = _chance_of(least - 1, count, share)
            beyond += share * below if after == least else (share - 1) * _chance_of(least, count, share)
            at = _chance_of(after, count + 1, share)
        elif after == least:
            beyond += at * (1 - share) * least / (count - least + 1)
            at *= (count + 1) / (count + 1 - least) * (1 - share)
        else:
            beyond -= (1 - share) * at
            at *= (count + 1) / (least + 1) * share
        least = after
    return total


def _student_t(p: float, degrees: float) -> float:
    """Student's t to four places, quickly: for many degrees Abramowitz & Stegun 26.7.5."""
    if degrees < FEW_DEGREES:
        return student_t(p, _tenths(degrees))
    z = _NORMAL.inv_cdf(p)
    square, part = z * z, 1 / (4 * degrees)
    first, second = (square + 1) * z, ((5 * square + 16) * square + 3) * z
    third = (((3 * square + 19) * square + 17) * square - 15) * z
    return z + part * (first + part / 6 * (second + part * third))


def _tenths(degrees: float) -> float:
    """Degrees of freedom as `degrees_of_clusters` has them."""
    return math.floor(10 * degrees + SAME) / 10


def _chance_of(count: int, n: int, share: float) -> float:
    """P[Bin(n, share) = count]."""
    if not 0 <= count <= n:
        return 0.0
    if not 0 < share < 1:
        return float(count == n * share)
    log = math.lgamma(n + 1) - math.lgamma(count + 1) - math.lgamma(n - count + 1)
    return math.exp(log + count * math.log(share) + (n - count) * math.log1p(-share))


def _futures(excluded: Callable[[int, float], bool], n: int, at_all: bool) -> Futures:
    """Return how many more items exclude something in 50 and in 80 of 100 futures."""
    if not at_all:
        return None, None
    if excluded(0, EVEN):
        return 0, 0
    return fewest_more(lambda more: excluded(more, EVEN), n, n), fewest_more(lambda more: excluded(more, POWER), n, n)
