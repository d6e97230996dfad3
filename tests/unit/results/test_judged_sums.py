"""Laws of a model's turns and of a judge beside a person: what is missing is counted, never a zero."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.person_checks import LEAST_MARKS, CheckedAnswer, person_check
from tui_eval.results.sums.turns import MarkedTurn, turn_sums

GROUNDED = Metric("groundedness", 1, 5, threshold=3)
mark = st.one_of(st.none(), st.integers(1, 5))
turns = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4), mark, st.booleans()), max_size=16, unique_by=lambda t: t[:2])


def test_turns_by_hand() -> None:
    """Conversations (5, 4 degraded), (2), (no mark): mean of means 3.25 of two, without the degraded turn 3.5."""
    found = turn_sums(
        [MarkedTurn("a", 1, 5), MarkedTurn("a", 3, 4, degraded=True), MarkedTurn("b", 1, 2), MarkedTurn("c", 1, None)], GROUNDED
    )

    assert (found.asked, found.scored, found.missing, found.degraded, found.coverage) == (4, 3, 1, 1, 0.75)
    assert (found.model.n, found.model.value, found.undegraded.value) == (2, 3.25, 3.5)
    assert (found.model.low, found.model.high) == (1, 5), "an interval of two conversations ends with the scale"
    assert [(one.turn, one.asked, one.estimate.n, one.estimate.value) for one in found.by_turn] == [
        (1, 3, 2, 3.5),
        (3, 1, 1, 4),
    ]


def test_of_no_turn_nothing_is_known() -> None:
    """Nothing at all, and nothing marked: no value; a turn twice is a bug of the caller."""
    nothing, unread = turn_sums([], GROUNDED), turn_sums([MarkedTurn("a", 1, None)], GROUNDED)

    assert (nothing.asked, nothing.coverage, nothing.model.value, nothing.by_turn) == (0, None, None, ())
    assert (unread.asked, unread.coverage, unread.model.value, unread.model.n) == (1, 0, None, 0)
    with pytest.raises(ValueError):
        turn_sums([MarkedTurn("a", 1, 5), MarkedTurn("a", 1, 4)], GROUNDED)
    with pytest.raises(ValueError):
        turn_sums([MarkedTurn("a", 1, 5, source="x"), MarkedTurn("a", 2, 4, source="y")], GROUNDED)


@few
@given(turns, st.randoms(use_true_random=False))
def test_turns_know_no_order_and_a_missing_mark_changes_no_mean(
    found: list[tuple[int, int, int | None, bool]], random: Random
) -> None:
    """Turns in another order; a conversation without a mark beside them: the same values, only coverage falls."""
    rows = [MarkedTurn(name, turn, value, degraded) for name, turn, value, degraded in found]
    whole = turn_sums(rows, GROUNDED)
    mixed = turn_sums([*random.sample(rows, len(rows)), MarkedTurn("new", 1, None)], GROUNDED)
    healthy = turn_sums([row for row in rows if not row.degraded], GROUNDED)

    assert mixed.model.value == pytest.approx(whole.model.value) and mixed.turns.value == pytest.approx(whole.turns.value)
    assert (mixed.scored, mixed.asked, mixed.missing) == (whole.scored, whole.asked + 1, whole.missing + 1)
    assert whole.undegraded.value == pytest.approx(healthy.model.value)
    assert sum(one.asked for one in whole.by_turn) == whole.asked == len(rows)
    assert sum(one.estimate.n for one in whole.by_turn) == whole.scored
    for one in (whole.model, whole.turns, *(turn.estimate for turn in whole.by_turn)):
        assert one.low is None or (
            one.value is not None and one.high is not None and 1 <= one.low <= one.value <= one.high <= 5
        )


def test_a_judge_that_cannot_be_read_changes_coverage_and_no_mark() -> None:
    """Every tenth reply unread at random: coverage .9, the mean of the rest what it is, never nearer to zero."""
    random = Random(10)
    rows = [MarkedTurn(i // 3, i % 3 + 1, random.choice((4, 5))) for i in range(300)]
    lost = [replace(row, value=None) if i % 10 == 3 else row for i, row in enumerate(rows)]

    whole, found = turn_sums(rows, GROUNDED), turn_sums(lost, GROUNDED)

    assert found.coverage == 0.9 and found.model.value == pytest.approx(whole.model.value, abs=0.05) and found.model.n == 100


def test_conversations_about_one_document_share_a_cluster() -> None:
    """Four documents of five like conversations each: a wider interval than without them."""
    rows = [MarkedTurn(i, 1, 2 + i // 5, source=f"{i // 5}.pdf") for i in range(20)]

    shared, alone = (turn_sums(found, GROUNDED).model for found in (rows, [replace(row, source=None) for row in rows]))

    assert shared.value == alone.value and (shared.low or 0) < (alone.low or 0)


# ------------------------------------------------------------------------------------------------------------------- a person


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
    assert found.corrected and found.tuned and found.formula and found.raw.n == 200 and found.person.n == 40
    rest = [row.judge for row in rows[40:] if row.judge is not None]
    assert found.corrected.value == pytest.approx(sum(rest) / 160 - 1) and found.corrected.n == 200
    assert (found.interval.low or 1) < (found.agreement.quadratic or 0) < (found.interval.high or 0)


@pytest.mark.parametrize(("told", "turns_each", "used"), [(LEAST_MARKS - 1, 1, 29), (60, 3, 20), (0, 1, 0)])
def test_too_few_marks_correct_nothing(told: int, turns_each: int, used: int) -> None:
    """Below 30, of whatever conversations: agreement, and how many are missing; several of one conversation count once."""
    found = person_check(answers(150, told, turns_each), GROUNDED)

    assert (found.used, found.missing) == (used, LEAST_MARKS - used) and f"{LEAST_MARKS - used} more marks" in found.why
    assert found.corrected is found.tuned is found.formula is None and found.agreement.n == told


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
