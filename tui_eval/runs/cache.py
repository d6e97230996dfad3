"""Replies kept over runs: a file per call key, so that the same call is never paid twice."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from tui_eval.core.errors import StorageError
from tui_eval.runs.record import attempt_of, line_of, record_of
from tui_eval.runs.writing import Inside, make_private, write_file
from tui_eval.workspace.plain_files import read_file

IGNORE = "# Replies that may be used again. Delete what you like: it is asked anew.\n*\n"
MAX_BYTES = 64 * 1024 * 1024


class ReplyCache:
    """Good replies by call key, under a folder that only its owner can read.

    The key is a hash of the whole intention, repeat included, so another prompt, parameter or repeat is another call.
    `place` tells apart what the key cannot: addresses that stand behind a variable. Only its hash is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str, place: str = "") -> dict[str, Any] | None:
        """The attempt record of a good reply to this call; None where there is none, or none that can be trusted."""
        try:
            record = record_of(read_file("/".join((str(self.folder), *self._name(key, place))), MAX_BYTES))
            line_of(attempt_of(record), json.dumps(record["request"], allow_nan=False))
        except (OSError, ValueError, TypeError, MemoryError):
            return None
        text = record["response_text"]
        good = record["call_key"] == key and record["status"] == "ok" and record["final"]
        return record if good and isinstance(text, str) and text.strip() else None

    def put(self, key: str, line: bytes, place: str = "") -> None:
        """Keep a record's line, without keys of the user's. StorageError when the disk refuses it."""
        shelf, name = self._name(key, place)
        if not os.path.isdir(f"{self.folder}/{shelf}"):
            self._make()
        # Made in one folder and moved: a disk finds room for a new file sooner where the one before it was made.
        write_file(Inside(self.folder, (shelf, name)), line, drafts=Inside(self.folder))

    def _name(self, key: str, place: str) -> tuple[str, str]:
        """The folder that a reply is in, and its file's name."""
        name = hashlib.blake2b(f"{key} {place}".encode(), digest_size=16).hexdigest() if place else key
        return name[:2], f"{name}.json"

    def _make(self) -> None:
        try:
            make_private(self.folder)
        except OSError as error:
            raise StorageError(f"{self.folder}: cannot be made: {error.strerror}") from error
        if not os.path.lexists(self.folder / ".gitignore"):
            write_file(self.folder / ".gitignore", IGNORE)
