"""Scorer bench of a run as a screen holds it: read by a process of its own, with what persons' ratings show."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from tui_eval.reporting.bench_ratings import BlindRating, RatedReplies, rated_replies
from tui_eval.reporting.bench_report import best_scorer, choice_words
from tui_eval.reporting.printed_bench import printed_bench
from tui_eval.reporting.scorer_bench import ScorerBench
from tui_eval.results.sums.scorers.scorer_bench import DIFFER, BenchReply, ScorerError
from tui_eval.runs.scorer_ratings import ReplyPlace, ScorerRating
from tui_eval.tui.background.jobs import CommandJob
from tui_eval.tui.page import Page, beside
from tui_eval.tui.sanitize import safe_line

SHORT_S = 0.3
"""A wait that is shorter is not told."""


@dataclass(frozen=True)
class RatedBench:
    """A bench with what the ratings on file show of it."""

    bench: ScorerBench
    rated: RatedReplies
    errors: Sequence[ScorerError]
    best: str
    """The scorer of least error; empty without ratings."""
    choice: str
    """How far its error may be believed; may be empty."""
    own: Mapping[ReplyPlace, ScorerRating]
    """The ratings of the person at the keys."""
    in_dispute: Sequence[BenchReply]
    """Replies on which the scorers differ, in the order in which they are rated."""

    def error(self, name: str) -> ScorerError | None:
        """The error of a scorer, or of the one that says the same of every reply."""
        name = self.bench.alike.get(name, name)
        return next((error for error in self.errors if error.scorer == name), None)


class BenchReading:
    """Reads the bench of a run beside the screen. `changed` is called when there is something new."""

    def __init__(self, page: Page, path: Path, changed: Callable[[], None]) -> None:
        self.path = path
        self.rated_bench: RatedBench | None = None
        self.trouble = ""
        """Why there is none."""
        self.after = 0
        """The first replies that were rated, whose ratings are not counted."""
        self._page, self._changed = page, changed
        self._job: CommandJob | None = None
        self._lines: IO[bytes] | None = None
        self._since = 0.0

    def begin(self) -> None:
        """Start the process."""
        self._since = time.monotonic()
        try:
            self._lines = tempfile.TemporaryFile()  # noqa: SIM115 - open until the screen is left
        except OSError as error:
            self._fail(f"no temporary file can be written: {error}")
            return
        arguments = ["bench", str(self.path.absolute()), "--replies"]
        self._job = CommandJob(self._page.eval_app.workspace, arguments, self._ended, on_output=self._keep).start()

    def end(self) -> None:
        """End what nobody waits for any more."""
        if self._job is not None:
            self._job.end()
            self._job = None
        if self._lines is not None:
            self._lines.close()

    @property
    def waits(self) -> bool:
        """Return whether it has been read for longer than a moment."""
        return self.rated_bench is None and not self.trouble and time.monotonic() - self._since > SHORT_S

    def count_again(self, after: int) -> None:
        """Work out the errors by the ratings on file, without those of the first replies, so many."""
        self.after = after
        if self.rated_bench is not None:
            self._work_out(partial(rated_by, self.path, self.rated_bench.bench, after))

    def _keep(self, line: str) -> None:
        try:
            assert self._lines is not None
            self._lines.write(line.encode() + b"\n")
        except OSError as error:
            self._fail(f"no temporary file can be written: {error}")

    def _ended(self, job: CommandJob) -> None:
        if job.code == 0 and self._lines is not None:
            self._work_out(partial(_rated_lines, self.path, self._lines))
        else:
            self._fail(safe_line(job.words.removeprefix("error: ") or f"the command ended with code {job.code}", 1000))

    def _work_out(self, rate: Callable[[str], RatedBench]) -> None:
        work = partial(rate, self._page.eval_app.settings.person)
        beside(self._page, work, self._show, group="errors", otherwise=self._fail, keys_wait=False)

    def _show(self, rated_bench: RatedBench) -> None:
        self.rated_bench = rated_bench
        self._changed()

    def _fail(self, why: str) -> None:
        if self.rated_bench is not None:  # what was shown before stays
            self._page.eval_app.say(why, bad=True)
            return
        self.end()
        self.trouble = why
        if self._page.is_attached:
            self._changed()


def _rated_lines(path: Path, lines: IO[bytes], person: str) -> RatedBench:
    return rated_by(path, printed_bench(lines), 0, person)  # type: ignore[arg-type]


def rated_by(path: Path, bench: ScorerBench, after: int, person: str) -> RatedBench:
    """Return a bench with what the ratings on file show. FolderError where these cannot be read."""
    rated = rated_replies(path, bench, after)
    errors = bench.errors(rated.by_place)
    return RatedBench(
        bench=bench,
        rated=rated,
        errors=errors,
        best=best_scorer(bench, rated, errors),
        choice=choice_words(bench, rated, errors),
        own=BlindRating(path, bench, person).ratings,
        in_dispute=[reply for reply in bench.order() if reply.stratum == DIFFER],
    )
