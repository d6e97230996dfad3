"""Files of a run folder that only persons write, a line at a time: one writer at once, and each line is on the disk."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from tui_eval.core.errors import FolderError, StorageError
from tui_eval.runs.opening import problem_of, whole
from tui_eval.runs.writing import Inside, own_file, write_file
from tui_eval.workspace.file_locks import hold_file

MOST_BYTES = 16 << 20
"""A file of ratings that is larger is none of ours: a person makes some hundreds."""


def rating_lines(path: Path, name: str) -> list[bytes]:
    """Return the lines of a file of the folder; none where it is not there. FolderError where it cannot be read."""
    return (whole(path / name, MOST_BYTES) or b"").split(b"\n")


def append_line(path: Path, name: str, line: bytes) -> None:
    """Write a line behind the others, and see it onto the disk. StorageError, FolderError where that cannot be."""
    with _open_file(path / name) as descriptor:
        end = os.fstat(descriptor).st_size
        torn = end and os.pread(descriptor, 1, end - 1) != b"\n"
        try:
            _write(descriptor, b"\n" * bool(torn) + line)
            os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, end)  # half a line would be in the way of the next
            raise


def remove_lines(path: Path, name: str, is_gone: Callable[[bytes], bool]) -> None:
    """Remove the lines that a test finds; all others stay. StorageError, FolderError where that cannot be."""
    with _open_file(path / name) as descriptor:
        lines = _read(descriptor, name).splitlines(keepends=True)
        remaining = [line for line in lines if not is_gone(line)]
        if len(remaining) < len(lines):
            write_file(Inside(path, (name,)), b"".join(remaining))


@contextlib.contextmanager
def _open_file(file: Path) -> Iterator[int]:
    """The file, open to be added to, for one writer at a time; a person may have two terminals."""
    try:
        with _locked(file) as descriptor:
            yield descriptor
    except FolderError:
        raise
    except OSError as error:
        raise StorageError(problem_of(file) or f"{file}: cannot be written: {error.strerror or error}") from error


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[int]:
    """The file that stands there once it is ours: another writer may have put another one in its place meanwhile."""
    while True:
        descriptor = own_file(file, os.O_RDWR | os.O_APPEND)
        try:
            with hold_file(descriptor, file):
                if _is_there(descriptor, file):
                    yield descriptor
                    return
        finally:
            os.close(descriptor)


def _is_there(descriptor: int, file: Path) -> bool:
    about = os.fstat(descriptor)
    try:
        there = os.stat(file, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (about.st_dev, about.st_ino)


def _read(descriptor: int, name: str) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > MOST_BYTES:
        raise FolderError(f"{name}: is larger than {MOST_BYTES >> 20} MB, so tui-eval did not write it; move it away")
    return os.pread(descriptor, size, 0)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
