"""Laws of the annotation sample: drawn one by one with known probabilities, and told by the marks on file alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import pytest

from tui_eval.core.kinds import Metric
from tui_eval.reading.claims import claim_id
from tui_eval.results.annotation_sample import (
    CLAIMS,
    AnnotationSample,
    AnswerPlace,
    DrawnAnswer,
    JudgedAnswer,
    is_ratable,
)
from tui_eval.results.sums.human_agreement import drawn_in_order
from tui_eval.runs.person_marks import MarkKey, PersonMark

RELEVANCE, CORRECT = Metric("relevance", 1, 5, threshold=3), Metric("correct", threshold=1.0)
Marks = dict[MarkKey, PersonMark]


def answers(
    talks: int = 6, turns: int = 4, judge: Callable[[int, int], float] = lambda c, t: float(t % 2)
) -> list[JudgedAnswer]:
    """Of two models, so many turns of each conversation."""
    return [
        JudgedAnswer(AnswerPlace(f"{model}/c{c}", 0, t + 1, model, "answer"), f"c{c}", c, t, judge(c, t), levels=(f"c{c}",))
        for model in ("a", "b")
        for c in range(talks)
        for t in range(turns)
    ]


def put(marks: Marks, drawn: DrawnAnswer, metric: Metric, mark: int | None, person: str = "") -> None:
    """What a person said of an answer, as the app writes it."""
    place = drawn.answer.place
    said = PersonMark(
        place.item_id, place.repeat, place.turn, place.model, metric.name, mark, "", place.stage, place.claim, person,
        drawn.chance, drawn.left,
    )  # fmt: skip
    marks[said.key] = said


def rated(sample: AnnotationSample, metric: Metric, marks: Marks, person: str = "") -> Iterator[DrawnAnswer]:
    """Each answer that a person is shown, said yes or 3 of."""
    while (drawn := sample.current(marks, person)) is not None:
        put(marks, drawn, metric, 1 if metric.high == 1 else 3, person)
        yield drawn


def test_every_answer_comes_once_and_every_round_has_each_conversation() -> None:
    """As long as it has an answer left; the number of those left falls by one with each of a model's answers."""
    sample = AnnotationSample(answers(), CORRECT, 3)
    found = list(rated(sample, CORRECT, {}))
    assert len({one.answer.place for one in found}) == len(found) == 48
    for at in range(0, 48, 6):
        assert len({one.answer.conversation for one in found[at : at + 6]}) == 6
    left = Counter[tuple[str, str]]()
    for one in found:
        cell = (one.answer.conversation, one.answer.place.model)
        assert one.left == 4 - left[cell]
        left[cell] += 1


@pytest.mark.parametrize("metric", [RELEVANCE, CORRECT])
def test_at_least_half_of_a_draw_is_uniform(metric: Metric) -> None:
    """Whatever judges disagree on; the probabilities of a cell add up to 1."""
    found = [replace(one, disagreement=float(one.call_index == 2) * 4) for one in answers()]
    drawn = list(rated(AnnotationSample(found, metric, 0), metric, {}))
    assert all(1 / (2 * one.left) <= one.chance <= 1 for one in drawn)
    first = next(one for one in drawn if one.left == 4 and one.answer.disagreement)
    assert first.chance == pytest.approx(0.5 / 4 + 0.5)


def test_answers_are_drawn_as_often_as_their_probability_says() -> None:
    """Over many seeds: the one that judges disagree on with 5/8, each other of its cell with 1/8."""
    found = [replace(one, disagreement=float(one.call_index == 2)) for one in answers(talks=1)]
    turns = Counter[int]()
    for seed in range(2_000):
        drawn = AnnotationSample(found, RELEVANCE, seed).current({}, "")
        assert drawn is not None
        turns[drawn.answer.call_index] += 1
    assert abs(turns[2] - 1250) < 90 and all(abs(turns[turn] - 250) < 70 for turn in (0, 1, 3))


def test_the_rarer_truth_is_looked_for_where_judges_do_not_disagree() -> None:
    """After three times yes, what the judge called wrong is drawn with more than its share."""
    sample, marks = AnnotationSample(answers(), CORRECT, 1), Marks()
    for _ in islice(rated(sample, CORRECT, marks), 3):
        pass
    drawn = sample.current(marks, "")
    assert drawn is not None
    assert drawn.chance == pytest.approx(0.5 / 4 + (0.5 / 2 if drawn.answer.judge == 0 else 0))


def test_doubt_of_a_judge_counts_where_there_is_one_judge() -> None:
    """The distance of its two marks of the same answer."""
    found = [replace(one, doubt=float(one.call_index)) for one in answers(talks=1)]
    drawn = AnnotationSample(found, RELEVANCE, 5).current({}, "")
    assert drawn is not None and drawn.chance == pytest.approx(0.5 / 4 + 0.5 * drawn.answer.call_index / 6)


def test_the_file_alone_tells_what_comes_next() -> None:
    """Its lines up to any place make the next draw, with the same probability; the order of the answers decides nothing."""
    sample, marks = AnnotationSample(answers(), CORRECT, 7), Marks()
    drawn = [one for one, _ in zip(rated(sample, CORRECT, marks), range(30), strict=False)]
    lines = [*marks.values()][:30]
    again = AnnotationSample(answers()[::-1], CORRECT, 7)
    for at, one in enumerate(drawn):
        assert again.current({mark.key: mark for mark in lines[:at]}, "") == one
    assert [(mark.p, mark.of) for mark in lines] == [(one.chance, one.left) for one in drawn]


def test_a_second_person_is_first_shown_what_the_first_was_shown() -> None:
    """In that order, with the same probabilities; then both go on from what either had."""
    sample, marks = AnnotationSample(answers(), CORRECT, 2), Marks()
    first = list(islice(rated(sample, CORRECT, marks, "kim"), 10))
    second = list(islice(rated(sample, CORRECT, marks, "ada"), 14))
    assert second[:10] == first and not {one.answer.place for one in second[10:]} & {one.answer.place for one in first}
    assert list(islice(rated(sample, CORRECT, marks, "kim"), 4)) == second[10:]
    assert len(sample.drawn(marks)) == 14


def test_what_is_taken_back_comes_again() -> None:
    """The lot is made of seed and place: nobody draws again for an answer that is easier."""
    sample, marks = AnnotationSample(answers(), CORRECT, 4), Marks()
    *_, last = islice(rated(sample, CORRECT, marks), 9)
    marks.popitem()
    assert sample.current(marks, "") == last


def test_marks_of_an_older_version_are_drawn_up_to_the_first_gap() -> None:
    """They have neither stage nor probability; the order is drawn again. Behind a gap they are marks, not drawn ones."""
    known = answers()
    order = drawn_in_order(((one.place, one.conversation) for one in known), 0)
    old = [
        PersonMark(place.item_id, place.repeat, place.turn, place.model, RELEVANCE.name, 3, "")
        for place in (*order[:5], order[6])
    ]
    marks, sample = {mark.key: mark for mark in old}, AnnotationSample(known, RELEVANCE, 0)
    drawn = sample.drawn(marks)
    assert [one.answer.place for one in drawn] == order[:5] and all(one.chance == 1 / one.left for one in drawn)
    following = sample.current(marks, "")
    assert following is not None and following.answer.place not in {*order[:5], order[6]}
    assert sample.current(marks, "kim") == drawn[0]


def test_claims_are_drawn_answer_by_answer() -> None:
    """The number of those left is that of the claims of one answer; no claim comes twice."""
    one_answer = answers(talks=3, turns=2)
    claims = [
        replace(one, place=one.place._replace(claim=claim_id(f"{n}")), judge=float(n % 2), claim=f"claim {n}")
        for one in one_answer
        for n in range(3)
    ]
    metric = Metric(CLAIMS)
    found = list(rated(AnnotationSample(claims, metric, 0), metric, {}))
    assert len({one.answer.place for one in found}) == len(claims) == len(found)
    assert {one.left for one in found} == {1, 2, 3}


def test_claims_are_called_by_their_words() -> None:
    """Whatever their capitals and blanks; 16 digits."""
    assert claim_id("Gate 2  opens.") == claim_id("gate 2 opens.") != claim_id("gate 3 opens.")
    assert len(claim_id("x")) == 16 and int(claim_id("x"), 16)


@pytest.mark.parametrize(
    ("metric", "judged", "found"),
    [(RELEVANCE, [], True), (CORRECT, [], False), (CORRECT, ["correct"], True), (Metric("claims"), ["claims"], True),
     (Metric("claims"), [], False), (Metric("share"), ["share"], False), (Metric("mark", 0, 5), ["mark"], False)],
)  # fmt: skip
def test_what_models_judge_can_be_rated(metric: Metric, judged: Sequence[str], found: bool) -> None:
    """Yes and no only where the run says that models judge it: rules of right and wrong are no judges."""
    assert is_ratable(metric, judged) is found


def test_nothing_to_rate_is_nothing_drawn() -> None:
    """Of no answers none comes, and of one it alone."""
    assert AnnotationSample([], CORRECT, 0).current({}, "") is None
    (one,) = rated(AnnotationSample(answers()[:1], CORRECT, 0), CORRECT, {})
    assert (one.chance, one.left) == (1.0, 1)
