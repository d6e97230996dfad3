"""Laws of a judge's biases and of the ladder: planted ones are found, and nothing is said of too little."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.statistics.judge_bias import length_correlation, self_preference
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
        found = self_preference([case["inputs"]["scores"]], case["inputs"]["own_model"])

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

    (own, other), (even, _) = (self_preference(tables, [0, 1], [i // 4 for i in range(40)]) for tables in (fond, fair))

    assert own.found and own.n == 40 and own.preference == pytest.approx(0.8, abs=0.25)
    assert not even.found and other.leniency is not None and (even.leniency or 0) == pytest.approx(-0.5, abs=0.15)


def test_self_preference_takes_two_judges_and_another_model() -> None:
    """One judge, no model of its own, no other model, no complete question, one question: what is not known is None."""
    one = self_preference([[[5, 3]]], [0])[0]
    none_own = self_preference([[[5, 3], [4, 3]]], [None, 1])[0]
    alone = self_preference([[[5], [4]]], [0, None])[0]
    gaps = self_preference([[[5, None], [4, 3]], [[5, 3], [4, 3]]], [0, 1])[0]
    nothing = self_preference([], [0, 1])[0]

    assert one.preference is None and "one judge" in one.why
    assert none_own.preference is None and none_own.leniency == 0.5 and none_own.why
    assert alone.preference is None and alone.leniency == 1.0 and alone.why
    assert (gaps.n, gaps.left_out, gaps.preference, gaps.low, gaps.found) == (1, 1, 1.0, None, False)
    assert (nothing.n, nothing.preference) == (0, None) and nothing.why
    with pytest.raises(ValueError):
        self_preference([[[5, 3]]], [0, 1])
    with pytest.raises(ValueError):
        self_preference([[[5, 3], [4, 2]]], [0, 2])


@few
@given(st.lists(st.tuples(mark, mark, mark, mark), min_size=1, max_size=10), st.integers(-3, 3))
def test_being_lenient_is_not_preferring(rows: list[tuple[int, int, int, int]], more: int) -> None:
    """So much more for all models by one judge: every preference stays, its leniency grows by it."""
    plain, lenient = (self_preference([[[a + up, b + up], [c, d]] for a, b, c, d in rows], [0, 1]) for up in (0, more))

    assert [one.preference for one in plain] == pytest.approx([one.preference for one in lenient])
    assert (lenient[0].leniency or 0) - (plain[0].leniency or 0) == pytest.approx(more)


# -------------------------------------------------------------------------------------------------------------------- ladder


@pytest.mark.parametrize(
    ("marks", "usable", "said"),
    [
        ([[5, 4, 3, 2, 1]] * 10, True, "usable: mean mark 5.00, 4.00, 3.00, 2.00, 1.00"),
        ([[5, 4, 4, 2, 1]] * 10, False, "no fall between 25 and 50 %"),
        ([[3, 3, 3, 3, 3]] * 10, False, "rank correlation undefined"),
        ([[1, 2, 3, 4, 5]] * 10, False, "rank correlation -1.00"),
        ([[5, 4, 3, 2, 1], [1, 1, 2, 1, 1], [5, 5, 4, 5, 4]], False, "falls at every step"),
        ([[5, 4, None, 2, 1]] * 10, None, "a step has no mark"),
        ([[5, None, 3, 2, 1], [5, 4, None, 2, 1]], True, "8 of 10 marks read"),
        ([], None, "0 of 0 marks read"),
    ],
)
def test_a_judge_is_usable_or_not_in_one_line(marks: list[list[int | None]], usable: bool | None, said: str) -> None:
    """Falling means and a correlation of .9; what was not read is counted, and a step without a mark leaves it open."""
    found = judge_ladder(marks)

    assert found.usable is usable and said in found.line and "\n" not in found.line
    assert found.asked == len(marks) * len(STEPS) and sum(found.n) == sum(mark is not None for row in marks for mark in row)


@few
@given(st.lists(st.lists(maybe, min_size=5, max_size=5), max_size=8), st.randoms(use_true_random=False))
def test_the_ladder_knows_no_order_of_texts_and_no_unit(rows: list[list[int | None]], random: Random) -> None:
    """Texts in another order, marks on a scale of ten: the same verdict and correlation."""
    found = judge_ladder(rows)
    doubled = judge_ladder([[None if mark is None else 2 * mark for mark in row] for row in random.sample(rows, len(rows))])

    assert (found.usable, found.correlation, found.stalls, found.n) == (
        doubled.usable, doubled.correlation, doubled.stalls, doubled.n,
    )  # fmt: skip


def test_a_noisy_judge_of_real_worth_is_usable_and_a_guessing_one_is_not() -> None:
    """Ten texts: marks that fall by one with a small error, and marks at random."""
    random = Random(9)
    good = [[5 - i + random.choice((0, 0, 0, -0.5, 0.5)) for i in range(5)] for _ in range(10)]
    guesses = [[random.randint(1, 5) for _ in STEPS] for _ in range(10)]

    assert judge_ladder(good).usable is True and judge_ladder(guesses).usable is False
    with pytest.raises(ValueError):
        judge_ladder([[1, 2]])
    with pytest.raises(ValueError):
        judge_ladder([[1, 2]], (0.5, 0.25))
