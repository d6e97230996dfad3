"""Looks at the workspace's runs in a thread of its own, so that a slow disk never holds up a key."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tui_eval.runs.folder import STOP
from tui_eval.runs.steering import RunEntry, RunList, Started
from tui_eval.workspace.places import Workspace

CLOCKED = ("starting", "stopping", "reporting")
"""States that a run should leave soon: it is told how long they last."""


class RunBoard:
    """The runs there are, looked at again and again. `entries` is replaced as a whole by `take_up`: any thread may read it."""

    def __init__(self, workspace: Workspace, every_s: float) -> None:
        self._runs = RunList(workspace)
        self._every_s = every_s
        self._wake = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._look, name="board", daemon=True)
        self.entries: Sequence[RunEntry] = ()
        """As they were taken up last."""
        self._seen: Sequence[RunEntry] | None = None
        """As they were when they were looked at last; None before that."""
        self._by_path: dict[Path, RunEntry] = {}
        self._since: dict[Path, tuple[str, float]] = {}
        self._seen_live: dict[Path, Started] = {}
        """Of the processes that were started from here those that held their folder when it was looked at."""
        self.processes: Mapping[Path, Started] = {}
        """By run folder those that were started from here and are at work, so far as is known."""
        self.begun: Path | None = None
        """The run that was set up here last, until a list of runs has put its cursor on it."""
        self.version = 0
        """Grows whenever the entries change; 0 until the first look is done."""
        self.trouble = ""
        """The last traceback; empty while all is well."""

    def start(self) -> None:
        """Look in the background: the first look at thousands of runs takes a second or two."""
        self._thread.start()

    def also(self, path: Path) -> Path:
        """Watch a run folder outside the workspace, too; the path under which it is listed."""
        return self._runs.watch(path)

    @property
    def latest(self) -> Sequence[RunEntry]:
        """The runs as they were seen last, taken up or not."""
        return self._seen or ()

    def take_up(self) -> None:
        """Have `entries` be what was seen last; between two calls everybody is told the same."""
        seen = self._seen
        if seen is not None and (seen is not self.entries or not self.version):
            self.entries, self._by_path = seen, {entry.path: entry for entry in seen}
            self.version += 1

    def entry(self, path: Path) -> RunEntry | None:
        """A run by its folder; what is seen first is taken up at once, for nothing was painted before."""
        if not self.version:
            self.take_up()
        return self._by_path.get(path)

    def since(self, path: Path) -> float | None:
        """When a run was first seen in a state that it should leave soon (seconds since the epoch); None in any other."""
        state, at = self._since.get(path, ("", 0.0))
        return at if state else None

    def look(self) -> None:
        """Look again now: something was done."""
        self._wake.set()

    def close(self) -> None:
        """Stop looking."""
        self._closed = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(2)

    def _look(self) -> None:
        while not self._closed:
            self._once()
            self._wake.wait(self._every_s)
            self._wake.clear()

    def _once(self) -> None:
        try:
            self._runs.refresh()
            entries = tuple(map(self._as_it_stands, self._runs.entries))
            if entries != self._seen:
                self._keep_time(entries)
                self._seen = entries
        except Exception:  # whatever is wrong with one folder, the app goes on and says so
            self.trouble = traceback.format_exc()

    def _as_it_stands(self, entry: RunEntry) -> RunEntry:
        """A run as it is, also where its folder does not say so yet: its process was started, or it was asked to stop."""
        process = dict(self.processes).get(entry.path)
        if entry.live and process is not None:
            self._seen_live[entry.path] = process
        if not entry.live and process is not None and process.poll() is None:
            if self._seen_live.get(entry.path) is process:  # it let go of its folder, and puts away what it made
                return replace(entry, state="reporting", live=True)
            return replace(entry, state="starting" if process.asks else "reporting")
        if entry.live and entry.state == "running" and (entry.path / STOP).exists():
            return replace(entry, state="stopping")
        return entry

    def _keep_time(self, entries: Sequence[RunEntry]) -> None:
        now, before = time.time(), self._since
        states = {entry.path: entry.state for entry in entries if entry.state in CLOCKED}
        self._since = {
            path: before[path] if before.get(path, ("", 0.0))[0] == state else (state, now) for path, state in states.items()
        }
