"""The file of a run folder with what own scorers gave: only added to, a line for each score, read by every report."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.plaintext import json_safe
from tui_eval.runs.reader import lines
from tui_eval.runs.writing import own_file, storage_errors

SCORES = "scores.jsonl"
_MOST_BUFFERED = 1 << 16
_encode = json_encoder(compact=True)


def stored_entries(path: Path) -> Iterator[Any]:
    """Yield the entries of a run's file, in order; a line that is no JSON is passed over. FolderError where it is no file."""
    for _, line in lines(path / SCORES):
        with suppress(ValueError, RecursionError):
            yield json.loads(line)


class ScoresFile:
    """The file, open to be added to. Close it: what was gathered is written then. StorageError for what the disk refuses."""

    def __init__(self, path: Path, redact: Callable[[str], str] = str) -> None:
        """`redact`: takes the values of keys out of what an own scorer says."""
        self._path, self._redact = path / SCORES, redact
        self._buffer = bytearray()
        with storage_errors(self._path):
            self._descriptor = own_file(self._path, os.O_RDWR | os.O_APPEND)
            end = os.fstat(self._descriptor).st_size
            if end and os.pread(self._descriptor, 1, end - 1) != b"\n":
                self._buffer += b"\n"  # a line that a crash has torn

    def __enter__(self) -> ScoresFile:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._write()
            with storage_errors(self._path):
                os.fsync(self._descriptor)
        finally:
            os.close(self._descriptor)

    def add(self, entry: Mapping[str, Json]) -> None:
        """Add a line."""
        self._buffer += self._redact(json_safe(_encode(entry))).encode("utf-8", "backslashreplace") + b"\n"
        if len(self._buffer) >= _MOST_BUFFERED:
            self._write()

    def _write(self) -> None:
        with storage_errors(self._path):
            while self._buffer:
                del self._buffer[: os.write(self._descriptor, self._buffer)]
