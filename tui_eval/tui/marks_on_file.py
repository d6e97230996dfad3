"""What persons marked of a run's answers: how many marks are on file, and whether its report was made since."""

from __future__ import annotations

import os
from pathlib import Path

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.plaintext import counted
from tui_eval.runs.person_marks import PERSON_MARKS, person_marks

REPORT = "report.json"


class MarksOnFile:
    """The file of marks beside the report, read again when it is another one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: object = None
        self.n = 0
        """Marks, those that say "cannot tell" among them."""
        self.waiting = False
        """Whether the report is older than the marks, so that its tables cannot hold them all."""

    def behind(self) -> bool:
        """Whether marks or report are others than when they were looked at."""
        return self._stamps() != self._stamp

    def look(self) -> bool:
        """Count the marks; whether anything is another than before."""
        stamp = self._stamps()
        if stamp == self._stamp:
            return False
        self._stamp, before = stamp, (self.n, self.waiting)
        marks, report = stamp
        self.n = _number_in(self._path)
        self.waiting = marks is not None and report is not None and marks[0] > report[0]
        return before != (self.n, self.waiting)

    @property
    def in_words(self) -> str:
        """How many there are."""
        return counted(self.n, "mark")

    def _stamps(self) -> tuple[tuple[int, int, int] | None, tuple[int, int, int] | None]:
        return _stamp(self._path / PERSON_MARKS), _stamp(self._path / REPORT)


def _number_in(path: Path) -> int:
    try:
        return len(person_marks(path))
    except TuiEvalError:
        return 0


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """When a file was written, its size and its number; None where there is none."""
    try:
        found = os.stat(file, follow_symlinks=False)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
