"""Laws of what a screen reads of a run's sources: all that its files say, whatever is missing, broken or odd among them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pipelines import NOTE, driven, files_of, loaded

from tui_eval.results import source_files
from tui_eval.results.source_files import SourceFiles, SourceText


@pytest.fixture
def made_pages(tmp_path: Path) -> Path:
    """A folder with what a run over one note came to."""
    run = loaded(tmp_path / "made", {"mill.md": NOTE}, inputs=["mill.md"])
    for name, text in {**files_of(run, driven(run)), "inputs/documents/mill.md": NOTE}.items():
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_text(text)
    return tmp_path / "run"


def read(path: Path) -> SourceFiles:
    """The files of a folder, read to the end in the smallest of slices."""
    found = SourceFiles(path)
    while found.advance(0.0):
        pass
    return found


def test_every_answer_stands_with_its_text_and_its_mark(made_pages: Path) -> None:
    """By the models' own names; the text as it came, and the source it was made of."""
    files = read(made_pages)
    assert [(row.source, files.name_of(row.process_model), row.run) for row in files.rows[:3]] == [
        ("mill", "cheap", 1), ("mill", "cheap", 2), ("mill", "maker", 1)
    ]  # fmt: skip
    row = files.rows[2]
    answers = files.answers(row)
    assert [one.answer for one in answers] == ["rye", "1874", "The text does not tell."]
    assert [one.score for one in answers] == [5, 5, 5] and answers[2].category == "hard"
    assert files.scored(row).n == 3 and files.scored(row).total == 15
    assert files.text(row) == NOTE and files.original_text(row) == NOTE
    assert files.threshold == 4 and not files.behind()


def test_error_rates_stand_where_there_is_a_reference(made_pages: Path) -> None:
    """Of every text, above 1 as they are; none without a reference, and they follow a text that changed."""
    assert [read(made_pages).rates(row) for row in read(made_pages).rows] == [None] * 4
    (made_pages / "inputs" / "documents" / "mill.ref.txt").write_text(NOTE)
    files = read(made_pages)
    assert {files.rates(row) for row in files.rows} == {(0.0, 0.0)}
    text = next((made_pages / "processed").glob("mill__processed__sim-longest__run01.md"))
    text.write_text(f"{NOTE} {NOTE} {NOTE}")
    changed = read(made_pages)
    over = [rates for row in changed.rows if (rates := changed.rates(row)) and rates.characters > 1]
    assert len(over) == 1 and over[0].words > 1


def test_a_missing_mark_is_no_zero(made_pages: Path) -> None:
    """Its reason stands in its place, and the mean is of the others."""
    file = next((made_pages / "scores").glob("scores__*"))
    told = json.loads(file.read_text())
    told["items"][0] |= {"score": None, "why_missing": "judge unparsed"}
    file.write_text(json.dumps(told))
    files = read(made_pages)
    row = next(row for row in files.rows if f"scores__{row.process_model}__" in file.name)
    assert (files.scored(row).n, files.scored(row).asked) == (2, 3)
    first = files.answers(row)[0]
    assert first.score is None and first.marks[0].why == "judge unparsed"


def test_what_is_broken_or_cut_ends_nothing(made_pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands before the fault is there; texts without answers stand alone; names that say nothing are left out."""
    monkeypatch.setattr(source_files, "REST", 0)
    for file in (made_pages / "scores").iterdir():
        file.write_text(file.read_text()[: len(file.read_text()) // 2])
    (made_pages / "answers" / "odd.json").write_text("[")
    files = read(made_pages)
    assert {row.source for row in files.rows} == {"mill"}
    for file in (*(made_pages / "scores").iterdir(), *(made_pages / "answers").iterdir()):
        file.unlink()
    assert files.behind()
    while files.advance(0.0):
        pass
    assert [row.answer_model for row in files.rows] == [""] * 4
    assert files.answers(files.rows[0]) == [] and files.text(files.rows[0]) is not None


def test_answers_without_a_judge_are_there(made_pages: Path) -> None:
    """From the files of the sources, which say why one is missing."""
    for file in (made_pages / "scores").iterdir():
        file.unlink()
    files = read(made_pages)
    assert len(files.rows) == 4 and all(len(files.answers(row)) == 3 for row in files.rows)
    assert files.answers(files.rows[0])[0].marks == []


def test_a_folder_without_sources_has_none(tmp_path: Path) -> None:
    """And says so without being read."""
    assert not SourceFiles(tmp_path).there
    assert read(tmp_path).rows == [] and read(tmp_path).original(SourceText("", "x", "", 1, "")) is None
