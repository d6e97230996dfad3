"""The run that is open: its folder, its growing log, its report once there is one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tui_eval.runs.folder import LOG
from tui_eval.runs.log.index import LogIndex
from tui_eval.runs.opening import object_of
from tui_eval.runs.reader import RunReader
from tui_eval.tui.background.log_follower import Follower
from tui_eval.workspace.plain_files import stream_of

MOST_BYTES = 256 << 20
"""A report that is larger is none of ours."""


class OpenedRun:
    """A run folder being looked at. FolderError when it is none."""

    def __init__(self, path: Path, poll_s: float) -> None:
        self.path = path
        RunReader(path)
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
            with stream_of(self.path / name) as stream:
                about = os.fstat(stream.fileno())
                stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
                known = self._tables.get(name)
                if known is None or known[0] != stamp:
                    content = stream.read() if about.st_size <= MOST_BYTES else b""
                    known = self._tables[name] = (stamp, object_of(content))
        except OSError:
            return {}
        return known[1]

    def close(self) -> None:
        """Let go of the log."""
        self.follower.close()
