"""Laws of a rate over strata: what its ends are, and what moves them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tui_eval.statistics.estimates import binomial_tail
from tui_eval.statistics.stratified_rates import StratumCount, mid_p_interval, stratified_rate

COUNTS = st.tuples(st.integers(1, 60), st.integers(0, 60)).map(lambda pair: (min(pair), max(pair)))


@given(COUNTS)
def test_each_end_leaves_its_half_with_the_number_seen_counted_half(counts: tuple[int, int]) -> None:
    """By the definition; the mirror of so many successes is that of so many failures."""
    k, n = counts
    low, high = mid_p_interval(k, n)
    assert 0 <= low <= k / n <= high <= 1 and low < high
    assert (1 - high, 1 - low) == pytest.approx(mid_p_interval(n - k, n), abs=1e-9)
    if k:
        assert (binomial_tail(k, n, low) + binomial_tail(k + 1, n, low)) / 2 == pytest.approx(0.025, abs=1e-9)


def test_of_nothing_it_is_the_whole_scale() -> None:
    """And no more successes than trials."""
    assert mid_p_interval(0, 0) == (0, 1)
    with pytest.raises(ValueError, match="3 successes of 2"):
        mid_p_interval(3, 2)


STRATA = st.lists(
    st.tuples(st.integers(0, 500), st.integers(0, 30), st.integers(0, 30)).map(
        lambda each: StratumCount(each[0], min(each[:2]), min(each))
    ),
    min_size=1,
    max_size=4,
).filter(lambda strata: any(each.size for each in strata))


@given(STRATA)
@example([StratumCount(99, 1, 1), StratumCount(228, 1, 1), StratumCount(50, 1, 1), StratumCount(102, 1, 1)])
def test_the_interval_holds_its_value_and_turns_with_it(strata: list[StratumCount]) -> None:
    """Failures for successes mirror it; the order of the strata changes nothing, nor does an empty one."""
    rate = stratified_rate(strata)
    turned = stratified_rate([StratumCount(each.size, each.n, each.n - each.successes) for each in strata])
    again = stratified_rate([*reversed(strata), StratumCount(0, 0, 0)])
    assert 0 <= rate.low <= rate.high <= 1
    assert (turned.low, turned.high) == pytest.approx((1 - rate.high, 1 - rate.low), abs=1e-9)
    assert (again.low, again.high) == pytest.approx((rate.low, rate.high), abs=1e-12)
    if rate.value is not None:
        assert rate.low <= rate.value <= rate.high


def test_a_stratum_without_a_sample_may_have_any_rate() -> None:
    """Its weight is added to the upper end alone, and there is no value."""
    known = stratified_rate([StratumCount(75, 20, 4)])
    partly = stratified_rate([StratumCount(75, 20, 4), StratumCount(25, 0, 0)])
    assert partly.value is None
    assert (partly.low, partly.high) == pytest.approx((0.75 * known.low, 0.75 * known.high + 0.25))


def test_what_was_sampled_whole_is_known() -> None:
    """No width where every unit was looked at; none of nothing."""
    whole = stratified_rate([StratumCount(20, 20, 4), StratumCount(5, 5, 5)])
    assert (whole.value, whole.low, whole.high) == pytest.approx((0.36, 0.36, 0.36))
    with pytest.raises(ValueError, match="without units"):
        stratified_rate([StratumCount(0, 0, 0)])
