"""Turns one request into its reply: a persona's words, a benchmark's fixed text or a fault on order."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from aiohttp import web

from tui_eval.simulator.answers import multiple_choice, open_replies, perfect
from tui_eval.simulator.answers.prompt import attachments, plain_text
from tui_eval.simulator.apis import broken_wire, faults, replies, schemas, streams
from tui_eval.simulator.apis.faults import Fault, Order
from tui_eval.simulator.apis.interfaces import Interface, read_object, translate
from tui_eval.simulator.apis.replies import LABEL, LABEL_HEADERS, BodyError, Reply, SimulatedCompletion, tokens
from tui_eval.simulator.apis.streams import Streaming
from tui_eval.simulator.personas import ECHO, ORACLE, Persona, load_personas, persona_of
from tui_eval.simulator.seed import Seed

MARK = "cache_control"
LEAST_TOKENS = 1_024
"""Shorter beginnings are not kept, as with Anthropic's older models."""
READ, WRITTEN = 0.1, 1.25
"""What a token costs that is read from there, or written to it, as a share of its price."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A beginning that is marked."""

    digest: bytes
    tokens: int


@dataclass(slots=True)
class PromptCache:
    """Prompts kept since the simulator started, by model and key; nothing is ever forgotten."""

    _kept: set[bytes] = field(default_factory=set)

    def keep(self, marked: Marked | None) -> None:
        """The reply to a prompt that begins so is out: from now on it is there."""
        if marked is not None:
            self._kept.add(marked.digest)

    def counted(self, used: Table, marked: Marked | None, price: float) -> Table:
        """A usage that says what of the prompt was read from there or written to it; `price`: USD per million tokens read."""
        if marked is None:
            return used
        found = marked.digest in self._kept
        details = {"cached_tokens": marked.tokens * found, "cache_write_tokens": marked.tokens * (not found)}
        cost = used["cost"] + marked.tokens * ((READ if found else WRITTEN) - 1) * price / 1_000_000
        return {**used, "prompt_tokens_details": details, "cost": round(cost, 9)}


def marked_in(model: str, key: str, messages: list[Table]) -> Marked | None:
    """Return the marked part of a prompt, up to the last mark; None where nothing is marked, or too little."""
    blocks = [(message.get("role"), block) for message in messages for block in _blocks(message.get("content"))]
    last = max((n for n, (_, block) in enumerate(blocks) if block.get(MARK)), default=-1)
    kept = [(role, {name: value for name, value in block.items() if name != MARK}) for role, block in blocks[: last + 1]]
    count = sum(tokens(block["text"]) for _, block in kept if isinstance(block.get("text"), str))
    if count < LEAST_TOKENS:
        return None
    told = json.dumps([model, key, kept], sort_keys=True).encode()
    return Marked(hashlib.blake2b(told, digest_size=16).digest(), count)


def _blocks(content: Any) -> list[Table]:
    """Return the blocks of a message; a mark stands in a block, never in a mere text."""
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else [{"text": content}]


Table = dict[str, Any]
_BENCH = re.compile(r"bench(?:-(\d{1,7})ms)?")
_BENCH_TEXT = "A fixed reply for benchmarks."
_BENCH_BODY = replies.completion("%(model)b", _BENCH_TEXT, "chatcmpl-sim-%(id)b", replies.usage(200, _BENCH_TEXT))
_TOKENS_PER_FILE = 85


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a reply, on its own or out of a batch."""

    interface: Interface
    raw: bytes
    body: Table
    """As it was sent."""
    chat: Table
    """As chat completions would have it."""
    client_id: str
    """What the client calls it, in its header X-Client-Request-Id; the empty text when it has no name."""
    key: str = ""
    """The key that came with it."""

    @property
    def model(self) -> str:
        """The model that is asked."""
        return str(self.body["model"])

    @property
    def order(self) -> Order:
        """Parts of the request that a fault may look at."""
        return Order(self.model, self.body, self.key, self.interface.from_chat)


def read_body(raw: bytes) -> Table:
    """The request's body, or BodyError."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise BodyError(f"The body is not JSON: {error}") from error
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise BodyError("The body must be an object with the name of a 'model'.")
    return body


class Chat:
    """Answers requests; all it remembers is how often a body has failed on order, and prompts that were marked to be kept."""

    def __init__(self, seed: int, latency_scale: float, targets: perfect.Targets | None = None) -> None:
        self._targets = targets
        self._seed = seed
        self._latency_scale = latency_scale
        self._failed: Counter[bytes] = Counter()
        self._cache = PromptCache()

    async def answer(self, request: web.BaseRequest, asked: Asked) -> web.StreamResponse | Streaming | None:
        """The response to send, or None when the connection was broken on order and nothing is left to send."""
        if bench := _BENCH.fullmatch(asked.model):
            if milliseconds := int(bench[1] or 0):
                await asyncio.sleep(milliseconds / 1000)
            return await _bench(request, asked)
        if (fault := faults.parse(asked.model)) is None:
            told = await self._tell(request, asked, self._translated(asked, self._voice(asked)))
            self._cache.keep(_marked(asked))
            return told
        if self._has_failed_enough(asked.raw, fault):
            return await self._tell(request, asked, self._translated(asked, faults.normal(asked.order)))
        if large := broken_wire.LARGE.get(fault.what):
            return await large(request, asked.order)
        if broken := broken_wire.BROKEN.get(fault.what):
            if request.transport is not None:
                await broken(request.transport, asked.order)
            return None
        reply = self._translated(asked, _faulty(asked, fault))
        return await self._tell(request, asked, reply, faults.STREAMED.get(fault.what))

    def settle(self, asked: Asked) -> Reply | None:
        """The whole reply to a request out of a batch, at once; None when it expires."""
        if asked.chat.get("stream"):
            reply = BodyError("A batch has no streams.", "stream").reply()
        elif _BENCH.fullmatch(asked.model):
            return Reply(200, _bench_bytes(asked))
        elif (fault := faults.parse(asked.model)) is None:
            reply = self._voice(asked)
        elif self._has_failed_enough(asked.raw, fault):
            reply = faults.normal(asked.order)
        elif fault.what == faults.EXPIRED:
            return None
        elif fault.what in broken_wire.LARGE or fault.what in broken_wire.BROKEN:
            reply = replies.failure(500, "There is no connection to break inside a batch (simulated).")
        else:
            reply = _faulty(asked, fault)
        return self._translated(asked, reply)

    def _translated(self, asked: Asked, reply: Reply) -> Reply:
        return translate(asked.interface, reply, asked.raw, asked.client_id)

    async def _tell(
        self, request: web.BaseRequest, asked: Asked, reply: Reply, fault: faults.StreamFault | None = None
    ) -> web.StreamResponse | Streaming | None:
        """Send a reply: whole, or as a stream where that was asked for and it is no error. A persona takes its time."""
        seconds = self._seconds(asked) if reply.status == 200 else 0.0
        body = read_object(reply.body) if asked.chat.get("stream") and reply.status == 200 else None
        if body is None or body.get("error"):
            await asyncio.sleep(seconds)
            return response(reply)
        events = asked.interface.events(body, asked.chat)
        if fault is None:
            return await streams.tell(request, events, seconds)
        events = fault.spoil(events, asked.interface.error_event(body, 502, "The model failed midway (simulated)."))
        if fault.cuts:
            await streams.tell_and_cut(request, events)
            return None
        return await streams.tell(request, events, 0)

    def _seconds(self, asked: Asked) -> float:
        persona = persona_of(asked.model)
        if persona is None:
            return 0.0
        messages = asked.chat["messages"]
        return open_replies.latency_ms(persona, messages, self._seed_for(asked)) * self._latency_scale / 1000

    def _seed_for(self, asked: Asked) -> Seed:
        return Seed(self._seed, json.dumps(asked.chat.get("seed")), asked.model)

    def _voice(self, asked: Asked) -> Reply:
        """A persona's reply as a chat completion, or why there is none."""
        persona = persona_of(asked.model)
        if persona is None:
            known = ", ".join(load_personas())
            return _no_model(f"The model {asked.model!r} does not exist in the simulator. Its models are: {known}, bench.")
        messages = asked.chat.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            return replies.failure(400, "'messages' must be a list of messages.", "invalid_type", param="messages")
        if persona.name == ORACLE and self._targets is None:
            return replies.failure(400, perfect.NEEDS_ANSWERS, "no_answers", param="model", kind="invalid_request_error")
        seed = self._seed_for(asked)
        said = self._say(persona, messages, seed)
        if said.text is not None and (schema := schemas.wanted(asked.chat)) is not None:
            said = replace(said, text=schemas.follow(schema, said.text, seed))
        text, finish = replies.cut(said.text or said.refusal or "", _token_limit(asked.chat))
        read = sum(replies.tokens(plain_text(message)) + _TOKENS_PER_FILE * attachments(message) for message in messages)
        used = replies.usage(read, text, (persona.input_price, persona.output_price))
        used = self._cache.counted(used, _marked(asked), persona.input_price)
        reply_id = _reply_id(asked.client_id, seed, messages)
        if said.text is None:
            return replies.as_json(replies.completion(persona.name, None, reply_id, used, said.finish, said.refusal))
        return replies.as_json(replies.completion(persona.name, text, reply_id, used, finish))

    def _say(self, persona: Persona, messages: list[Table], seed: Seed) -> SimulatedCompletion:
        if persona.name == ECHO:
            return SimulatedCompletion(perfect.echo(messages))
        if persona.name == ORACLE and self._targets is not None:
            return SimulatedCompletion(perfect.oracle(persona, messages, self._targets, seed))
        return _say(persona, messages, seed)

    def _has_failed_enough(self, raw: bytes, fault: Fault) -> bool:
        """Count this request among those with the same body; whether that body has failed as often as ordered."""
        if fault.first is None:
            return False
        digest = hashlib.blake2b(raw, digest_size=16).digest()
        self._failed[digest] += 1
        return self._failed[digest] > fault.first


def _faulty(asked: Asked, fault: Fault) -> Reply:
    """A fault that is a whole reply, as a chat completion; a sound reply for one that needs a stream or a batch."""
    if whole := faults.FAULTS.get(fault.what):
        return whole(asked.order)
    if fault.what in faults.STREAMED or fault.what == faults.EXPIRED:
        return faults.normal(asked.order)
    known = ", ".join([*faults.FAULTS, *faults.STREAMED, *broken_wire.LARGE, *broken_wire.BROKEN, faults.EXPIRED])
    return _no_model(f"There is no fault {fault.what!r}. There are: {known}.")


def _marked(asked: Asked) -> Marked | None:
    """Return the part of a prompt that is marked to be kept; None for a body that makes no sense."""
    messages = asked.chat.get("messages")
    sound = isinstance(messages, list) and all(isinstance(message, dict) for message in messages)
    return marked_in(asked.model, asked.key, messages or []) if sound else None


def _no_model(message: str) -> Reply:
    return replies.failure(404, message, "model_not_found", param="model", kind="invalid_request_error")


def _say(persona: Persona, messages: list[Table], seed: Seed) -> SimulatedCompletion:
    """The persona's words: to a multiple-choice question when the last user message is one, else to whatever it asks."""
    if open_replies.is_dropped(persona, messages, seed):
        return SimulatedCompletion(None, finish="length")
    sheet = multiple_choice.read_sheet(messages)
    return (
        SimulatedCompletion(open_replies.reply(persona, messages, seed))
        if sheet is None
        else multiple_choice.answer(persona, sheet, seed)
    )


def response(reply: Reply) -> web.Response:
    """The reply as aiohttp sends it, with the label in its headers."""
    headers = {**LABEL_HEADERS, "Content-Type": reply.content_type, **(reply.headers or {})}
    return web.Response(status=reply.status, body=reply.body, headers=headers)


async def _bench(request: web.BaseRequest, asked: Asked) -> web.StreamResponse | Streaming | None:
    """The cheapest honest reply: fixed bytes round its own id and the model's name."""
    if asked.chat.get("stream"):
        return await streams.tell(request, [_bench_bytes(asked)], 0)
    return web.Response(body=_bench_bytes(asked), headers={**LABEL_HEADERS, "Content-Type": "application/json"})


def _bench_bytes(asked: Asked) -> bytes:
    options = asked.chat.get("stream_options")
    counts = isinstance(options, dict) and bool(options.get("include_usage"))
    form = _bench_form(asked.interface, bool(asked.chat.get("stream")), counts)
    digest = _digest(asked.client_id.encode(errors="surrogatepass"))
    return form % {b"id": digest.encode(), b"model": asked.model.encode()}


@cache
def _bench_form(interface: Interface, streamed: bool, counts: bool) -> bytes:
    body = {**interface.from_chat(_BENCH_BODY), **LABEL}
    if streamed:
        return b"".join(interface.events(body, {"stream_options": {"include_usage": counts}}))
    return json.dumps(body).encode()


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _reply_id(client_id: str, seed: Seed, messages: list[Table]) -> str:
    """An id that two requests share only when they are the same request, client's request id included."""
    parts = json.dumps([seed.server, seed.request, seed.model, messages, client_id], sort_keys=True)
    return f"chatcmpl-sim-{_digest(parts.encode())}"


def _token_limit(body: Mapping[str, Any]) -> int | None:
    limits = [body.get("max_tokens"), body.get("max_completion_tokens")]
    whole = [limit for limit in limits if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0]
    return min(whole, default=None)


def key_of(request: web.BaseRequest) -> str:
    """The key that the client sent, for the faults that repeat it and the simulator that wants one."""
    for name in ("Authorization", "api-key", "x-api-key"):
        if value := request.headers.get(name):
            return value.removeprefix("Bearer ")
    return ""
