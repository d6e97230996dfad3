"""Laws of the interval of a bounded mean: published ends where there are any, raising a value lowers none, never of width 0."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.bounded_means import EXACT, GRID, bounded_mean, size_at_the_end

on_grid = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])
units = st.lists(st.tuples(st.one_of(on_grid, st.floats(0, 1)), st.sampled_from([1, 1, 2, 5, 40])), min_size=1, max_size=30)


def ends(found: list[tuple[float, int]]) -> tuple[float, float]:
    """The interval of units, each a value and a size."""
    return bounded_mean([value for value, _ in found], 0, 1, [size for _, size in found])


def test_of_right_and_wrong_it_is_clopper_and_pearsons(vectors: dict[str, Any]) -> None:
    """Every reference case is met: exactly up to 64 units, to a 300th of the width above."""
    for case in vectors["numeric"]["proportion_ci"]["cases"]:
        k, n = case["inputs"]["k"], case["inputs"]["n"]
        low, high = case["expected"]["clopper_pearson"]
        found = bounded_mean([1.0] * k + [0.0] * (n - k), 0, 1, level=case["inputs"]["level"])

        assert found == pytest.approx((low, high), abs=2 * GRID if n <= EXACT else (high - low) / 300), case["id"]


@pytest.mark.parametrize("n", [1, 2, 6, 40, EXACT])
def test_where_all_are_alike_it_is_known_in_a_formula(n: int) -> None:
    """The largest of n places in 0..1 is below .025^(1/n) once in 40 times: marks of 5 leave room down to 1 + 4 of that."""
    low, high = bounded_mean([5.0] * n, 1, 5)
    middle = bounded_mean([0.25] * n, 0, 1)

    assert (low, high) == (pytest.approx(1 + 4 * 0.025 ** (1 / n), abs=8 * GRID), 5)
    assert middle == pytest.approx((0.25 * 0.025 ** (1 / n), 1 - 0.75 * 0.025 ** (1 / n)), abs=2 * GRID)


@pytest.mark.parametrize(
    ("sizes", "expected"), [([], (0.25730, 0.88913)), ([1, 4, 2, 2, 10], (0.22004, 0.96222))], ids=["equal", "unequal"]
)
def test_it_is_the_quantile_of_drawn_weights(sizes: list[int], expected: tuple[float, float]) -> None:
    """Four million draws of Dirichlet's weights by numpy, to a 2,000th."""
    assert bounded_mean([0.2, 0.5, 0.5, 0.9, 1.0], 0, 1, sizes) == pytest.approx(expected, abs=5e-4)


@few
@given(units, st.data())
def test_raising_a_value_lowers_neither_end(found: list[tuple[float, int]], data: st.DataObject) -> None:
    """However little it is raised, and whichever; exactly."""
    place = data.draw(st.integers(0, len(found) - 1))
    value, size = found[place]
    raised = [*found]
    raised[place] = (data.draw(st.one_of(st.floats(value, 1), st.just(min(value + 1e-12, 1.0)))), size)

    before, after = ends(found), ends(raised)

    assert before[0] <= after[0] and before[1] <= after[1]


def test_raising_a_value_of_many_lowers_neither_end() -> None:
    """Above 64 units, to a millionth of the scale; and one of 64 exactly."""
    random = Random(20261126)
    for count in (EXACT, EXACT + 1, 300):
        for _ in range(4):
            found = [(random.choice((random.random(), 0.0, 1.0)), random.choice((1, 1, 7))) for _ in range(count)]
            place = random.randrange(count)
            raised = [*found]
            raised[place] = (min(found[place][0] + random.choice((1e-9, 0.01, 1.0)), 1.0), found[place][1])
            room = 0.0 if count <= EXACT else 1e-6

            assert all(one <= other + room for one, other in zip(ends(found), ends(raised), strict=True))


@few
@given(units, st.randoms(use_true_random=False))
def test_the_order_of_the_units_changes_nothing(found: list[tuple[float, int]], random: Random) -> None:
    """Not a bit."""
    other = [*found]
    random.shuffle(other)

    assert ends(found) == ends(other)


@few
@given(units)
def test_it_holds_the_mean_has_a_width_and_a_mirror_image(found: list[tuple[float, int]]) -> None:
    """On the scale, wider than nothing; and what is seen from the other end is as wide."""
    low, high = ends(found)
    mean = sum(value * size for value, size in found) / sum(size for _, size in found)
    mirrored = ends([(1 - value, size) for value, size in found])

    assert 0 <= low <= mean + 1e-12 and mean - 1e-12 <= high <= 1
    assert high - low > 1e-4
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=2 * GRID)


def test_a_higher_level_and_fewer_units_are_wider() -> None:
    """Of one and the same mixture of values."""
    mixed = [0.2, 0.5, 0.9, 1.0]
    few_units, many = bounded_mean(mixed, 0, 1), bounded_mean(mixed * 8, 0, 1)
    surer = bounded_mean(mixed * 8, 0, 1, level=0.99)

    assert few_units[0] < surer[0] < many[0] < many[1] < surer[1] < few_units[1]


def test_the_unit_at_the_end_lies_between_the_mean_size_and_kishs() -> None:
    """Of equal units their size; else above the mean size, below the sum of squares over the sum."""
    assert size_at_the_end([3.0] * 7) == pytest.approx(3)
    assert 25 / 4 < size_at_the_end([1, 2, 2, 20]) < (1 + 4 + 4 + 400) / 25


@pytest.mark.parametrize(
    ("values", "low", "high", "sizes"),
    [([], 0, 1, []), ([1.1], 0, 1, []), ([-0.1], 0, 1, []), ([0.5], 1, 1, []), ([0.5, 0.5], 0, 1, [1])],
)
def test_what_is_no_mean_is_a_bug_of_the_caller(values: list[float], low: float, high: float, sizes: list[float]) -> None:
    """Nothing, values off the scale, a scale without room, and sizes of other units."""
    with pytest.raises(ValueError):
        bounded_mean(values, low, high, sizes)
