"""Laws of the paired t test with a floor: interval and p are one test, never of width 0, and its power is that of scipy."""

from __future__ import annotations

import math
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.clusters import jackknife_error
from tui_eval.statistics.paired import clustered_mean
from tui_eval.statistics.score_differences import FLOOR, detectable_errors, floor_error, score_difference

differences = st.lists(
    st.tuples(st.sampled_from([-1.0, -0.25, 0.0, 0.0, 0.5, 1.0]), st.integers(0, 5)), min_size=1, max_size=30
)


def test_but_for_the_floor_it_is_the_paired_t_test(vectors: dict[str, Any]) -> None:
    """Every reference case: the squares of its error and of the floor add up."""
    for case in vectors["numeric"]["paired_diff"]["cases"]:
        a, b, expected = case["inputs"]["a"], case["inputs"]["b"], case["expected"]
        span = max(abs(x - y) for x, y in zip(a, b, strict=True))
        found = score_difference([x - y for x, y in zip(a, b, strict=True)], range(len(a)), span)

        assert found.value == pytest.approx(expected["mean_diff"], abs=1e-9), case["id"]
        assert found.degrees == len(a) - 1
        assert found.error**2 == pytest.approx(expected["se"] ** 2 + floor_error(found.value, len(a), span) ** 2), case["id"]


def test_the_floor_is_what_a_hundredth_of_a_unit_at_either_end_adds() -> None:
    """By hand, of four units that all differ by half the scale: their squares about the mean of four and two hundredths."""
    middle = (4 * 0.75 + FLOOR) / (4 + 2 * FLOOR)
    expected = 2 * math.sqrt(FLOOR * (middle**2 + (1 - middle) ** 2) / (4 * 3))

    assert floor_error(0.5, 4, 1.0) == pytest.approx(expected)
    assert score_difference([0.5] * 4, range(4), 1.0).error == pytest.approx(expected)


@few
@given(differences)
def test_interval_and_p_are_one_test(found: list[tuple[float, int]]) -> None:
    """The interval of level 1 - p ends at 0, its width is never 0, and it is the mirror image of that of the other side."""
    values, clusters = [value for value, _ in found], [cluster for _, cluster in found]
    there, back = score_difference(values, clusters, 1), score_difference([-value for value in values], clusters, 1)
    low, high = there.interval()

    assert -1 <= low <= there.value <= high <= 1 and high - low > 1e-3
    assert (back.value, back.p, back.error) == (-there.value, there.p, pytest.approx(there.error))
    assert there.p_below() + there.p_above() == pytest.approx(1 if there.clusters > 1 else 2)
    if there.clusters > 1 and 1e-9 < there.p < 0.999:
        nearer = min(there.interval(1 - there.p), key=abs)
        assert nearer == pytest.approx(0, abs=1e-6) or there.p < 1e-3
        assert (low > 0 or high < 0) == (there.p < 0.05)


@few
@given(differences, st.randoms(use_true_random=False))
def test_the_order_of_the_items_changes_nothing(found: list[tuple[float, int]], random: Any) -> None:
    """Of differences of clusters."""
    other = [*found]
    random.shuffle(other)
    one, two = (score_difference([v for v, _ in each], [c for _, c in each], 1) for each in (found, other))

    assert (one.value, one.clusters) == (two.value, two.clusters)
    assert (one.error, one.degrees) == (pytest.approx(two.error, rel=1e-12), two.degrees)


def test_the_error_is_that_of_means_without_a_cluster() -> None:
    """Of three clusters of 1, 2 and 5, by leaving each out; of equal ones it is CR1."""
    groups = [[1.0], [0.5, 0.0], [-1.0, 0.0, 0.5, 0.25, 0.25]]
    every = [value for group in groups for value in group]
    without = [fmean(v for j, other in enumerate(groups) if j != i for v in other) for i in range(3)]
    expected = math.sqrt(2 / 3 * sum((one - fmean(every)) ** 2 for one in without))
    equal = [[0.5, 1.0], [0.0, 0.25], [0.75, -0.5]]
    names = [place for place, group in enumerate(equal) for _ in group]

    assert jackknife_error([sum(group) for group in groups], [1, 2, 5]) == pytest.approx(expected)
    assert jackknife_error([sum(group) for group in equal], [2, 2, 2]) == pytest.approx(
        clustered_mean([value for group in equal for value in group], names).se
    )


@pytest.mark.parametrize(
    ("degrees", "level", "sides", "expected"),
    [
        (1, 0.95, 1, 8.192258),
        (3, 0.95, 2, 4.255899),
        (5.3, 0.99, 2, 5.024986),
        (9, 0.95, 2, 3.149636),
        (9, 0.95, 1, 2.696909),
        (40, 0.95, 2, 2.871132),
        (199, 1 - 0.05 / 18, 2, 3.876578),
    ],
)
def test_power_is_that_of_the_noncentral_t(degrees: float, level: float, sides: int, expected: float) -> None:
    """The noncentrality at which scipy.stats.nct lies beyond the critical value in 80 %."""
    assert detectable_errors(degrees, level, sides=sides) == pytest.approx(expected, abs=1e-6)


def test_one_unit_shows_nothing() -> None:
    """Its interval is all of the scale."""
    found = score_difference([0.5, 1.0], ["a", "a"], 1)

    assert (found.interval(), found.p, found.p_below(), found.detectable(0.95)) == ((-1, 1), 1, 1, math.inf)


@few
@given(differences)
def test_a_difference_that_shows_is_as_many_of_its_errors(found: list[tuple[float, int]]) -> None:
    """Errors that grow with the units that differ: none grows where all units differ by as much."""
    there = score_difference([value for value, _ in found], [cluster for _, cluster in found], 1)
    if there.clusters < 2:
        return
    shown, errors = there.detectable(0.95), detectable_errors(there.degrees, 0.95)
    grown = max(there.sparsity * shown * (there.step - shown), 0.0) / (there.degrees + 1)

    assert shown == pytest.approx(errors * math.sqrt(there.error**2 + grown))
    assert 0 <= there.sparsity <= 1 and 0 < there.step <= 1


def test_of_marks_that_agree_a_difference_comes_by_those_that_do_not() -> None:
    """Of 40 marks of 1 to 5 that are all the same, and of which two differ by one: more than the floor's errors."""
    alike = score_difference([0.0] * 40, range(40), 4)
    two = score_difference([1.0, -1.0] + [0.0] * 38, range(40), 4)
    apart = score_difference([1.0, -1.0] * 20, range(40), 4)

    assert (alike.step, alike.sparsity) == (4, 1) and (two.step, two.sparsity) == (1, pytest.approx(0.95))
    assert alike.detectable(0.95) > 4 * alike.error * detectable_errors(39, 0.95)
    assert two.detectable(0.95) > 1.5 * two.error * detectable_errors(39, 0.95)
    assert apart.detectable(0.95) == pytest.approx(apart.error * detectable_errors(39, 0.95))


def test_nothing_has_no_difference() -> None:
    """And differences without a cluster are a bug of the caller."""
    with pytest.raises(ValueError):
        score_difference([], [], 1)
    with pytest.raises(ValueError):
        score_difference([0.5], [], 1)
