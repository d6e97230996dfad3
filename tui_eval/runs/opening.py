"""The files of a run folder read whole, each within its bound, and what is said of one that is none."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tui_eval.core.errors import FolderError
from tui_eval.workspace.plain_files import json_of, read_file, size_problem, sort_problem, unreadable

MOST_BYTES = 256 * 1024 * 1024
"""A file that is read at once, such as a manifest that lists very many inputs, is not longer."""
LONGEST_LINE = 512 * 1024 * 1024
"""A line of a log is not longer, whatever was asked and answered."""
MOST_NOTHING = 32 * 1024 * 1024
"""Bytes 0 that may stand where the system broke down; more are those of a file that was never ours."""
MAX_BYTES = 4 * 1024 * 1024
"""A progress, manifest or config that is larger is none of ours."""


def whole(path: Path, most: int = MOST_BYTES) -> bytes | None:
    """A file's bytes, None where it is missing. FolderError for what is no regular file, cannot be read, or is too long."""
    try:
        return read_file(path, most)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FolderError(unreadable(path, error)) from None


def problem_of(path: Path) -> str:
    """Why what is at a path is no file of a run; empty where it is one, or nothing is there."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return ""
    problem = sort_problem(mode)
    return problem and f"{path}: {problem}"


def endless(path: Path) -> str:
    """Return the message about a log with a line that is none."""
    return f"{path}: has no line end for many MB, so it is damaged, or tui-eval did not write it; put a sound copy in its place"


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
            raise FolderError(f"{folder / name}: {size_problem(most)}")


def content_of(path: Path, most: int = MAX_BYTES) -> bytes:
    """A small file's bytes; none where it is missing, too big, or no file at all."""
    try:
        return read_file(path, most)
    except OSError:
        return b""


def table(path: Path, most: int = MAX_BYTES) -> dict[str, Any]:
    """A small JSON file that should hold an object; an empty one where it is missing or holds anything else."""
    return object_of(content_of(path, most))


def object_of(content: bytes) -> dict[str, Any]:
    """The object that JSON holds; an empty one where it is anything else."""
    try:
        value = json_of(content)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
