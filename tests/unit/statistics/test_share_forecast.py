"""Forecasts of exact McNemar: its critical numbers are its own, and futures come out as often as they say."""

from __future__ import annotations

import random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.estimates import least_number, wilson
from tui_eval.statistics.paired import mcnemar_exact
from tui_eval.statistics.share_forecast import least_apart, more_answers


@few
@given(st.integers(0, 2_000), st.integers(1, 2_000), st.integers(-50, 5_000))
def test_the_least_number_is_found_from_anywhere(low: int, above: int, near: int) -> None:
    """By as many questions at most as halving the rest and doubling the way there take."""
    least, asked = low + above, []
    assert least_number(lambda k: asked.append(k) is None and k >= least, low, 5_000, near) == least
    assert all(low < k < 5_000 for k in asked) and len(asked) <= 26


@few
@given(st.integers(0, 300), st.sampled_from([0.95, 0.99, 1 - 0.05 / 2556]))
def test_the_critical_number_is_the_tests_own(discordant: int, level: float) -> None:
    """With as many on one side it shows, with one fewer it does not."""
    least = least_apart(discordant, (1 - level) / 2)
    assert discordant / 2 <= least <= discordant + 1
    if least <= discordant:
        assert mcnemar_exact(least, discordant - least) < 1 - level
    if least - 1 > discordant / 2:
        assert mcnemar_exact(least - 1, discordant - least + 1) >= 1 - level


@few
@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 60))
def test_a_forecast_is_no_less_than_the_best_future_takes(b: int, c: int, same: int) -> None:
    """Fewer items, all on the larger side, show nothing; which side is the larger changes nothing."""
    n, (high, low) = b + c + same, (max(b, c), min(b, c))
    if n == 0 or b == c or mcnemar_exact(b, c) < 0.05:
        return
    half, most = more_answers(b, c, n, 0.95)
    assert (half, most) == more_answers(c, b, n, 0.95)
    assert 0 < half <= (20 * n if most is None else most) <= 20 * n
    if half < 20 * n:
        best = next(k for k in range(1, 400) if mcnemar_exact(high + k, low) < 0.05)
        assert half >= best


def test_a_clearer_difference_takes_fewer() -> None:
    """Nine to three of 100 takes fewer than eight to four; more tests take more."""
    clear, near = more_answers(9, 3, 100, 0.95), more_answers(8, 4, 100, 0.95)
    assert clear[0] < near[0] and more_answers(9, 3, 100, 0.99)[0] > clear[0]
    assert clear[1] is not None and near[1] is None


def futures(which: int, draws: int) -> tuple[int, int]:
    """Of runs whose shares may be any, in how many futures as many items more as are forecast show a difference."""
    chance, held, tried = random.Random(20261126), 0, 0
    while tried < draws:
        n = chance.choice((12, 20, 60))
        parts = [chance.gammavariate(1, 1) for _ in range(3)]
        shares = [part / sum(parts) for part in parts]
        b, c = counts(chance, n, shares)
        if b == c or mcnemar_exact(b, c) < 0.05:
            continue
        more = more_answers(b, c, n, 0.95)
        if more[1] is None:
            continue
        again = counts(chance, more[which] or 0, shares)
        tried += 1
        held += mcnemar_exact(b + again[0], c + again[1]) < 0.05
    return held, tried


def counts(chance: random.Random, n: int, shares: list[float]) -> tuple[int, int]:
    """How many of n items fall to either side."""
    drawn = chance.choices((0, 1, 2), shares, k=n)
    return drawn.count(0), drawn.count(1)


@pytest.mark.parametrize(("which", "least", "most"), [(0, 0.42, 0.6), (1, 0.72, 0.88)])
def test_futures_come_out_as_often_as_they_say(which: int, least: float, most: float) -> None:
    """In 50 and in 80 of 100; it fails only where a 99 % interval lies beyond."""
    low, high = wilson(*futures(which, 300), level=0.99) or (0.0, 1.0)
    assert high >= least and low <= most


@pytest.mark.soak
@pytest.mark.parametrize(("which", "least", "most"), [(0, 0.42, 0.6), (1, 0.72, 0.88)])
def test_futures_come_out_as_often_as_they_say_in_the_long_run(which: int, least: float, most: float) -> None:
    """The same with many draws."""
    low, high = wilson(*futures(which, 5_000), level=0.99) or (0.0, 1.0)
    assert high >= least and low <= most


def test_a_normal_test_in_its_place_would_be_caught() -> None:
    """Four to none of 20: 2.2 standard errors, so that a normal test needs none more; McNemar needs two at least."""
    error = ((0.2 - 0.04) / 20) ** 0.5
    assert 0.2 / error > NormalDist().inv_cdf(0.975)
    assert more_answers(4, 0, 20, 0.95)[0] >= 2
