"""Supervisor of own scorers: at the end of a run, a resume or a re-score it has scored what has no score yet, and nowhere else.

It drives every flow from the log for the replies, runs the code in a child process, and writes what that gave into
scores.jsonl. Reports read this file alone.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation, RowsFromLog, with_stored_scores
from tui_eval.configuring.log_pass import LogPass
from tui_eval.configuring.own_code.own_scorers import MOST_BYTES
from tui_eval.core.calls import Json
from tui_eval.evaluation.scorers import NO_SCORERS
from tui_eval.evaluation.scoring.own_code.code_jobs import CodeJob, jobs_of
from tui_eval.evaluation.scoring.own_code.code_scores import CodeScores, ScorerEntry
from tui_eval.evaluation.scoring.own_code.python_rule import PythonRow
from tui_eval.reporting.own_code.scorer_process import CodeLimits, ScorerProcess
from tui_eval.runs.reader import Recorded
from tui_eval.runs.scores_file import ScoresFile
from tui_eval.workspace.plain_files import read_file

TOLD_EVERY_S = 10.0
"""Seconds between two lines that say how far the scoring is."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Whoever has the scoring done: what may be written, what it is told, and whether it wants an end."""

    redact: Callable[[str], str]
    """Takes the values of keys out of what an own scorer says."""
    narrate: Callable[[str], object] = lambda text: None
    is_stopped: Callable[[], object] = lambda: False


def score_by_code(path: Path, evaluation: Evaluation, listener: Listener) -> int:
    """Have the replies of a run scored by its config's own scorers, as far as they have no score of this code; how many were.

    StorageError where the scores cannot be written.
    """
    if not evaluation.task.scorers.by_code:
        return 0
    evaluation = with_stored_scores(evaluation, path)
    scorers: dict[str, list[PythonRow]] = {}
    for row in evaluation.task.scorers.by_code:
        scorers.setdefault(row.python, []).append(row)
    log = LogPass(path, evaluation.repeat)
    with log.recorded:
        log.read_on()
        log.end()
        return sum(_Scoring(path, evaluation, log.recorded, rows, listener).run() for rows in scorers.values())


class _Scoring:
    """Scoring by one function, for all rows that name it."""

    def __init__(
        self,
        path: Path,
        evaluation: Evaluation,
        recorded: Recorded,
        rows: Sequence[PythonRow],
        listener: Listener,
    ) -> None:
        table = evaluation.task.scorers.code_scores
        assert table is not None
        self.table: CodeScores = table
        self.path, self.evaluation, self.recorded, self.rows = path, evaluation, recorded, rows
        self.listener = listener
        self.scorer = rows[0].python
        self._told_at = time.monotonic()

    def run(self) -> int:
        """Score what is to be scored; how many replies were."""
        refused, entry = self.evaluation.task.scorers.code_refused, self.table.entry_of(self.scorer)
        is_same = _is_unchanged(entry, self.rows[0])
        is_there = (Path(self.rows[0].folder) / self.rows[0].file).is_file()
        if (is_same or refused or not is_there) and next(self._unscored(), None) is None:
            return 0
        with ScoresFile(self.path, self.listener.redact) as file:
            if refused:
                self._note(file, entry.hash, entry.files, stopped=refused)
                return 0
            row = self.rows[0]
            limits = CodeLimits(seconds=min(each.timeout_s for each in self.rows))
            with ScorerProcess(row.folder, row.file, row.function, limits) as process:
                process.start_up()
                if process.stopped:
                    files = _files_now(row)
                    code = _hash_of_files(files) if files else entry.hash
                    self._note(file, code, files or entry.files, stopped=process.stopped)
                    return 0
                return self._scored(file, process)

    def _scored(self, file: ScoresFile, process: ScorerProcess) -> int:
        """Have the process score what has no score of its code; how many replies were."""
        self._note_files(file, process.files)
        files = dict(process.files)
        jobs = self._unscored()
        first = next(jobs, None)
        n = 0
        for job, result in process.score(chain([first], jobs) if first is not None else ()):
            if process.files != files:  # the function has imported more
                files = dict(process.files)
                self._note_files(file, files, replaces=self.table.hash_of(self.scorer))
            call = job.call
            self._add(
                file,
                {
                    "call_key": self.table.call_key(call),
                    "sample": job.sample,
                    "stage": call.stage,
                    "model": call.model,
                    "scorer": self.scorer,
                    "hash": self.table.hash_of(self.scorer),
                    "input": job.digest,
                    **result,
                },
            )
            n += 1
            self._tell(n)
        if process.stopped:
            entry = self.table.entry_of(self.scorer)
            self._note(file, entry.hash, entry.files, stopped=process.stopped)
        return n

    def _tell(self, n: int) -> None:
        """Say now and then how many replies are scored: a function may take its time."""
        now = time.monotonic()
        if now - self._told_at >= TOLD_EVERY_S:
            self._told_at = now
            self.listener.narrate(f"own scorer {self.scorer}: {n:,} replies scored so far")

    def _unscored(self) -> Iterator[CodeJob]:
        """The replies that have no score of the code whose hash is on file, each once."""
        for row, job in self._jobs():
            if self.listener.is_stopped():
                return
            if row.python == self.scorer and not self.table.is_settled(self.scorer, job.call, job.digest):
                yield job

    def _jobs(self) -> Iterator[tuple[PythonRow, CodeJob]]:
        kind, task = self.evaluation.kind, self.evaluation.task
        for row in RowsFromLog(_without_scores(self.evaluation), self.recorded):
            if row.sample.checks_judge:
                continue
            keys: set[tuple[str, int, str]] = set()
            for scorer, job in jobs_of(task.scorers, row.sample, kind.targets.answers_in(task, row.sample, row.replies)):
                key = scorer.python, job.call.call_index, job.line
                if key not in keys:
                    keys.add(key)
                    yield scorer, job

    def _note_files(self, file: ScoresFile, files: Mapping[str, str], replaces: str = "") -> None:
        """Write down of which files the code is made. The hash on file stays where it is of these, and of more files that the
        function imports later."""
        entry = self.table.entry_of(self.scorer)
        if not replaces and entry.hash and files.items() <= entry.files.items() and _is_unchanged(entry, self.rows[0]):
            if entry.stopped:
                self._note(file, entry.hash, entry.files)
            return
        self._note(file, _hash_of_files(files), files, replaces=replaces)

    def _note(self, file: ScoresFile, code: str, files: Mapping[str, str], stopped: str = "", replaces: str = "") -> None:
        entry = self.table.entry_of(self.scorer)
        if (entry.hash, entry.stopped) == (code, stopped) and not replaces and entry.files == files:
            return
        more = {name: value for name, value in (("stopped", stopped), ("replaces", replaces)) if value}
        self._add(file, {"scorer": self.scorer, "hash": code, "files": dict(files), **more})

    def _add(self, file: ScoresFile, entry: Mapping[str, Json]) -> None:
        file.add(entry)
        self.table.take(entry)


def _without_scores(evaluation: Evaluation) -> Evaluation:
    """The evaluation as its replies are found with: nothing is scored, but where scores decide what is asked."""
    if evaluation.kind.further is not None:
        return evaluation
    return replace(evaluation, task=replace(evaluation.task, scorers=NO_SCORERS))


def _hash_of_files(files: Mapping[str, str]) -> str:
    """The hash of a scorer's code: of all its files, by their paths."""
    return hashlib.sha256(json.dumps(sorted(files.items())).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _is_unchanged(entry: ScorerEntry, row: PythonRow) -> bool:
    """Return whether every file of the code is as it was when its hash was told."""
    folder = Path(row.folder)
    return bool(entry.hash) and all(_digest_of(folder / path) == digest for path, digest in entry.files.items())


def _files_now(row: PythonRow) -> dict[str, str]:
    """The file of a function that could not be imported; nothing where it is not there."""
    digest = _digest_of(Path(row.folder) / row.file)
    return {row.file: digest} if digest else {}


def _digest_of(path: Path) -> str:
    try:
        return hashlib.sha256(read_file(path, MOST_BYTES)).hexdigest()
    except OSError:
        return ""
