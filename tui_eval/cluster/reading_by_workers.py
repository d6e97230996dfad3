"""Documents opened by workers: each is sent to one, opened there in its fence, and comes back as its text."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Literal

from tui_eval.cluster.channel import LOST, Channel, dial
from tui_eval.cluster.dask_cluster import DaskCluster
from tui_eval.cluster.machines.address import ClusterAddress
from tui_eval.cluster.machines.fleet import Fleet
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.document_text.reader_process import ChildLimits, ChildReport, Elsewhere, read_elsewhere

Sort = Literal["pdf", "html"]
DIAL_S = 10.0
EACH = 3
"""Documents that a worker is sent at a time: it opens so many as it has places for, and the next is there when one is free."""


class ReadingByWorkers:
    """The workers of a cluster, each of which opens documents. Connected to at the first of them."""

    def __init__(self, address: ClusterAddress, fleet: Fleet | None) -> None:
        self._cluster = DaskCluster(address, fleet)
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None
        self._begin = threading.Lock()
        self._free: asyncio.Queue[Channel | None] = asyncio.Queue()
        self._there = 0

    def report_of(self, sort: Sort, data: bytes, limits: ChildLimits) -> ChildReport:
        """Have a document opened; any thread may call this. ConfigError where no worker is left."""
        with self._begin:
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop.run_forever, name="reading", daemon=True)
                self._thread.start()
                asyncio.run_coroutine_threadsafe(self._connect(), self._loop).result()
        return asyncio.run_coroutine_threadsafe(self._read(sort, data, limits), self._loop).result()

    async def _connect(self) -> None:
        await self._cluster.connect()
        workers = await self._cluster.workers()
        for worker in [*workers] * EACH:
            self._free.put_nowait(await dial(await self._cluster.begin_host(worker), self._cluster.security, DIAL_S))
            self._there += 1

    async def _read(self, sort: Sort, data: bytes, limits: ChildLimits) -> ChildReport:
        while (channel := await self._free.get()) is not None:
            try:
                await channel.send({"do": "extract", "sort": sort, "data": data, "limits": asdict(limits)})
                report = await channel.receive()
            except LOST:  # the worker is gone: another one opens it
                channel.cut()
                self._there -= 1
                if not self._there:
                    self._free.put_nowait(None)
                continue
            self._free.put_nowait(channel)
            return _report_in(report)
        self._free.put_nowait(None)  # nor for whoever else waits
        raise ConfigError("no worker is left that could open documents; leave out --cluster, or start it anew")

    def close(self) -> None:
        """Let go of the workers."""
        if self._thread is not None:
            asyncio.run_coroutine_threadsafe(self._cluster.close(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()


def _report_in(message: dict[str, object]) -> ChildReport:
    """Return the report that a worker sent."""
    fields = {name: value for name, value in message.items() if name != "do"}
    for name in ("pages", "failed", "ends", "hidden"):
        fields[name] = tuple(tuple(each) if isinstance(each, list) else each for each in fields[name])  # type: ignore[attr-defined]
    return ChildReport(**fields)  # type: ignore[arg-type]


@contextmanager
def documents_read_by(address: ClusterAddress, fleet: Fleet | None) -> Iterator[None]:
    """Have documents opened by the workers of a cluster; nothing is started where there are none to open."""
    reading = ReadingByWorkers(address, fleet)
    token = read_elsewhere.set(Elsewhere(reading.report_of, EACH * max(address.most, 8)))
    try:
        yield
    finally:
        read_elsewhere.reset(token)
        reading.close()
