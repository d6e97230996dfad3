"""Laws of latencies."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.latencies import latencies, least_n, percentile_bounds


def test_latencies_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Nearest rank, and the intervals of median and p90 (numpy, scipy); from how many values on."""
    for case in vectors["numeric"]["latency_percentiles"]["cases"]:
        values, wanted = case["inputs"]["x"], case["expected"]

        found = latencies(values).percentiles

        assert {f"{name}_nearest": one.value for name, one in found.items()}.items() <= wanted.items(), case["id"]
        assert [found["p50"].low, found["p50"].high] == wanted["median_ci"]
        assert [found["p90"].low, found["p90"].high] == wanted["p90_ci"]
    for case in vectors["numeric"]["quantile_min_n"]["cases"]:
        assert least_n(case["inputs"]["p"]) == case["expected"]["n"]


def test_latencies_by_hand() -> None:
    """Six values bound the median by their least and greatest, five do not; p90 wants 29 and p99 299."""
    six = latencies([3, 1, 2, 6, 5, 4])

    assert (six.n, six.mean, six.greatest) == (6, 3.5, 6) and [six.percentiles[n].value for n in ("p50", "p90")] == [3, 6]
    assert (six.percentiles["p50"].low, six.percentiles["p50"].high) == (1, 6)
    assert percentile_bounds([1, 2, 3, 4, 5], 0.5) == (None, None)
    assert [latencies([1.0] * n).percentiles["p90"].enough for n in (28, 29)] == [False, True] and least_n(0.99) == 299


def test_of_no_call_no_latency_is_known() -> None:
    """Nothing, and one call: no percentile of nothing, no interval of one."""
    nothing, one = latencies([]), latencies([7])

    assert (nothing.n, nothing.mean, nothing.greatest, nothing.percentiles["p50"].value) == (0, None, None, None)
    assert (one.mean, one.low, one.percentiles["p99"].value, one.percentiles["p99"].enough) == (7, None, 7, False)
    assert percentile_bounds([], 0.5) == (None, None)
    for share in (0, 1, 1.5):
        with pytest.raises(ValueError):
            percentile_bounds([1], share)


def test_failing_does_not_make_a_model_quick() -> None:
    """Calls given up at 60 count at 60: percentiles that reach it say that the truth is that or more."""
    found = latencies([1.0, 2.0, 3.0], [60.0, 60.0])

    assert (found.n, found.timed_out, found.greatest) == (5, 2, 60)
    assert (found.percentiles["p50"].value, found.percentiles["p50"].censored) == (3.0, False)
    assert (found.percentiles["p90"].value, found.percentiles["p90"].censored) == (60.0, True)


@few
@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_percentiles_were_observed_and_grow(values: list[int], random: Random) -> None:
    """Each is one of the values, p50 <= p90 <= p99 <= the greatest, within its bounds; the order changes nothing."""
    found = latencies(values)
    ordered = [found.percentiles[name] for name in ("p50", "p90", "p99")]

    assert found == latencies(random.sample(values, len(values))) and found.mean == pytest.approx(fmean(values))
    assert [one.value for one in ordered] == sorted(one.value or 0 for one in ordered)
    for one in ordered:
        assert one.value in values
        assert (one.low is None or one.low <= (one.value or 0)) and (one.high is None or (one.value or 0) <= one.high)


def test_bounds_of_percentiles_hold_what_they_promise() -> None:
    """Of exponential latencies: both bounds of the median hold it in 95 % of 400 worlds, or nearly."""
    random, held = Random(8), 0
    for _ in range(400):
        low, high = percentile_bounds([random.expovariate(1) for _ in range(40)], 0.5)
        held += (low or 0) <= math.log(2) <= (high or math.inf)
    assert held >= 0.93 * 400
