"""The part of a dask worker that asks: a thread of its own that listens for the coordinator, over the cluster's TLS."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

from distributed import Worker, WorkerPlugin
from distributed.security import Security

from tui_eval.cluster.channel import LOST, Channel, listen_at
from tui_eval.cluster.spools import Spool, forget_dead, spooled_lives
from tui_eval.cluster.versions import versions
from tui_eval.cluster.worker_session import LOOK_S, Order, WorkerSession, load_run
from tui_eval.core.errors import ConfigError, TuiEvalError
from tui_eval.datasets.document_text.reader_process import ChildLimits, report_of

PLUGIN = "tui-eval"
DIAL_S = 10.0
"""So long whoever asked where it listens may take to connect."""
ALONE_S = 30.0
"""A session whose coordinator is gone for so long begins nothing more; a host without a session ends after so long."""


async def begin_host(dask_worker: Worker) -> dict[str, str]:
    """Have this worker listen; return the address, and the versions that have to match. Run by `Client.run`."""
    last = dask_worker.plugins.get(PLUGIN)
    address = last.host.stay() if isinstance(last, LastCalls) else ""
    if not address:
        ready: Future[str] = Future()
        scheme, _, place = dask_worker.address.partition("://")
        host = WorkerHost(dask_worker.security, f"{scheme}://{place.rpartition(':')[0]}:0", Path(dask_worker.local_directory))
        await dask_worker.plugin_add(LastCalls(host), name=PLUGIN)
        threading.Thread(target=lambda: asyncio.run(host.serve(ready)), name=PLUGIN, daemon=True).start()
        address = await asyncio.wrap_future(ready)
    return {"address": address, **versions()}


class LastCalls(WorkerPlugin):
    """Holds up a worker that dask ends, as where its scheduler is gone, until its calls in flight are written down."""

    def __init__(self, host: WorkerHost) -> None:
        self.host = host

    async def teardown(self, worker: Worker) -> None:
        """Wait until no session is left."""
        while self.host.has_sessions:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_S)


class WorkerHost:
    """Listens for coordinators, and keeps their sessions."""

    def __init__(self, security: Security, place: str, folder: Path) -> None:
        """`place`: the address to listen at; `folder`: the worker's own, which dask removes after it, however it ends."""
        self._security, self._place, self._folder = security, place, folder
        self._sessions: dict[str, WorkerSession] = {}
        self._beginning = asyncio.Lock()
        """Held while a session reads its keys: another one may have others by the same names."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._address = ""
        """Where it listens; nothing before and after."""
        self._alone_since = time.monotonic()

    def stay(self) -> str:
        """Go on listening for another while; return where, or nothing where it has ended. Called by dask's own thread."""
        self._alone_since = time.monotonic()
        return self._address

    @property
    def has_sessions(self) -> bool:
        """Return whether a run is still asked here."""
        return bool(self._sessions)

    async def serve(self, ready: Future[str]) -> None:
        """Listen until no session has been there for a while."""
        try:
            address, listener = await listen_at(self._place, self._security, self._handle)
        except BaseException as error:
            ready.set_exception(error)
            raise
        self._address = address
        ready.set_result(address)
        while time.monotonic() - self._alone_since < ALONE_S:
            await asyncio.sleep(1.0)
            if self._sessions:
                self._alone_since = time.monotonic()
        self._address = ""
        await asyncio.sleep(DIAL_S)  # for whoever was told the address just before
        listener.stop()

    async def _handle(self, channel: Channel) -> None:
        session: WorkerSession | None = None
        try:
            session, have = await self._opened(await channel.receive(), channel)
            if session is None:
                return
            await session.attach(channel.send, have)
            while True:
                session.receive(await channel.receive())
        except LOST:
            pass
        finally:
            if session is not None:
                session.detach(channel.send)
            channel.cut()

    async def _opened(self, first: Mapping[str, Any], channel: Channel) -> tuple[WorkerSession | None, int]:
        """The session that a coordinator wants, and the last bundle that it has; None where it wanted something else."""
        if first["do"] == "spools":
            await _tell_spools(str(first["run_id"]), channel)
            return None, 0
        if first["do"] == "extract":
            await _extract(first, channel)
            return None, 0
        if first["do"] == "again":
            session = self._sessions.get(str(first["life"]))
            await channel.send({"do": "there" if session is not None else "gone"})
            return session, int(first["have"])
        return await self._begun(first, channel), 0

    async def _begun(self, first: Mapping[str, Any], channel: Channel) -> WorkerSession | None:
        """A new session: keys, files, and the config that is made of them."""
        place = Path(tempfile.mkdtemp(prefix="tui-eval-", dir=self._folder))
        try:
            path = place / str(first["run_id"])
            await _receive_files(path, channel)
            async with self._beginning:
                with _in_environment(first["keys"]):
                    loaded = await asyncio.to_thread(load_run, path)
                    session = WorkerSession(Order(**first["order"]), path, loaded)
        except TuiEvalError as error:
            await channel.send({"do": "cannot", "why": str(error)})
            shutil.rmtree(place, ignore_errors=True)
            return None
        self._sessions[session.order.life] = session
        task = asyncio.create_task(self._run(session, place))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await channel.send({"do": "ready", "warnings": list(loaded.warnings)})
        return session

    async def _run(self, session: WorkerSession, place: Path) -> None:
        running, alone = (asyncio.create_task(each) for each in (session.run(), session.alone(ALONE_S)))
        try:
            await asyncio.wait({running, alone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (running, alone):
                task.cancel()
            await asyncio.wait({running, alone})
            shutil.rmtree(place, ignore_errors=True)
            self._sessions.pop(session.order.life, None)  # dask may end the worker from now on


@contextmanager
def _in_environment(values: Mapping[str, str]) -> Iterator[None]:
    """Have these variables set while a session reads its keys; whoever comes later does not find them."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


async def _extract(first: Mapping[str, Any], channel: Channel) -> None:
    """Open one document after the other, each in its fence, until the connection ends."""
    message = first
    while True:
        limits = ChildLimits(**message["limits"])
        report = await asyncio.to_thread(report_of, message["sort"], bytes(message["data"]), limits)
        await channel.send({"do": "report", **asdict(report)})
        message = await channel.receive()


async def _receive_files(path: Path, channel: Channel) -> None:
    """Write the run's config and inputs, as they come in pieces, below a folder of this run alone."""
    while (message := await channel.receive())["do"] == "file":
        await asyncio.to_thread(_write_piece, path, PurePosixPath(str(message["name"])), bytes(message["data"]))


def _write_piece(path: Path, name: PurePosixPath, data: bytes) -> None:
    if name.is_absolute() or ".." in name.parts:
        raise ConfigError(f"a file outside of its run: {str(name)!r}")
    file = path / name
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


async def _tell_spools(run_id: str, channel: Channel) -> None:
    """Send every bundle that this machine keeps of a run; each spool is removed once all of it is home."""
    for life in spooled_lives(run_id):
        spool = Spool(run_id, life, is_ours=False)
        while spool.is_held:
            await channel.send({"do": "wait", "life": life})
            await asyncio.sleep(1.0)
        for bundle in spool.bundles():
            await channel.send({"do": "bundle", "life": life, **bundle})
        await channel.send({"do": "spool_end", "life": life})
        if (await channel.receive())["do"] == "taken":
            spool.remove()
    forget_dead(run_id)
    await channel.send({"do": "no_more"})
