"""Laws of which questions are one: siblings never are, neighbours never are, paraphrases of one thing are."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few
from question_pairs import (
    NEIGHBOURS_ASIDE,
    NEIGHBOURS_SEEN,
    PARAPHRASES_ASIDE,
    PARAPHRASES_SEEN,
    SIBLINGS_ASIDE,
    SIBLINGS_SEEN,
    Frame,
    Same,
    neighbours,
    paraphrases,
    siblings,
)
from question_pairs import (
    Asked as Pair,
)

from tui_eval.reading.same_questions import GroundedQuestion, answers_agree, duplicates, same_question

Ask = GroundedQuestion


def asked(one: Pair, quoted: bool = True) -> GroundedQuestion:
    return GroundedQuestion(one.question, one.answer, one.quote if quoted else "")


@pytest.mark.parametrize("quoted", [True, False], ids=["with quotes", "without"])
@pytest.mark.parametrize("frames", [SIBLINGS_SEEN, SIBLINGS_ASIDE], ids=["seen", "aside"])
def test_siblings_are_all_kept(frames: tuple[Frame, ...], quoted: bool) -> None:
    """Same frame, other entity: with answers of their own, with one answer, with one answer and a quote that tells of both."""
    pairs = list(siblings(frames))

    assert len(pairs) > 150
    assert [(a.question, b.question) for a, b in pairs if same_question(asked(a, quoted), asked(b, quoted))] == []


@pytest.mark.parametrize("groups", [PARAPHRASES_SEEN, PARAPHRASES_ASIDE], ids=["seen", "aside"])
def test_paraphrases_are_found(groups: tuple[Same, ...]) -> None:
    """One thing asked in other words, and answered in other words."""
    pairs = list(paraphrases(groups))

    assert len(pairs) > 25
    assert [(a.question, b.question) for a, b in pairs if not same_question(asked(a), asked(b))] == []


@pytest.mark.parametrize("told", [NEIGHBOURS_SEEN, NEIGHBOURS_ASIDE], ids=["seen", "aside"])
def test_neighbours_are_two(told: tuple[tuple[str, str, str, str], ...]) -> None:
    """One sentence, one answer, and each asks for a word of it that the other does not have."""
    assert [(a.question, b.question) for a, b in neighbours(told) if same_question(asked(a), asked(b))] == []


def test_a_set_of_siblings_and_paraphrases_keeps_one_of_each() -> None:
    """However they are mixed: what repeats a thing points to the first that asks for it, and nothing else is dropped."""
    groups = {one.questions: one for one in (*PARAPHRASES_SEEN, *PARAPHRASES_ASIDE)}
    every = [
        (n, GroundedQuestion(ask, one.answers[0], one.quote)) for n, one in enumerate(groups.values()) for ask in one.questions
    ]
    every += [
        (-1, asked(one)) for frame in SIBLINGS_SEEN for one in dict.fromkeys(x for pair in siblings((frame,)) for x in pair)
    ]
    random.Random(4).shuffle(every)
    found = duplicates([one for _, one in every])

    first: dict[int, int] = {}
    for i, (group, _) in enumerate(every):
        if group >= 0:
            assert found[i] == first.get(group)
            first.setdefault(group, i)


NINE = "It is 9 m long."
LONG = "The pilot is Anna Berg, who has steered ships through the strait for nineteen years. "


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Ask("How long is it?", "9 m", NINE, at=0), Ask("How long is it?", "9 m", NINE, at=900), False),
        (Ask("How long is it?", "9 m", NINE, at=0), Ask("How long is it?", "9 m", "is 9 m long.", at=3), True),
        (Ask("Who is the pilot?", "Berg", LONG[:60]), Ask("Who is the pilot?", "Berg", LONG[40:]), True),
        (GroundedQuestion("Who is it?", "Berg", document="a"), GroundedQuestion("Who is it?", "Berg", document="b"), False),
        (GroundedQuestion("May dogs swim here?", "No"), GroundedQuestion("May dogs swim here?", "Yes"), False),
        (Ask("What is possible in winter?", "skating"), Ask("What is impossible in winter?", "skating"), False),
        (GroundedQuestion("Which boats may enter?", "tugs"), GroundedQuestion("Which boats may not enter?", "tugs"), False),
        (Ask("船長は何時間前に連絡しますか。", "6時間前"), Ask("船長は何時間前に連絡しますか?", "6時間前"), True),
        (GroundedQuestion("Сколько метров?", "24 метра"), GroundedQuestion("Сколько метров?", "24"), True),
        (Ask("What Is The Length Of The Quay?", "9 m"), Ask("What is the length of the quay?", "9 m"), True),
    ],
)  # fmt: skip
def test_what_tells_two_apart(one: GroundedQuestion, other: GroundedQuestion, same: bool) -> None:
    """Places of the quotes, documents, answers, negations; not capitals, marks or units; whichever is first."""
    assert same_question(one, other) == same_question(other, one) == same


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("9 euros", "€9", True),
        ("9 euros", "9 dollars", False),
        ("1,200 m", "1200 metres", True),
        ("two cranes", "2", True),
        ("12 m", "12 km", False),
        ("open", "not open", False),
        ("Captain Reed", "Captain Holm", False),
        ("in 1957", "1957.", True),
        ("1957", "1958", False),
        ("", "", True),
        ("Berg", "", False),
        ("the upper basin", "the lower basin", False),
    ],
)
def test_answers_agree_where_they_say_one_thing(one: str, other: str, agree: bool) -> None:
    """Numbers by value, units however they are written, small words aside."""
    assert answers_agree(one, other) == answers_agree(other, one) == agree


@few
@given(st.lists(st.tuples(any_text, any_text, any_text), max_size=8))
def test_what_is_kept_repeats_nothing(told: list[tuple[str, str, str]]) -> None:
    """Of any texts: every duplicate points to an earlier one that stays, and taking the duplicates out leaves none."""
    every = [GroundedQuestion(*one) for one in told]
    found = duplicates(every)
    kept = [one for one, first in zip(every, found, strict=True) if first is None]

    assert all(first is None or (first < i and found[first] is None) for i, first in enumerate(found))
    assert not any(duplicates(kept))
    for one, other in combinations(every, 2):
        assert same_question(one, other) == same_question(other, one)
