"""The run that is open: its folder, its growing log, its report once there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tui_eval.store.folder import LOG
from tui_eval.store.reader import RunReader
from tui_eval.tui.follow import Follower
from tui_eval.tui.log_index import LogIndex


class OpenedRun:
    """A run folder being looked at. FolderError when it is none."""

    def __init__(self, path: Path, poll_s: float) -> None:
        self.path = path
        self.reader = RunReader(path)
        self.index = LogIndex(path / LOG)
        self.follower = Follower(self.index, poll_s)
        self._tables: dict[str, tuple[object, dict[str, Any]]] = {}

    @property
    def run_id(self) -> str:
        """The folder's name."""
        return self.path.name

    def table(self, name: str) -> dict[str, Any]:
        """A JSON file of the folder that holds an object, read again only when it was written again."""
        try:
            stat = (self.path / name).stat()
            stamp: object = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        except OSError:
            return {}
        known = self._tables.get(name)
        if known is None or known[0] != stamp:
            known = self._tables[name] = (stamp, self.reader.table(name))
        return known[1]

    def close(self) -> None:
        """Let go of the log."""
        self.follower.close()
