"""Actions on runs from any screen: stop, pause, go on, take up again; each asks or tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App
from textual.screen import Screen

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.plaintext import count_of
from tui_eval.results.verdicts import failed_gates
from tui_eval.runs import steering
from tui_eval.runs.destroyed_lines import asked_again, damage_words
from tui_eval.runs.folder import LOG, PAUSE
from tui_eval.runs.person_marks import person_marks
from tui_eval.runs.steering import RunEntry
from tui_eval.tui import lazy_imports
from tui_eval.tui.background.ordered_keys import HOLD_S
from tui_eval.tui.page import beside, host
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.screens.result.stored_marks import REPORT
from tui_eval.tui.words import count
from tui_eval.workspace.plain_files import file_stamp

REBUILT = (0, 1, 3)
"""Exit codes of a re-score that came to its end, whatever the gates say."""


class AppRunActions:
    """The run_actions, and the processes that were started by them."""

    def __init__(self, app: App[Any]) -> None:
        self._app, self._host = app, host(app)
        self.started: dict[Path, steering.Started] = {}
        self._damaged: dict[Path, tuple[object, Sequence[int]]] = {}
        """By run folder the destroyed lines of a log that was read to its end, as long as it is the same."""
        self._reports: dict[Path, object] = {}
        """By run folder that is re-scored what its report was before."""

    def stop(self, entry: RunEntry) -> None:
        """Ask, then stop."""
        if not entry.live:
            self._host.say(f"{entry.run_id} is not running; there is nothing to stop", bad=True)
            return
        words = f"Stop {safe_line(entry.run_id, 60)}?"
        note = f"{count(entry.in_flight)} calls in flight finish, no other begins. r (resume) goes on later; nothing is lost."
        confirm(self._app, words, note, lambda: self.done(lambda: steering.stop(entry.path), "stopping"))

    def pause(self, entry: RunEntry) -> None:
        """Pause it; a paused one goes on."""
        if (entry.path / PAUSE).exists():
            self.done(lambda: steering.go_on(entry.path), "goes on")
        else:
            self.done(lambda: steering.pause(entry.path), "pausing: calls in flight finish; p goes on")

    def resume(self, entry: RunEntry, failed: bool) -> None:
        """Take it up again in a process of its own, which lives on when the app ends."""
        if entry.path in self.started:
            self._host.say(f"{entry.run_id}: {self._at_work(entry.path)}")
            return
        refused = steering.nothing_to_resume(entry, failed)
        if refused:
            self._refuse(entry, refused)
            return
        if entry.made_up != "all":
            self._ask_first(entry, failed)
            return
        asked_on = self._app.screen
        then = partial(self._resume_checked, asked_on, entry, failed, time.monotonic())
        refuse = partial(self._refuse, entry)
        beside(asked_on, partial(self._destroyed_lines, entry), then, "resume", refuse, outlives=True)

    def _refuse(self, entry: RunEntry, why: str) -> None:
        self._host.say(f"{entry.run_id}: {why}", bad=True)

    def _ask_first(self, entry: RunEntry, failed: bool) -> None:
        """Ask before anything goes to real models, as F5 does."""
        lazy_imports.ask_before_calls(self._app, entry, failed, lambda ask_again: self._take_up(entry, failed, ask_again))

    def _destroyed_lines(self, entry: RunEntry) -> Sequence[int] | None:
        """Beside the screen: the lines whose calls would be asked again though they were answered, which is asked about first;
        None where it is not simulated as it says."""
        if lazy_imports.real_models(entry.path):
            return None
        mark, cached = file_stamp(entry.path / LOG), self._damaged.get(entry.path)
        lines = cached[1] if cached is not None and cached[0] == mark else asked_again(entry.path)
        if lines:
            self._damaged[entry.path] = (mark, lines)
        return lines

    def _resume_checked(
        self, asked_on: Screen[Any], entry: RunEntry, failed: bool, began: float, lines: Sequence[int] | None
    ) -> None:  # fmt: skip
        slow = time.monotonic() - began > HOLD_S
        if lines is None:
            self._ask_first(entry, failed)
        elif not lines:
            self._take_up(entry, failed)
        elif slow or not asked_on.is_current:  # a key that is pressed meanwhile must not answer what was not seen
            self._refuse(entry, f"{damage_words(lines)}; resume it once more to be asked what to do")
        else:
            question = f"Ask again what stood in {count_of(len(lines), 'destroyed line')} of {safe_line(entry.run_id, 40)}?"
            consequence = f"{LOG}: {damage_words(lines)}. {_meaning(entry)}"
            confirm(self._app, question, consequence, lambda: self._take_up(entry, failed, ask_again=True))

    def _take_up(self, entry: RunEntry, failed: bool, ask_again: bool = False) -> None:
        if entry.path in self.started:
            return
        with self._host.guarded(), self._host.telling():
            self.started[entry.path] = steering.resume(entry.path, self._host.workspace, failed, ask_again)
            too = ": failed calls and unparsed replies are asked again" if failed else ""
            self._host.say(f"{entry.run_id} is resumed{too}")
            self._host.board.look()

    def rescore(self, entry: RunEntry) -> bool:
        """Make its reports anew from the log, a person's marks counted in, in a process that lives on when the app ends."""
        if entry.path in self.started:
            self._host.say(f"{entry.run_id}: {self._at_work(entry.path)}")
            return False
        if entry.live:
            self._host.say(f"{entry.run_id} goes on: its tables come when it ends, with human ratings")
            return False
        try:
            self._reports[entry.path] = file_stamp(entry.path / REPORT)
            self.started[entry.path] = steering.rescore(entry.path, self._host.workspace)
        except TuiEvalError as error:
            self._host.say(str(error), bad=True)
            return False
        self._host.say("the tables are derived again, with human ratings; nothing is sent")
        self._host.board.look()
        return True

    def rescores(self, path: Path) -> bool:
        """Return whether the tables of a run are being made anew."""
        return path in self.started and not self.started[path].asks

    def _at_work(self, path: Path) -> str:
        return "its tables are being made anew" if self.rescores(path) else "it is being resumed already"

    def done(self, deed: Callable[[], None], words: str) -> None:
        """Do something to a run and say so, or say why it cannot be done."""
        with self._host.telling():
            deed()
            self._host.say(words)
        self._host.board.look()

    def look_at_started(self) -> None:
        """Tell of the processes that ended by mistake."""
        for path, started in list(self.started.items()):
            self._ended(path, started)

    def _ended(self, path: Path, started: steering.Started) -> None:
        code = started.poll()
        if code is None:
            return
        del self.started[path]
        if not started.asks:
            self._rescored(path, code, started)
        elif code == 1 and failed_gates(path)[1]:
            self._host.say(f"{path.name} is done, but not all of its gates hold; its summary says which", bad=True)
        elif code in (1, 2, 70):
            self._host.say(f"{path.name} could not go on: {started.last_words(600)}", bad=True)

    def _rescored(self, path: Path, code: int, started: steering.Started) -> None:
        """Say what came of it; what a newer rule changed besides, too."""
        self._host.board.look()
        before = self._reports.pop(path, None)
        lines = [line.strip() for line in started.last_words().splitlines() if not line.startswith(steering.REBUILT)]
        if code not in REBUILT or file_stamp(path / REPORT) == before:
            why = "; ".join(lines[-8:]) or f"its process ended with code {code}"
            self._host.say(f"the tables are as they were: {path.name} could not be re-scored: {why}", bad=True)
            return
        try:
            n = count_of(len(person_marks(path)), "rating")
        except TuiEvalError as error:
            self._host.say(f"tables derived again without human ratings: {error}", bad=True)
        else:
            self._host.say("; ".join([f"tables made anew, with {n} of a person: {path.name}", *lines]))


def _meaning(entry: RunEntry) -> str:
    """Explain what follows of yes, and of no."""
    paid = "they are asked once more" if entry.made_up == "all" else "they are asked, and paid for, once more"
    return (
        f"Yes resumes the run: if it needs these calls, {paid}, within the run's budget. No does nothing: "
        "put a sound copy of the log in its place, and resume then."
    )
