"""Replies kept over runs: a file per call key, so that the same call is never paid twice."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tui_eval.errors import StorageError
from tui_eval.store.folder import write_file
from tui_eval.store.record import record_of

IGNORE = "# Replies that may be used again. Delete what you like: it is asked anew.\n*\n"


class ReplyCache:
    """Good replies by call key, under a folder that only its owner can read.

    The key is a hash of the whole intention, repeat included, so another prompt, parameter or repeat is another call.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> dict[str, Any] | None:
        """The attempt record of a good reply to this call; None where there is none, or none that can be trusted."""
        try:
            record = record_of(self._path(key).read_bytes())
        except (OSError, ValueError):
            return None
        good = record["call_key"] == key and record["status"] == "ok" and record["final"] is True
        return record if good and isinstance(record["response_text"], str) else None

    def put(self, key: str, line: bytes) -> None:
        """Keep a record's line, without keys of the user's. StorageError when the disk refuses it."""
        path = self._path(key)
        if not path.parent.is_dir():
            self._make()
        write_file(path, line)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _make(self) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{self.folder}: cannot be made: {error.strerror}") from error
        if not os.path.lexists(self.folder / ".gitignore"):
            write_file(self.folder / ".gitignore", IGNORE)
