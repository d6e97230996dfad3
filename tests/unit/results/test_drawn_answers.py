"""Laws of the sample as versions before 0.7 drew it: by a seed alone, one answer of each conversation while these last."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_eval.results.annotation_sample import AnswerPlace
from tui_eval.results.sums.human_agreement import FIRST_SHOWN, drawn_in_order

ANSWERS = [
    (AnswerPlace(f"{model}/c{c}", 0, turn, model), f"c{c}") for model in ("a", "b") for c in range(7) for turn in range(1, 5)
]


@given(st.randoms(use_true_random=False), st.integers(0, 5))
def test_the_order_in_which_answers_ended_decides_nothing(chance: object, seed: int) -> None:
    """The same seed draws the same sample in the same order; another seed another one."""
    mixed = list(ANSWERS)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    assert drawn_in_order(mixed, seed) == drawn_in_order(ANSWERS, seed)
    assert drawn_in_order(ANSWERS, seed) != drawn_in_order(ANSWERS, seed + 1)


def test_one_of_each_conversation_while_these_last() -> None:
    """Every round has each conversation once, as long as it has an answer left; no answer is drawn twice."""
    conversation = dict(ANSWERS)
    found = drawn_in_order(ANSWERS, 0)
    assert len(found) == len(set(found)) == FIRST_SHOWN == 30
    rounds = [found[at : at + 7] for at in range(0, 28, 7)]
    assert all(len({conversation[place] for place in one}) == 7 for one in rounds)
    uneven = [*ANSWERS[:3], *((AnswerPlace(f"lone {n}", 0, 1, "a"), f"lone {n}") for n in range(2))]
    assert [dict(uneven)[place] for place in drawn_in_order(uneven, 1)].count("c0") == 3
    assert len({dict(uneven)[place] for place in drawn_in_order(uneven, 1)[:3]}) == 3


def test_it_leans_to_no_model() -> None:
    """Over many seeds each model's answers are drawn about as often."""
    firsts = [drawn_in_order(ANSWERS, seed)[0] for seed in range(400)]
    assert 140 < sum(place.model == "a" for place in firsts) < 260
    assert {place.turn for place in firsts} == {1, 2, 3, 4}


def test_fewer_than_wanted_are_all_of_them() -> None:
    """And none of none."""
    assert sorted(map(str, drawn_in_order(ANSWERS[:5], 3))) == sorted(str(place) for place, _ in ANSWERS[:5])
    assert drawn_in_order([], 0) == []
