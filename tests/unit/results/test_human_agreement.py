"""Laws of persons' ratings: labels of several persons, weights by how answers were drawn, and old files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import fsum

import pytest

from tui_eval.core.kinds import Metric
from tui_eval.results.annotation_sample import AnswerPlace
from tui_eval.results.sums.human_agreement import (
    Lot,
    RatedAnswer,
    annotator_test,
    checked,
    drawn_before,
    drawn_in_order,
    label_of,
    persons_beside,
    undecided,
)

MARK, YES_NO = Metric("relevance", 1, 5, threshold=3), Metric("correct", threshold=1.0)


def test_a_label_is_the_mean_of_marks_and_what_most_say_of_yes_and_no() -> None:
    """As many who say yes as no are undecided, and counted; who could not tell says nothing."""
    assert label_of({"a": 4, "b": 5, "c": None}, MARK) == 4.5 and label_of({"a": None}, MARK) is None
    said: list[list[float | None]] = [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0], [1.0, None], []]
    assert [label_of({str(n): mark for n, mark in enumerate(one)}, YES_NO) for one in said] == [1, 0, None, 1, None]
    rows = [
        RatedAnswer(0, "m", {}, 1.0, {"a": 1.0, "b": 0.0}),
        RatedAnswer(1, "m", {}, 1.0, {"a": None}),
        RatedAnswer(2, "m", {}, 1.0, {}),
    ]
    assert undecided(rows, YES_NO) == 1
    assert [(one.person, one.cannot_tell) for one in checked(rows, YES_NO)] == [(None, False), (None, True), (None, False)]


def cell(values: Sequence[float], order: Sequence[int], chances: Sequence[float]) -> list[RatedAnswer]:
    """A conversation's answers of one model, some of them drawn in this order with these chances; the judge says 0."""
    lots = {
        place: Lot(number, chance, len(values) - number)
        for number, (place, chance) in enumerate(zip(order, chances, strict=True))
    }
    return [
        RatedAnswer("c", "m", {}, 0.0, {"kim": value} if place in lots else {}, lots.get(place))
        for place, value in enumerate(values)
    ]


def test_weighted_labels_are_without_bias_for_their_conversation() -> None:
    """Over every order of two draws from four answers, half uniform and half by gain: the mean of weight times value is the
    pool's, exactly (LURE); by uniform draws, and where all is labelled, each weight is 1."""
    values, gains = (1.0, 2.0, 4.0, 5.0), (0.0, 1.0, 3.0, 0.5)
    total = 0.0
    for order in permutations(range(4), 2):
        left, probability, chances = list(range(4)), 1.0, []
        for place in order:
            share = 0.5 / len(left) + 0.5 * gains[place] / fsum(gains[one] for one in left)
            chances.append(share)
            probability *= share
            left.remove(place)
        labelled = [one for one in checked(cell(values, order, chances), MARK) if one.person is not None]
        total += probability * fsum(one.weight * (one.person or 0) for one in labelled) / 2
    assert total == pytest.approx(3.0)

    assert [one.weight for one in checked(cell(values, (2, 0), (1 / 4, 1 / 3)), MARK) if one.person is not None] == [1.0, 1.0]
    every = checked(cell(values, (2, 0, 1, 3), (0.5, 0.5, 0.6, 1.0)), MARK)
    assert [one.weight for one in every] == [1.0] * 4 and all(one.is_drawn for one in every)


def test_a_model_with_more_answers_counts_for_more() -> None:
    """Models are drawn by lot: labels count by the model's share of the conversation's answers; claims by their answers."""
    rows = [
        RatedAnswer("c", "a", {}, 0.0, {"kim": 1.0}, Lot(0, 1 / 3, 3)),
        *(RatedAnswer("c", "a", {}, 0.0, {}) for _ in range(2)),
    ]
    rows.append(RatedAnswer("c", "b", {}, 0.0, {"kim": 1.0}, Lot(1, 1.0, 1)))
    assert [round(one.weight, 9) for one in checked(rows, YES_NO) if one.person is not None] == [1.5, 0.5]

    claims = [RatedAnswer("c", "a", {}, 0.0, {"kim": 1.0}, Lot(n, 1 / (5 - n), 5 - n), answer="x") for n in range(5)]
    claims.append(RatedAnswer("c", "a", {}, 0.0, {"kim": 1.0}, Lot(5, 1.0, 1), answer="y"))
    assert [one.weight for one in checked(claims, YES_NO)] == [1.0] * 6


@pytest.mark.parametrize("lot", [None, Lot(0, 0.1, 4), Lot(0, 1.5, 4), Lot(0, 0.5, 0)])
def test_what_no_lot_decided_is_not_drawn(lot: Lot | None) -> None:
    """A chance of less than half the uniform one, above 1, or of nothing is none."""
    (one,) = checked([RatedAnswer("c", "m", {}, 0.0, {"kim": 1.0}, lot)], YES_NO)
    assert one.person == 1.0 and not one.is_drawn


def test_older_files_are_drawn_as_their_version_drew() -> None:
    """The same order as the app's; up to the first answer without a mark, and as uniform draws of what was left."""
    places = {(f"{model}/c{c}", 0, turn, model): f"c{c}" for model in ("a", "b") for c in range(4) for turn in (1, 2)}
    order = drawn_in_order(((AnswerPlace(*place), name) for place, name in places.items()), 3)
    marked = {one[:4] for one in order[:6]} | {order[8][:4]}

    found = drawn_before(places, marked, 3)
    assert list(found) == [one[:4] for one in order[:6]] and order[8][:4] not in found
    assert all(lot.is_valid and lot.chance == 1 / lot.left for lot in found.values()) and next(iter(found.values())).left == 2


def test_persons_who_marked_nothing_in_common_are_no_pair() -> None:
    """Nor is one alone; three who did have a row of all; and a fourth who marked little is left out of the test."""
    apart = [RatedAnswer(n, "m", {"j": 1.0}, 1.0, {"ab"[n % 2]: 1.0}) for n in range(8)]
    assert list(persons_beside(apart, YES_NO)) == []
    assert annotator_test([RatedAnswer(0, "m", {"j": 1.0}, 1.0, {"a": 1.0})], YES_NO, "j") is None
    rows = [
        RatedAnswer(
            n, "m", {"j": float(n % 2)}, 1.0, {**{name: float(n % 2) for name in "abc"}, **({"d": 1.0} if n < 3 else {})}
        )
        for n in range(60)
    ]
    assert [(one.a, one.b) for one in persons_beside(rows, YES_NO)][-1] == ("", "")
    found = annotator_test(rows, YES_NO, "j")
    assert (
        found is not None and (found.n, list(found.persons)) == (60, ["a", "b", "c"]) and all(one.won for one in found.results)
    )
