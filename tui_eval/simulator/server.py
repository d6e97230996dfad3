"""The simulator's door: a small web server on this machine that speaks the protocol of OpenAI-compatible services."""

import asyncio
from typing import Any

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http_parser import RawRequestMessage
from aiohttp.web_protocol import RequestHandler

from tui_eval.simulator import replies
from tui_eval.simulator.chat import Chat, ChatBodyError, read_body, response
from tui_eval.simulator.personas import load_personas
from tui_eval.simulator.tally import Tally

HOST = "127.0.0.1"
_LARGEST_BODY = 64 * 2**20
_BACKLOG = 4096
_KEEPALIVE_SECONDS = 3600.0
_CHAT_PATH = "/v1/chat/completions"


class Simulator:
    """One simulated service. The same seed and the same request give the same reply, on any machine."""

    def __init__(self, seed: int = 0, latency_scale: float = 1.0) -> None:
        self._seed = seed
        self._latency_scale = latency_scale
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
        """What was asked so far, as GET /stats tells it."""
        return self._tally.as_dict()

    def _start_anew(self) -> None:
        """Forget every count. A request still under way ends in the old counts."""
        self._tally = Tally()
        self._chat = Chat(self._seed, self._latency_scale)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path, method = request.path, request.method
        if path == _CHAT_PATH and method == "POST":
            return await self._answer(request)
        if path == "/v1/models" and method == "GET":
            return response(_models())
        if path == "/stats" and method == "GET":
            return response(replies.as_json(self._tally.as_dict(with_ids=request.query.get("ids") == "1")))
        if path == "/reset" and method == "POST":
            self._start_anew()
            return response(replies.as_json({"reset": True}))
        self._tally.elsewhere += 1
        return response(replies.failure(404, f"The simulator has no {method} {path}.", "not_found"))

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a chat request and count it. It leaves the count just before its last byte, never after the client
        could have sent its next request: a peak is never counted too high."""
        tally, completed = self._tally, False
        visit = tally.opened(request.headers.get("X-Client-Request-Id"))
        try:
            raw = await request.read()
            body = read_body(raw)
            tally.named(visit, body["model"])
            answer = await self._chat.answer(request, raw, body)
            completed = answer is not None
        except ChatBodyError as error:
            completed = True
            return response(replies.failure(400, str(error), "invalid_request", kind="invalid_request_error"))
        finally:
            tally.closed(visit, completed)
        return _hung_up(request) if answer is None else answer


def _hung_up(request: web.BaseRequest) -> web.Response:
    """Close the connection. aiohttp wants a response all the same; on a closed connection nothing of it is sent."""
    if request.transport is not None:
        request.transport.close()
    return web.Response()


def _models() -> replies.Reply:
    """The list of personas, as OpenAI's list of models; fault and benchmark models are not advertised."""
    rows = [{"id": name, "object": "model", "created": 0, "owned_by": "simulator"} for name in load_personas()]
    return replies.as_json({"object": "list", "data": rows})


def _roomy_request(
    message: RawRequestMessage,
    payload: StreamReader,
    protocol: RequestHandler,
    writer: AbstractStreamWriter,
    task: "asyncio.Task[None]",
) -> web.BaseRequest:
    """A request that may have a large body; aiohttp's own limit is 1 MiB."""
    loop = asyncio.get_running_loop()
    return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=_LARGEST_BODY)
