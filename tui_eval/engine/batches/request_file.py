"""Where the calls of one batch are collected: the file that will be uploaded, and what each call will be in the log."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tui_eval.core.calls import ModelSpec, Request
from tui_eval.core.errors import StorageError
from tui_eval.engine.batches.batch_results import not_handed_over
from tui_eval.engine.batches.batch_wire import Batch, calls_file, requests_file
from tui_eval.engine.calling import RunContext
from tui_eval.providers.batches import Batches
from tui_eval.runs.writing import Inside


class Sink:
    """The file of one model's requests while they are collected, and beside it what each will be in the log."""

    def __init__(self, context: RunContext, model: ModelSpec, batches: Batches, name: str) -> None:
        """StorageError where its files cannot be made."""
        self.batches = batches
        self.batch = Batch(name, model, "", None, f"{context.run_id}/{name}", time.time())
        self.size = len(batches.before) + len(batches.after)
        self._path = requests_file(context, name)
        with _stored(self._path):
            self._requests = _created(context, self._path)
            self._calls = _created(context, calls_file(context, name))
            self._requests.write(batches.before)

    def fits(self, line: bytes) -> bool:
        """Whether another request may be added, by the provider's limits."""
        size = self.size + len(self.batches.between) + len(line)
        return len(self.batch.offsets) < self.batches.most_requests and size <= self.batches.most_bytes

    def add(self, identity: str, line: bytes, prepared: str, request: Request) -> None:
        """Add a request. StorageError on a full disk."""
        between = self.batches.between if self.batch.offsets else b""
        self.batch.path, self.batch.organization_header = request.path, request.organization_header
        with _stored(self._path):
            offset = self._calls.tell()
            self._calls.write(prepared.encode("ascii"))
            self._requests.write(between + line)
        self.batch.offsets[identity] = offset
        self.size += len(between) + len(line)

    def close(self) -> None:
        """Have both files on the disk. StorageError where it is full."""
        with _stored(self._path):
            self._requests.write(self.batches.after)
            for file in (self._requests, self._calls):
                file.flush()
                os.fsync(file.fileno())
                file.close()

    def drop(self, context: RunContext) -> None:
        """Nothing of it is handed over: its calls are as they were before."""
        for file in (self._requests, self._calls):
            with contextlib.suppress(OSError):
                file.close()
        not_handed_over(context, self.batch)


@contextlib.contextmanager
def _stored(path: Path) -> Iterator[None]:
    """StorageError where the disk refuses what is written."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error


def _created(context: RunContext, path: Path) -> BinaryIO:
    place = Inside(context.folder.path) / str(path.relative_to(context.folder.path))
    return os.fdopen(place.create(), "wb")
