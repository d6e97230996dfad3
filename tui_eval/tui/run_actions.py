"""What is done to runs from any screen: stop, pause, go on, take up again; each asks or tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import App

from tui_eval.core.errors import TuiEvalError
from tui_eval.results.verdicts import failed_gates
from tui_eval.runs import steering
from tui_eval.runs.folder import PAUSE
from tui_eval.runs.steering import RunEntry
from tui_eval.tui.page import host
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.confirm import Confirm
from tui_eval.tui.words import count


class AppRunActions:
    """The run_actions, and the processes that were started by them."""

    def __init__(self, app: App[Any]) -> None:
        self._app, self._host = app, host(app)
        self.started: dict[Path, steering.Started] = {}

    def stop(self, entry: RunEntry) -> None:
        """Ask, then stop."""
        if not entry.live:
            self._host.say(f"{entry.run_id} is not running; there is nothing to stop", bad=True)
            return
        words = f"Stop {safe_line(entry.run_id, 60)}?"
        what = f"{count(entry.in_flight)} calls in flight finish, no other begins. r (resume) goes on later; nothing is lost."
        self._app.push_screen(
            Confirm(words, what), lambda yes: self.done(lambda: steering.stop(entry.path), "stopping") if yes else None
        )

    def pause(self, entry: RunEntry) -> None:
        """Pause it; a paused one goes on."""
        if (entry.path / PAUSE).exists():
            self.done(lambda: steering.go_on(entry.path), "goes on")
        else:
            self.done(lambda: steering.pause(entry.path), "pausing: calls in flight finish; p goes on")

    def resume(self, entry: RunEntry, failed: bool) -> None:
        """Take it up again in a process of its own, which lives on when the app ends."""
        if entry.path in self.started:
            self._host.say(f"{entry.run_id} is being taken up already")
            return
        refused = steering.nothing_to_resume(entry, failed)
        if refused:
            self._host.say(f"{entry.run_id}: {refused}", bad=True)
            return
        with self._host.guarded():
            try:
                self.started[entry.path] = steering.resume(entry.path, self._host.workspace, failed)
            except TuiEvalError as error:
                self._host.say(str(error), bad=True)
                return
            self._host.say(f"{entry.run_id} is taken up again" + (", failed calls are asked again" if failed else ""))
            self._host.board.look()

    def done(self, deed: Callable[[], None], words: str) -> None:
        """Do something to a run and say so, or say why it cannot be done."""
        try:
            deed()
        except (TuiEvalError, OSError) as error:
            self._host.say(str(error), bad=True)
        else:
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
        if code == 1 and failed_gates(path)[1]:
            self._host.say(f"{path.name} is done, but not all of its gates hold; its summary says which", bad=True)
        elif code in (1, 2, 70):
            self._host.say(f"{path.name} could not go on: {started.last_words(600)}", bad=True)
