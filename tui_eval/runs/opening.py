"""Files of a folder that may be anybody's, opened without waiting for a pipe and without following a link."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tui_eval.core.errors import FolderError

MOST_BYTES = 256 * 1024 * 1024
"""A file that is read at once, such as a manifest that lists very many inputs, is not longer."""
LONGEST_LINE = 512 * 1024 * 1024
"""A line of a log is not longer, whatever was asked and answered."""
MOST_NOTHING = 32 * 1024 * 1024
"""Bytes 0 that may stand where the system broke down; more are those of a file that was never ours."""
_SORTS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
MAX_BYTES = 4 * 1024 * 1024
"""A progress, manifest or config that is larger is none of ours."""


def opened(path: Path) -> int:
    """A regular file's descriptor. OSError for anything else: a pipe would make us wait, a link leads elsewhere."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path}: not a regular file")
    return descriptor


def whole(path: Path, most: int = MOST_BYTES) -> bytes | None:
    """A file's bytes, None where it is missing. FolderError for what is no regular file, cannot be read, or is too long."""
    try:
        with open(opened(path), "rb") as stream:
            if os.fstat(stream.fileno()).st_size > most:
                raise FolderError(_too_large(path, most))
            return stream.read(most + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FolderError(problem_of(path) or f"{path}: cannot be read: {error.strerror or error}") from None


def problem_of(path: Path) -> str:
    """Why what is at a path is no file of a run; empty where it is one, or nothing is there."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return ""
    return "" if stat.S_ISREG(mode) else f"{path}: is {_SORTS.get(stat.S_IFMT(mode), 'no regular file')}, no file; move it away"


def endless(path: Path) -> str:
    """What is said of a log with a line that is none."""
    return f"{path}: has no end of a line for many MB, so it is damaged, or not ours; put a copy of it in its place"


def check_files(folder: Path, files: Mapping[str, int | None]) -> None:
    """FolderError where a pipe, a link or the like stands at the name of a file of a run, or one that is far too large.

    `files`: names, and how many bytes each may have; None = any.
    """
    for name, most in files.items():
        try:
            about = os.lstat(folder / name)
        except OSError:
            continue
        if not stat.S_ISREG(about.st_mode):
            raise FolderError(problem_of(folder / name))
        if most is not None and about.st_size > most:
            raise FolderError(_too_large(folder / name, most))


def _too_large(path: Path, most: int) -> str:
    return f"{path}: is larger than {most // 2**20} MB, so nothing that tui-eval wrote; move it away"


def content_of(path: Path) -> bytes:
    """A small file's bytes; none where it is missing, too big, or no file at all."""
    try:
        with open(opened(path), "rb") as stream:
            return stream.read() if os.fstat(stream.fileno()).st_size <= MAX_BYTES else b""
    except OSError:
        return b""


def table(path: Path) -> dict[str, Any]:
    """A small JSON file that should hold an object; an empty one where it is missing or holds anything else."""
    return object_of(content_of(path))


def object_of(content: bytes) -> dict[str, Any]:
    """The object that JSON holds; an empty one where it is anything else."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
