"""Laws of a judge's biases and of the ladder: planted ones are found, and nothing is said of too little."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.judge_bias import length_correlation, partial_length_correlation, self_preference
from tui_eval.statistics.judge_ladder import STEPS, judge_ladder

mark = st.integers(1, 5)
maybe = st.one_of(st.none(), mark)


def test_length_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Pooled within questions (scipy)."""
    for case in vectors["numeric"]["judge_length_corr"]["cases"]:
        given_ = case["inputs"]

        found = length_correlation(given_["question"], given_["score"], given_["length"])

        assert found.rho == pytest.approx(case["expected"]["rho"], abs=1e-6), case["id"]


def test_self_preference_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Difference in differences, and leniency."""
    for case in vectors["numeric"]["self_preference"]["cases"]:
        own = [[] if model is None else [model] for model in case["inputs"]["own_model"]]
        found = self_preference([case["inputs"]["scores"]], own)

        assert [one.preference for one in found] == pytest.approx(case["expected"]["sp"], abs=1e-6), case["id"]
        assert [one.leniency for one in found] == pytest.approx(case["expected"]["leniency"], abs=1e-6)


def test_length_by_hand() -> None:
    """Two questions whose longer answer has the better mark, a third the other way: what is missing is counted."""
    names = ["a", "a", "b", "b", "c", "c", "d", "e", "e"]
    marks = [2, 4, 1, 5, 3, 2, 5, None, 4]
    found = length_correlation(names, marks, [10, 20, 10, 30, 10, 40, 90, 10, 0])

    assert (found.n, found.questions, found.left_out) == (6, 3, 3)
    assert found.rho == pytest.approx(1 - 6 * (1 + 1 + 9 + 9 + 1 + 1) / (6 * 35)) and found.direction == 0


def test_what_cannot_be_told_of_length_says_why() -> None:
    """One answer a question, equal marks or lengths, nothing at all: no figure."""
    assert "no question has two" in length_correlation([1, 2], [3, 4], [10, 20]).why
    assert length_correlation([1, 1], [3, 3], [10, 20]).rho is None and length_correlation([1, 1], [3, 4], [10, 10]).why
    nothing = length_correlation([], [], [])
    assert (nothing.n, nothing.rho, nothing.direction) == (0, None, 0) and nothing.why
    with pytest.raises(ValueError):
        length_correlation([1], [1], [-1])
    with pytest.raises(ValueError):
        length_correlation([1, 1, 2, 2], [1, 2, 1, 2], [1, 2, 1, 2], [1, 2, 1, 2])
    with pytest.raises(ValueError):
        length_correlation([1, 1], [1], [1, 2])


@few
@given(st.lists(st.tuples(st.integers(0, 3), maybe, st.integers(0, 99)), max_size=25), st.randoms(use_true_random=False))
def test_length_is_a_matter_within_questions(answers: list[tuple[int, int | None, int]], random: Random) -> None:
    """Answers in another order, and a question whose marks are all higher by two: the same figure and the same interval."""
    mixed = [(q, None if m is None else m + 2 * (q == 1), n) for q, m, n in random.sample(answers, len(answers))]

    found, again = (
        length_correlation([q for q, *_ in rows], [m for _, m, _ in rows], [n for *_, n in rows], draws=50)
        for rows in (answers, mixed)
    )

    assert found == again and found.n + found.left_out == len(answers)


def test_a_planted_love_of_length_is_found_and_its_absence_too() -> None:
    """Five answers to each of 40 questions: marks by length with noise lean that way, marks without do not."""
    random = Random(11)
    names = [i for i in range(40) for _ in range(5)]
    lengths = [random.randint(40, 900) for _ in names]
    fond = [min(5, max(1, round(1 + n / 250 + random.gauss(0, 0.8)))) for n in lengths]
    fair = [random.choice((2, 3, 4)) for _ in names]
    conversations = [i // 3 for i in names]

    found = [length_correlation(names, marks, lengths, conversations, draws=300) for marks in (fond, fair)]
    shy = length_correlation(names, [6 - x for x in fond], lengths, conversations, draws=300)

    assert [one.direction for one in found] == [1, 0] and shy.direction == -1
    assert shy.rho == pytest.approx(-(found[0].rho or 0)) and found[0].interval.clusters == 14


@pytest.mark.soak
def test_few_conversations_are_no_proof_of_a_love_of_length() -> None:
    """Six conversations with marks at random: hardly ever a lean, where the plain percentiles see one in 13 of 100."""
    random, seen = Random(6), 0
    names = [i // 5 for i in range(90)]
    for _ in range(40):
        marks, lengths = [random.randint(2, 5) for _ in names], [random.randint(50, 900) for _ in names]
        seen += length_correlation(names, marks, lengths, [i // 3 for i in names], draws=200).direction != 0
    assert seen <= 4


def judged(random: Random, leaning: float) -> list[list[float | None]]:
    """Marks of one question by two judges for three models, the first judge fond of the first model."""
    worth = [random.choice((2.0, 3.0, 4.0)) for _ in range(3)]
    return [[w + leaning * (j == m == 0) + 0.5 * j + random.gauss(0, 0.3) for m, w in enumerate(worth)] for j in range(2)]


def test_planted_self_preference_is_found_and_leniency_is_no_such_thing() -> None:
    """Of two judges the one that is fond of its own is named; a lenient one is called lenient and no more."""
    random = Random(3)
    fond, fair = ([judged(random, leaning) for _ in range(40)] for leaning in (0.8, 0.0))

    (own, other), (even, _) = (
        self_preference(tables, [[0], [1]], None, [i // 4 for i in range(40)]) for tables in (fond, fair)
    )

    assert own.found and own.n == 40 and own.preference == pytest.approx(0.8, abs=0.25)
    assert not even.found and other.leniency is not None and (even.leniency or 0) == pytest.approx(-0.5, abs=0.15)


def test_self_preference_takes_two_judges_and_another_model() -> None:
    """One judge, no model of its own, no other model, no complete question, one question: what is not known is None."""
    one = self_preference([[[5, 3]]], [[0]])[0]
    none_own = self_preference([[[5, 3], [4, 3]]], [[], [1]])[0]
    alone = self_preference([[[5], [4]]], [[0], []])[0]
    gaps = self_preference([[[5, None], [4, 3]], [[5, 3], [4, 3]]], [[0], [1]])[0]
    nothing = self_preference([], [[0], [1]])[0]

    assert one.preference is None and "one judge" in one.why
    assert none_own.preference is None and none_own.leniency == 0.5 and none_own.why
    assert alone.preference is None and alone.leniency == 1.0 and alone.why
    assert (gaps.n, gaps.left_out, gaps.preference, gaps.low, gaps.found) == (1, 1, 1.0, None, False)
    assert (nothing.n, nothing.preference) == (0, None) and nothing.why
    with pytest.raises(ValueError):
        self_preference([[[5, 3]]], [[0], [1]])
    with pytest.raises(ValueError):
        self_preference([[[5, 3], [4, 2]]], [[0], [2]])


def test_a_judges_family_is_held_against_judges_of_other_families() -> None:
    """Two judges of one family that both like its two models by .6: each is seen, where the mean of all judges would hide it.

    Without a judge of another family nothing is known, whatever the marks.
    """
    random = Random(8)
    tables = []
    for _ in range(40):
        worth = [random.choice((2.0, 3.0, 4.0)) for _ in range(4)]
        tables.append([[w + 0.6 * (j < 2 and m < 2) + random.gauss(0, 0.3) for m, w in enumerate(worth)] for j in range(3)])

    first, second, other = self_preference(tables, [[0, 1], [0, 1], []], ["gpt", "gpt", "claude"], range(40))

    for found in (first, second):
        assert found.found and found.preference == pytest.approx(0.6, abs=0.15) and found.beside == 1
    assert other.preference is None and other.beside == 2 and "none of the models" in other.why
    kin, _ = self_preference([table[:2] for table in tables], [[0, 1], [0, 1]], ["gpt", "gpt"])
    assert kin.preference is None and kin.why.startswith("all judges are of one family (gpt)")
    (every, _) = self_preference([table[1:] for table in tables], [range(4), []], ["gpt", "claude"])
    assert every.preference is None and "no other model" in every.why


def test_a_mark_that_only_kin_is_missing_leaves_no_question_out() -> None:
    """What a judge is held against are judges of other families: only their marks must be there."""
    tables = [[[5.0, 3.0], [None, None], [4.0, 3.0]], [[5.0, 3.0], [4.0, 4.0], [3.0, 3.0]]]
    found = self_preference(tables, [[0], [0], []], ["a", "a", "b"])

    assert [(one.n, one.left_out) for one in found] == [(2, 0), (1, 1), (1, 1)]
    assert found[0].preference == 1.5


def rated(random: Random, n: int, loves: float) -> tuple[list[float], list[int], list[float]]:
    """Marks, lengths and a person's marks of answers of which the good ones are long."""
    lengths = [random.randint(100, 900) for _ in range(n)]
    person = [float(min(5, max(1, round(1 + size / 220 + random.gauss(0, 0.8))))) for size in lengths]
    marks = [y + random.gauss(0, 0.5) + loves * size / 800 for y, size in zip(person, lengths, strict=True)]
    return marks, lengths, person


def test_length_that_good_answers_have_is_no_bias() -> None:
    """A fair judge whose marks follow length because a person's do leans no way beside these; one that loves length does."""
    random, names = Random(4), [i // 2 for i in range(60)]
    fair, fond = rated(random, 60, 0.0), rated(random, 60, 2.0)

    assert length_correlation([1] * 60, fair[0], fair[1], names, 200).direction == 1
    even, found = (partial_length_correlation(*one, names, 300) for one in (fair, fond))

    assert even.direction == 0 and even.rho is not None and abs(even.rho) < 0.3 and even.n == 60
    assert found.direction == 1 and found.rho is not None and found.rho > 0.4 and found.interval.clusters == 30
    shy = partial_length_correlation([-mark for mark in fond[0]], fond[1], [-y for y in fond[2]], names, 300)
    assert shy.direction == -1 and shy.rho == pytest.approx(-found.rho)


def test_what_cannot_be_told_of_length_beside_a_person_says_why() -> None:
    """Too few answers that a person rated, marks that are the person's throughout, a person with one mark."""
    marks, lengths, person = rated(Random(4), 20, 1.0)
    few = partial_length_correlation(marks, lengths, [*person[:11], *[None] * 9], range(20))
    assert few.rho is None and few.n == 11 and "11 answers" in few.why and few.direction == 0
    for said in (marks, [3.0] * 20):
        same = partial_length_correlation(marks, lengths, said, range(20))
        assert same.rho is None and same.why
    alone = partial_length_correlation(marks, lengths, person, [1] * 20)
    assert alone.rho is not None and alone.interval.low is None and alone.direction == 0
    with pytest.raises(ValueError):
        partial_length_correlation(marks, lengths, person, [1])


@few
@given(st.lists(st.tuples(mark, mark, mark, mark), min_size=1, max_size=10), st.integers(-3, 3))
def test_being_lenient_is_not_preferring(rows: list[tuple[int, int, int, int]], more: int) -> None:
    """So much more for all models by one judge: every preference stays, its leniency grows by it."""
    plain, lenient = (self_preference([[[a + up, b + up], [c, d]] for a, b, c, d in rows], [[0], [1]]) for up in (0, more))

    assert [one.preference for one in plain] == pytest.approx([one.preference for one in lenient])
    assert (lenient[0].leniency or 0) - (plain[0].leniency or 0) == pytest.approx(more)


# -------------------------------------------------------------------------------------------------------------------- ladder


@pytest.mark.parametrize(
    ("marks", "value", "usable"),
    [
        ([[5, 4, 3, 2, 1]] * 10, 1.0, True),
        ([[5, 4, 4, 2, 1]] * 10, 0.95, True),
        ([[3, 3, 3, 3, 3]] * 10, 0.5, False),
        ([[1, 2, 3, 4, 5]] * 10, 0.0, False),
        ([[5, 1, 1, 1, 1]] * 10, 0.7, None),
        ([[5, 4, 3, 2, 1], [1, 2, 3, 4, 5]], 0.5, False),
        ([[5, 4, None, 2, 1]] * 10, 1.0, None),
        ([[5, None, 3, 2, 1], [5, 4, None, 2, 1]], 1.0, True),
        ([[5, 4, 3, 2, 1], [None, None, 3, None, None]], 1.0, True),
        ([], None, None),
    ],
)
def test_a_judge_is_usable_by_the_steps_that_it_orders(
    marks: list[list[int | None]], value: float | None, usable: bool | None
) -> None:
    """Ties half, over step pairs of which both marks are read; a step without any mark leaves it open."""
    found = judge_ladder(marks)

    assert (found.value, found.usable) == (value, usable)
    assert found.asked == len(marks) * len(STEPS) and sum(found.n) == sum(mark is not None for row in marks for mark in row)
    assert found.texts + found.left_out == len(marks)
    assert found.value is None or (found.low or 0.0) <= found.value <= (found.high or 0.0)


def test_steps_that_are_not_told_apart_are_named() -> None:
    """By the neighbouring pairs whose share is below .65; a judge that only knows whole texts has three of them."""
    pure = judge_ladder([[5, 1, 1, 1, 1]] * 10, 5)
    assert pure.alike == ((0.25, 0.5), (0.5, 0.75), (0.75, 0.98)) and pure.parts_whole and pure.passes
    assert judge_ladder([[5, 4, 3, 2, 1]] * 10, 5).alike == ()


@pytest.mark.parametrize(
    ("marks", "passes"),
    [
        ([[5, 1, 1, 1, 1]] * 4, True),
        ([[5, 1, 2, 3, 4]] * 4, True),
        ([[5, 1, 1, 1, 1]] * 3 + [[5, 5, 1, 1, 1]], False),
        ([[5, 1, 1, 1, 1]] * 3 + [[4, 1, 1, 1, 1]], False),
        ([[5, 1, 1, 1, 1]] * 3 + [[5, 1, 1, 1, None]], False),
        ([[4, 1, 1, 1, 1]] * 4, False),
        ([[5, 4, 3, 2, 1]] * 3 + [[5, 5, 4, 3, 2]], True),
        ([], False),
    ],
)
def test_a_judge_of_whole_texts_is_usable_for_yes_and_no(marks: list[list[int | None]], passes: bool) -> None:
    """Every whole text the top mark, every other less, and all of them read; or usable altogether."""
    assert judge_ladder(marks, 5).passes is passes
    assert not judge_ladder(marks).parts_whole


@few
@given(st.lists(st.lists(maybe, min_size=5, max_size=5), max_size=8), st.randoms(use_true_random=False))
def test_the_ladder_knows_no_order_of_texts_and_no_unit(rows: list[list[int | None]], random: Random) -> None:
    """Texts in another order, marks on a scale of ten: the same verdict and interval."""
    found = judge_ladder(rows, 5)
    mixed = [[None if mark is None else 2 * mark for mark in row] for row in random.sample(rows, len(rows))]
    doubled = judge_ladder(mixed, 10)

    assert (found.value, found.low, found.high, found.alike, found.parts_whole, found.n) == (
        doubled.value, doubled.low, doubled.high, doubled.alike, doubled.parts_whole, doubled.n,
    )  # fmt: skip


@pytest.mark.parametrize("texts", [4, 10])
def test_a_noisy_judge_of_real_worth_is_usable_and_a_guessing_one_is_not(texts: int) -> None:
    """Marks that fall by one with an error of .6, which the former rule let through in 77 of 100; and marks at random."""
    random = Random(9)
    good = guesses = 0
    for _ in range(60):
        marks = [[min(5, max(1, round(5 - i + random.gauss(0, 0.6)))) for i in range(5)] for _ in range(texts)]
        good += judge_ladder(marks, 5).usable is True
        guesses += judge_ladder([[random.randint(1, 5) for _ in STEPS] for _ in range(texts)], 5).usable is True
    assert good == 60 and guesses <= 1
    with pytest.raises(ValueError):
        judge_ladder([[1, 2]])
    with pytest.raises(ValueError):
        judge_ladder([[1, 2]], 5, (0.5, 0.25))
