"""Replies that were not read, and labels beside another text, are said before any rank."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from choices import (
    HOSTILE,
    LETTERS,
    choice_question,
    csv_rows,
    ended,
    entry,
    load_choice,
    question_of,
    record,
    report_of,
    sheet_of,
)

from tui_eval.core.plaintext import visible
from tui_eval.kinds.choice.marking import rule_of
from tui_eval.kinds.choice.pages import leaderboard_md
from tui_eval.kinds.choice.sentences import reading_notes
from tui_eval.kinds.choice.sheet_file import questions_rows
from tui_eval.kinds.choice.sheet_report import SheetReport
from tui_eval.kinds.choice.sheets import Sheet
from tui_eval.reading.letters import CONTRADICTED, EXTRACTIONS, VERSIONS

QUESTIONS = [choice_question(f"q{n}") for n in range(40)]


def report_with(*sheets: Sheet) -> SheetReport:
    """The report on these sheets."""
    return report_of(sheets, QUESTIONS)


def saying(sheet: Sheet, raw: str) -> Sheet:
    """The sheet, where every reply without a letter says this."""
    for place, answers in [*sheet.answers.items()]:
        said = (replace(answer, raw=raw) if answer.option is None else answer for answer in answers)
        sheet.answers[place] = tuple(said)
    return sheet


@pytest.mark.parametrize(("unread", "warned"), [(0, False), (2, False), (3, True), (40, True)])
def test_a_model_of_which_more_than_a_twentieth_is_unread_is_warned_of(unread: int, warned: bool) -> None:
    """Two of 40 are 5 %, three are more; the warning has the figures and the commonest form."""
    figures = report_with(
        saying(sheet_of("m", "?" * unread + "A" * (40 - unread), QUESTIONS), "C.C?"), sheet_of("n", "A" * 40, QUESTIONS)
    )
    notes = reading_notes(figures.sheets)

    assert len(notes) == warned
    if warned:
        assert f"m: no letter was read in {unread} of 40 replies ({unread / 0.4:.1f} %)" in notes[0]
        assert notes[0].endswith(f'"C.C?" ({unread}).')


def test_refusals_and_missing_replies_are_no_unread_ones() -> None:
    """They have columns of their own; nothing is divided by nothing."""
    report = report_with(sheet_of("m", "!" * 20 + "." * 20, QUESTIONS), sheet_of("n", "." * 40, QUESTIONS))

    assert reading_notes(report.sheets) == []


def test_the_warning_stands_before_the_ranks() -> None:
    """In leaderboard.md above the table, in what the terminal and the app show as the first note."""
    figures = report_with(sheet_of("m", "?" * 10 + "A" * 30, QUESTIONS), sheet_of("n", "A" * 40, QUESTIONS))
    page = leaderboard_md(figures, "about")

    assert page.index("**Warning:** m: no letter was read in 10 of 40") < page.index("## Overall")
    assert figures.headline()[0].note.startswith("Warning: m: no letter was read in 10 of 40")


@pytest.mark.parametrize("raw", [*HOSTILE, "x" * 500, "\n" * 500])
def test_forms_steer_nothing(raw: str) -> None:
    """Whatever an unread reply says, its form is short, on one line, and escaped on a page."""
    report = report_with(saying(sheet_of("m", "?" * 40, QUESTIONS), raw))
    (note,) = reading_notes(report.sheets)
    (line,) = (line for line in leaderboard_md(report, "about").split("\n") if line.startswith("**Warning:** "))

    assert "\n" not in note and len(note) < 400 and visible(note) == note
    assert len(line) < 400 and not re.search(r"(?<!\\)[<|`]", line)


def test_contradictions_are_counted_and_listed(tmp_path: Path) -> None:
    """A label beside another option's text: the label counts; the row of the question says so, the notes how many."""
    said = {"one": {"q1": "A) east", "q2": "B) east"}, "two": {"q1": "A", "q2": "B. west"}}
    loaded = load_choice(tmp_path, [entry("q1", 0), entry("q2", 1)])
    path = tmp_path / "runs" / "little"
    path.parent.mkdir()

    outcome = record(path, loaded, lambda call: ended(call, said[call.model][question_of(call)]))
    page, rows = (path / "leaderboard.md").read_text(), (path / "questions.csv").read_text().splitlines()

    assert "2 answers give the text of another option beside the letter (one 1, two 1)" in page
    assert "2 answers give the text of another option" in outcome.headline[0].note
    assert [line.count(CONTRADICTED) for line in rows] == [0, 1, 1]
    assert [(row["one_answer"], row["two_answer"]) for row in csv_rows("\n".join(rows))] == [("A", "A"), ("B", "B")]


def test_questions_have_no_new_column() -> None:
    """The column why, which says why there is no letter, says what contradicts one."""
    sheet = sheet_of("m", "A" * 40, QUESTIONS)
    sheet.answers[0] = (replace(sheet.answers[0][0], why=CONTRADICTED),)
    row = questions_rows(report_with(sheet).whole)[0]

    assert (row["m_answer"], row["m_correct"], row["m_why"]) == ("A", True, CONTRADICTED)


def test_each_rule_has_a_version_of_its_own(tmp_path: Path) -> None:
    """robust is at its second; patterns are of the version that they fall back on."""
    config = load_choice(tmp_path).evaluation.config
    own = {"extraction": "patterns", "patterns": ["answer is ([A-Z])"]}
    found = [rule_of(config.model_copy(update={"extraction": rule})) for rule in EXTRACTIONS]  # type: ignore[arg-type, attr-defined]
    mine = [rule_of(config.model_copy(update={**own, "patterns_fallback": rule})) for rule in ("none", *EXTRACTIONS)]  # type: ignore[arg-type, attr-defined]

    assert set(VERSIONS) == set(EXTRACTIONS) and LETTERS[0] == "A"
    assert found == ["robust/3", "formationeval-v0.1/1"]
    assert [rule.rpartition("/")[2] for rule in mine] == ["1", "3", "1"]
