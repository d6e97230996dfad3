"""Locks on files, and what stands for one on a file system that keeps none, such as NFS without its lock service."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from tui_eval.core.errors import ConfigError

NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})
"""What the system says where a file system keeps no locks; anything else is about this lock."""
WAIT_S = 10.0
"""How long a command waits for another that holds a folder by a file."""
_SIGN = ".held"


class NoLocksError(OSError):
    """The file system keeps no locks."""


def take_lock(descriptor: int, shared: bool = False, wait: bool = False) -> bool:
    """Lock an open file; whether that was possible, unless it is to `wait`. NoLocksError where its file system keeps none."""
    flags = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        fcntl.flock(descriptor, flags)
    except OSError as error:
        if error.errno in NO_LOCKS:
            raise NoLocksError(error.errno, error.strerror) from None
        return False
    return True


def why_no_locks(folder: Path) -> str:
    """Why no file in this folder can be locked, in the system's words; empty where one can, or where that cannot be told.

    A folder that is not there yet is judged by the nearest one above it that is.
    """
    place = next((place for place in (folder, *folder.absolute().parents) if place.is_dir()), Path("/"))
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        take_lock(descriptor, shared=True)
    except NoLocksError as error:
        return error.strerror or str(error)
    finally:
        os.close(descriptor)
    return ""


@contextlib.contextmanager
def hold_file(descriptor: int, path: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold an open file, and what it stands for, against other processes; `path`: where it is.

    Where its file system keeps no locks, by another file beside it, which only one process can make and which is gone
    afterwards. ConfigError where another process holds that for longer than `wait_s` seconds, or was killed while it did.
    """
    try:
        take_lock(descriptor, wait=True)
    except NoLocksError:
        with _held_by_name(path.with_name(path.name + _SIGN), wait_s):
            yield
        return
    yield


@contextlib.contextmanager
def _held_by_name(sign: Path, wait_s: float) -> Iterator[None]:
    until = time.monotonic() + wait_s
    while True:
        try:
            os.close(os.open(sign, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            break
        except FileExistsError:
            if time.monotonic() > until:
                raise ConfigError(
                    f"{sign}: another command is running here, or was killed (this file system has no locks). "
                    "If none is running, remove that file"
                ) from None
            time.sleep(0.02)
    try:
        yield
    finally:
        sign.unlink(missing_ok=True)
