"""Laws of open questions in tables: GSM8K's and TruthfulQA's are read, and what is none says what would be."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.answered_questions import answered_questions
from tui_eval.datasets.set_list import read_set
from tui_eval.datasets.set_store import import_set
from tui_eval.datasets.sets import table_of_questions
from tui_eval.workspace.places import Workspace

DATA = Path(__file__).parents[4] / "shared" / "data" / "datasets"
words = st.text("abz é7,;", min_size=1, max_size=12).map(lambda word: f"w{word.strip()}w")


@few
@given(st.lists(st.tuples(words, st.none() | words), min_size=1), st.sampled_from(["answer", "Best Answer", "target", "ideal"]))
def test_every_row_is_a_question_with_its_answer(rows: list[tuple[str, str | None]], name: str) -> None:
    """As JSONL, JSON and CSV, in their order; an answer that is not given is none."""
    rows = [*rows, ("last", "one")]
    entries = [{"question": question, name: answer} for question, answer in rows]
    table = io.StringIO()
    csv.writer(table).writerows([["Question", name], *([question, answer or ""] for question, answer in rows)])
    for text in ("\n".join(map(json.dumps, entries)), json.dumps(entries), table.getvalue()):
        found = answered_questions(text, "q")
        assert [(asked.question, asked.truth) for asked in found.questions] == rows


def test_what_follows_the_four_signs_is_the_answer() -> None:
    """How the result was reached is no truth; line breaks of a question become blanks."""
    text = json.dumps({"question": "Two\n and two?", "answer": "2 + 2 = <<2+2=4>>4\n#### 1,004", "level": 3})
    found = answered_questions(text, "gsm.jsonl")
    assert [(asked.question, asked.truth) for asked in found.questions] == [("Two and two?", "1,004")]
    assert "####" in found.read_as and found.unread == ("level",)


def test_a_table_is_what_its_fields_say() -> None:
    """With options it is lettered; what is neither keeps the reason why it is not lettered, and one bad row is told."""
    assert table_of_questions('{"question": "Q?", "choices": ["a", "b"], "answer": "b"}', "q").lettered
    assert not table_of_questions('{"question": "Q?", "answer": "b"}', "q").lettered
    for text in ('{"question": "Q?"}', '{"question": "Q?", "choices": ["a"], "answer": "a"}', '[{"rounds": ["Q?"]}]'):
        with pytest.raises(ConfigError, match=r"^q"):
            table_of_questions(text, "q")
    with pytest.raises(ConfigError, match="q:2: answer: not a text"):
        table_of_questions('{"question": "Q?", "answer": "b"}\n{"question": "R?", "answer": ["b"]}', "q")


@pytest.mark.parametrize("name", ["paper.pdf", "photo.PNG", "notes.docx"])
def test_another_file_says_what_can_be_imported(name: str, tmp_path: Path) -> None:
    """Every form, and that a PDF or picture may be a document."""
    (tmp_path / name).write_bytes(b"%PDF")
    with pytest.raises(ConfigError) as caught:
        read_set(tmp_path / name)
    assert "JSONL" in str(caught.value) and ".md" in str(caught.value)
    assert ("document of a panel" in str(caught.value)) == (name != "notes.docx")


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not here")
@pytest.mark.parametrize(
    ("file", "n", "first"),
    [("gsm8k_test.jsonl", 1319, "18"), ("TruthfulQA.csv", 790, "The watermelon"), ("inspect_biology_qa.jsonl", 10, "Lep")],
)  # fmt: skip
def test_published_sets_can_be_imported(file: str, n: int, first: str, tmp_path: Path) -> None:
    """Each question with its answer, read back from our own form."""
    kept = import_set(Workspace(tmp_path), DATA / file, "one")
    found = read_set(kept.path)
    assert len(found.questions) >= n and all(question.truth for question in found.questions)
    assert (found.questions[0].truth or "").startswith(first)
