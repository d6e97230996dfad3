"""Forecast of exact McNemar, by its own critical numbers: how many items more it takes to tell two models apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

from tui_eval.statistics.estimates import binomial_tail, least_number
from tui_eval.statistics.score_differences import POWER

__all__ = ["EVEN", "FAR", "fewest_more", "least_apart", "more_answers"]

EVEN = 0.5
"""Share of futures in which the first of two forecasts is enough; in that of `POWER` the second is."""
FAR = 20
"""More than so many times the items there are is further than is practical."""
PRIOR = 0.5
"""Answers of each sort that are added to what was seen, as Jeffreys' prior adds them."""
POINTS = ((-1.2, 0.25), (0.0, 0.5), (1.2, 0.25))
"""Where the number of new items that differ is looked at, in standard deviations, and with which weight."""
_NORMAL = NormalDist()


def fewest_more(enough: Callable[[int], bool], n: int, near: int) -> int | None:
    """The least number of items above 0 that is enough, which may lie about `near`; None above `FAR` times n."""
    return least_number(enough, 0, FAR * n, near) if enough(FAR * n) else None


@lru_cache(maxsize=65536)
def least_apart(discordant: int, tail: float) -> int:
    """The least k of D items with P[Bin(D, ½) >= k] < tail; D + 1 where there is none. ValueError unless 0 < tail < 1."""
    near = (discordant - _NORMAL.inv_cdf(tail) * math.sqrt(discordant) + 1) / 2
    return least_number(lambda k: binomial_tail(k, discordant, 0.5) < tail, (discordant - 1) // 2, discordant + 1, round(near))


@lru_cache(maxsize=16384)
def more_answers(b: int, c: int, n: int, level: float) -> tuple[int, int | None]:
    """With how many items more p < 1 - level in 50 and in 80 of 100 futures; old and new items are one test.

    b and c of n items were right on one side alone. What the next ones bring is drawn from what these say: the number that
    differ is beta-binomial, and of these the number on the larger side again (Jeffreys' prior, normal tails). Of draws from
    that law and from flatter ones with 10 to 300 items .45 to .59 and .72 to .82 were significant, where the normal test in
    McNemar's place promises .5 and .8 and brings .10 to .37 and .36 to .79.
    """
    high, low = max(b, c), min(b, c)

    def in_time(share: float, near: float) -> int | None:
        return fewest_more(lambda k: _chance(high, low, n, level, k) >= share, n, round(near))

    normal = _NORMAL.inv_cdf(0.5 + level / 2) ** 2 * (b + c) / max(b - c, c - b, 1) ** 2 - 1
    half = in_time(EVEN, n * normal)
    return (FAR * n, None) if half is None else (half, in_time(POWER, 3 * half))


def _chance(b: int, c: int, n: int, level: float, k: int) -> float:
    """Of p < 1 - level with k items more."""
    apart = (b + c + 2 * PRIOR) / (n + 3 * PRIOR)
    spread = math.sqrt(k * apart * (1 - apart) * (1 + k / (n + 1)))
    return math.fsum(weight * _chance_shown(b, c, level, round(k * apart + z * spread), k) for z, weight in POINTS)


def _chance_shown(b: int, c: int, level: float, new: int, most: int) -> float:
    """The same where so many of them differ."""
    new = min(max(new, 0), most)
    needed = least_apart(b + c + new, (1 - level) / 2) - b
    if needed <= 0 or needed > new:
        return float(needed <= 0)
    whole = b + c + 2 * PRIOR
    share = (b + PRIOR) / whole
    spread = math.sqrt(new * share * (1 - share) * (whole + new) / (whole + 1))
    return 1 - _NORMAL.cdf((needed - 0.5 - new * share) / spread)
