"""Rows of a run handed to its reports as they end, in the order of its samples: these are not driven again from the log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.core.errors import FolderError
from tui_eval.core.results import SampleResult
from tui_eval.reporting.figure_files import FileSelection
from tui_eval.reporting.result_writer import ResultWriter
from tui_eval.results.certificate_files import copies_in
from tui_eval.runs.person_marks import person_marks
from tui_eval.runs.reader import RunReader
from tui_eval.runs.writing import Inside

MOST_WAITING = 512
"""Rows that are held at once because one before them has not ended."""


def evaluation_of_run(path: Path, evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with the id and the start of its run."""
    manifest = RunReader(path).table("manifest.json")
    begun, run_id = str(manifest.get("started_at", "")), str(manifest.get("run_id", ""))
    return replace(evaluation, started_at=begun, run_id=run_id)


class RowFeed:
    """Takes rows as they end. The reports drive the rest from the log: all from the first on that cannot be handed on (it has
    not ended, it holds a key, too many wait behind it), and every row of a kind with files or further waves, of repeats, and of
    configs with own scorers."""

    def __init__(self, path: Path, evaluation: Evaluation) -> None:
        self.n_rows = 0
        """Samples whose rows the writer has, from the first on."""
        self.writer: ResultWriter | None = None
        """None where no row is to be handed on."""
        self._path, self._evaluation = path, evaluation_of_run(path, evaluation)
        self._waiting: dict[str, tuple[SampleResult, str]] = {}
        self._samples = evaluation.samples()
        self._next = next(self._samples, None)
        files, repeats = evaluation.kind.sample_files, evaluation.repeat > 1
        by_code = evaluation.task.scorers.by_code  # whose scores are there when the run is over
        self._is_open = not (
            repeats or by_code or evaluation.kind.further or files.files or files.totals or self._knows_persons()
        )

    def _knows_persons(self) -> bool:
        """Return whether the reports are told what persons said, or of certificates, before they see any row."""
        try:
            return bool(person_marks(self._path) or copies_in(self._path))
        except FolderError:
            return True  # the reports say why it cannot be read

    def take(self, row: SampleResult, line: str) -> None:
        """Hand on a row that has ended, and those that waited for it. `line`: that of results.jsonl."""
        if not self._is_open or self._next is None:
            return
        self._waiting[row.sample.id] = row, line
        try:
            while self._next is not None and self._next.id in self._waiting:
                self._hand(*self._waiting.pop(self._next.id))
        except Exception:  # the reports come to the same row, and tell it
            self.drop()
        if len(self._waiting) > MOST_WAITING:
            self.stop()

    def _hand(self, row: SampleResult, line: str) -> None:
        if self.writer is None:
            out = Inside(self._path)
            self.writer = ResultWriter(out, self._evaluation, FileSelection(self._evaluation.kind, out))
        self.writer.add(row, line)
        self.n_rows += 1
        self._next = next(self._samples, None)

    def stop(self) -> None:
        """Hand on no other row."""
        self._is_open = False
        self._waiting.clear()

    def ready(self) -> ResultWriter | None:
        """Return the writer with the rows that were handed on; None where the reports begin with the first row."""
        self.stop()
        if self.writer is not None and self._knows_persons():
            self.drop()
        return self.writer

    def drop(self) -> None:
        """Forget every row."""
        self.stop()
        if self.writer is not None:
            self.writer.drop()
        self.writer, self.n_rows = None, 0
