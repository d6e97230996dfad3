"""What persons marked of a run's answers: how many marks are on file, and whether its report was made since."""

from __future__ import annotations

import os
from pathlib import Path

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.plaintext import counted
from tui_eval.runs.person_marks import PERSON_MARKS, person_marks

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
        self.waiting = False
        """Whether the report is older than the marks, so that its tables cannot hold them all."""

    def behind(self) -> bool:
        """Whether marks or report are others than when they were looked at."""
        return self._stamps() != self._stamp

    def look(self) -> bool:
        """Count the marks; whether a file was another one."""
        stamps = self._stamps()
        if stamps == self._stamp:
            return False
        self._stamp, (marks, report) = stamps, stamps
        self.n = _number_in(self._path)
        self.waiting = marks is not None and report is not None and marks[0] > report[0]
        return True

    @property
    def in_words(self) -> str:
        """How many there are."""
        return counted(self.n, "mark")

    def _stamps(self) -> Stamps:
        return _stamp(self._path / PERSON_MARKS), _stamp(self._path / REPORT)


def _number_in(path: Path) -> int:
    try:
        return len(person_marks(path))
    except TuiEvalError:
        return 0


def _stamp(file: Path) -> Stamp | None:
    """When a file was written, its size and its number; None where there is none."""
    try:
        found = os.stat(file, follow_symlinks=False)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
