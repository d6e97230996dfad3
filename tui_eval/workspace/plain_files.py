"""The door through which files are read: plain files alone, within bounds, and by no link that leads out of a folder.

Whatever lies in a workspace or a run folder may be anybody's: a named pipe would make us wait for ever, a device never ends,
a sparse file fills the memory, a link shows, or sends, what the folder does not hold. So nothing else in the program opens a
file to read it (`tests/laws/test_reading_door.py`). What is refused is an OSError in the words of a sentence, with the next
step, to go behind the file's name.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from array import array
from io import BufferedReader
from itertools import accumulate
from pathlib import Path
from typing import Any

from tui_eval.core.errors import ConfigError

ANYWHERE = Path("/")
"""`within` of a file that a person named: it may lie anywhere, and be a link to anywhere, as long as that is a plain file."""
MOST_JSON_DEPTH = 100
"""Brackets within brackets in a JSON file of ours; json itself gives up at ten times as many, and what walks it before."""
_TEXTS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_SORTS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def file_stamp(path: Path | str) -> tuple[int, int, int] | None:
    """Return when a file was written (ns), its size and its number; a link's own where it is one, None where there is none."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino


def opened(path: Path | str, within: Path | None = None) -> int:
    """A plain file's descriptor. OSError for whatever else is there, before a byte of it is read, and without waiting.

    `within`: the folder that no link may lead out of; None where the file may be no link at all, ANYWHERE for what a person
    named.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "is not a path: it holds a byte 0", "")
    if within is not None and within != ANYWHERE:
        return _opened_inside(path, within)
    follow = within == ANYWHERE
    _refuse(os.stat(path, follow_symlinks=follow), path)
    return _plain(os.open(path, _FLAGS | (0 if follow else os.O_NOFOLLOW)), path)


def _opened_in(folder: int, name: str) -> int:
    _refuse(os.stat(name, dir_fd=folder, follow_symlinks=False), name)
    return _plain(os.open(name, _FLAGS | os.O_NOFOLLOW, dir_fd=folder), name)


def stream_in(folder: int, name: str) -> BufferedReader:
    """A plain file of a folder whose descriptor is known, which may be no link. OSError as of `opened`."""
    return open(_opened_in(folder, name), "rb")


def lies_within(path: Path | str, folder: Path) -> bool:
    """Return whether a path leads to a place in a folder, links followed; whether there is anything yet does not count."""
    return is_inside(os.path.realpath(path), os.path.realpath(folder))


def is_inside(path: str | Path, folder: str | Path) -> bool:
    """Return whether a path is a folder or below it; both are real paths, or both as they are written."""
    path, folder = str(path), str(folder).rstrip(os.sep)
    return path == folder or path.startswith(folder + os.sep)


def _opened_inside(path: Path | str, within: Path) -> int:
    """Step by step from the folder, so that no link that is planted meanwhile leads out of it."""
    if not lies_within(path, within):
        raise OSError(errno.ELOOP, f"leads out of {within} by a link; put a copy of the file in its place", str(path))
    root = os.path.realpath(within)
    *folders, name = os.path.relpath(os.path.realpath(path), root).split(os.sep)
    if name == os.pardir or os.pardir in folders:
        raise OSError(errno.ELOOP, "was moved while it was being opened", str(path))
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folders:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = inner
        return _opened_in(folder, name)
    finally:
        os.close(folder)


def _plain(descriptor: int, path: Path | str) -> int:
    try:
        _refuse(os.fstat(descriptor), path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _refuse(about: os.stat_result, path: Path | str) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, sort_problem(about.st_mode), str(path))


def sort_problem(mode: int) -> str:
    """Why what is there is no file, to go behind its name; empty where it is one. `mode`: as `os.lstat` has it."""
    return (
        "" if stat.S_ISREG(mode) else f"is {_SORTS.get(stat.S_IFMT(mode), 'a special file')}, not a regular file; move it away"
    )


def unreadable(path: Path | str, error: OSError) -> str:
    """The sentence about a file that the door did not open: with its name, and for what is no plain file the next step."""
    own = error.errno in (errno.EINVAL, errno.EFBIG, errno.ELOOP)
    return f"{path}: {error.strerror}" if own else f"{path}: cannot be read: {error.strerror or error}"


def size_problem(most: int) -> str:
    """Why a file of more than so many bytes is not read, to go behind its name."""
    size = f"{most // 2**20} MB" if most >= 2**20 else f"{most // 1024} KB"
    return f"is larger than {size}, too large to be read; shorten it, or move it away"


def stream_of(path: Path | str, within: Path | None = None) -> BufferedReader:
    """A plain file as a stream of bytes, for what is read piece by piece. OSError as of `opened`."""
    return open(opened(path, within), "rb")


def read_file(path: Path | str, most: int, within: Path | None = None) -> bytes:
    """A plain file's bytes, of which there may be `most`. OSError as of `opened`, and where there are more."""
    with stream_of(path, within) as stream:
        about = os.fstat(stream.fileno())
        if about.st_size <= most:
            data = stream.read(min(about.st_size, most) + 1)
            data += stream.read(most + 1 - len(data)) if len(data) > about.st_size else b""
            if len(data) <= most:
                return data
    raise OSError(errno.EFBIG, size_problem(most), str(path))


def read_text_file(path: Path | str, most: int, within: Path | None = None) -> str:
    """The same as text in UTF-8. UnicodeDecodeError, a ValueError, where it is none."""
    return read_file(path, most, within).decode("utf-8")


def read_json_file(path: Path | str, most: int, within: Path | None = None) -> Any:
    """Return a JSON file's value. OSError as of `read_file`, ValueError in words where it is no JSON, or nested too deeply."""
    return json_of(read_file(path, most, within))


def named_json(path: Path, most: int, within: Path | None = None, option: str = "", advice: str = "") -> Any:
    """The same of a file that a person is to mend. ConfigError, with the `option` that names it, where there is no JSON."""
    try:
        return read_json_file(path, most, within)
    except OSError as error:
        raise ConfigError(f"{option}{unreadable(path, error)}") from None
    except ValueError as error:
        raise ConfigError(f"{option}{path}: not JSON: {error}{advice}") from None


def json_of(data: bytes) -> Any:
    """Return the value of JSON. ValueError in words where it is none, or nested too deeply."""
    check_depth(data)
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def check_depth(data: bytes) -> None:
    """ValueError, in words, for JSON with more than MOST_JSON_DEPTH brackets within brackets, those in texts not counted."""
    if data.count(b"[") + data.count(b"{") <= MOST_JSON_DEPTH:
        return
    steps = array("b", _TEXTS.sub(b"", data).translate(_STEPS, _NO_BRACKETS))
    if max(accumulate(steps), default=0) > MOST_JSON_DEPTH:
        raise ValueError(f"nested too deeply (at most {MOST_JSON_DEPTH} brackets)")
