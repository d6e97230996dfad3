"""Each file of ../shared/data/datasets is brought in with the right count and mapping, or refused for the right reason."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from makers import SHARED

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.set_list import read_set
from tui_eval.datasets.set_store import import_set
from tui_eval.datasets.sets import QuestionSet, unread_words
from tui_eval.workspace.places import Workspace

DATA = SHARED / "data" / "datasets"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not here")
Count = Callable[[Path], int]


def _rows(path: Path) -> int:
    """Of a table: its records as the standard library counts them, without the header."""
    with path.open(encoding="utf-8", newline="") as file:
        return sum(bool(row) for row in csv.reader(file)) - 1


def _lines(path: Path) -> int:
    return sum(bool(line.strip()) for line in path.read_bytes().split(b"\n"))


def _examples(path: Path) -> int:
    return len(json.loads(path.read_bytes())["examples"])


def _turns(path: Path) -> int:
    return sum(len(json.loads(line)["turns"]) for line in path.read_bytes().split(b"\n") if line.strip())


TAKEN: dict[str, tuple[int, Count, str, str]] = {
    "TruthfulQA.csv": (817, _rows, "samples", "question: Question, target: Correct Answers"),
    "bbh_date_understanding.json": (
        250,
        _examples,
        "lettered",
        "question: input, options: the end of its text, answer: target",
    ),
    "gsm8k_test.jsonl": (1319, _lines, "open", "question: question, answer: answer, what follows ####"),
    "inspect_biology_qa.jsonl": (20, _lines, "open", "question: question, answer: answer"),
    "inspect_test_samples-mcq.csv": (1, _rows, "lettered", "question: input, options: choices, answer: target"),
    "mmlu_anatomy_test.csv": (135, _rows, "lettered", ""),
    "mmlu_anatomy_test_ABCD_header.csv": (135, _rows, "lettered", ""),
    "mt_bench_question.jsonl": (
        160,
        _turns,
        "conversations",
        "id: question_id, turns: turns, reference answers: reference, type",
    ),
    "openbookqa.jsonl": (500, _lines, "lettered", "question: question, options: choices, answer: answerKey"),
}
REFUSED = {
    "evals_chess_match_LFS_POINTER.jsonl": ":1: a Git LFS pointer, not the data itself; run `git lfs pull` where it was cloned",
    "evals_logic-riddles.jsonl": ":19: not JSON: Expecting ',' delimiter (column 521)",
}
NO_SETS = {"SOURCE.txt"}


def test_every_file_is_in_the_table() -> None:
    """A file that is put there later is looked at, too."""
    assert {path.name for path in DATA.iterdir()} == TAKEN.keys() | REFUSED.keys() | NO_SETS


@pytest.mark.parametrize("name", TAKEN)
def test_it_is_brought_in(name: str, tmp_path: Path) -> None:
    """As many questions as an independent count finds; what was mapped is said; what is kept is read back as the same."""
    n, count, sort, words = TAKEN[name]
    kept = import_set(Workspace(tmp_path), DATA / name, "one")
    assert len(kept.questions.questions) == count(DATA / name) == n
    assert kept.questions.sort == sort and words in unread_words(kept.questions)
    again = read_set(kept.path)
    assert again.questions == kept.questions.questions and again.conversations == kept.questions.conversations


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(name: str) -> None:
    """File, line and reason, and nothing else."""
    with pytest.raises(ConfigError) as refused:
        read_set(DATA / name)
    assert str(refused.value) == name + REFUSED[name]


def test_answers_are_the_right_ones() -> None:
    """First and last of each file, as a person reads them there."""
    ends: dict[str, tuple[str, str]] = {}
    for name in TAKEN:
        questions = read_set(DATA / name).questions
        ends[name] = (questions[0].answer_text[:24], questions[-1].answer_text[:24])
    assert ends == {
        "TruthfulQA.csv": ("The watermelon seeds pas", "Yes, Bruno Richard Haupt"),
        "bbh_date_understanding.json": ("12/25/1937", "01/29/2016"),
        "gsm8k_test.jsonl": ("18", "14"),
        "inspect_biology_qa.jsonl": ("Leprosy", "Plant cells"),
        "inspect_test_samples-mcq.csv": ("1", "1"),
        "mmlu_anatomy_test.csv": ("paralysis of the facial ", "The mandibular canal, ma"),
        "mmlu_anatomy_test_ABCD_header.csv": ("paralysis of the facial ", "The mandibular canal, ma"),
        "mt_bench_question.jsonl": ("", ""),
        "openbookqa.jsonl": ("quit eating lunch out", "heat"),
    }


def test_mt_bench_has_its_references_by_turn() -> None:
    """Two turns each; 39 of the 80 have reference answers, some of them an empty one, which is none."""
    found = read_set(DATA / "mt_bench_question.jsonl")
    assert found.conversations is not None and {len(one.turns) for one in found.conversations.conversations} == {2}
    lines = [json.loads(line) for line in (DATA / "mt_bench_question.jsonl").read_text(encoding="utf-8").splitlines()]
    wanted = [truth or None for one in lines for truth in one.get("reference", ["", ""])]
    assert [question.truth for question in found.questions] == wanted
    assert found.questions[0].groups == {"conversation": ("81",), "turn": ("1",), "type": ("writing",)}


def test_the_riddles_are_read_once_their_line_is_mended(tmp_path: Path) -> None:
    """49 of the 50: a message alone is the question, whatever its role; `ideal` is the answer."""
    lines = (DATA / "evals_logic-riddles.jsonl").read_text(encoding="utf-8").split("\n")
    file = tmp_path / "riddles.jsonl"
    file.write_text("\n".join([*lines[:18], *lines[19:]]), encoding="utf-8")
    found: QuestionSet = read_set(file)
    assert (found.sort, len(found.questions), found.read_as) == ("open", 49, "messages: input, answer: ideal")
    assert found.questions[16].truth == "The probability is 2/3"
    assert found.questions[16].question.startswith("Solve the following riddle step by step.")
