"""Laws of power: what is said to be found is found in four of five, by enumeration or drawn futures; what cannot be is None."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from random import Random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.bounded_means import bounded_mean
from tui_eval.statistics.estimates import wilson
from tui_eval.statistics.paired import mcnemar_below, mcnemar_exact, tango, tango_p
from tui_eval.statistics.power import (
    caught_drop,
    detectable_share,
    fewest_scores,
    fewest_shares,
    items_to_exclude,
    items_to_exclude_mean,
    items_to_exclude_share,
    more_items,
)
from tui_eval.statistics.score_differences import score_difference
from tui_eval.statistics.share_forecast import FAR

LEVELS = [0.9, 0.95, 0.99, 1 - 0.05 / 18]
exact = lru_cache(maxsize=None)(mcnemar_exact)
below = lru_cache(maxsize=None)(mcnemar_below)


def how_often(n: int, more: float, less: float, holds: Callable[[int, int], bool]) -> float:
    """The chance that the counts of n items, one side's with the share `more`, the other's with `less`, are such."""
    chances = [
        math.exp(
            math.lgamma(n + 1)
            - sum(math.lgamma(k + 1) for k in (b, c, n - b - c))
            + sum(k * math.log(share) if k else 0.0 for k, share in ((b, more), (c, less), (n - b - c, 1 - more - less)))
        )
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if holds(b, c) and all(share > 0 or not k for k, share in ((b, more), (c, less), (n - b - c, 1 - more - less)))
    ]
    return math.fsum(chances)


@pytest.mark.parametrize(("n", "discordant"), [(20, 3), (20, 12), (40, 6), (60, 24), (60, 0)])
@pytest.mark.parametrize("level", [0.95, 1 - 0.05 / 18])
def test_a_detectable_difference_is_found_in_four_of_five(n: int, discordant: int, level: float) -> None:
    """By adding up every table; and one a point smaller less often."""
    smallest = detectable_share(n, discordant, level)
    assert smallest is not None

    def found(difference: float) -> float:
        share = max(discordant / n, difference)
        more, less = (share + difference) / 2, max((share - difference) / 2, 0.0)
        return how_often(n, more, less, lambda b, c: b > c and exact(b, c) < 1 - level)

    assert 0.8 <= found(smallest) < 0.803
    assert found(smallest - 0.01) < 0.8


@pytest.mark.parametrize("level", LEVELS)
def test_the_fewest_could_show_something_and_one_less_could_not(level: float) -> None:
    """Of items that are right or wrong all on one side; of scores all as far apart as the scale goes."""
    shares, scores = fewest_shares(level), fewest_scores(level)
    furthest = [score_difference([4.0] * units, range(units), 4).p for units in (scores - 1, scores)]

    assert mcnemar_exact(shares, 0) < 1 - level <= mcnemar_exact(shares - 1, 0)
    assert furthest[1] < 1 - level <= furthest[0]
    assert shares == math.ceil(1 + math.log2(1 / (1 - level)))
    assert detectable_share(shares, 0, level) is not None and detectable_share(shares - 1, 0, level) is None


@pytest.mark.parametrize(("n", "churn", "alpha"), [(12, 0.1, 0.05), (40, 0.1, 0.05), (40, 0.0, 0.01), (60, 0.3, 0.05 / 4)])
def test_a_caught_drop_is_caught_in_four_of_five(n: int, churn: float, alpha: float) -> None:
    """By adding up every table of the one-sided test; an unchanged model fails in less than alpha of them."""
    drop = caught_drop(n, churn, alpha)
    assert drop is not None

    def fails(by: float) -> float:
        return how_often(n, churn / 2, churn / 2 + by, lambda b, c: below(b, c) < alpha)

    assert 0.8 <= fails(drop) < 0.803
    assert fails(0.0) < alpha


@pytest.mark.parametrize(("n", "alpha", "margin"), [(40, 0.05, 0.02), (100, 0.01, 0.05)])
def test_a_caught_drop_beyond_a_margin_is_caught_in_four_of_five(n: int, alpha: float, margin: float) -> None:
    """By Tango's test: exactly where nothing changes besides, else nearly; a drop of the margin itself seldom."""
    for churn, most in ((0.0, 0.803), (0.1, 0.85)):
        drop = caught_drop(n, churn, alpha, margin)
        assert drop is not None

        def fails(by: float, churn: float = churn) -> float:
            return how_often(n, churn / 2, churn / 2 + by, lambda b, c: tango_p(b, c, n, margin) < alpha)

        assert 0.78 <= fails(drop) < most
        assert fails(margin) < 1.4 * alpha


def test_no_drop_is_caught_of_too_few_items() -> None:
    """Four items at 5 %, and of more items a smaller one is caught."""
    drops = [caught_drop(n, 0.1, 0.05) for n in (20, 40, 100, 400)]

    assert caught_drop(4, 0.1, 0.05) is None
    assert all(more is not None and fewer is not None and more < fewer for fewer, more in pairwise(drops))


@few
@given(st.integers(0, 60), st.integers(0, 60))
def test_one_side_of_mcnemar_is_half_of_two(b: int, c: int) -> None:
    """Where the two differ; small where A is right less often; both sides and the middle table add up."""
    one = mcnemar_below(b, c)

    if b < c:
        assert min(1.0, 2 * one) == pytest.approx(mcnemar_exact(b, c), rel=1e-9)
    assert one + mcnemar_below(c, b) == pytest.approx(1 + math.comb(b + c, b) / 2 ** (b + c))


@few
@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 200), st.floats(-0.5, 0.5))
def test_one_side_of_tango_is_its_interval(b: int, c: int, agreeing: int, margin: float) -> None:
    """The interval ends where p is a 40th, on either side; exchanging the two models exchanges the sides."""
    n = b + c + agreeing
    low, high = tango(b, c, n)

    assert (tango_p(b, c, n, -low), tango_p(b, c, n, -high)) == pytest.approx((0.975, 0.025), abs=1e-5)
    assert tango_p(b, c, n, margin) + tango_p(c, b, n, -margin) == pytest.approx(1)
    assert tango_p(b, c, n, margin) <= tango_p(b + 1, c, n, margin) or c + b == n


def test_more_items_are_in_50_and_in_80_of_futures() -> None:
    """Of drawn futures of a difference between its error and shown, by z where it is known: 5,000 draws each."""
    random, normal = Random(20261126), NormalDist()
    for value, error, n in ((1.2, 1, 40), (1.8, 1, 100)):
        for more, wanted in zip(more_items(value, error, n, 0.95), (0.5, 0.8), strict=True):
            assert more is not None
            truths = [random.gauss(value, error) for _ in range(5_000)]
            new = [random.gauss(truth, error * math.sqrt(n / more)) for truth in truths]
            pooled = [(n * value + more * one) / (n + more) for one in new]
            beyond = normal.inv_cdf(0.975) * error * math.sqrt(n / (n + more))
            assert sum(abs(one) > beyond for one in pooled) / 5_000 == pytest.approx(wanted, abs=0.025)


@few
@given(st.floats(0.3, 1.9), st.integers(3, 60))
def test_more_items_are_more_for_a_surer_test_and_none_where_shown(errors: float, n: int) -> None:
    """In both signs alike; in 80 of 100 futures more than in 50; never above 20 times as many."""
    fifty, eighty = more_items(errors, 1, n, 0.95)
    surer, _ = more_items(errors, 1, n, 0.99)

    assert (fifty, eighty) == more_items(-errors, 1, n, 0.95)
    assert fifty is None or (0 < fifty <= FAR * n and (eighty is None or fifty <= eighty <= FAR * n))
    assert surer is None or (fifty is not None and fifty < surer)
    assert more_items(errors + 13, 1, n, 0.95) == (0, 0)


def test_a_baseline_that_agrees_needs_what_the_interval_says() -> None:
    """Identical replies to 40 questions and a margin of 2 points: 190 in all (FINDINGS N3), at which they pass, not at 188."""
    more, surer = items_to_exclude(0, 0, 40, 0.02)

    assert more is not None and more == surer and 185 <= 40 + more <= 190
    assert tango(0, 0, 40 + more)[0] > -0.02 > tango(0, 0, 40 + more - 1)[0]


@pytest.mark.parametrize(("b", "c", "n", "margin"), [(2, 1, 40, 0.05), (8, 12, 200, 0.05), (2, 9, 60, 0.02)])
def test_at_the_items_asked_for_the_margin_is_left_out(b: int, c: int, n: int, margin: float) -> None:
    """With the shares kept Tango's interval ends at the margin; and on its other side where the value lies there."""
    more, _ = items_to_exclude(b, c, n, margin)
    assert more is not None
    times = (n + more) / n
    low, high = tango(b * times, c * times, n + more)

    assert (low if (b - c) / n > -margin else high) == pytest.approx(-margin, abs=2e-3)


def test_what_lies_on_the_margin_is_never_left_out() -> None:
    """And what is left out already needs no more, for a margin, a share and a mean."""
    assert items_to_exclude(0, 2, 100, 0.02) == (None, None)
    assert items_to_exclude(20, 0, 100, 0.02) == (0, 0)
    assert items_to_exclude_share(0.8, 40, 0.8) == (None, None)
    assert items_to_exclude_share(0.2, 40, 0.8) == (0, 0)
    assert items_to_exclude_mean([4.0, 5.0, 4.0], 1, 5, 13 / 3) == (None, None)
    assert items_to_exclude_mean([4.0, 5.0, 4.0] * 20, 1, 5, 2) == (0, 0)
    assert items_to_exclude_mean([4.0], 1, 5, 2) == (None, None)


@pytest.mark.parametrize(("right", "n", "threshold"), [(36, 40, 0.8), (20, 20, 0.9), (1, 20, 0.15)])
def test_a_share_needs_what_wilson_says(right: int, n: int, threshold: float) -> None:
    """With the share kept Wilson's interval just leaves out the threshold; as half as many independent ones twice as many."""
    more, surer = items_to_exclude_share(right / n, n, threshold)
    assert more is not None and surer is not None and more <= surer
    ends = [wilson(right / n * total, total) or (0.0, 1.0) for total in (n + more - 1, n + more)]
    side = 0 if right / n > threshold else 1

    assert (ends[0][side] <= threshold < ends[1][side]) if side == 0 else (ends[1][side] < threshold <= ends[0][side])
    twice, _ = items_to_exclude_share(right / n, n, threshold, effective=n / 2)
    assert twice is not None and twice == pytest.approx(n + 2 * more, abs=2)


@pytest.mark.parametrize(("values", "threshold"), [([5.0] * 9 + [4.0] * 3, 4.5), ([3.0, 4, 2, 5, 1, 4, 4, 3] * 2, 3.75)])
def test_a_mean_needs_what_its_interval_says(values: list[float], threshold: float) -> None:
    """The same values as often as that many units are: the interval ends at the threshold, to a 50th of the scale."""
    more, surer = items_to_exclude_mean(values, 1, 5, threshold)
    assert more is not None and surer is not None and more < surer
    ends = bounded_mean(values * round((len(values) + more) / len(values)), 1, 5)

    assert ends[sum(values) / len(values) < threshold] == pytest.approx(threshold, abs=0.08)


@pytest.mark.parametrize(
    "bug",
    [
        lambda: detectable_share(10, 11, 0.95),
        lambda: fewest_shares(1.0),
        lambda: fewest_scores(1.0),
        lambda: more_items(0.1, 0.0, 20, 0.95),
        lambda: items_to_exclude(8, 8, 10, 0.02),
        lambda: items_to_exclude_share(1.1, 10, 0.5),
        lambda: items_to_exclude_mean([4.0, 5.0], 1, 5, 6),
        lambda: caught_drop(0, 0.1, 0.05),
        lambda: mcnemar_below(-1, 0),
        lambda: tango_p(3, 3, 5, 0.02),
    ],
)
def test_impossible_numbers_are_a_bug_of_the_caller(bug: Callable[[], object]) -> None:
    """Shares above 1, more discordant items than items, and a certainty that no data bring."""
    with pytest.raises(ValueError):
        bug()
