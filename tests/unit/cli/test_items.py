"""Laws of the verb `items`, and of leaving flagged questions out of their dataset: by the command line alone."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from soaking import SOAK
from truth_items import DrawnExam, Exam, drawn_exam

from tui_eval.cli.command_line import main
from tui_eval.results.sums.item_analysis import COLUMNS

LETTERS = "ABCD"
Capture = pytest.CaptureFixture[str]


def plant(folder: Path, exam: DrawnExam, name: str = "exam", hostile: str = "") -> None:
    """Write a dataset with its keys as they are told, and a table of what models answered; import both."""
    (folder / f"{name}.csv").write_text(_table(["id", "question", *LETTERS, "answer"], _questions(exam, hostile)))
    rows = [
        [f"q{place:03}", f"m{model:02}", f"Answer: {LETTERS[option]}"]
        for model, own in enumerate(exam.chosen.tolist())
        for place, option in enumerate(own)
    ]
    (folder / "answers.csv").write_text(_table(["question_id", "model", "raw_response"], rows))
    base = ["--workspace", str(folder), "-q"]
    assert main([*base, "datasets", "import", str(folder / f"{name}.csv")]) == 0
    dataset = folder / "datasets" / f"{name}.json"
    out = folder / "runs" / "planted"
    assert main([*base, "import", str(folder / "answers.csv"), "--dataset", str(dataset), "--out", str(out)]) == 0


def _questions(exam: DrawnExam, hostile: str) -> list[list[str]]:
    return [
        [f"q{place:03}", f"Which is number {place}?{hostile}", *(f"option {n} of {place}" for n in range(4)), LETTERS[key]]
        for place, key in enumerate(exam.key.tolist())
    ]


def _table(columns: list[str], rows: list[list[str]]) -> str:
    text = StringIO()
    csv.writer(text).writerows([columns, *rows])
    return text.getvalue()


def items(folder: Path, capsys: Capture, *words: str) -> str:
    """What `items` prints of the planted run."""
    capsys.readouterr()
    assert main(["--workspace", str(folder), "items", "planted", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("questions", "seed"), [(40, 1), pytest.param(200, 36, marks=SOAK)])
def test_planted_wrong_keys_are_found_and_left_out(questions: int, seed: int, tmp_path: Path, capsys: Capture) -> None:
    """Three keys are moved; of 24 models' answers, imported, the run says which, and the dataset leaves them out."""
    exam = drawn_exam(Exam(questions=questions), np.random.default_rng(seed))
    plant(tmp_path, exam)
    found: dict[str, Any] = json.loads(items(tmp_path, capsys, "--json"))
    flagged = {row["item"] for row in found["items"] if row["look"] == "yes"}
    moved = {f"q{place:03}" for place in exam.moved}

    assert len(flagged & moved) >= 2 and len(flagged - moved) <= 1
    assert (found["n_items"], len(found["models"]), found["n_look"]) == (questions, 24, len(flagged))
    assert [*found["items"][0]] == [*COLUMNS, "question"]
    assert {row["item"] for row in json.loads(items(tmp_path, capsys, "--json", "--look"))["items"]} == flagged
    for row in found["items"]:
        place = int(row["item"][1:])
        assert row["key"] == LETTERS[exam.key[place]]
        assert row["share_right"] == pytest.approx(float((exam.chosen[:, place] == exam.key[place]).mean()), abs=1e-6)

    base = ["--workspace", str(tmp_path), "datasets"]
    assert main([*base, "deselect", "exam", "--flagged", "planted"]) == 0
    assert f"exam.json: {questions - len(flagged)} of {questions} questions selected" in capsys.readouterr().err
    first = min(flagged)
    reason = next(row["why"] for row in found["items"] if row["item"] == first)
    assert main([*base, "show", "exam", "--question", first]) == 0
    assert f"- left out: planted: {reason}" in capsys.readouterr().out
    assert main([*base, "show", "exam", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["shown"]
    assert {one["id"] for one in shown if not one["selected"]} == {one["id"] for one in shown if "reason" in one} == flagged
    assert main([*base, "select", "exam", first]) == main([*base, "deselect", "exam", first]) == 0
    assert main([*base, "show", "exam", "--question", first]) == 0
    assert "- left out\n" in capsys.readouterr().out


def test_items_for_people(tmp_path: Path, capsys: Capture) -> None:
    """Sentences, then the flagged items first; foreign texts steer no terminal."""
    plant(tmp_path, drawn_exam(Exam(questions=40), np.random.default_rng(1)), hostile="\x1b[31m")
    told, look = items(tmp_path, capsys), items(tmp_path, capsys, "--look")

    assert told.startswith("40 questions, 24 models.\n") and "Effective number of questions: " in told
    assert "\x1b" not in told and told.count("Which is number") == 40
    rows = [line for line in told.split("\n") if "Which is number" in line]
    flagged = [line for line in rows if line.startswith("?")]
    assert rows[: len(flagged)] == flagged and look.count("Which is number") == len(flagged)
    assert len(flagged) >= 2 and all("the better ones more often (r 0." in line or " chose " in line for line in flagged)


@pytest.mark.parametrize("models", [4, 7])
def test_with_few_models_nothing_is_flagged_and_nothing_left_out(models: int, tmp_path: Path, capsys: Capture) -> None:
    """It says how many it takes, also where questions are to be left out."""
    plant(tmp_path, drawn_exam(Exam(models, questions=12), np.random.default_rng(2)))

    assert f"No key is flagged: flags need 8 models, here are {models}." in items(tmp_path, capsys)
    assert json.loads(items(tmp_path, capsys, "--json", "--look"))["items"] == []
    assert main(["--workspace", str(tmp_path), "datasets", "deselect", "exam", "--flagged", "planted"]) == 2
    assert f"flags need 8 models, here are {models}" in capsys.readouterr().err
    assert (
        not (tmp_path / ".conf" / "datasets.toml").exists()
        or "left_out = []" in (tmp_path / ".conf" / "datasets.toml").read_text()
    )


def test_flagged_questions_are_found_by_what_they_say(tmp_path: Path, capsys: Capture) -> None:
    """In a dataset whose ids are others, by their texts; in one of other questions not at all, and it is said which."""
    exam = drawn_exam(Exam(questions=40), np.random.default_rng(1))
    plant(tmp_path, exam)
    flagged = [row["item"] for row in json.loads(items(tmp_path, capsys, "--json", "--look"))["items"]]
    questions = _questions(exam, "")
    other = [[f"x{row[0]}", *row[1:]] for row in questions]
    strange = [[row[0], f"{row[1]} Say.", *row[2:]] for row in questions]
    base = ["--workspace", str(tmp_path), "datasets"]
    for name, rows in (("other", other), ("strange", strange)):
        (tmp_path / f"{name}.csv").write_text(_table(["id", "question", *LETTERS, "answer"], rows))
        assert main([*base, "import", str(tmp_path / f"{name}.csv")]) == 0

    assert main([*base, "deselect", "other", "--flagged", "planted"]) == 0
    content = (tmp_path / ".conf" / "datasets.toml").read_text()
    assert len(flagged) >= 2 and all(f"x{name}" in content for name in flagged)
    capsys.readouterr()
    assert main([*base, "deselect", "strange", "--flagged", "planted"]) == 2
    assert f"{', '.join(flagged)}: flagged by planted, but not in strange; name the dataset" in capsys.readouterr().err
