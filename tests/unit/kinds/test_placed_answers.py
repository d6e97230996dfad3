"""Laws of answers that are held by place: a dictionary in a fraction of the memory, whatever comes in whichever order."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from choices import answer_of, choice_question, csv_rows, derived_files, ended, entry, load_choice, record
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.configuring.loading import load
from tui_eval.core.lazy_sequence import LazyMapping, LazySequence, PackedTexts
from tui_eval.datasets import documents
from tui_eval.datasets.lettered import lettered_by_place
from tui_eval.kinds.choice.choice_biases import leanings
from tui_eval.kinds.choice.sheets import LONGEST_ALIKE, AlikeAnswers, Answers, AnswerSheets, PlacedAnswers, Sheet
from tui_eval.reporting.derive import derive
from tui_eval.runs.folder import LOG
from tui_eval.workspace.places import Workspace

QUESTION = choice_question("q")
MARKS = st.text(st.sampled_from("AB?!."), max_size=2)
RAW = st.sampled_from(["", "x", "long " * LONGEST_ALIKE])


def answers(marks: str, raw: str) -> Answers:
    """A reply for each mark, each of this text."""
    return tuple(replace(answer_of(QUESTION, mark), raw=raw) for mark in marks)


@given(st.lists(st.tuples(st.integers(0, 9), MARKS, RAW)))
def test_placed_answers_are_a_dictionary(puts: list[tuple[int, str, str]]) -> None:
    """In the order in which places came; counted, they add up, the first that came standing first; moved, none is lost."""
    placed, expected = PlacedAnswers(alike=AlikeAnswers()), dict[int, Answers]()
    for place, marks, raw in puts:
        placed[place] = expected[place] = answers(marks, raw)

    assert [*placed.items()] == [*expected.items()] and len(placed) == len(expected)
    assert [placed.at(place) for place in range(12)] == [expected.get(place, ()) for place in range(12)]
    counts = Counter[Answers]()
    for own, n in placed.tally():
        counts[own] += n
    assert [*counts.items()] == [*Counter(expected.values()).items()]
    moved = placed.moved([9 - place for place in range(10)])
    assert [*moved.items()] == [(9 - place, own) for place, own in expected.items()]
    assert 11 not in placed and -1 not in placed


@given(st.lists(st.text(max_size=5), unique=True))
def test_texts_in_bytes_and_names_of_a_mapping_are_what_they_were(texts: list[str]) -> None:
    """Surrogates included; a value is found by its name, too."""
    packed = PackedTexts()
    for text in texts:
        packed.append(text)
    named = LazyMapping(range(len(texts)), packed.__getitem__, len(texts).__sub__)

    assert [*packed] == texts and len(packed) == len(texts)
    assert (
        dict(named.items()) == {text: len(texts) - n for n, text in enumerate(texts)} == {name: named[name] for name in named}
    )
    with pytest.raises(KeyError):
        named["no such text"]


def test_biases_go_by_the_first_reply_alone() -> None:
    """Of a question without any reply there is none to count."""
    questions = [choice_question(f"q{n}", n % 4) for n in range(8)]
    own = {n: (answer_of(question, "D"), answer_of(question, "A")) for n, question in enumerate(questions)}
    sheets = [
        Sheet("two", answers=PlacedAnswers({**own, 0: ()})),
        Sheet("one", answers=PlacedAnswers({n: own[n][:1] for n in range(1, 8)})),
    ]
    first, second = leanings(AnswerSheets("little", 8, questions, sheets), 4)

    assert first == second and first.position is not None and first.position.n == 7


@pytest.mark.parametrize("kept", [(0, 1, 2, 3), (1, 3)])
def test_reports_are_the_same_where_questions_are_read_by_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: tuple[int, ...]
) -> None:
    """Each file of a run of which all or some was asked, whether its questions are held or made of their lines."""
    rows = [entry(f"q{n}", n % 4, difficulty=("easy", "hard")[n % 2]) for n in range(4)]
    (tmp_path / "bench.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = tmp_path / "runs" / "little"
    path.parent.mkdir()
    asked = load_choice(tmp_path)
    record(path, asked, lambda call: ended(call, "B"))
    lines = (path / LOG).read_text().splitlines(keepends=True)
    left_out = [f'/q{n}"' for n in range(4) if n not in kept]
    (path / LOG).write_text("".join(line for line in lines if not any(name in line for name in left_out)))
    derive(path, asked.evaluation)
    before = derived_files(path)

    monkeypatch.setattr(documents, "HELD_BYTES", -1)
    monkeypatch.setattr(lettered_by_place, "LEAST_BYTES", 0)
    again = load(path / "config.toml", Workspace(tmp_path)).evaluation
    derive(path, again)

    assert not isinstance(asked.evaluation.task.questions, LazySequence) and isinstance(again.task.questions, LazySequence)
    assert derived_files(path) == before and len(before) > 10
    ids = [row["question_id"] for row in csv_rows((path / "questions.csv").read_text())]
    assert ids == [f"q{n}" for n in kept]
