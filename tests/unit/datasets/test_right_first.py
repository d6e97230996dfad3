"""Multiple-choice sets whose right option comes first: mixed by seed, the rest untouched; one letter throughout is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.lettered.fixed_options import mixed_order, names_letters
from tui_eval.datasets.lettered.lettered_questions import read_benchmark
from tui_eval.datasets.lettered.right_first import one_letter

SETS = Path(__file__).resolve().parents[2] / "data" / "sets"
OPTIONS = st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=4), min_size=2, max_size=6, unique=True)
ABOVE = ("All of the above", "None of the above.", "all of these")


def lines(*rows: dict[str, Any]) -> str:
    """Rows as JSON lines."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def marked(question: str, options: list[str], **more: Any) -> dict[str, Any]:
    """A record of TruthfulQA's mc1."""
    return {"question": question, "mc1_targets": {"choices": options, "labels": [1] + [0] * (len(options) - 1)}, **more}


@given(st.lists(OPTIONS, min_size=1, max_size=8), st.integers(0, 9))
def test_mixing_keeps_options_right_ones_and_other_columns(sets: list[list[str]], seed: int) -> None:
    """The same texts, the same one right, domain and id as they were; the same seed gives the same order."""
    rows = [marked(f"Q{n}?", options, domain=f"d{n}", id=f"i{n}") for n, options in enumerate(sets)]

    found = read_benchmark(lines(*rows), "f", seed=seed)

    for options, question in zip(sets, found.questions, strict=True):
        assert sorted(question.options) == sorted(options) and question.answer_text == options[0]
    assert [(each.id, each.group("domain")) for each in found.questions] == [(f"i{n}", (f"d{n}",)) for n in range(len(sets))]
    assert read_benchmark(lines(*rows), "f", seed=seed).questions == found.questions
    reordered = read_benchmark(lines(*rows[::-1]), "f", seed=seed).questions
    assert {each.id: each.options for each in reordered} == {each.id: each.options for each in found.questions}
    assert f"by seed {seed}" in found.notes[0] and str(len(sets)) in found.notes[0]


@given(OPTIONS, st.sampled_from(ABOVE), st.integers(0, 30))
def test_an_option_that_speaks_of_all_others_stays_last(options: list[str], above: str, seed: int) -> None:
    """Wherever the file has it: nothing above it would be meant otherwise."""
    order = mixed_order([*options, above], "x", seed)

    assert order[-1] == len(options) and sorted(order) == [*range(len(options) + 1)]


@given(OPTIONS, st.sampled_from(["A and B", "Both A and B", "Only A"]), st.integers(0, 30))
def test_a_question_whose_option_names_letters_keeps_its_order(options: list[str], named: str, seed: int) -> None:
    """And is counted among those that were not mixed."""
    every = [*options, named]
    assert names_letters(tuple(every)) and mixed_order(every, "x", seed) == tuple(range(len(every)))

    found = read_benchmark(lines(marked("Q?", every)), "f", seed=seed)

    assert list(found.questions[0].options) == every and "1 question kept the file's order" in found.notes[0]


def test_the_right_letters_are_spread_and_told() -> None:
    """TruthfulQA's two forms give the same questions; GPQA's columns become options."""
    by_form = {name: read_benchmark((SETS / name).read_text(encoding="utf-8"), name)
               for name in ("truthfulqa_mc1.json", "truthfulqa_mc1.jsonl", "gpqa.csv")}  # fmt: skip

    assert by_form["truthfulqa_mc1.json"].questions == by_form["truthfulqa_mc1.jsonl"].questions
    for found in by_form.values():
        assert {each.letter for each in found.questions} >= set("ABCD") and not one_letter(found.questions)
        assert "mixed by seed 0" in found.notes[0]
    last = by_form["truthfulqa_mc1.json"].questions[-1]
    assert (last.options[-1], last.answer_text) == ("All of the above", "All of the above")
    assert by_form["gpqa.csv"].read_as.startswith("question: Question, options and answer: Correct Answer, Incorrect Answer 1")


@pytest.mark.parametrize("name", ["mmlu.csv", "mmlu.jsonl"])
def test_other_sets_are_not_reordered(name: str) -> None:
    """As the file has them, also where the right one is first throughout."""
    found = read_benchmark((SETS / name).read_text(encoding="utf-8"), name)
    assert found.notes == () and len({each.letter for each in found.questions}) == 4

    rows = [{"question": f"Q{n}?", "choices": ["x", "y"], "answer": 0} for n in range(12)]
    found = read_benchmark(lines(*rows), "f")
    assert all(each.options == ("x", "y") for each in found.questions)
    assert found.notes == (
        "A is the right letter of 12 of 12 questions: a model that always says A would be right as often; "
        "shuffle = true asks each in another order",
    )


def test_marks_that_are_mixed_already_stay() -> None:
    """A file of mc1 whose right option is not always the first is in its own order."""
    other = {"question": "P?", "mc1_targets": {"choices": ["x", "y"], "labels": [0, 1]}}
    found = read_benchmark(lines(marked("Q?", ["a", "b", "c"]), other), "f")

    assert [each.options for each in found.questions] == [("a", "b", "c"), ("x", "y")] and found.notes == ()


@given(st.integers(1, 40), st.integers(0, 40), st.randoms(use_true_random=False))
def test_a_few_that_are_not_first_leave_the_others_mixed(first: int, others: int, chance: Any) -> None:
    """Of labelled options all are mixed or none, by whether nine in ten have the right one first; it says how many have."""
    rows = [marked(f"Q{n}?", ["r", "w", "x", "y"]) for n in range(first)]
    second = {"choices": ["w", "r", "x", "y"], "labels": [0, 1, 0, 0]}
    rows += [{"question": f"P{n}?", "mc1_targets": second} for n in range(others)]
    chance.shuffle(rows)

    found = read_benchmark(lines(*rows), "f")

    assert all(each.answer_text == "r" for each in found.questions)
    mixed = first * 10 >= 9 * (first + others)
    said = [note for note in found.notes if "were mixed by seed 0" in note]
    assert bool(said) == mixed
    if not mixed:
        assert [each.options for each in found.questions] == [tuple(row["mc1_targets"]["choices"]) for row in rows]
    elif others:
        assert f"first in {first} of the file's {first + others} questions" in said[0]


@given(st.lists(st.sampled_from("ABCD"), max_size=40))
def test_one_letter_is_told_from_ten_questions_and_nine_in_ten_on(letters: list[str]) -> None:
    """And says how many there are."""
    questions = [Sample(str(n), "Q?", ("a", "b", "c", "d"), "ABCD".index(letter)) for n, letter in enumerate(letters)]
    most = max((letters.count(letter) for letter in "ABCD"), default=0)

    said = one_letter(questions)

    assert bool(said) == (len(letters) >= 10 and most * 10 >= 9 * len(letters))
    assert not said or f"{most} of {len(letters)} questions" in said


SEVERAL: dict[str, tuple[dict[str, Any], str]] = {
    "mc2 alone": (
        {"question": "Q?", "mc2_targets": {"choices": ["a", "b", "c"], "labels": [1, 1, 0]}},
        "f:1: mc2_targets: 2 right options; a multiple-choice question has one: keep only questions with one",
    ),
    "a list": (
        {"question": "Q?", "choices": ["a", "b", "c"], "answer": ["A", "C"]},
        "f:1: answer: 2 right options (a list); a multiple-choice question has one: keep only questions with one",
    ),
    "letters": (
        {"question": "Q?", "choices": ["a", "b", "c"], "answer": "A, C"},
        "f:1: answer: 2 right options ('A, C'); a multiple-choice question has one: keep only questions with one",
    ),
}


@pytest.mark.parametrize("what", SEVERAL)
def test_several_right_options_are_refused_by_name(what: str) -> None:
    """The field, how many, and what to do."""
    row, words = SEVERAL[what]
    with pytest.raises(ConfigError) as refused:
        read_benchmark(lines(row), "f")
    assert str(refused.value) == words


def test_options_that_are_the_same_are_told_at_import() -> None:
    """With the question, the letters, and how many there are: a run would refuse them."""
    rows = [{"id": f"q{n}", "question": f"Q{n}?", "options": ["x", "y", "x"], "answer": "B"} for n in range(3)]
    rows.append({"id": "q9", "question": "Q9?", "options": ["x", "y", "z"], "answer": "B"})

    (told,) = read_benchmark(lines(*rows), "f").notes

    assert told.startswith("options A and C of question 'q0' are the same ('x'), as are those of 2 other questions: no run")
    assert read_benchmark(lines(rows[3]), "f").notes == ()
