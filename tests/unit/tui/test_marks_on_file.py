"""Laws of whether a person's marks are in a run's tables: told by which of the two files was written last."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from tui_eval.runs.person_marks import PERSON_MARKS, PersonMark, add_mark, take_back
from tui_eval.tui.screens.result.stored_marks import REPORT, MarksOnFile

FIRST = PersonMark("one/c1", 0, 1, "one", "fluency", 4, "2026-01-02T03:04:05Z")


def written(file: Path, second: int) -> None:
    """A file as if it had been written at that second."""
    file.touch()
    os.utime(file, (second, second))


def test_marks_wait_until_the_report_is_newer(tmp_path: Path) -> None:
    """Also those that were taken back; without a report, or without marks, nothing waits. Only what is new is looked at."""
    found = MarksOnFile(tmp_path)
    assert not found.behind() and (found.n, found.waiting) == (0, False)
    add_mark(tmp_path, FIRST)
    add_mark(tmp_path, replace(FIRST, turn=2, mark=None))
    assert found.behind() and found.look() and (found.n, found.waiting, found.in_words) == (2, False, "2 ratings")
    written(tmp_path / REPORT, 100)
    assert found.look() and found.waiting
    assert not found.behind() and not found.look()
    os.utime(tmp_path / PERSON_MARKS, (90, 90))
    assert found.look() and not found.waiting
    take_back(tmp_path, FIRST)
    assert found.look() and (found.n, found.waiting) == (1, True)


def test_a_file_that_is_none_counts_as_no_marks(tmp_path: Path) -> None:
    """Nothing is raised: whoever marks or counts is told."""
    (tmp_path / PERSON_MARKS).mkdir()
    found = MarksOnFile(tmp_path)
    found.look()
    assert found.n == 0
