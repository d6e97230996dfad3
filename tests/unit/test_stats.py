"""Laws of the statistics: the published numbers to six places, and nothing said about nothing."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.stats import clustered_wilson, mean, median_of, nearest_rank, wilson

counts = st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("group", ["proportion_ci", "wilson_other_levels"])
def test_wilson_gives_the_reference_intervals(vectors: dict[str, Any], group: str) -> None:
    """Every reference case (statsmodels) is met to six places, at the edges and at other levels, too."""
    for case in vectors["numeric"][group]["cases"]:
        given_ = case["inputs"]

        interval = wilson(given_["k"], given_["n"], given_["level"])

        assert interval == pytest.approx(case["expected"]["wilson"], abs=1e-6), case["id"]


def test_nearest_rank_gives_the_reference_percentiles(vectors: dict[str, Any]) -> None:
    """Every reference percentile is met, and is one of the values."""
    for case in vectors["numeric"]["latency_percentiles"]["cases"]:
        ordered = sorted(case["inputs"]["x"])

        found = {name: nearest_rank(Counter(ordered), int(name[1:]) / 100) for name in ("p50", "p90", "p95", "p99")}

        assert found == {name: case["expected"][f"{name}_nearest"] for name in found}, case["id"]


def test_of_nothing_nothing_is_known() -> None:
    """No value has a mean, a median, a percentile or an interval of nothing."""
    found = [mean([]), median_of([]), nearest_rank({}, 0.5), wilson(0, 0), clustered_wilson([], []), clustered_wilson([0], [0])]

    assert found == [None] * 6


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_impossible_counts_are_a_bug_of_the_caller(successes: int, n: int) -> None:
    """More successes than attempts, or fewer than none, are no proportion."""
    with pytest.raises(ValueError):
        wilson(successes, n)


@few
@given(counts, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_holds_the_proportion_and_is_symmetric(case: tuple[int, int], level: float) -> None:
    """The interval lies in 0..1, holds the proportion, and is the mirror image of that of the failures."""
    successes, n = case
    interval, mirrored = wilson(successes, n, level), wilson(n - successes, n, level)
    if interval is None or mirrored is None:
        assert n == 0
        return

    low, high = interval

    assert 0.0 <= low <= successes / n <= high <= 1.0
    assert low < high
    assert (low == 0.0) == (successes == 0) and (high == 1.0) == (successes == n)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_wilson_is_exact_at_the_edges() -> None:
    """No success begins at 0, all successes end at 1: not a hair beside it, for any number of attempts."""
    edges = [(wilson(0, n, level), wilson(n, n, level)) for n in range(1, 600) for level in (0.9, 0.95, 0.99)]

    assert {(none[0], every[1]) for none, every in edges if none and every} == {(0.0, 1.0)}
    assert all(none[1] < 1.0 and every[0] > 0.0 for none, every in edges if none and every)


@few
@given(st.integers(0, 50), st.integers(1, 50), st.integers(2, 9))
def test_wilson_narrows_with_evidence_and_widens_with_certainty(successes: int, failures: int, times: int) -> None:
    """The same proportion of more attempts has a narrower interval; a higher level has a wider one."""

    def width(k: int, n: int, level: float = 0.95) -> float:
        low, high = wilson(k, n, level) or (math.nan, math.nan)
        return high - low

    n = successes + failures

    assert width(successes * times, n * times) < width(successes, n) < width(successes, n, 0.99)


@few
@given(st.lists(st.integers(0, 1), min_size=1, max_size=60))
def test_clusters_of_one_are_no_clusters(outcomes: list[int]) -> None:
    """Where every question was asked once, the clustered interval is the plain one, on all its rows."""
    found = clustered_wilson(outcomes, [1] * len(outcomes))

    assert found == pytest.approx((*(wilson(sum(outcomes), len(outcomes)) or ()), len(outcomes)))


@few
@given(st.lists(st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=20))
def test_clusters_are_never_more_evidence_than_rows(clusters: list[tuple[int, int]]) -> None:
    """The interval holds the proportion; what it rests on is at most the rows, and repeats of one answer add nothing."""
    successes, sizes = [k for k, _ in clusters], [n for _, n in clusters]

    low, high, effective = clustered_wilson(successes, sizes) or (1.0, 0.0, 0.0)

    assert 0.0 <= low <= sum(successes) / sum(sizes) <= high <= 1.0
    assert 0 < effective <= sum(sizes)
    if all(k in (0, n) for k, n in clusters) and len(set(sizes)) == 1:
        assert effective <= len(clusters) + 1e-9


@few
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50), st.floats(0, 1))
def test_a_percentile_is_an_observed_value_with_its_share_below(values: list[float], share: float) -> None:
    """At least that share of the values is not above it, and it is one of them."""
    ordered = sorted(values)

    found = nearest_rank(Counter(ordered), share)

    assert found in ordered
    assert sum(value <= found for value in ordered) >= share * len(ordered) - 1e-9


@few
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=30))
def test_mean_and_median_lie_within(values: list[int]) -> None:
    """Both lie between the least and the greatest value, whatever the order."""
    found = [mean(values), median_of(values)]

    assert all(min(values) <= (value if value is not None else math.nan) <= max(values) for value in found)
    assert found == [mean(values[::-1]), median_of(values[::-1])]
