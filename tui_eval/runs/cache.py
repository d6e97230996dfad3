"""Replies kept over runs, by call key, so that the same call is never paid twice: a few as files, many in segments."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tui_eval.core.errors import StorageError
from tui_eval.runs.cache_segments import NAME, SEGMENTS, CacheSegments
from tui_eval.runs.record import attempt_of, line_of, record_of
from tui_eval.runs.writing import Inside, make_private, write_file
from tui_eval.workspace.plain_files import read_file

IGNORE = "# Replies that may be used again. Delete what you like: it is asked anew.\n*\n"
MAX_BYTES = 64 * 1024 * 1024
FEW = 100
"""Replies of a process that get a file each, so that short runs leave no segments; earlier versions wrote such files alone."""


class ReplyCache:
    """Good replies by call key, under a folder that only its owner can read.

    The key is a hash of the whole intention, repeat included, so another prompt, parameter or repeat is another call.
    `place` tells apart what the key cannot: addresses that stand behind a variable. Only its hash is kept.
    """

    def __init__(self, folder: Path, few: int = FEW) -> None:
        self.folder = folder
        self._few = few
        self._segments = CacheSegments(folder, MAX_BYTES)

    def get(self, key: str, place: str = "") -> dict[str, Any] | None:
        """The attempt record of a good reply to this call; None where there is none, or none that can be trusted."""
        name = self._name(key, place)
        if NAME.fullmatch(name.encode("ascii")) and (record := _good(key, lambda: self._segments.get(name))):
            return record
        return _good(key, lambda: read_file(f"{self.folder}/{name[:2]}/{name}.json", MAX_BYTES))

    def put(self, key: str, line: bytes, place: str = "") -> None:
        """Keep a record's line, without keys of the user's. StorageError when the disk refuses it."""
        name = self._name(key, place)
        shelf = SEGMENTS if self._few <= 0 and NAME.fullmatch(name.encode("ascii")) else name[:2]
        self._few -= 1
        if not os.path.isdir(f"{self.folder}/{shelf}"):
            self._make()
        if shelf == SEGMENTS:
            try:
                self._segments.put(name, line)
            except OSError as error:
                raise StorageError(f"{self.folder}: cannot be written: {error.strerror}") from error
            return
        # Made in one folder and moved: a disk finds room for a new file sooner where the one before it was made.
        write_file(Inside(self.folder, (shelf, f"{name}.json")), line, drafts=Inside(self.folder))

    def _name(self, key: str, place: str) -> str:
        """Return the name of a reply: of its file, or in a segment."""
        return hashlib.blake2b(f"{key} {place}".encode(), digest_size=16).hexdigest() if place else key

    def _make(self) -> None:
        try:
            make_private(self.folder)
        except OSError as error:
            raise StorageError(f"{self.folder}: cannot be made: {error.strerror}") from error
        if not os.path.lexists(self.folder / ".gitignore"):
            write_file(self.folder / ".gitignore", IGNORE)


def _good(key: str, read: Callable[[], bytes | None]) -> dict[str, Any] | None:
    """Return what is read, where it is the record of a good reply to this very call."""
    try:
        line = read()
        if line is None:
            return None
        record = record_of(line)
        line_of(attempt_of(record), json.dumps(record["request"], allow_nan=False))
    except (OSError, ValueError, TypeError, MemoryError):
        return None
    text = record["response_text"]
    good = record["call_key"] == key and record["status"] == "ok" and record["final"]
    return record if good and isinstance(text, str) and text.strip() else None
