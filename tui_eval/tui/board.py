"""Looks at the workspace's runs in a thread of its own, so that a slow disk never holds up a key."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Sequence
from pathlib import Path

from tui_eval.runs.steering import RunEntry, RunList
from tui_eval.workspace.places import Workspace


class Board:
    """The runs there are, looked at again and again. `entries` is replaced as a whole: any thread may read it."""

    def __init__(self, workspace: Workspace, every_s: float) -> None:
        self._runs = RunList(workspace)
        self._every_s = every_s
        self._wake = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._look, name="board", daemon=True)
        self.entries: Sequence[RunEntry] = ()
        self._by_path: dict[Path, RunEntry] = {}
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

    def entry(self, path: Path) -> RunEntry | None:
        """A run by its folder."""
        return self._by_path.get(path)

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
            if self._runs.refresh() or self.version == 0:
                self.entries = tuple(self._runs.entries)
                self._by_path = {entry.path: entry for entry in self.entries}
                self.version += 1
        except Exception:  # whatever is wrong with one folder, the app goes on and says so
            self.trouble = traceback.format_exc()
