"""Private keys in files: they are never sent, unless a person names that very file on the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from tui_eval.core.errors import ConfigError

_BEGIN = re.compile(rb"BEGIN\s+(?:[A-Z0-9]+\s+){0,4}PRIVATE\s+KEY|PuTTY-User-Key-File-[0-9]|AGE-SECRET-KEY-1", re.ASCII)
_WORDS = (b"BEGIN", b"PuTTY-User-Key-File-", b"AGE-SECRET-KEY-1")
"""One of these is in whatever matches: they are found at the speed of memory."""
_ENCODINGS = ("utf-16-le", "utf-16-be")
OVERLAP_BYTES = 4096
_NAMED: set[str] = set()
"""The real paths of files that a person named on the command line of this process."""


def name_secret_files(paths: Iterable[Path]) -> None:
    """Let these files be sent whatever is in them. ConfigError where one is not there."""
    for path in paths:
        if not path.is_file():
            raise ConfigError(f"--allow-secret-file {path}: there is no such file")
        _NAMED.add(os.path.realpath(path))


def is_named(path: str | Path) -> bool:
    """Return whether a person named this very file."""
    return bool(path) and os.path.realpath(path) in _NAMED


def holds_private_key(pieces: Iterable[bytes]) -> bool:
    """Return whether a file looks as if a private key were in it, be it in UTF-8 or UTF-16."""
    before = b""
    for piece in pieces:
        data = before + piece
        if _has(data):
            return True
        before = data[-OVERLAP_BYTES:]
    return False


def _has(data: bytes) -> bool:
    if any(word in data for word in _WORDS) and _BEGIN.search(data):
        return True
    if b"\0" not in data:
        return False
    return any(
        _BEGIN.search(data[at:].decode(encoding, "replace").encode("ascii", "replace"))
        for encoding in _ENCODINGS
        for at in (0, 1)
    )


def refusal(key: str, path: str | Path) -> str:
    """Return the message about such a file. `key`: the key of the config that names it, or what else does."""
    where = f"--allow-secret-file {path}" if path else "remove it"
    return f"{key}: {path or 'the text'}: looks like a private key, and is not sent; to send it anyway: {where}"
