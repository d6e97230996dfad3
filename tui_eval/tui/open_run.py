"""The open run: its folder, its log followed in short slices, its report once there is one."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

from tui_eval.runs.entry import RunEntry
from tui_eval.runs.folder import LOG
from tui_eval.runs.log.index import LogIndex
from tui_eval.runs.log.view import LogView
from tui_eval.runs.opening import object_of
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.plain_files import stream_of

SLICE_S = 0.004
REST_S = 0.0007
"""Between slices the other threads run."""


class Follower:
    """One thread that advances an index and its views while the run is open.

    The index and the views belong to that thread as far as `advance` goes. Everything of `Follower`, `LogView.show` and
    all that only reads may be called from the screen's thread, whenever it likes: arrays are only ever appended to, and
    replaced as a whole. Nothing is called back: the screen looks at `version`.
    """

    def __init__(self, index: LogIndex, poll_s: float = 0.25) -> None:
        """`poll_s`: how long to wait when there is nothing to do, before the log is looked at again."""
        self.index = index
        self.version = 0
        """Grows when there is something new to show."""
        self.trouble = ""
        """What the last exception said; the thread goes on after one."""
        self._poll_s = poll_s
        self._views: tuple[LogView, ...] = ()
        self._seen: tuple[object, ...] = ()
        self._awake = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="follow the log", daemon=True)
        self._thread.start()

    def view(self) -> LogView:
        """Another view of the log, which shows everything as it stands until it is told otherwise."""
        view = LogView(self.index, self.wake)
        self._views = (*self._views, view)
        self.wake()
        return view

    def wake(self) -> None:
        """Look at once whether there is something to do."""
        self._awake.set()

    def close(self) -> None:
        """End the thread, and let go of the log."""
        self._closed.set()
        self._awake.set()
        self._thread.join()
        self.index.close()

    def _work(self) -> None:
        while not self._closed.is_set():
            self._awake.clear()
            if self._slice():
                time.sleep(REST_S)
            else:
                self._awake.wait(self._poll_s)

    def _slice(self) -> bool:
        """Advance the views, then the index with the rest of the time; return whether there is more to do right now."""
        views = self._views
        share, until = SLICE_S / (1 + len(views)), time.monotonic() + SLICE_S
        busy = [self._advance(view, share) for view in views]
        busy.append(self._advance(self.index, until - time.monotonic()))
        state = (id(self.index.columns), self.index.lines, self.index.read, *map(_state, views))
        is_news = state != self._seen  # what the index has just read, the views have not looked at yet
        if is_news:
            self._seen = state
            self.version += 1
        return is_news or any(busy)

    def _advance(self, work: LogIndex | LogView, seconds: float) -> bool:
        try:
            return work.advance(seconds)
        except Exception as error:
            self.trouble = f"{type(error).__name__}: {error}"
            return False


def _state(view: LogView) -> tuple[object, ...]:
    return (id(view), view.shows, view.count, view.examined, view.ordered, view.done)


STALE_S = 5.0
MOST_BYTES = 256 << 20
"""A report that is larger is none of ours."""


class OpenedRun:
    """A run folder being looked at. FolderError when it is none."""

    def __init__(self, path: Path, poll_s: float) -> None:
        self.path = path
        RunReader(path)
        self.index = LogIndex(path / LOG)
        self.follower = Follower(self.index, poll_s)
        self._latest_at = 0.0
        self.latest: RunEntry | None = None
        """The run as its folder had it last."""
        self.entry: RunEntry | None = None
        """The run as it is shown, wherever its counts are painted: `Page.joined` chose it at the last tick."""
        self._tables: dict[str, tuple[object, dict[str, Any]]] = {}

    @property
    def run_id(self) -> str:
        """The folder's name."""
        return self.path.name

    def follow(self, entry: RunEntry | None) -> None:
        """Take up the run as it is now, and read its log just as far as its counts go, while it is added to.

        Counts that were not written again for `STALE_S` hold nothing back: a process that cannot write them may still log.
        """
        if entry is not self.latest:
            self.latest, self._latest_at = entry, time.monotonic()
            self.index.upto = entry.log_bytes if entry is not None and entry.follows_log else None
            self.follower.wake()
        elif self.index.upto is not None and time.monotonic() - self._latest_at > STALE_S:
            self.index.upto = None
            self.follower.wake()

    def table(self, name: str) -> dict[str, Any]:
        """A JSON file of the folder that holds an object, read again only when it was written again."""
        try:
            with stream_of(self.path / name) as stream:
                about = os.fstat(stream.fileno())
                stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
                cached = self._tables.get(name)
                if cached is None or cached[0] != stamp:
                    content = stream.read() if about.st_size <= MOST_BYTES else b""
                    cached = self._tables[name] = (stamp, object_of(content))
        except OSError:
            return {}
        return cached[1]

    def close(self) -> None:
        """Let go of the log."""
        self.follower.close()
