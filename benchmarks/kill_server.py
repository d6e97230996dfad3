"""A server for every wire that counts each request and its cost by itself, and tells at once what has just happened in it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import get_args

from aiohttp import web
from kill_evidence import Made, Moment, Visit

from tui_eval.simulator.apis import batch_store
from tui_eval.simulator.apis.chat import Asked, Chat, response
from tui_eval.simulator.apis.interfaces import CHAT, INTERFACES, interface_for, read_object, translate
from tui_eval.simulator.apis.replies import Reply, failure
from tui_eval.simulator.apis.streams import Streaming
from tui_eval.simulator.server import Simulator

START_S = 60.0
MOMENTS: tuple[Moment, ...] = get_args(Moment)
HANDING_OVER = ("/v1/batches", "/v1/messages/batches")
"""Posting there has a batch made."""

Told = Callable[[Moment], None]


@dataclass(slots=True)
class Settings:
    """How the server behaves."""

    seed: int = 0
    latency_scale: float = 0.05
    batch_s: float = 0.2
    faults: float = 0.0
    """The share of requests that fail when their body is seen for the first time; the next one like it is answered."""


class CountingServer(Simulator):
    """The simulator, on every path that a wire asks, with a list of who asked what and what it cost."""

    def __init__(self, settings: Settings, told: Told) -> None:
        """`told` is called in the server's thread, before anything else happens there."""
        self.visits: list[Visit] = []
        self.made: list[Made] = []
        self._settings = settings
        self._told = told
        self._seen: Counter[bytes] = Counter()
        self._settled: ContextVar[list[Visit]] = ContextVar("settled")
        self._visit: ContextVar[Visit] = ContextVar("visit")
        super().__init__(settings.seed, settings.latency_scale, batch_s=settings.batch_s)

    def _new_chat(self) -> Chat:
        return NotingChat(self._settings, self._told, self._visit, self._settled)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = routed(request.path)
        return await super()._handle(request if path == request.path else request.clone(rel_url=path))

    async def _look_up(self, request: web.BaseRequest) -> Reply:
        """Files and batches: what a batch holds counts as asked once the batch is made."""
        self._told("batch request")
        self._settled.set([])
        reply = await super()._look_up(request)
        if request.method == "POST" and request.path in HANDING_OVER and reply.status == 200:
            settled = self._settled.get()
            self.visits += settled
            self.made.append(Made(str(json.loads(reply.body)["id"]), frozenset(visit.id for visit in settled)))
            self._told("batch made")
        self._told("batch answered")
        return reply

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        visit = Visit(request.headers.get("X-Client-Request-Id") or "", time.monotonic())
        self.visits.append(visit)
        self._visit.set(visit)
        raw = await request.read()
        self._told("request")
        fault = self._fault(raw)
        if fault == "reset":
            visit.status = 0
            if request.transport is not None:
                request.transport.close()
            return web.Response()
        answered = response(_failure(request.path, fault)) if fault else await super()._answer(request)
        if answered.prepared:  # a stream, told to its end already
            visit.sent_at, visit.status = time.monotonic(), answered.status
            self._told("reply")
            return answered
        return await self._in_halves(request, answered, visit)

    async def _in_halves(self, request: web.BaseRequest, whole: web.StreamResponse, visit: Visit) -> web.StreamResponse:
        """Send a reply in two pieces, so that something may happen in between."""
        body = whole.body if isinstance(whole, web.Response) and isinstance(whole.body, bytes) else b""
        headers = {name: value for name, value in whole.headers.items() if name != "Content-Length"}
        told = web.StreamResponse(status=whole.status, headers=headers)
        told.content_length = len(body)
        try:
            await told.prepare(request)
            await told.write(body[: len(body) // 2])
            self._told("half a reply")
            await asyncio.sleep(0)
            await told.write_eof(body[len(body) // 2 :])
        except ConnectionError:  # whoever asked is dead
            told.force_close()
            return told
        visit.sent_at, visit.status = time.monotonic(), whole.status
        self._told("reply")
        return told

    def _fault(self, raw: bytes) -> str:
        """What goes wrong with this request; empty where nothing does. The same for the same bodies, whoever comes first."""
        digest = hashlib.blake2b(raw, digest_size=8, salt=self._settings.seed.to_bytes(8, "big")).digest()
        self._seen[digest] += 1
        if self._seen[digest] > 1 or digest[0] / 256 >= self._settings.faults:
            return ""
        return ("429", "500", "reset")[digest[1] % 3]


class NotingChat(Chat):
    """The simulator's replies, each with its cost noted where it is counted."""

    def __init__(self, settings: Settings, told: Told, visit: ContextVar[Visit], settled: ContextVar[list[Visit]]) -> None:
        super().__init__(settings.seed, settings.latency_scale)
        self._told_of = told
        self._visit = visit
        self._settled = settled

    async def answer(self, request: web.BaseRequest, asked: Asked) -> web.StreamResponse | Streaming | None:
        """As it is; the cost counts from here on, whether or not the reply arrives."""
        self._visit.get().usd = self._usd(asked)
        answered = await super().answer(request, asked)
        if isinstance(answered, Streaming):
            self._told_of("half a reply")
        return answered

    def settle(self, asked: Asked) -> Reply | None:
        """As it is, noted as a visit within the batch that is being made."""
        usd = self._usd(asked) * batch_store.PRICE
        self._settled.get().append(Visit(asked.client_id, time.monotonic(), usd, status=200, batched=True))
        return super().settle(asked)

    def _usd(self, asked: Asked) -> float:
        """What the reply costs, by the tokens and prices that the server itself counts with."""
        reply = super().settle(replace(asked, interface=CHAT, chat={**asked.chat, "stream": False}))
        used = ((read_object(reply.body) if reply else None) or {}).get("usage") or {}
        return float(used.get("cost") or 0.0)


class Serving:
    """A counting server in a thread of its own: it outlives whoever asks it."""

    def __init__(self, settings: Settings, told: Told) -> None:
        self._server = CountingServer(settings, told)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="counting server", daemon=True)
        self._thread.start()
        self.url = asyncio.run_coroutine_threadsafe(self._server.start(), self._loop).result(START_S)

    def visits(self) -> list[Visit]:
        """Every request so far, in order of arrival, those within batches included."""
        return [replace(visit) for visit in list(self._server.visits)]

    def made(self) -> list[Made]:
        """Every batch so far."""
        return list(self._server.made)

    def close(self) -> None:
        """Stop the server and its thread."""
        asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result(START_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_S)
        self._loop.close()


def routed(path: str) -> str:
    """Where the simulator answers what comes to a path: wires that differ in it alone say the same at its end."""
    for served in INTERFACES:
        if path.endswith(served.removeprefix("/v1")) and "/batches" not in path:
            return served
    return path


def _failure(path: str, fault: str) -> Reply:
    reply = failure(int(fault), "It goes wrong once (simulated).")
    return translate(interface_for(path), reply, b"", "")
