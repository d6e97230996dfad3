"""Records that could not be sent home, on the worker's own disk until the next coordinator of their run takes them in."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui_eval.runs.reader import lines
from tui_eval.workspace.file_locks import take_lock

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}")
FOLDER = "TUI_EVAL_SPOOLS"
"""The environment variable that says where they lie."""


LIVE = ".live"
"""The end of the name of a file that a worker holds while it is at work."""


def spools_of(run_id: str) -> Path:
    """Return the folder of a run's spools on this machine: of its name, or of a digest where that is no plain one."""
    name = run_id if _PLAIN.fullmatch(run_id) else f"_{hashlib.sha256(run_id.encode('utf-8', 'replace')).hexdigest()[:40]}"
    base = os.environ.get(FOLDER) or os.path.join(
        os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"), "tui-eval", "spools"
    )
    return Path(base) / name


class Spool:
    """A file of bundles, one a line; readable by its owner alone. While its worker is at work on the run it is held."""

    def __init__(self, run_id: str, life: str, is_ours: bool = True) -> None:
        """`is_ours`: whether it is that of our own session, which may still add to it."""
        folder = spools_of(run_id)
        self.path, self._mark = folder / f"{life}.jsonl", folder / f"{life}{LIVE}"
        self._held: int | None = None
        if is_ours:
            self.hold()

    def hold(self) -> None:
        """Have others wait until nothing is added to it any more."""
        if self._held is None:
            self._mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._held = os.open(self._mark, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            take_lock(self._held)

    def add(self, bundle: dict[str, Any]) -> None:
        """Keep a bundle, on the disk before anything else is done."""
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, json.dumps(bundle).encode("ascii") + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def bundles(self) -> Iterator[dict[str, Any]]:
        """Yield what it holds, in order; a torn last line is left out."""
        for _, line in lines(self.path):
            yield json.loads(line)

    def remove(self) -> None:
        """Forget it: all of it is home."""
        self.path.unlink(missing_ok=True)

    def let_go(self) -> None:
        """Nothing is added to it any more."""
        if self._held is not None:
            self._mark.unlink(missing_ok=True)
            os.close(self._held)
            self._held = None
            with contextlib.suppress(OSError):  # it holds what others keep
                self.path.parent.rmdir()

    @property
    def is_held(self) -> bool:
        """Return whether another process may still add to it."""
        try:
            descriptor = os.open(self._mark, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            if take_lock(descriptor):
                self._mark.unlink(missing_ok=True)
                return False
            return True
        finally:
            os.close(descriptor)


def spooled_lives(run_id: str) -> list[str]:
    """Return the lives of a run of which this machine keeps records, or may yet."""
    folder = spools_of(run_id)
    return sorted({path.stem for path in folder.iterdir()}) if folder.is_dir() else []


def forget_dead(run_id: str) -> None:
    """Remove what workers left behind that were killed and kept nothing."""
    for life in spooled_lives(run_id):
        _ = Spool(run_id, life, is_ours=False).is_held  # which removes the mark of a process that is gone
    with contextlib.suppress(OSError):  # it holds what others keep, or is not there
        spools_of(run_id).rmdir()
