"""Files of a folder that may be anybody's, opened without waiting for a pipe and without following a link."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

MAX_BYTES = 4 * 1024 * 1024
"""A progress, manifest or config that is larger is none of ours."""


def opened(path: Path) -> int:
    """A regular file's descriptor. OSError for anything else: a pipe would make us wait, a link leads elsewhere."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path}: not a regular file")
    return descriptor


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
