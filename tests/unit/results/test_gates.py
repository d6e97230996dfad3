"""Laws of gates: what a higher demand, a stricter bound and fewer scores can do to a verdict, and what they never do."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.results.sums.gates import (
    Bound,
    Estimate,
    Threshold,
    judged,
    judged_cost,
    judged_critical,
    judged_missing,
    more_questions,
    threshold_of,
)
from tui_eval.statistics.estimates import mean, student_t, wilson

ORDER = {"FAIL": 0, "INCONCLUSIVE": 1, "PASS": 2}
bounds = st.sampled_from(["value", "low"])
signs = st.sampled_from([">=", ">", "<=", "<"])
shares = st.floats(0, 1)


def share_of(right: int, n: int) -> Estimate:
    """So many right of n."""
    low, high = wilson(right, n) or (None, None)
    return Estimate(n, right / n if n else None, low, high, share=True)


@st.composite
def estimates(draw: st.DrawFn) -> Estimate:
    """Shares and means of few and of many questions, without an interval where there can be none."""
    n = draw(st.integers(0, 400))
    if draw(st.booleans()):
        return share_of(draw(st.integers(0, n)), n)
    value, arm = draw(st.floats(0, 1)), draw(st.floats(0, 1))
    if n < 2:
        return Estimate(n, value if n else None)
    return Estimate(n, value, value - arm, value + arm)


@few
@given(found=estimates(), sign=signs, bound=bounds, one=shares, other=shares)
def test_asking_more_never_helps(found: Estimate, sign: str, bound: Bound, one: float, other: float) -> None:
    """The harder threshold passes only where the easier one does, and fails wherever that one fails."""
    easy, hard = sorted((one, other), reverse=sign.startswith("<"))

    verdicts = [ORDER[judged(found, Threshold(sign, value), bound).outcome] for value in (easy, hard)]

    assert verdicts[1] <= verdicts[0]


@few
@given(found=estimates(), sign=signs, threshold=shares)
def test_what_all_of_the_interval_holds_the_value_holds(found: Estimate, sign: str, threshold: float) -> None:
    """The bound "low" is the stricter one: it passes nothing, and fails nothing, that the value would not."""
    wanted = Threshold(sign, threshold)
    strict, plain = (judged(found, wanted, bound).outcome for bound in ("low", "value"))

    assert strict in (plain, "INCONCLUSIVE")


@few
@given(sign=signs, bound=bounds, threshold=shares, most=shares)
def test_nothing_passes_without_a_score(sign: str, bound: Bound, threshold: float, most: float) -> None:
    """No answer is no evidence, whatever is demanded, be it that none is missing."""
    assert judged(Estimate(0, None), Threshold(sign, threshold), bound).outcome == "INCONCLUSIVE"
    assert judged_missing(0, 0, most).outcome == "INCONCLUSIVE"


@few
@given(found=estimates(), sign=signs, threshold=shares)
def test_what_cannot_be_told_says_what_is_missing(found: Estimate, sign: str, threshold: float) -> None:
    """An interval across the threshold says how many questions more; only a value on the threshold is told by none."""
    told = judged(found, Threshold(sign, threshold), "low")

    if told.outcome == "INCONCLUSIVE":
        assert told.why
        assert told.needed is None or told.needed >= 1
        if found.n > 1 and found.value is not None and abs(found.value - threshold) > 1e-6:
            assert told.needed is not None
    else:
        assert (told.why, told.needed) == ("", None)


@few
@given(right=st.integers(0, 60), n=st.integers(2, 60), threshold=st.floats(0.05, 0.95))
def test_with_the_questions_that_are_missing_it_can_be_told(right: int, n: int, threshold: float) -> None:
    """At the same share the needed number of questions brings an interval that leaves out the threshold."""
    found = share_of(min(right, n), n)
    needed = judged(found, Threshold(">=", threshold), "low").needed
    if needed is None or found.value is None or needed > 10**6:
        return
    whole = n + needed
    low, high = wilson(found.value * whole, whole) or (0.0, 1.0)

    assert low > threshold or high < threshold


def test_how_many_are_needed_is_what_the_textbook_says() -> None:
    """One proportion, 0.8 against 0.7, four of five runs (Fleiss): 154 questions (statsmodels, normal approximation); means go
    by the square of how far the interval has to shrink."""
    found = share_of(40, 50)
    expected = ((1.959964 * math.sqrt(0.21) + 0.841621 * 0.4) / 0.1) ** 2
    needed = more_questions(found, 0.7)
    assert needed is not None and abs(needed + 50 - expected) <= 1

    values = [3.0, 4.0, 5.0, 4.0, 3.0, 5.0]
    arm = student_t(0.975, 5) * math.sqrt(0.8 / 6)
    of_marks = more_questions(Estimate(6, mean(values), 4 - arm, 4 + arm), 3.9)
    assert of_marks == math.ceil(6 * ((1 + 0.8416212 / 1.959964) * arm / 0.1) ** 2 - 6)


@pytest.mark.parametrize(
    ("value", "wanted", "outcome"),
    [
        (0.8, ">= 0.8", "PASS"),
        (0.1 + 0.7, ">= 0.8", "PASS"),
        (0.78 - 0.8, ">= -0.02", "PASS"),
        (0.1 + 0.7, "< 0.8", "FAIL"),
        (0.8, "> 0.8", "FAIL"),
        (2.0, "<= 2", "PASS"),
        (2.1, "<=2.0", "FAIL"),
        (0.8, ">= 80 %", "PASS"),
        (0.795, ">= 80%", "FAIL"),
    ],
)
def test_a_value_on_the_threshold_is_on_it(value: float, wanted: str, outcome: str) -> None:
    """However it was reckoned; only > and < ask for more."""
    assert judged(Estimate(9, value), threshold_of(wanted)).outcome == outcome


@pytest.mark.parametrize(
    "text", ["", "0.8", "= 0.8", "=> 0.8", ">= nan", ">= inf", ">= 1e9", ">= 0,8", ">= .", "about 0.8", ">"]
)
def test_what_is_no_threshold_is_refused(text: str) -> None:
    """In words that show how one is written."""
    with pytest.raises(ValueError, match="such as"):
        threshold_of(text)


def test_missing_answers_costs_and_critical_questions() -> None:
    """What is known to be too much fails at once; what is not known is told by nobody, and never taken for nothing."""
    assert [judged_missing(n, 20, 0.05).outcome for n in (0, 1, 2, 20)] == ["PASS", "PASS", "FAIL", "FAIL"]
    assert judged_cost(0.5, 0, 0.5).outcome == "PASS"
    assert judged_cost(0.5, 3, 1).outcome == "INCONCLUSIVE" and "3 calls" in judged_cost(0.5, 3, 1).why
    assert judged_cost(0.0, 1, 0).outcome == "INCONCLUSIVE"
    assert judged_cost(1.1, 3, 1).outcome == "FAIL"
    assert judged_critical([], []).outcome == "PASS"
    assert judged_critical(["a"], ["b"]).outcome == "FAIL"
    assert judged_critical([], ["b"]).outcome == "INCONCLUSIVE"
