"""Roles of columns: what is certain has one, what is not has none; whatever order columns and records stand in."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.answered_questions import answered_questions
from tui_eval.datasets.column_roles import ColumnRoles, column_roles
from tui_eval.datasets.parsing import Record, read_records
from tui_eval.datasets.shapes.plain_records import plain_records
from tui_eval.datasets.shapes.shaped_records import ANY

SETS = Path(__file__).resolve().parents[2] / "data" / "sets"
LONG = "A text that goes on for a while, as articles do, with more than one clause in it. " * 2


def records(*rows: dict[str, Any]) -> list[Record]:
    """Rows as they are read from JSON lines."""
    return plain_records(read_records("".join(f"{json.dumps(row)}\n" for row in rows), "f", ANY))


FORMS: dict[str, tuple[dict[str, Any], ColumnRoles]] = {
    "GSM8K": ({"question": "q", "answer": "#### 4"}, ColumnRoles("question", target="answer")),
    "SQuAD, flat": (
        {"id": "1", "title": "t", "context": "c", "question": "q", "answers": {"text": ["a"], "answer_start": [0]}},
        ColumnRoles("question", "context", "answers.text", id="id", group="title"),
    ),
    "TriviaQA": (
        {"question_id": "1", "question": "q", "answer": {"value": "a", "aliases": ["a", "b"]}},
        ColumnRoles("question", target="answer.aliases", id="question_id"),
    ),
    "CNN/DailyMail": ({"id": "1", "article": LONG, "highlights": "h"}, ColumnRoles("", "article", "highlights", id="id")),
    "XSum": ({"document": LONG, "summary": "s"}, ColumnRoles("", "document", "summary")),
    "a name of a file": ({"question": "q", "answer": "a", "document": "a.pdf"}, ColumnRoles("question", target="answer")),
    "classification": ({"text": "t", "label": 1}, ColumnRoles("", "text", "label")),
    "extraction": ({"text": "t", "expected": {"a": 1.5}}, ColumnRoles("", "text", "expected")),
    "a schema": ({"text": "t", "schema": {"type": "object"}}, ColumnRoles("", "text", schema="schema")),
    "MMLU": (
        {"question": "q", "choices": ["a", "b"], "answer": 1},
        ColumnRoles("question", target="answer", options=("choices",)),
    ),
    "lettered": (
        {"question": "q", "A": "a", "B": "b", "answer": "A"},
        ColumnRoles("question", target="answer", options=("A", "B")),
    ),
    "messages": (
        {"messages": [{"role": "user", "content": "q"}], "ideal": "a"},
        ColumnRoles(target="ideal", messages="messages"),
    ),
    "a system message": (
        {"system": "s", "prompt": "p", "target": "t"},
        ColumnRoles("prompt", target="target", system="system"),
    ),
    "nothing certain": ({"instruction": "i", "input": "j", "output": "o"}, ColumnRoles()),
    "two that could be": ({"prompt": "p", "query": "q", "gold": "a", "reference": "b"}, ColumnRoles()),
    "RAGAS": (
        {"question": "q", "answer": "a model's", "contexts": ["c"], "ground_truth": "t"},
        ColumnRoles("question", target="ground_truth"),
    ),
    "MATH": ({"problem": "q", "solution": "so 4", "answer": "4"}, ColumnRoles("problem", target="answer")),
    "an answer and its list": (
        {"question": "q", "answer": "a", "answers": ["a", "b"]},
        ColumnRoles("question", target="answers"),
    ),
    "a summary of what is asked about": (
        {"question": "q", "answer": "a", "summary": "s"},
        ColumnRoles("question", target="answer"),
    ),
    "a title of nothing": ({"title": "t", "question": "q", "answer": "a"}, ColumnRoles("question", target="answer")),
    "a category": ({"category": "t", "question": "q", "answer": "a"}, ColumnRoles("question", target="answer")),
    "names with capitals": (
        {"Question": "q", "Best Answer": "a", "Correct Answers": "a; b", "Incorrect Answers": "c"},
        ColumnRoles("Question", target="Correct Answers"),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_columns_of_a_known_form_have_their_roles(form: str) -> None:
    """In whatever order they stand; a sentence names each."""
    row, wanted = FORMS[form]
    names = [*row]
    for seed in range(3):
        random.Random(seed).shuffle(names)
        found = column_roles(records({name: row[name] for name in names}, {name: row[name] for name in names}))
        assert (set(found.options), found.words.count(":")) == (set(wanted.options), wanted.words.count(":"))
        for role in ("question", "context", "target", "id", "group", "system", "messages", "schema"):
            assert getattr(found, role) == getattr(wanted, role), role


@pytest.mark.parametrize("model", ["answer", "response", "Answer"])
@pytest.mark.parametrize("right", ["ground_truth", "reference", "expected", "expected_output", "target", "correct_answers"])
def test_references_beside_an_answer_are_what_is_right(right: str, model: str) -> None:
    """The answer may be a model's, which would be held against itself; equal columns are one."""
    assert column_roles(records({"question": "q", model: "a", right: "b"})).target == right
    assert column_roles(records({"question": "q", right: "b", model: "b"})).target in (right, model)


def test_columns_that_differ_are_no_certain_target_and_are_named() -> None:
    """Nothing is chosen; whoever reads the file is told which they are, and no open questions are made of them."""
    row = {"question": "q", "text": "t", "answer": "a", "label": "b"}
    found = column_roles(records(row))

    assert found.target == "" and found.target_doubt == "answer, label could each be the right answer"
    with pytest.raises(ConfigError, match="f: it is not certain which column has the right answers: answer, label could"):
        answered_questions(json.dumps(row), "f")
    ragas = answered_questions(json.dumps({"question": "q", "answer": "a", "ground_truth": "t"}), "f")
    assert ragas.questions[0].truth == "t" and "answer: ground_truth" in ragas.read_as


def test_what_is_asked_shows_context_and_question() -> None:
    """Where there is no question, the columns do not say what is wanted."""
    assert ColumnRoles("q", "c").prompt == "Context: {c}\n\nQuestion: {q}"
    assert ColumnRoles("q").prompt == "{q}" and ColumnRoles("", "c").prompt == ""


def test_a_value_that_does_not_fit_takes_the_role_away() -> None:
    """One list among the contexts: it is none for certain."""
    rows = [{"context": "c", "question": "q", "answer": "a"}] * 3
    assert column_roles(records(*rows)).context == "context"
    assert column_roles(records(*rows, {**rows[0], "context": ["c"]})).context == ""


def test_articles_become_their_questions_with_lists_of_answers() -> None:
    """SQuAD 2.0: what is impossible has an empty list, and a plausible answer is none."""
    nested = plain_records(read_records((SETS / "squad_v2.json").read_text(encoding="utf-8"), "f", ANY))
    flat = [json.loads(line) for line in (SETS / "squad_v2.jsonl").read_text(encoding="utf-8").splitlines()]

    assert [(each.fields["id"], each.fields["context"], each.fields["question"]) for each in nested] == [
        (row["id"], row["context"], row["question"]) for row in flat
    ]
    assert [each.fields["answers"] for each in nested] == [row["answers"]["text"] for row in flat]
    assert {bool(each.fields["answers"]) for each in nested} == {True, False}
    assert not any("plausible_answers" in each.fields for each in nested)
    assert nested[0].place == "f: question 1 , paragraph 1, question 1".replace(" ,", ",")


def test_plain_records_stay_as_they_are() -> None:
    """Once in plain form, always the same."""
    for path in sorted(SETS.glob("*.*")):
        if path.suffix in (".json", ".jsonl", ".csv"):
            once = plain_records(read_records(path.read_text(encoding="utf-8"), "f", ANY))
            before = json.dumps([each.fields for each in once])
            assert json.dumps([each.fields for each in plain_records(once)]) == before


def test_answers_in_one_text_are_a_list_the_best_one_first() -> None:
    """TruthfulQA: divided by a semicolon with a blank; one within a word divides nothing."""
    (row,) = records({"Question": "q", "Best Answer": "b", "Correct Answers": "a; b; c;d", "Incorrect Answers": "x; y"})

    assert row.fields["Correct Answers"] == ["b", "a", "c;d"] and row.fields["Incorrect Answers"] == ["x", "y"]
