"""Writes what is on the screen into new files in the workspace's exports folder, and never over another file."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from tui_eval.core.errors import FolderError
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import stream_of

MOST_TRIES = 10_000
LONGEST_NAME = 80
_FOREIGN = re.compile(r"[^A-Za-z0-9._-]+")


def write(workspace: Workspace, run_id: str, name: str, text: str) -> Path:
    """Write text into a new file; its path. `name` has a suffix; "-2", "-3" … go before it where the name is taken.

    FolderError when it cannot be written.
    """
    data = text.encode("utf-8", "backslashreplace")
    return _new(workspace, run_id, name, lambda stream: stream.write(data))


def copy(workspace: Workspace, run_id: str, name: str, source: Path) -> Path:
    """Copy a regular file, likewise; no link is followed. FolderError when it cannot be read or written."""
    try:
        with stream_of(source) as content:
            return _new(workspace, run_id, name, lambda stream: shutil.copyfileobj(content, stream, 1 << 20))
    except OSError as error:
        raise FolderError(f"{source}: cannot be read: {error.strerror or error}") from None


def reserve(workspace: Workspace, run_id: str, name: str) -> Path:
    """Make an empty file, likewise, for a command that writes it. FolderError when it cannot be written."""
    return _new(workspace, run_id, name, lambda stream: None)


def plain_name(text: str) -> str:
    """A name for a file made of anything: letters, digits, dots and dashes, not hidden, never empty."""
    return _FOREIGN.sub("-", text)[:LONGEST_NAME].strip(".-") or "unnamed"


def _new(workspace: Workspace, run_id: str, name: str, fill: Callable[[BinaryIO], object]) -> Path:
    folder = workspace.root / "exports" / plain_name(run_id)
    try:
        for directory in (folder.parent, folder):
            directory.mkdir(mode=0o700, exist_ok=True)
        path = _free(folder, plain_name(name))
        try:
            with open(path, "wb", opener=_privately) as stream:
                fill(stream)
        except OSError:
            path.unlink(missing_ok=True)  # half a file would be taken for the whole
            raise
    except OSError as error:
        raise FolderError(f"{folder}: nothing was written: {error.strerror or error}") from None
    return path.resolve()


def _free(folder: Path, name: str) -> Path:
    """A path that did not exist until now: the file is made, empty."""
    stem, dot, suffix = name.partition(".")
    for number in range(1, MOST_TRIES):
        path = folder / (f"{stem}{'' if number == 1 else f'-{number}'}{dot}{suffix}")
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        except FileExistsError:
            continue
        return path
    raise FileExistsError(None, "too many files of this name")


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags & ~os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
