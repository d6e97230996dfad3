"""Laws of exporting: what is exported comes back as the same questions, or is refused; nothing in it runs or steers."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few
from questions import asked, benchmarks

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import csv_cell, visible
from tui_eval.core.samples import Sample
from tui_eval.datasets.exported import exported, form_of, forms_of
from tui_eval.datasets.groups import groups_named
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.set_list import read_set
from tui_eval.datasets.set_store import import_set, write_export
from tui_eval.datasets.sets import QuestionSet
from tui_eval.workspace.places import Workspace

open_sets = st.lists(asked, min_size=1, max_size=4).map(lambda entries: QuestionSet("", numbered(entries)))


def lettered_set(*options: str, question: str = "Which?", domains: tuple[str, ...] = ()) -> QuestionSet:
    """One question, of which the first option is right."""
    return QuestionSet("v1", (Sample("q1", question, options, 0, groups=groups_named("easy", domains, (), True)),))


@few
@given(st.one_of(benchmarks(), open_sets), st.data())
def test_what_is_exported_is_imported_as_the_same(tmp_path: Path, questions: QuestionSet, data: st.DataObject) -> None:
    """Every set in every form it can have, through files, in the app's own reader; the form in the workspace is then equal."""
    form = data.draw(st.sampled_from(forms_of(questions)))
    try:
        text = exported(questions, form)
    except ConfigError:
        return
    file = tmp_path / f"set.{form}"
    write_export(file, text, {}, replacing=True)
    kept = import_set(Workspace(tmp_path), file, "again", replacing=True)
    assert kept.questions.questions == read_set(kept.path).questions == questions.questions


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_ordinary_sets_are_exported_without_ado(form: str) -> None:
    """Refusing is for what cannot be kept: letters, minus signs, quotes, commas and several lines are kept by every form."""
    for questions in (
        lettered_set("-5", "+3", "=1", "@x"),
        lettered_set("A", "b)", "C.", question='Wie heißt "das",\nund; was?'),
        lettered_set("x", "y", domains=("Öl, Gas", "Fels")),
    ):
        assert exported(questions, form)


def test_tables_are_as_people_write_them() -> None:
    """Options in columns of their own, several values in a cell, empty cells where a question has fewer options."""
    short = Sample("q2", "What?", ("no", "yes"), 1)
    table = exported(QuestionSet("v1", (*lettered_set("one", "two", "1,5", domains=("Oil", "Gas")).questions, short)), "csv")
    assert table == (
        "id,version,question,A,B,C,answer,difficulty,domains,calc_required\n"
        'q1,v1,Which?,one,two,"1,5",A,easy,Oil; Gas,true\n'
        "q2,v1,What?,no,yes,,B,,,\n"
    )


def test_no_cell_runs_and_nothing_steers_a_terminal() -> None:
    """Options that look like formulas stand in a list; a question that does is refused by csv, and kept by the others."""
    hostile = lettered_set('=HYPERLINK("x")', "@sum", "\x1b[2J", "\u202egnp.exe")
    rows = list(csv.reader(io.StringIO(exported(lettered_set("=1+1", "-2"), "csv"))))
    assert all(csv_cell(cell) == cell for row in rows for cell in row)
    for form in ("json", "jsonl"):
        assert visible(exported(hostile, form)) == exported(hostile, form)
    with pytest.raises(ConfigError, match=r"question 1 .*spreadsheet.*--format json"):
        exported(lettered_set("a", "b", question="=cmd|calc"), "csv")


def test_the_form_is_what_is_asked_for_or_what_the_file_is_called() -> None:
    """Else the form of the datasets folder; what a set cannot have is refused with what it can."""
    questions = lettered_set("a", "b")
    assert [form_of(questions, *said) for said in (("", ""), ("", ".CSV"), ("jsonl", ".csv"), ("", ".txt"))] == [
        "json",
        "csv",
        "jsonl",
        "json",
    ]
    with pytest.raises(ConfigError, match="lettered questions are exported as json, jsonl, csv"):
        form_of(questions, "md", "")
    with pytest.raises(ConfigError, match="open questions are exported as md"):
        form_of(QuestionSet("", numbered([Sample("", "Why?")])), "csv", "")


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    """A file only with force, a folder never."""
    file = tmp_path / "a.json"
    file.write_text("mine")
    with pytest.raises(ConfigError, match="already exists; --force"):
        write_export(file, "[]", {}, replacing=False)
    assert file.read_text() == "mine"
    write_export(file, "[]", {}, replacing=True)
    assert file.read_text() == "[]"
    (tmp_path / "folder").mkdir()
    for documents in ({}, {"a.json": file}):
        with pytest.raises(ConfigError, match="folder"):
            write_export(tmp_path / "folder", "1. Why?\n", documents, replacing=True)
    write_export(tmp_path / "new", "1. Why?\n", {"a.json": file}, replacing=False)
    assert read_set(tmp_path / "new").documents == ("a.json",)
