"""Laws of a corrected rate and of the alternative annotator test: by hand, by the authors' formulas, and by simulation."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.statistics.alternative_annotator import LEAST_COMMON, alternative_annotator
from tui_eval.statistics.estimates import Z, wilson
from tui_eval.statistics.judge_certificate import CorrectedRate, rogan_gladen
from tui_eval.statistics.paired import benjamini_yekutieli, holm


def written_out(p: float, n: float, q0: float, m0: float, q1: float, m1: float) -> tuple[float, float]:
    """The interval of arXiv 2511.21140 as its authors write it, before it is cut at 0 and 1."""
    p, q0, q1 = (n * p + Z**2 / 2) / (n + Z**2), (m0 * q0 + 1) / (m0 + 2), (m1 * q1 + 1) / (m1 + 2)
    n, m0, m1 = n + Z**2, m0 + 2, m1 + 2
    theta = (p + q0 - 1) / (q0 + q1 - 1)
    shift = 2 * Z**2 * (-(1 - theta) * q0 * (1 - q0) / m0 + theta * q1 * (1 - q1) / m1)
    variance = p * (1 - p) / n + (1 - theta) ** 2 * q0 * (1 - q0) / m0 + theta**2 * q1 * (1 - q1) / m1
    error = math.sqrt(variance) / (q0 + q1 - 1)
    return theta + shift - Z * error, theta + shift + Z * error


def test_a_rate_by_hand() -> None:
    """52 of 62 yes by a judge that is right of 22 of 24 yes and 17 of 21 no."""
    found = rogan_gladen(0.84, 62, 17 / 21, 21, 22 / 24, 24)

    assert found.value == pytest.approx((0.84 + 17 / 21 - 1) / (17 / 21 + 22 / 24 - 1))
    low, high = written_out(0.84, 62, 17 / 21, 21, 22 / 24, 24)
    assert (found.low, found.high) == (pytest.approx(low), 1.0) and high > 1
    assert (round(found.value, 2), round(found.low, 2)) == (0.89, 0.71)


RATES = st.floats(0, 1)
EFFECTIVE = st.floats(4, 2_000)


@given(RATES, EFFECTIVE, st.floats(0.65, 1), st.floats(20, 400), st.floats(0.65, 1), st.floats(20, 400))
def test_a_corrected_rate_is_a_share_within_its_interval(
    rate: float, n: float, specificity: float, m_no: float, sensitivity: float, m_yes: float
) -> None:
    """Never of width 0, also of 4 answers; a higher rate never has a lower value."""
    found = rogan_gladen(rate, n, specificity, m_no, sensitivity, m_yes)

    assert 0 <= found.low <= found.value <= found.high <= 1 and found.high - found.low > 1e-3
    assert rogan_gladen(min(rate + 0.1, 1), n, specificity, m_no, sensitivity, m_yes).value >= found.value


def test_a_judge_without_faults_changes_nothing() -> None:
    """With ever more labels of a perfect judge the interval becomes about Wilson's of the rate itself."""
    found = rogan_gladen(0.7, 200, 1.0, 10**6, 1.0, 10**6)
    low, high = wilson(140, 200) or (0, 1)

    assert found.value == pytest.approx(0.7) and (found.low, found.high) == (
        pytest.approx(low, abs=5e-3),
        pytest.approx(high, abs=5e-3),
    )


@pytest.mark.parametrize("bad", [(0.5, 10, 0.5, 20, 0.5, 20), (0.5, 10, 0.4, 20, 0.5, 20), (0.5, 0, 0.9, 20, 0.9, 20)])
def test_a_judge_that_tells_nothing_corrects_nothing(bad: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="sensitivity"):
        rogan_gladen(*bad)


@pytest.mark.parametrize(("theta", "sensitivity", "specificity"), [(0.1, 0.9, 0.9), (0.5, 0.8, 0.7), (0.9, 0.7, 0.8)])
def test_an_interval_holds_the_rate(theta: float, sensitivity: float, specificity: float) -> None:
    """Of 60 answers and 20 labels of each truth, in at least 92 of 100 by 400 draws (99 % rule)."""
    random, held, draws = Random(7), 0, 0
    while draws < 400:
        yes = sum(random.random() < sensitivity for _ in range(20)) / 20
        no = sum(random.random() < specificity for _ in range(20)) / 20
        if yes + no <= 1.2:
            continue
        draws += 1
        chance = theta * sensitivity + (1 - theta) * (1 - specificity)
        rate = sum(random.random() < chance for _ in range(60)) / 60
        found: CorrectedRate = rogan_gladen(rate, 60, no, 20, yes, 20)
        held += found.low <= theta <= found.high
    assert (wilson(held, draws, 0.99) or (0, 1))[1] >= 0.92


# ------------------------------------------------------------------------------------------------ in a person's place


def test_two_persons_by_hand() -> None:
    """A judge that says what one of them says is at least as near to the other as that one is; a liar is not."""
    a, b = [1.0, 0.0] * 30, [1.0, 0.0] * 25 + [0.0, 1.0] * 5
    same = alternative_annotator(a, [a, b], range(60))
    liar = alternative_annotator([1 - mark for mark in a], [a, b], range(60))

    assert [(one.judge, one.person) for one in same] == [(pytest.approx(1.0), 1.0), (1.0, pytest.approx(50 / 60))]
    assert all(one.won for one in same) and not any(one.won for one in liar)
    assert liar[0].judge == pytest.approx(10 / 60) and liar[0].p > 0.99


def test_marks_are_near_by_their_distance() -> None:
    """From 1 to 5: one off is nearer than two off, and neither agrees."""
    judge, own, other = [3.0] * 60, [2.0] * 60, [4.0] * 60
    found = alternative_annotator(judge, [own, other], range(60), labels=False)

    assert (found[0].judge, found[0].person) == (1.0, 0.0)
    assert alternative_annotator(judge, [own, other], range(60))[0].person == 1.0


@pytest.mark.parametrize("persons", [2, 3])
@pytest.mark.parametrize("talks", [60, 15])
def test_a_judge_that_is_worse_by_epsilon_seldom_wins(persons: int, talks: int) -> None:
    """Against each person in at most 5 of 100, by items and by conversations of four (99 % rule)."""
    random, won, draws = Random(persons + talks), [0] * persons, 300
    for _ in range(draws):
        truth = [random.random() < 0.5 for _ in range(60)]
        rows = [[float(yes != (random.random() < 0.1)) for yes in truth] for _ in range(persons)]
        judge = [float(yes != (random.random() < 0.225)) for yes in truth]
        names = [place * talks // 60 for place in range(60)]
        for place, one in enumerate(alternative_annotator(judge, rows, names)):
            won[place] += one.won
    assert all((wilson(n, draws, 0.99) or (0, 1))[0] <= 0.05 for n in won), won


def test_one_cluster_decides_nothing() -> None:
    """All answers of one conversation: no test; and fewer than two persons are none."""
    marks = [1.0] * LEAST_COMMON
    assert not any(one.won for one in alternative_annotator(marks, [marks, marks], [0] * LEAST_COMMON))
    for wrong in ([marks], [marks, marks[1:]]):
        with pytest.raises(ValueError, match="persons"):
            alternative_annotator(marks, wrong, range(LEAST_COMMON))


def test_false_discoveries_by_hand() -> None:
    """Benjamini and Yekutieli 2001: .05·r/(m·(1 + 1/2 + ... )), up to the largest rank that holds."""
    assert benjamini_yekutieli([0.04, 0.001]) == [False, True]
    assert benjamini_yekutieli([0.033, 0.001]) == [True, True] and 0.033 < 0.05 / 1.5 < 0.04
    assert benjamini_yekutieli([0.02, 0.02, 0.02]) == [True] * 3 and benjamini_yekutieli([]) == []
    assert benjamini_yekutieli([0.05]) == [True]


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_smaller_p_is_never_the_one_that_fails(values: list[float]) -> None:
    """And what Holm rejects over as many tests as m times the harmonic sum would be rejected, too."""
    found = benjamini_yekutieli(values)
    assert all(found[i] or not found[j] for i in range(len(values)) for j in range(len(values)) if values[i] < values[j])
    harmonic = sum(1 / rank for rank in range(1, len(values) + 1))
    assert all(rejected for rejected, p in zip(found, holm(values), strict=True) if p * harmonic < 0.05)
