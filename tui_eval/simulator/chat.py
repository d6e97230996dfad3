"""Turns one chat request into its reply: a persona's words, a benchmark's fixed text or a fault on order."""

import asyncio
import hashlib
import json
import re
from collections import Counter
from typing import Any

from aiohttp import web

from tui_eval.simulator import broken_wire, exam, faults, mind, replies
from tui_eval.simulator.faults import Fault, Order
from tui_eval.simulator.mind import Seed
from tui_eval.simulator.personas import Persona, load_personas
from tui_eval.simulator.prompt import plain_text
from tui_eval.simulator.replies import LABEL_HEADERS, Reply, Said

_BENCH = re.compile(r"bench(?:-(\d{1,7})ms)?")
_BENCH_HEADERS = {**LABEL_HEADERS, "Content-Type": "application/json"}
_BENCH_TEXT = "A fixed reply for benchmarks."
_BENCH_BODY = json.dumps(replies.completion("%b", _BENCH_TEXT, "chatcmpl-sim-%b", replies.usage(200, _BENCH_TEXT))).encode()


class ChatBodyError(Exception):
    """The body of a request is not a chat request; the text says why."""


def read_body(raw: bytes) -> dict[str, Any]:
    """The request's body, or ChatBodyError."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ChatBodyError(f"The body is not JSON: {error}") from error
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise ChatBodyError("The body must be an object with the name of a 'model'.")
    return body


class Chat:
    """Answers chat requests; all it remembers is how often a body has failed on order."""

    def __init__(self, seed: int, latency_scale: float) -> None:
        self._seed = seed
        self._latency_scale = latency_scale
        self._failed: Counter[bytes] = Counter()

    async def answer(self, request: web.BaseRequest, raw: bytes, body: dict[str, Any]) -> web.StreamResponse | None:
        """The response to send, or None when the connection was broken on order and nothing is left to send."""
        model: str = body["model"]
        if bench := _BENCH.fullmatch(model):
            return await _bench(request, model, int(bench[1] or 0))
        if fault := faults.parse(model):
            return await self._fault(request, raw, body, fault)
        if persona := load_personas().get(model):
            return response(await self._persona(request, body, persona))
        known = ", ".join(load_personas())
        message = f"The model {model!r} does not exist in the simulator. Its models are: {known}, bench."
        return response(replies.failure(404, message, "model_not_found", param="model", kind="invalid_request_error"))

    async def _persona(self, request: web.BaseRequest, body: dict[str, Any], persona: Persona) -> Reply:
        messages = body.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            return replies.failure(400, "'messages' must be a list of messages.", "invalid_type", param="messages")
        if body.get("stream"):
            return replies.failure(400, "The simulator does not stream.", "unsupported_value", param="stream")
        seed = Seed(self._seed, json.dumps(body.get("seed")), persona.name)
        await asyncio.sleep(mind.latency_ms(persona, messages, seed) * self._latency_scale / 1000)
        said = _say(persona, messages, seed)
        text, finish = replies.cut(said.text or said.refusal or "", _token_limit(body))
        used = replies.usage(
            sum(replies.tokens(plain_text(message)) for message in messages),
            text,
            (persona.input_price, persona.output_price),
        )
        reply_id = _reply_id(request, seed, messages)
        if said.text is None:
            return replies.as_json(replies.completion(persona.name, None, reply_id, used, said.finish, said.refusal))
        return replies.as_json(replies.completion(persona.name, text, reply_id, used, finish))

    async def _fault(
        self, request: web.BaseRequest, raw: bytes, body: dict[str, Any], fault: Fault
    ) -> web.StreamResponse | None:
        order = Order(body["model"], body, _key(request))
        if self._has_failed_enough(raw, fault):
            return response(faults.normal(order))
        if whole := faults.FAULTS.get(fault.what):
            return response(whole(order))
        if large := broken_wire.LARGE.get(fault.what):
            return await large(request, order)
        if broken := broken_wire.BROKEN.get(fault.what):
            transport = request.transport
            if transport is not None:
                await broken(transport, order)
            return None
        known = ", ".join([*faults.FAULTS, *broken_wire.LARGE, *broken_wire.BROKEN])
        message = f"There is no fault {fault.what!r}. There are: {known}."
        return response(replies.failure(404, message, "model_not_found", param="model", kind="invalid_request_error"))

    def _has_failed_enough(self, raw: bytes, fault: Fault) -> bool:
        """Count this request among those with the same body; whether that body has failed as often as ordered."""
        if fault.first is None:
            return False
        digest = hashlib.blake2b(raw, digest_size=16).digest()
        self._failed[digest] += 1
        return self._failed[digest] > fault.first


def _say(persona: Persona, messages: list[dict[str, Any]], seed: Seed) -> Said:
    """The persona's words: to a multiple-choice question when the last user message is one, else to whatever it asks."""
    sheet = exam.read_sheet(messages)
    return Said(mind.reply(persona, messages, seed)) if sheet is None else exam.answer(persona, sheet, seed)


def response(reply: Reply) -> web.Response:
    """The reply as aiohttp sends it, with the label in its headers."""
    headers = {**LABEL_HEADERS, "Content-Type": reply.content_type, **(reply.headers or {})}
    return web.Response(status=reply.status, body=reply.body, headers=headers)


async def _bench(request: web.BaseRequest, model: str, milliseconds: int) -> web.Response:
    """The cheapest honest reply: fixed bytes round its own id and the model's name."""
    if milliseconds:
        await asyncio.sleep(milliseconds / 1000)
    client_id = request.headers.get("X-Client-Request-Id", "")
    digest = hashlib.blake2b(client_id.encode(errors="surrogateescape"), digest_size=8).hexdigest()
    return web.Response(body=_BENCH_BODY % (digest.encode(), model.encode()), headers=_BENCH_HEADERS)


def _reply_id(request: web.BaseRequest, seed: Seed, messages: list[dict[str, Any]]) -> str:
    """An id that two requests share only when they are the same request, client's request id included."""
    client_id = request.headers.get("X-Client-Request-Id", "")
    parts = json.dumps([seed.server, seed.request, seed.model, messages, client_id], sort_keys=True)
    return "chatcmpl-sim-" + hashlib.blake2b(parts.encode(), digest_size=8).hexdigest()


def _token_limit(body: dict[str, Any]) -> int | None:
    limits = [body.get("max_tokens"), body.get("max_completion_tokens")]
    whole = [limit for limit in limits if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0]
    return min(whole, default=None)


def _key(request: web.BaseRequest) -> str:
    """The key that the client sent, for the faults that repeat it."""
    for name in ("Authorization", "api-key", "x-api-key"):
        if value := request.headers.get(name):
            return value.removeprefix("Bearer ")
    return ""
