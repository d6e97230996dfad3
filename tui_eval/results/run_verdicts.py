"""Verdicts of a list of runs, read bit by bit: those in sight first, each anew only where its report is another."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from tui_eval.core.errors import TuiEvalError
from tui_eval.results.report_head import REPORT, StoredReport
from tui_eval.results.report_verdict import UNREAD, UNREPORTED, WITHOUT, ReportVerdict, verdict_in
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.plain_files import file_stamp


class RunVerdicts:
    """Cache of verdicts by run folder, filled by a background job."""

    def __init__(self) -> None:
        self.version = 0
        """Grows with each verdict that is another than it was."""
        self._stored: dict[Path, tuple[object, ReportVerdict]] = {}
        self._waiting: list[Path] = []

    def of(self, path: Path) -> ReportVerdict:
        """Return a run's verdict as it was read last."""
        return self._stored.get(path, (None, UNREAD))[1]

    def ask(self, paths: Iterable[Path], anew: bool = True) -> None:
        """Have runs looked at, the first ones first; not `anew`: only those that were not looked at yet."""
        self._waiting = [path for path in paths if anew or path not in self._stored]

    def behind(self) -> bool:
        """Return whether there are runs to look at."""
        return bool(self._waiting)

    def advance(self, seconds: float) -> bool:
        """Look at runs for about so long; whether there are more."""
        until = time.monotonic() + seconds
        while (waiting := self._waiting) and time.monotonic() < until:
            self._look(waiting.pop(0))
        return bool(waiting)

    def _look(self, path: Path) -> None:
        stamp = file_stamp(path / REPORT)
        if path in self._stored and self._stored[path][0] == stamp:
            return
        verdict = UNREPORTED if stamp is None else _verdict(path)
        self.version += verdict != self.of(path)
        self._stored[path] = stamp, verdict


def _verdict(path: Path) -> ReportVerdict:
    """Read it; a report that cannot be read has none."""
    try:
        return verdict_in(StoredReport(RunReader(path)))
    except (TuiEvalError, OSError, ValueError):
        return WITHOUT
