"""Laws of a judge beside a person: what is missing is counted, never a zero."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.person_checks import LEAST_MARKS, CheckedAnswer, person_check

GROUNDED = Metric("groundedness", 1, 5, threshold=3)


def answers(n: int, told: int, turns_each: int = 1, lenient: int = 1) -> list[CheckedAnswer]:
    """So many answers of which a person marked the first; the judge is lenient."""
    random = Random(n)
    truths = [random.choice((1, 2, 3, 4)) for _ in range(n)]
    judged = [min(5, y + lenient) for y in truths]
    return [
        CheckedAnswer(i // turns_each, f, y if i < told else None) for i, (y, f) in enumerate(zip(truths, judged, strict=True))
    ]


def test_a_lenient_judge_is_corrected() -> None:
    """It gives one more throughout: bias 1, raw one too high, corrected by just that; and each says its n."""
    rows = answers(200, 40)
    found = person_check(rows, GROUNDED)

    assert (found.agreement.n, found.agreement.bias, found.used, found.missing, found.why) == (40, 1, 40, 0, "")
    assert found.corrected and found.tuned and found.raw.n == 200 and found.person.n == 40
    assert found.corrected.value == pytest.approx((found.raw.value or 0) - 1) and found.corrected.n == 200
    assert (found.interval.low or 1) < (found.agreement.quadratic or 0) < (found.interval.high or 0)


@pytest.mark.parametrize(
    ("n", "told", "turns_each", "missing", "why"),
    [
        (150, LEAST_MARKS - 1, 1, 1, "not corrected: 1 more rating is missing (30 over 8 are needed; this set has 150"),
        (150, 0, 1, 30, "30 more ratings are missing, 8 of them of other conversations (30 "),
        (150, 30, 6, 3, "3 more ratings are missing, 3 of them of other conversations (30 "),
        (60, 20, 10, 10, "this set has 6 conversations: a correction is not possible with it; it takes 8"),
        (4, 4, 1, 26, "this set has 4 conversations: a correction is not possible with it; it takes 8"),
        (24, 20, 1, 10, "this set has 24 judged answers: a correction is not possible with it; it takes 30"),
    ],
)
def test_too_few_marks_correct_nothing(n: int, told: int, turns_each: int, missing: int, why: str) -> None:
    """Below 30 labels over 8 conversations: agreement, what is missing, or that the set cannot bring so many."""
    found = person_check(answers(n, told, turns_each), GROUNDED)

    assert (found.used, found.missing) == (told, missing) and why in found.why
    assert found.corrected is found.tuned is None and found.agreement.n == told


def test_labels_of_long_conversations_weigh_no_more() -> None:
    """A judge too lenient by two in long conversations alone: whichever answers are labelled, the mean is that over
    conversations."""
    rows = [
        CheckedAnswer(c, 5.0 if c % 2 else 3.0, 3.0 if place < (1 if c % 2 else 3) else None)
        for c in range(40)
        for place in range(9 if c % 2 else 3)
    ]
    found = person_check([*rows, CheckedAnswer(0, 3.0)], GROUNDED)

    assert found.corrected and found.corrected.value == pytest.approx(3.0) and found.raw.value == pytest.approx(4.0)


def test_what_a_person_could_not_tell_is_no_mark() -> None:
    """It is counted as shown, and enters nothing; an unread judge leaves the pair out; nothing at all is no error."""
    rows = [*answers(100, 35), CheckedAnswer("x", 3, None, cannot_tell=True), CheckedAnswer("y", None, 4)]
    found, without = person_check(rows, GROUNDED), person_check(answers(100, 35), GROUNDED)

    assert (found.shown, found.cannot_tell, found.agreement.n, found.agreement.left_out) == (37, 1, 35, 1)
    assert found.agreement.kappa == without.agreement.kappa and found.person.n == 36
    nothing = person_check([], GROUNDED)
    assert (nothing.shown, nothing.raw.value, nothing.agreement.n, nothing.missing) == (0, None, 0, LEAST_MARKS)
    all_marked = person_check(answers(40, 40), GROUNDED)
    assert all_marked.corrected is None and "own mean" in all_marked.why


def test_means_of_several_judges_have_no_kappa_but_a_bias() -> None:
    """Marks between those of the scale: distance, bias and rank correlation, and the correction."""
    rows = [replace(row, judge=(row.judge or 0) - 0.5) for row in answers(100, 40)]
    found = person_check(rows, GROUNDED)

    assert found.agreement.kappa is None and found.agreement.bias == 0.5 and "several judges" in found.agreement.why
    assert found.corrected is not None and found.interval.low is None


def test_the_order_of_answers_of_other_conversations_changes_nothing() -> None:
    """One answer of each conversation: whichever way they are listed."""
    rows = answers(120, 40)

    assert person_check(rows, GROUNDED) == person_check(rows[::-1], GROUNDED)
