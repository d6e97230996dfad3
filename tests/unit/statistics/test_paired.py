"""Laws of comparisons: the published numbers, signs that follow the order of the models, p values only corrected upwards."""

from __future__ import annotations

import math
import random
from math import comb
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.paired import (
    holm,
    mcnemar_exact,
    tango,
)

disagreements = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 200))
"""b, c, and the questions on which two models agree."""
intervals = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda ends: (min(ends) / 20, max(ends) / 20))
shares = st.floats(0, 1)


def test_mcnemar_gives_the_reference_values(vectors: dict[str, Any]) -> None:
    """Every exact reference p is met."""
    for case in vectors["numeric"]["mcnemar"]["cases"]:
        assert mcnemar_exact(**case["inputs"]) == pytest.approx(case["expected"]["exact"], abs=1e-6), case["id"]


@pytest.mark.parametrize(("b", "c"), [(240, 260), (5, 90), (1, 0), (700, 500)])
def test_mcnemar_is_the_binomial_sum(b: int, c: int) -> None:
    """Added up in whole numbers it is the same p."""
    n = b + c

    assert mcnemar_exact(b, c) == pytest.approx(min(1.0, 2 * sum(comb(n, i) for i in range(min(b, c) + 1)) / 2**n), rel=1e-10)


def test_mcnemar_holds_for_very_many_questions() -> None:
    """With 100,000 disagreements it is nearly the normal tail with a continuity correction, not a number out of range."""
    found = mcnemar_exact(50_500, 49_500)

    assert found == pytest.approx(math.erfc((1000 - 1) / math.sqrt(100_000) / math.sqrt(2)), rel=1e-3)


@few
@given(disagreements)
def test_mcnemar_does_not_know_which_model_came_first(case: tuple[int, int, int]) -> None:
    """Swapping the models changes nothing; one more disagreement on the side that leads never weakens the evidence."""
    b, c = max(case[:2]), min(case[:2])

    assert 0 < mcnemar_exact(b, c) <= 1
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)
    assert mcnemar_exact(b + 1, c) <= mcnemar_exact(b, c) + 1e-12


def test_tango_gives_the_reference_intervals(vectors: dict[str, Any]) -> None:
    """Every reference interval is met."""
    for case in vectors["numeric"]["paired_prop_ci"]["cases"]:
        assert tango(**case["inputs"]) == pytest.approx(case["expected"]["tango"], abs=1e-6), case["id"]


@few
@given(disagreements, st.sampled_from([0.8, 0.95, 0.99]))
def test_tango_holds_the_difference_and_turns_with_the_models(case: tuple[int, int, int], level: float) -> None:
    """The interval lies in -1..1 and holds the difference; swapping the models flips its sign."""
    b, c, n = case[0], case[1], sum(case)
    low, high = tango(b, c, n, level)

    assert tango(c, b, n, level) == (-high, -low)
    assert -1 <= low <= high <= 1
    if n:
        assert low - 1e-12 <= (b - c) / n <= high + 1e-12


@few
@given(disagreements)
def test_tango_narrows_with_evidence_and_widens_with_certainty(case: tuple[int, int, int]) -> None:
    """The same shares of three times the questions have a narrower interval; a higher level has a wider one."""

    def width(times: int, level: float = 0.95) -> float:
        low, high = tango(case[0] * times, case[1] * times, (sum(case) + 1) * times, level)
        return high - low

    assert width(3) < width(1) < width(1, 0.99)


def test_tango_reaches_the_ends() -> None:
    """A model that has all right against one with all wrong differs by 1 at the most; of no question nothing is known."""
    low, high = tango(40, 0, 40)

    assert high == 1.0 and 0.8 < low < 1
    assert tango(0, 0, 0) == (-1.0, 1.0)


def test_holm_gives_the_reference_values(vectors: dict[str, Any]) -> None:
    """Every family of reference p values is adjusted alike."""
    for case in vectors["numeric"]["multiple_comparisons"]["cases"]:
        assert holm(case["inputs"]["p"]) == pytest.approx(case["expected"]["holm"], abs=1e-6), case["id"]


@few
@given(st.lists(shares, max_size=30), st.randoms(use_true_random=False))
def test_holm_lies_between_raw_and_bonferroni(p_values: list[float], chance: random.Random) -> None:
    """Never below the p itself, never above Bonferroni's, in the same order, whatever the order they came in."""
    found = holm(p_values)
    order = chance.sample(range(len(p_values)), len(p_values))

    assert all(raw <= adjusted <= min(1.0, len(p_values) * raw) for raw, adjusted in zip(p_values, found, strict=True))
    assert sorted(found) == [adjusted for _, adjusted in sorted(zip(p_values, found, strict=True))]
    assert holm([p_values[i] for i in order]) == [found[i] for i in order]


def test_impossible_counts_and_shares_are_a_bug_of_the_caller() -> None:
    """Negative disagreements, more of them than questions, shares beyond 1: no figure."""
    for wrong in (
        lambda: mcnemar_exact(-1, 2),
        lambda: tango(3, 3, 5),
        lambda: tango(-1, 0, 5),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_a_large_board_is_compared_in_no_time() -> None:
    """Every pair of 72 models over 505 questions, in well below a second of this process; a slow machine may take more."""
    chance = random.Random(3)
    cells = [(chance.randint(0, 120), chance.randint(0, 120)) for _ in range(72 * 71 // 2)]

    began = process_time()
    for b, c in cells:
        tango(b, c, 505)
    holm([mcnemar_exact(b, c) for b, c in cells])
    took = process_time() - began

    assert took < 15
