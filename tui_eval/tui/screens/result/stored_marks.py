"""Persons' marks of a run's answers on file: how many there are, and whether its report was made since."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.plaintext import count_of
from tui_eval.results.sums.judge_certificates import LEAST_LABELS
from tui_eval.runs.person_marks import PERSON_MARKS, Marks, person_marks

REPORT = "report.json"
Stamp = tuple[int, int, int]
"""When a file was written, its size and its number."""
Stamps = tuple[Stamp | None, Stamp | None]


class MarksOnFile:
    """The file of marks beside the report, read again when it is another one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: Stamps = (None, None)
        self.n = 0
        """Marks, those that say "cannot tell" among them."""
        self.may_certify = False
        """Whether persons called enough answers right, and wrong, by some metric for a certificate."""
        self.waiting = False
        """Whether the report is older than the marks, so that its tables cannot hold them all."""

    def behind(self) -> bool:
        """Return whether marks or report are others than when they were looked at."""
        return self._stamps() != self._stamp

    def look(self) -> bool:
        """Count the marks; whether a file was another one."""
        stamps = self._stamps()
        if stamps == self._stamp:
            return False
        marks_stamp, report = stamps
        marks = _marks_in(self._path)
        self.n, self.may_certify = len(marks), _may_certify(marks)
        self.waiting = marks_stamp is not None and report is not None and marks_stamp[0] > report[0]
        self._stamp = stamps  # last: until then they are being read
        return True

    @property
    def in_words(self) -> str:
        """Number of marks, in words."""
        return count_of(self.n, "rating")

    def _stamps(self) -> Stamps:
        return file_stamp(self._path / PERSON_MARKS), file_stamp(self._path / REPORT)


def _marks_in(path: Path) -> Marks:
    try:
        return person_marks(path)
    except TuiEvalError:
        return {}


def _may_certify(marks: Marks) -> bool:
    """Return whether 20 answers were called right, and 20 wrong, by one metric. 0 is a no: marks from 1 to 5 have none."""
    answers = {(mark.metric, mark.mark, key._replace(person="")) for key, mark in marks.items()}
    counts = Counter((metric, value) for metric, value, _ in answers if value in (0, 1))
    return any(min(counts[metric, 0], counts[metric, 1]) >= LEAST_LABELS for metric, _ in [*counts])


def file_stamp(file: Path) -> Stamp | None:
    """When a file was written, its size and its number; None where there is none."""
    try:
        status = os.stat(file, follow_symlinks=False)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
