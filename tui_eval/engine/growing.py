"""The files of samples that have not ended: each is written as soon as its own calls have, from the replies so far."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tui_eval.configuring.evaluation import Evaluation, row_files
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import StorageError
from tui_eval.core.key import call_key
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.engine.circuit_breaker import CircuitBreaker
from tui_eval.engine.totals import LiveTotals
from tui_eval.evaluation.drivers import recorded_answers
from tui_eval.runs.folder import RunFolder
from tui_eval.runs.reader import Recorded
from tui_eval.runs.row_files import write_row_files
from tui_eval.runs.writing import Inside

SHARE = 0.1
"""Of the run's time that goes into these files at most: where calls end faster than that, files wait for one another."""


def so_far(evaluation: Evaluation, sample: Sample, lookup: Callable[[str, Call], Reply | None]) -> SampleResult:
    """A sample with the replies that are known by their call keys; every other call of it is still to be asked."""
    return evaluation.driven(sample, recorded_answers(evaluation.models, lookup))


@dataclass(slots=True)
class _OpenSample:
    """A sample that has not ended, and what it was told."""

    sample: Sample
    fresh: list[tuple[Call, Reply]] = field(default_factory=list)
    known: dict[str, Reply] = field(default_factory=dict)


class GrowingFiles:
    """Told every reply; one sample after the other, those that were told something have their files written."""

    def __init__(
        self,
        folder: RunFolder,
        breaker: CircuitBreaker,
        evaluation: Evaluation,
        totals: LiveTotals,
        recorded: Callable[[], Recorded | None],
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`recorded`: the replies of earlier lives; `pause`: waits so many seconds between two samples."""
        self._folder, self._breaker, self._evaluation, self._totals = folder, breaker, evaluation, totals
        self._recorded, self._pause = recorded, pause
        self._open: dict[tuple[int, str], _OpenSample] = {}
        self._changed: dict[tuple[int, str], None] = {}
        self._awake = asyncio.Event()
        self._writing = asyncio.Lock()

    def told(self, sample: Sample, call: Call, reply: Reply) -> None:
        """A call has ended; its files are written a moment later."""
        key = sample.repeat, sample.id
        self._open.setdefault(key, _OpenSample(sample)).fresh.append((call, reply))
        if reply.final:
            self._changed[key] = None
            self._awake.set()

    @asynccontextmanager
    async def closing(self, sample: Sample) -> AsyncIterator[None]:
        """While the last files of a sample are written: no earlier state of it is, now or later."""
        async with self._writing:
            self._open.pop((sample.repeat, sample.id), None)
            self._changed.pop((sample.repeat, sample.id), None)
            yield

    async def write_on(self) -> None:
        """Write whenever something was told, until it is cancelled; a write that has begun is ended first."""
        while True:
            await self._awake.wait()
            began = time.monotonic()
            writing = asyncio.create_task(self._write_next())
            try:
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                await asyncio.wait({writing})
                raise
            await self._pause((time.monotonic() - began) / SHARE)

    async def _write_next(self) -> None:
        async with self._writing:
            key = next(iter(self._changed), None)
            if key is None:
                self._awake.clear()
                return
            del self._changed[key]
            entry = self._open[key]
            fresh, entry.fresh = entry.fresh, []
            try:
                row = await asyncio.to_thread(self._write, entry, fresh)
                self._totals.add(row)
            except StorageError as error:
                self._breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
            except Exception as error:
                self._folder.narrate_exception(f"{entry.sample.id}: its files cannot be made", error)

    def _write(self, entry: _OpenSample, fresh: list[tuple[Call, Reply]]) -> SampleResult:
        """Write the sample's own files as they stand."""
        models, recorded = self._evaluation.models, self._recorded()
        entry.known |= {call_key(call, models[call.model]): reply for call, reply in fresh}

        def known(key: str, call: Call) -> Reply | None:
            return entry.known.get(key) or (recorded.reply(key, call) if recorded is not None else None)

        row = so_far(self._evaluation, entry.sample, known)
        files = [(name, self._folder.redact(text)) for name, text in row_files(self._evaluation, row).items()]
        write_row_files(Inside(self._folder.path), files)
        return row
