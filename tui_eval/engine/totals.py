"""Files that add up over the samples, while the run goes on: written beside it, one at a time, and the newest state wins."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from tui_eval.configuring.evaluation import Contributions, Evaluation, RowsFromLog, row_files
from tui_eval.core.errors import StorageError
from tui_eval.core.results import SampleResult
from tui_eval.engine.circuit_breaker import CircuitBreaker
from tui_eval.runs.folder import RunFolder
from tui_eval.runs.reader import Recorded
from tui_eval.runs.row_files import write_row_files
from tui_eval.runs.writing import Inside

EVERY_S = 1.0
"""At least between two writes."""
SHARE = 0.1
"""Of the run's time that goes into them at most: what takes long is written less often."""


class LiveTotals:
    """The files that add up, as far as the run has come."""

    def __init__(
        self,
        folder: RunFolder,
        breaker: CircuitBreaker,
        evaluation: Evaluation,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`pause`: waits so many seconds between two writes."""
        self._folder, self._breaker, self._evaluation, self._pause = folder, breaker, evaluation, pause
        self._added = Contributions(evaluation)
        self._changed = asyncio.Event()

    def add(self, row: SampleResult) -> None:
        """Take in a sample that has ended, or that has come on where its kind's files grow."""
        self._added.add(row)
        self._changed.set()

    async def add_earlier(self, recorded: Recorded) -> None:
        """Take in what earlier lives of the run came to, before this one begins: no file falls behind what it was.

        Where files grow, those of samples that have not ended are written, too: the last life may have ended before they were.
        """
        try:
            await asyncio.to_thread(self._add_all, recorded)
        except StorageError as error:
            self._breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
        self._changed.set()

    def _add_all(self, recorded: Recorded) -> None:
        for row in RowsFromLog(self._evaluation, recorded):
            try:
                self._added.add(row)
                files = {} if row.finished else row_files(self._evaluation, row)
            except MemoryError:
                raise
            except Exception:  # a bug of the kind: the reports tell it
                continue
            write_row_files(Inside(self._folder.path), ((name, self._folder.redact(text)) for name, text in files.items()))

    async def write_on(self) -> None:
        """Write whenever something was added, until it is cancelled; a write that has begun is ended first."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            began = time.monotonic()
            writing = asyncio.create_task(self._write())
            try:
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                await asyncio.wait({writing})
                raise
            await self._pause(max(EVERY_S, (time.monotonic() - began) / SHARE))

    async def _write(self) -> None:
        try:
            await asyncio.to_thread(self._write_now)
        except StorageError as error:
            self._breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
        except Exception as error:
            self._folder.narrate_exception("the files that add up cannot be made", error)

    def _write_now(self) -> None:
        files = ((name, self._folder.redact(text)) for name, text in self._added.files())
        write_row_files(Inside(self._folder.path), files)
