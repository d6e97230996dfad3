"""Agreement of models on questions that all of them have a score for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.kinds.choice.sheet_report import agreement
from tui_eval.results.sums.series import Series

several = st.lists(st.lists(st.sampled_from([0.0, 1.0, None]), max_size=3), min_size=1, max_size=20)


def series(values: list[list[float | None]]) -> Series:
    """Scores by question, of each several."""
    found = Series()
    for place, inside in enumerate(values):
        found.grow(place + 1)
        for answer, value in enumerate(inside):
            found.add(place, value, "" if value is not None else "no reply: timeout", answer)
    return found


@few
@given(st.lists(several, min_size=1, max_size=4))
def test_agreement_is_over_questions_that_all_have_a_score_for(models: list[list[list[float | None]]]) -> None:
    """All right, all wrong and mixed are those that every model has a score for; the others are left out, and counted."""
    n = min(map(len, models))
    scores = [[[v for v in inside if v is not None] for inside in values[:n]] for values in models]
    found = agreement([series(values[:n]) for values in models], n)
    common = [[v for one in scores for v in one[i]] for i in range(n) if all(one[i] for one in scores)]

    assert (found.total(), found["left_out"]) == (n, n - len(common))
    assert found["all_right"] == sum(set(values) == {1.0} for values in common)
    assert found["all_wrong"] == sum(set(values) == {0.0} for values in common)
    assert found["mixed"] == sum(len(set(values)) == 2 for values in common)
