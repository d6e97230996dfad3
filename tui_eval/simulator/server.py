"""The simulator's web server: the protocols of OpenAI and Anthropic on this machine, and a count of what was asked."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http_parser import RawRequestMessage
from aiohttp.web_protocol import RequestHandler

from tui_eval.simulator.answers.perfect import Targets
from tui_eval.simulator.apis import replies
from tui_eval.simulator.apis.chat import Asked, Chat, key_of, read_body, response
from tui_eval.simulator.apis.interfaces import INTERFACES, interface_for, translate
from tui_eval.simulator.apis.message_batches import MessageBatches
from tui_eval.simulator.apis.openai_batches import OpenAIBatches
from tui_eval.simulator.apis.replies import BodyError, Reply
from tui_eval.simulator.apis.streams import Streaming
from tui_eval.simulator.personas import load_personas


@dataclass(slots=True)
class Visit:
    """One chat request, from its headers on."""

    client_id: str | None
    """What the client calls this request, in its header X-Client-Request-Id."""
    model: str | None = None
    """Unknown until the body has been read."""


class Tally:
    """The counts since the start or the last reset. A request counts from its headers on, whatever becomes of it."""

    def __init__(self) -> None:
        self.requests = 0
        self.completed = 0
        self.elsewhere = 0
        self.in_flight = 0
        self.peak_in_flight = 0
        self._by_model: Counter[str] = Counter()
        self._in_flight_by_model: Counter[str] = Counter()
        self._peak_by_model: dict[str, int] = {}
        self._visits: list[Visit] = []

    def opened(self, client_id: str | None) -> Visit:
        """A chat request's headers are here."""
        self.requests += 1
        self.in_flight += 1
        if self.in_flight > self.peak_in_flight:
            self.peak_in_flight = self.in_flight
        visit = Visit(client_id)
        self._visits.append(visit)
        return visit

    def named(self, visit: Visit, model: str) -> None:
        """The request's body has been read: it is for this model."""
        visit.model = model
        self._by_model[model] += 1
        self._in_flight_by_model[model] += 1
        now = self._in_flight_by_model[model]
        if now > self._peak_by_model.get(model, 0):
            self._peak_by_model[model] = now

    def closed(self, visit: Visit, completed: bool) -> None:
        """The request is over: answered, or broken off by either side."""
        self.in_flight -= 1
        self.completed += completed
        if visit.model is not None:
            self._in_flight_by_model[visit.model] -= 1

    def as_dict(self, with_ids: bool = False) -> dict[str, Any]:
        """The counts for GET /stats; on request also every request's client id and model, in order of arrival."""
        counts: dict[str, Any] = {
            "requests": self.requests,
            "completed": self.completed,
            "in_flight": self.in_flight,
            "peak_in_flight": self.peak_in_flight,
            "by_model": dict(self._by_model),
            "peak_by_model": dict(self._peak_by_model),
            "elsewhere": self.elsewhere,
        }
        if with_ids:
            counts["ids"] = [{"id": visit.client_id, "model": visit.model} for visit in self._visits]
        return counts


HOST = "127.0.0.1"
_LARGEST_BODY = 256 * 2**20
_BACKLOG = 4096
_KEEPALIVE_SECONDS = 3600.0
_Route = tuple[str, re.Pattern[str], Callable[..., Awaitable[Reply]]]
"""A method, a path whose groups are the arguments after the request, and who answers."""


class Simulator:
    """One simulated service. The same seed and the same request give the same reply, on any machine."""

    def __init__(
        self, seed: int = 0, latency_scale: float = 1.0, *, batch_s: float = 0.0, key: str | None = None,
        targets: Targets | None = None,
    ) -> None:  # fmt: skip
        """A batch takes batch_s seconds. With a key, every request to an API must show it. `targets`: what sim-oracle knows."""
        self._targets = targets
        self._seed = seed
        self._latency_scale = latency_scale
        self._batch_s = batch_s
        self._key = key
        self._runner: web.ServerRunner | None = None
        self._start_anew()

    async def start(self, port: int = 0) -> str:
        """Listen on the loopback address (port 0 = any free one) and return the base URL. OSError if it is taken."""
        server = web.Server(
            self._handle,
            request_factory=_roomy_request,
            handler_cancellation=True,
            access_log=None,
            keepalive_timeout=_KEEPALIVE_SECONDS,
        )
        self._runner = web.ServerRunner(server, shutdown_timeout=0.2)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, HOST, port, backlog=_BACKLOG).start()
        except OSError:
            await self.stop()
            raise
        return f"http://{HOST}:{self._runner.addresses[0][1]}/v1"

    async def stop(self) -> None:
        """Stop listening and break off what is still under way. May be called twice."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    def stats(self) -> dict[str, Any]:
        """Return the counts of requests so far, as GET /stats tells them."""
        return self._stats()

    def _stats(self, with_ids: bool = False) -> dict[str, Any]:
        batches, batched = (sum(numbers) for numbers in zip(self._files.counts(), self._batches.counts(), strict=True))
        return {**self._tally.as_dict(with_ids), "batches": batches, "batched": batched}

    def _start_anew(self) -> None:
        """Forget every count, file and batch. A request still under way ends in the old counts."""
        self._tally = Tally()
        self._chat = self._new_chat()
        self._files = OpenAIBatches(self._chat, self._batch_s)
        self._batches = MessageBatches(self._chat, self._batch_s)
        self._routes = _routes(self._files, self._batches)

    def _new_chat(self) -> Chat:
        return Chat(self._seed, self._latency_scale, self._targets)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path, method = request.path, request.method
        if method == "POST" and path in INTERFACES:
            return await self._answer(request)
        if path == "/stats" and method == "GET":
            return response(replies.as_json(self._stats(with_ids=request.query.get("ids") == "1")))
        if path == "/reset" and method == "POST":
            self._start_anew()
            return response(replies.as_json({"reset": True}))
        reply = await self._look_up(request)
        return response(translate(interface_for(path), reply) if reply.status >= 400 else reply)

    async def _look_up(self, request: web.BaseRequest) -> Reply:
        """Answer a request other than for a reply: for the simulator's models, files and batches."""
        for method, pattern, answer in self._routes:
            if request.method == method and (found := pattern.fullmatch(request.path)):
                if refused := self._refusal(request):
                    return refused
                try:
                    return await answer(request, *found.groups())
                except BodyError as error:
                    return error.reply()
        self._tally.elsewhere += 1
        return replies.failure(404, f"The simulator has no {request.method} {request.path}.", "not_found")

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request for a reply and count it. It leaves the count just before its last byte, never after the client
        could have sent its next request: a peak is never counted too high."""
        tally, completed, interface = self._tally, False, INTERFACES[request.path]
        client_id = request.headers.get("X-Client-Request-Id")
        visit = tally.opened(client_id)
        raw = b""
        try:
            raw = await request.read()
            body = read_body(raw)
            tally.named(visit, body["model"])
            if refused := self._refusal(request):
                completed = True
                return response(translate(interface, refused, raw, client_id or ""))
            asked = Asked(interface, raw, body, interface.to_chat(body), client_id or "", key_of(request))
            answer = await self._chat.answer(request, asked)
            completed = answer is not None
        except BodyError as error:
            completed = True
            return response(translate(interface, error.reply(), raw, client_id or ""))
        finally:
            tally.closed(visit, completed)
        if isinstance(answer, Streaming):
            return await answer.end()
        return _hung_up(request) if answer is None else answer

    def _refusal(self, request: web.BaseRequest) -> Reply | None:
        """Return the refusal of a request without the right key; None when it may pass."""
        if self._key is None or key_of(request) == self._key:
            return None
        return replies.failure(401, "The key is missing or wrong (simulated).", "invalid_api_key", kind="invalid_request_error")


def _routes(files: OpenAIBatches, batches: MessageBatches) -> list[_Route]:
    """Everything under /v1 that brings no reply of a model."""
    table: list[tuple[str, str, Callable[..., Awaitable[Reply]]]] = [
        ("GET", "/v1/models", _models),
        ("POST", "/v1/files", files.upload),
        ("GET", "/v1/files/([^/]+)/content", files.content),
        ("POST", "/v1/batches", files.create),
        ("GET", "/v1/batches", files.listed),
        ("GET", "/v1/batches/([^/]+)", files.get),
        ("POST", "/v1/batches/([^/]+)/cancel", files.cancel),
        ("POST", "/v1/messages/batches", batches.create),
        ("GET", "/v1/messages/batches", batches.listed),
        ("GET", "/v1/messages/batches/([^/]+)", batches.get),
        ("GET", "/v1/messages/batches/([^/]+)/results", batches.results),
        ("POST", "/v1/messages/batches/([^/]+)/cancel", batches.cancel),
    ]
    return [(method, re.compile(path), answer) for method, path, answer in table]


def _hung_up(request: web.BaseRequest) -> web.Response:
    """Close the connection. aiohttp wants a response all the same; on a closed connection nothing of it is sent."""
    if request.transport is not None:
        request.transport.close()
    return web.Response()


async def _models(request: web.BaseRequest) -> Reply:
    """The list of personas, as OpenAI's list of models; fault and benchmark models are not advertised."""
    rows = [
        {"id": name, "object": "model", "created": 0, "owned_by": "simulator", "shutdown_date": None}
        for name in load_personas()
    ]
    return replies.as_json({"object": "list", "data": rows})


def _roomy_request(
    message: RawRequestMessage,
    payload: StreamReader,
    protocol: RequestHandler,
    writer: AbstractStreamWriter,
    task: asyncio.Task[None],
) -> web.BaseRequest:
    """A request that may have a large body; aiohttp's own limit is 1 MiB."""
    loop = asyncio.get_running_loop()
    return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=_LARGEST_BODY)
