"""Laws of comparisons: the published numbers, signs that follow the order of the models, p values only corrected upwards."""

from __future__ import annotations

import math
import random
from itertools import product
from math import comb
from statistics import fmean
from time import process_time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.paired import (
    BLOCK,
    drawn_bytes,
    holm,
    mcnemar_exact,
    questions_needed,
    rank_ranges,
    sign_flip,
    sign_flip_drawn,
    smallest_difference,
    smallest_mean_difference,
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


def test_ranks_are_the_reference_ranks(vectors: dict[str, Any]) -> None:
    """Every reference board has the same best and worst ranks."""
    for case in vectors["numeric"]["rank_by_ci"]["cases"]:
        expected = zip(case["expected"]["rank_best"], case["expected"]["rank_worst"], strict=True)

        assert rank_ranges([tuple(ends) for ends in case["inputs"]["ci"]]) == list(expected), case["id"]


@few
@given(st.lists(intervals, max_size=25), st.randoms(use_true_random=False))
def test_ranks_are_what_the_definition_counts(board: list[tuple[float, float]], chance: random.Random) -> None:
    """Best <= worst, both within 1..k, counted as defined, in whatever order the models stand."""
    k, found = len(board), rank_ranges(board)
    order = chance.sample(range(k), k)

    assert found == [
        (1 + sum(other[0] > high for other in board), k - sum(other[1] < low for other in board)) for low, high in board
    ]
    assert all(1 <= best <= worst <= k for best, worst in found)
    assert rank_ranges([board[i] for i in order]) == [found[i] for i in order]


@pytest.mark.parametrize(
    ("n", "points"), [(50, (None, 17, 21)), (100, (9, 12, 15)), (200, (6, 9, 11)), (500, (4, 6, 7)), (1000, (3, 4, 5))]
)
def test_the_smallest_difference_is_that_of_the_method_table(n: int, points: tuple[int | None, ...]) -> None:
    """METHOD.md 2.6: at a disagreement of 10, 20 and 30 points."""
    found = [smallest_difference(n, disagreement) for disagreement in (0.1, 0.2, 0.3)]

    assert tuple(None if value is None else round(100 * value) for value in found) == points


def test_questions_needed_are_those_of_the_reference(vectors: dict[str, Any]) -> None:
    """Every reference number of questions is met."""
    for case in vectors["numeric"]["power_mcnemar"]["cases"]:
        given_, expected = case["inputs"], case["expected"]

        found = questions_needed(given_["p10"], given_["p01"], given_["power"], 1 - given_["alpha"])

        assert found == pytest.approx(expected["n_exact_formula"], abs=1e-6), case["id"]
        assert math.ceil(found) == expected["n_required"]


def test_the_smallest_difference_of_means_is_that_of_the_reference(vectors: dict[str, Any]) -> None:
    """Every reference difference is met, the spread within questions divided by the replies to each."""
    for case in vectors["numeric"]["power_paired_mean"]["cases"]:
        g = case["inputs"]

        found = smallest_mean_difference(
            g["n_given"], g["w2"] + g["s2A"] / g["KA"] + g["s2B"] / g["KB"], g["power"], 1 - g["alpha"]
        )

        assert found == pytest.approx(case["expected"]["mde"], abs=1e-6), case["id"]


@few
@given(st.integers(0, 5000), shares, st.sampled_from([0.3, 0.5, 0.8, 0.95]), st.sampled_from([0.9, 0.95]))
def test_the_smallest_difference_needs_just_these_questions(n: int, disagreement: float, power: float, level: float) -> None:
    """One formula is the other solved: the difference found needs n questions; where none is found, all of it needs more."""
    found = smallest_difference(n, disagreement, power, level)

    if found is not None:
        p01 = max((disagreement - found) / 2, 0.0)
        assert questions_needed(disagreement - p01, p01, power, level) == pytest.approx(n, rel=1e-6)
    elif disagreement > 1e-9:
        assert questions_needed(disagreement, 0.0, power, level) > n * (1 - 1e-9)


def test_no_difference_is_never_found() -> None:
    """Models that never disagree, or as often one way as the other, cannot be told apart by any number of questions."""
    assert questions_needed(0.1, 0.1) == math.inf
    assert smallest_difference(10**9, 0.0) is None
    assert smallest_difference(0, 0.5) is None


def test_sign_flips_give_the_reference_values(vectors: dict[str, Any]) -> None:
    """Every reference p is met."""
    for case in vectors["numeric"]["sign_flip_permutation"]["cases"]:
        assert sign_flip(case["inputs"]["d"]) == pytest.approx(case["expected"]["p"], abs=1e-6), case["id"]


@few
@given(st.lists(st.integers(-4, 4), max_size=9), st.randoms(use_true_random=False))
def test_sign_flips_are_counted_over_every_pattern(tenths: list[int], chance: random.Random) -> None:
    """Written out pattern by pattern it is the same; swapping the models or the rows, or adding zeros, changes nothing."""
    differences = [value / 10 for value in tenths]
    patterns = [abs(sum(s * d for s, d in zip(signs, tenths, strict=True))) for signs in product((1, -1), repeat=len(tenths))]

    found = sign_flip(differences)

    assert found == pytest.approx(fmean(total >= abs(sum(tenths)) for total in patterns), abs=1e-12)
    assert found == sign_flip([-d for d in differences]) == sign_flip([*chance.sample(differences, len(differences)), 0.0])


@settings(few)
@given(st.lists(st.integers(-9, 9), max_size=90), st.sampled_from([1, 2, 3, 4, 7, 12]), st.sampled_from([0.0, 1e-9]))
@example([1, -1, 2] * 30, 3, 0.0)
def test_whole_numbers_bring_the_p_of_patterns_one_by_one(numbers: list[int], q: int, off: float) -> None:
    """Differences on a grid are added up for all drawn patterns at once; every p is what each pattern by itself brings."""
    differences = [number / q + off * place for place, number in enumerate(numbers)]
    moved = sorted(abs(difference) for difference in differences if difference)
    sums = [abs(math.fsum(pattern)) for pattern in zip(*_signed(moved, 200), strict=True)]
    reached = abs(math.fsum(differences)) - 1e-12 * math.fsum(moved)
    wanted = 1.0 if reached <= 0 else (1 + sum(found >= reached for found in sums)) / 201

    assert sign_flip_drawn(differences, draws=200) == wanted


def _signed(moved: list[float], draws: int) -> list[list[float]]:
    """Each of these values with its sign in every drawn pattern: a set bit of its byte turns it."""
    drawn = list(drawn_bytes(-(-len(moved) // BLOCK), draws))
    blocks = [moved[i : i + BLOCK] for i in range(0, len(moved), BLOCK)]
    return [
        [-value if bytes_[place] >> (len(block) - 1 - i) & 1 else value for bytes_ in drawn]
        for place, block in enumerate(blocks)
        for i, value in enumerate(block)
    ]


def test_sign_flips_have_a_limit() -> None:
    """Sixteen differences on one side are 2 patterns of 65,536; a seventeenth is refused, zeros are not counted."""
    assert sign_flip([0.25] * 16 + [0.0] * 30) == 2 / 2**16
    assert sign_flip([]) == 1.0
    with pytest.raises(ValueError, match="17 non-zero"):
        sign_flip([0.25] * 17)


def test_impossible_counts_and_shares_are_a_bug_of_the_caller() -> None:
    """Negative disagreements, more of them than questions, shares beyond 1: no figure."""
    for wrong in (
        lambda: mcnemar_exact(-1, 2),
        lambda: tango(3, 3, 5),
        lambda: tango(-1, 0, 5),
        lambda: smallest_difference(10, 1.1),
        lambda: smallest_difference(-1, 0.1),
        lambda: questions_needed(0.7, 0.4),
        lambda: questions_needed(0.1, -0.1),
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
