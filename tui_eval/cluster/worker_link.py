"""One worker as the coordinator has it: its connection, what it was handed, and when it was last heard."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui_eval.cluster.channel import LOST, Channel, Message, dial
from tui_eval.cluster.sample_feed import Place
from tui_eval.runs.folder import CONFIG, MANIFEST
from tui_eval.workspace.plain_files import stream_of

PIECE = 4 << 20
"""Bytes of a file that are sent in one message."""
DIAL_S = 10.0
SILENCE_S = 30.0
"""A worker that says nothing for so long is given up."""
AGAIN_S = 20.0
"""So long a connection that was lost is tried again."""
BEGIN_S = 600.0
"""So long a worker may take until it has read its config and inputs."""
GONE_S = 2.0
"""The same where the worker's machine says that nobody listens there any more."""


@dataclass(slots=True)
class WorkerState:
    """The figures that are shown of a worker."""

    name: str
    address: str
    state: str = "joining"
    in_flight: int = 0
    attempts: int = 0
    heard: float = field(default_factory=time.monotonic)
    """Monotonic clock when it last said anything, seconds."""


class WorkerLink:
    """A connection to one worker, made again where it is cut."""

    def __init__(self, name: str, worker: str, life: str, security: Any) -> None:
        """`worker`: its address in the cluster; `life`: names its attempts."""
        self.shown = WorkerState(name, worker)
        self.worker, self.life = worker, life
        self.address = ""
        """Where it listens for us."""
        self.given: set[Place] = set()
        self.have = 0
        """The last bundle of it that is on our disk."""
        self.is_done = self.was_recalled = self.is_ended = False
        self.told: dict[str, Any] = {}
        """The rules that it knows."""
        self.hungry: list[tuple[str, int]] = []
        """Queues of which it wants samples, and how many."""
        self.has_returned = self.is_ending = False
        """Whether its connection was made again just now, so that it may lack what was said last; whether it can be ended."""
        self.warnings: tuple[str, ...] = ()
        """Doubts about the run as it is there: plug-ins that are others than those it was prepared with."""
        self.is_cut_off = False
        """Whether it does not reach the run's simulator any more."""
        self.is_retiring = False
        """Whether it gets no more samples, though the run goes on."""
        self._security = security
        self._channel: Channel | None = None

    @property
    def is_connected(self) -> bool:
        """Return whether it can be spoken to."""
        return self._channel is not None

    async def begin(self, address: str, order: Mapping[str, Any], path: Path, keys: Mapping[str, str]) -> str:
        """Connect, and have the run begun; return why that is not possible, or nothing."""
        self.address = address
        channel = await dial(address, self._security, DIAL_S)
        await channel.send({"do": "hello", "run_id": path.name, "order": order, "keys": dict(keys)})
        for name, data in files_of(path):
            await channel.send({"do": "file", "name": name, "data": data})
        await channel.send({"do": "begin"})
        async with asyncio.timeout(BEGIN_S):
            answer = await channel.receive()
        if answer["do"] != "ready":
            channel.cut()
            return str(answer.get("why", "it did not say why"))
        self.warnings = tuple(map(str, answer.get("warnings", ())))
        self._channel, self.shown.state, self.shown.heard = channel, "working", time.monotonic()
        return ""

    async def send(self, message: Mapping[str, Any]) -> bool:
        """Send a message; whether it could be handed over."""
        channel = self._channel
        if channel is None:
            return False
        try:
            await channel.send(message)
        except LOST:
            self._drop(channel)
            return False
        return True

    async def messages(self) -> Any:
        """Yield what it says, over every connection, until it has ended, or is lost."""
        while not self.is_ended:
            channel = self._channel
            if channel is None:
                if not await self._reconnected():
                    return
                continue
            try:
                async with asyncio.timeout(SILENCE_S):
                    message: Message = await channel.receive()
            except TimeoutError:
                channel.cut()
                self._channel = None
                return
            except LOST:
                self._drop(channel)
                continue
            self.shown.heard = time.monotonic()
            yield message

    async def _reconnected(self) -> bool:
        """Try to reach it again; whether it is there, and has kept the run."""
        self.shown.state = "unreachable"
        began = time.monotonic()
        while time.monotonic() - began < AGAIN_S and not self.is_ended:
            try:
                channel = await dial(self.address, self._security, 2.0)
                await channel.send({"do": "again", "life": self.life, "have": self.have})
                async with asyncio.timeout(DIAL_S):
                    is_there = (await channel.receive())["do"] == "there"
            except (*LOST, TimeoutError) as error:
                if _is_refused(error) and time.monotonic() - began > GONE_S:
                    return False
                await asyncio.sleep(0.5)
                continue
            if not is_there:
                channel.cut()
                return False
            self._channel, self.shown.state, self.told, self.has_returned = channel, "working", {}, True
            return True
        return False

    def drop(self) -> None:
        """Cut the connection: it is made again, and what was not taken in comes once more."""
        if self._channel is not None:
            self._drop(self._channel)

    def _drop(self, channel: Channel) -> None:
        channel.cut()
        if self._channel is channel:
            self._channel = None

    def close(self) -> None:
        """End the connection."""
        self.is_ended = True
        self.drop()


def _is_refused(error: BaseException | None) -> bool:
    """Return whether a machine said that nobody listens at an address."""
    while error is not None:
        if isinstance(error, ConnectionRefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False


def files_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the config, the manifest and the inputs of a run folder, in pieces, by their places in it."""
    inputs = sorted(file for file in (path / "inputs").rglob("*") if file.is_file() and not file.is_symlink())
    for file in (path / CONFIG, path / MANIFEST, *inputs):
        with stream_of(file, path) as stream:
            name, is_first = file.relative_to(path).as_posix(), True
            while (data := stream.read(PIECE)) or is_first:
                yield name, data
                is_first = False
