"""The Anthropic Messages API: system text apart, a token limit in every request, content in blocks, events of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any, Literal

from tui_eval.core.calls import ApiError, Attachment, Call, Completion, Json, Message, ModelSpec, Repair, Request, Usage
from tui_eval.core.plaintext import one_line
from tui_eval.providers import openai
from tui_eval.providers.batches import ANTHROPIC
from tui_eval.providers.body import EVENTS, count, dollars, not_json, opened, parse_json, table, text_or_none
from tui_eval.providers.refusal import CODES_BY_TYPE, error_object, read_error
from tui_eval.providers.shared_prefix import MARK, blocks_of, end_of_prefix
from tui_eval.providers.stream import events, joined
from tui_eval.providers.wire import IMAGES, PDF, Listed, Wire

PATH = "/messages"
VERSION = {"anthropic-version": "2023-06-01"}
MAX_TOKENS = 8192
"""Sent when a call sets no limit: the API answers no request without one."""
MOST_UNSTREAMED = 21_000
"""Above this limit a reply has to be streamed: it may take longer than the API waits with an answer."""
OUTPUT_CONFIG = "output_config"
REFUSED_WORDS = {
    "temperature": "temperature",
    "stream": "stream",
    "streaming": "stream",
    "effort": "output_config.effort",
    "format": "output_config.format",
    "output_format": "output_config.format",
    "structured": "output_config.format",
    OUTPUT_CONFIG: OUTPUT_CONFIG,
    MARK: MARK,
}
"""What a refusal speaks of, and the parameter that is sent for it: of output_config only the part that is refused."""
TOO_MANY_TOKENS = re.compile(r"max_tokens: [0-9]+ > ([1-9][0-9]{0,8}), which is the maximum")
OUTPUT_FORMAT = re.compile(r"output[ _]format|output_config|structured output", re.IGNORECASE)
"""Messages, images and keys have formats, too."""
ONE_TEMPERATURE = ("`temperature` may only be set to 1", "`temperature` and `top_p` cannot both be specified")
"""Completion of a temperature that is refused by what it is or stands beside."""
FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}
"""Other reasons keep their names."""
DELTAS = {"text_delta": "text", "thinking_delta": "thinking"}


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call. The API knows no seed, so none is sent."""
    limit = limit_of(call, repairs)
    messages = with_mark(call.messages, None if MARK in repairs else end_of_prefix(call.messages))
    body: dict[str, Json] = {"model": model.model, "max_tokens": limit, "messages": turns(messages)}
    system = [message for message in messages if message.role == "system"]
    if system:
        body["system"] = content_of(system)
    if call.temperature is not None:
        body["temperature"] = call.temperature
    output = output_config(call, model, repairs)
    if output:
        body[OUTPUT_CONFIG] = output
    if model.stream or limit > MOST_UNSTREAMED:
        body["stream"] = True
    request = openai.request_of(model, repairs, body)
    return Request(PATH, request.body, {**request.headers, **VERSION}, key_header="x-api-key", key_prefix="")


def limit_of(call: Call, repairs: Mapping[str, Repair]) -> int:
    """The most tokens a reply may have: the call's own limit, else ours, and no more than the server was found to allow."""
    limit = MAX_TOKENS if call.max_output_tokens is None else call.max_output_tokens
    most = repairs["max_tokens"].lower_to if "max_tokens" in repairs else None
    return limit if most is None else min(limit, most)


def output_config(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> dict[str, Json]:
    """Effort and format of the reply, without the part that the server was found to refuse."""
    fields: dict[str, Json] = {}
    if model.reasoning_effort is not None:
        fields["effort"] = model.reasoning_effort
    if call.json_schema is not None:
        fields["format"] = {"type": "json_schema", "schema": dict(call.json_schema)}
    return {name: value for name, value in fields.items() if f"{OUTPUT_CONFIG}.{name}" not in repairs}


def with_mark(messages: tuple[Message, ...], place: int | None) -> tuple[Message, ...]:
    """The messages, of which that at a place alone has a common beginning: there the server is told to keep what it read."""
    return tuple(
        replace(message, shared=message.shared if n == place else 0) if message.shared else message
        for n, message in enumerate(messages)
    )


def turns(messages: Iterable[Message]) -> list[dict[str, Json]]:
    """User and assistant turns; neighbours of one role are one turn."""
    spoken = [message for message in messages if message.role != "system"]
    return [{"role": role, "content": content_of(list(group))} for role, group in groupby(spoken, lambda message: message.role)]


def content_of(messages: list[Message]) -> Json:
    """Return the content of neighbours: a text with empty lines between; blocks, in order, if one is attached or marked."""
    if not any(message.attachments or message.shared for message in messages):
        return "\n\n".join(message.content for message in messages)
    blocks: list[dict[str, Any]] = []
    for message in messages:
        blocks += map(_block, message.attachments)
        if not message.content:  # the API takes no empty block of text
            continue
        if message.shared:
            blocks += blocks_of(message.content, message.shared)
        elif blocks and blocks[-1]["type"] == "text" and MARK not in blocks[-1]:
            blocks[-1]["text"] += "\n\n" + message.content
        else:
            blocks.append({"type": "text", "text": message.content})
    return blocks


def _block(attachment: Attachment) -> dict[str, Any]:
    source = {"type": "base64", "media_type": attachment.mime, "data": attachment.base64}
    return {"type": "document" if attachment.mime == PDF else "image", "source": source}


def decode(status: int, headers: Mapping[str, str], body: bytes) -> Completion | ApiError:
    """Decode a response: a message, a stream of one, an error by status or type, or none of these."""
    try:
        parsed = opened(status, headers, body)
    except ValueError as error:
        return read_failure(status, headers, body, None) if status >= 300 else not_json(status, body, error)
    if parsed is EVENTS:
        return read_events(body)
    answer = table(parsed)
    failed = answer.get("type") == "error" or answer.get("error")
    if status != 200 or failed or ("content" not in answer and error_object(parsed)):
        return read_failure(status, headers, body, parsed)
    return read_message(parsed)


def read_message(parsed: Json) -> Completion | ApiError:
    """A message to its visible text, the thoughts before it, finish reason and usage."""
    message = table(parsed)
    usage = read_usage(message.get("usage"))
    content = message.get("content")
    if not isinstance(content, list):
        problem = "HTTP 200 with JSON that is not a message: it has no list of content"
        return ApiError("protocol", problem, retry=True, usage=usage, body=parsed)
    reason = text_or_none(message.get("stop_reason"))
    return Completion(
        text=visible_text(content),
        finish_reason=None if reason is None else FINISH_REASONS.get(reason, reason),
        usage=usage,
        served_model=text_or_none(message.get("model")),
        refusal=declined(message.get("stop_details")) if reason == "refusal" else None,
        body=parsed,
        reasoning=thoughts(content),
    )


def thoughts(content: list[Any]) -> str | None:
    """The blocks of thinking, with an empty line between them; None where the server shows none of it."""
    blocks = [block for block in map(table, content) if block.get("type") == "thinking"]
    return "\n\n".join(filter(None, (text_or_none(block.get("thinking")) for block in blocks))) or None


def visible_text(content: list[Any]) -> str | None:
    """The text blocks joined; thinking, tools and their results stay out. None without any."""
    blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    return "".join(texts) if texts else None


def declined(details: Any) -> str:
    """Why the model declined, as far as it says: the category, and the explanation."""
    category = text_or_none(table(details).get("category"))
    explanation = text_or_none(table(details).get("explanation"))
    return "refusal" + (f" ({category})" if category else "") + (f": {explanation}" if explanation else "")


def read_usage(value: Any) -> Usage:
    """Tokens in our terms: the API's input_tokens leave out what a cache read or wrote, our prompt_tokens hold it.

    Thinking is part of output_tokens there as it is here. The total is ours: the API does not give one.
    """
    usage = table(value)
    fresh = count(usage.get("input_tokens"))
    cached = count(usage.get("cache_read_input_tokens"))
    cache_write = count(usage.get("cache_creation_input_tokens"))
    prompt = None if fresh is None else fresh + (cached or 0) + (cache_write or 0)
    output = count(usage.get("output_tokens"))
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=output,
        total_tokens=None if prompt is None or output is None else prompt + output,
        cached_tokens=cached,
        cache_write_tokens=cache_write,
        reasoning_tokens=count(table(usage.get("output_tokens_details")).get("thinking_tokens")),
        cost_usd=dollars(usage.get("cost")),
    )


def read_failure(status: int, headers: Mapping[str, str], body: bytes, parsed: Json) -> ApiError:
    """The fault of an error body; inside HTTP 200 its type tells the status that counts."""
    error = error_object(parsed)
    code = CODES_BY_TYPE.get(text_or_none(error.get("type")) or "") if status < 300 else status
    error_body = parsed if status >= 300 or code is None else {"error": {**error, "code": code}}
    fault = replace(read_error(status, headers, body, error_body, frozenset(REFUSED_WORDS)), body=parsed)
    message = text_or_none(error.get("message")) or ""
    return replace(fault, repair=_repair(fault.repair, message) if fault.kind == "permanent" else None)


def _repair(guess: Repair | None, message: str) -> Repair | None:
    """Return the repair for a request that was refused in these words; `guess`: what they seem to refuse."""
    too_many = TOO_MANY_TOKENS.search(message)
    if too_many:
        return Repair("max_tokens", lower_to=int(too_many[1]))
    if any(words in message for words in ONE_TEMPERATURE):
        return Repair("temperature")
    if guess is None:
        return None
    parts = [f"{OUTPUT_CONFIG}.{name}" for name in ("effort", "format")]
    refused = next((part for part in parts if part in message), REFUSED_WORDS[guess.parameter])
    return Repair(refused) if refused != parts[1] or OUTPUT_FORMAT.search(message) else None


class MessageStream:
    """Adds up the events of one streamed message."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.usage: dict[str, Any] = {}
        self.blocks: dict[int | None, dict[str, Any]] = {}
        self.parts: dict[tuple[int | None, str], list[str]] = {}
        self.done = False
        self.error: Json = None

    def feed(self, data: str) -> None:
        """Take the data of one event; ValueError when it is no JSON object. Events of unknown types are left out."""
        if data.strip() == "[DONE]":
            return
        event = parse_json(data.encode("utf-8", "surrogatepass"))
        if not isinstance(event, dict):
            raise ValueError("an event that is not an object")
        kind = event.get("type")
        if kind == "error" or event.get("error"):
            self.error = event
        elif kind == "message_start":
            self._begin(table(event.get("message")))
        elif kind == "content_block_start":
            self._open(count(event.get("index")), table(event.get("content_block")))
        elif kind == "content_block_delta":
            self._add(count(event.get("index")), table(event.get("delta")))
        elif kind == "message_delta":
            self.fields.update(table(event.get("delta")))
            self._count(table(event.get("usage")))
        elif kind == "message_stop":
            self.done = True

    def _begin(self, message: dict[str, Any]) -> None:
        """The head of a message. Its output_tokens are a placeholder: a stream that breaks off would look cheap by them."""
        self.fields.update(message)
        self._count({name: value for name, value in table(message.get("usage")).items() if name != "output_tokens"})

    def _open(self, index: int | None, block: dict[str, Any]) -> None:
        self.blocks[index] = block
        for name in DELTAS.values():
            if isinstance(block.get(name), str):
                self.parts[index, name] = [block[name]]

    def _add(self, index: int | None, delta: dict[str, Any]) -> None:
        name = DELTAS.get(text_or_none(delta.get("type")) or "")
        if name is not None and isinstance(delta.get(name), str):
            self.blocks.setdefault(index, {"type": name})
            self.parts.setdefault((index, name), []).append(delta[name])

    def _count(self, usage: dict[str, Any]) -> None:
        """Counts are running totals: the latest that is given counts."""
        self.usage.update({name: value for name, value in usage.items() if value is not None})

    def message(self) -> dict[str, Any]:
        """Return the message the events add up to, in the shape of an unstreamed one."""
        content = {index: dict(block) for index, block in self.blocks.items()}
        for (index, name), parts in self.parts.items():
            content[index][name] = joined(parts)
        return dict(self.fields, content=list(content.values()), usage=self.usage)


def read_events(body: bytes) -> Completion | ApiError:
    """A whole stream to its message; an ApiError when it brings an error, is broken off or cannot be read."""
    stream = MessageStream()
    try:
        for event in events(body.decode("utf-8-sig")):
            stream.feed(event)
    except ValueError as error:
        message = f"a stream that cannot be read: {one_line(str(error), 120)}"
        return ApiError("protocol", message, retry=True, usage=read_usage(stream.usage))
    if stream.error is not None:
        return replace(read_failure(200, {}, b"", stream.error), usage=read_usage(stream.usage))
    if not stream.done or text_or_none(stream.fields.get("stop_reason")) is None:
        message = "a stream that ended without message_stop or stop_reason"
        return ApiError("protocol", message, retry=True, usage=read_usage(stream.usage))
    return read_message(stream.message())


def shows(event: Json) -> Literal["", "reasoning", "text"]:
    """Return whether an event of a stream brings words of the answer, thoughts, or neither."""
    name, text = _piece(event)
    return ("text" if name == "text" else "reasoning") if text else ""


def words(event: Json) -> str:
    """The words of the answer that an event of a stream brings."""
    name, text = _piece(event)
    return text if name == "text" else ""


def _piece(event: Json) -> tuple[str, str]:
    """The field of a block in which an event brings something, and what it brings; nothing of both where it brings none."""
    fields = table(event)
    kind = fields.get("type")
    if kind not in ("content_block_start", "content_block_delta"):
        return "", ""
    piece = table(fields.get("content_block" if kind == "content_block_start" else "delta"))
    names = {**DELTAS, **{name: name for name in DELTAS.values()}}
    name = names.get(text_or_none(piece.get("type")) or "", "")
    return name, text_or_none(piece.get(name)) or ""


def list_models(model: ModelSpec) -> Request:
    """The request for the models that the key may use."""
    headers = {"accept": "application/json", **VERSION}
    return Request("/models?limit=1000", b"", headers, key_header="x-api-key", key_prefix="", method="GET")


def read_models(body: bytes) -> list[Listed]:
    """The models in the API's list; ValueError where it is no such list."""
    entries = table(parse_json(body)).get("data")
    if isinstance(entries, list):
        entries = [{**entry, "shutdown_date": entry.get("retires_at")} for entry in map(table, entries)]
        entries = [{**entry, "context_length": entry.get("max_input_tokens")} for entry in entries]
    return openai.read_models(json.dumps({"data": entries}).encode("ascii"))


WIRE = Wire(
    "https://api.anthropic.com/v1",
    "ANTHROPIC_API_KEY",
    encode,
    decode,
    batches=ANTHROPIC,
    shows=shows,
    words=words,
    accepts=IMAGES | {PDF},
    list_models=list_models,
    read_models=read_models,
    prefixes=("claude-",),
    default_limit=MAX_TOKENS,
    keeps_prefix=lambda model: True,
)
