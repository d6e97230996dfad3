"""Replies that go wrong on order: a model named fault:<what> answers like a service that fails in that way."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import formatdate
from typing import Any

from tui_eval.simulator.apis.replies import LABEL, Reply, as_json, completion, failure, usage

NORMAL_TEXT = "pore space"
PREFIX = "fault:"
HOSTILE_TEXT = (
    "\x1b]52;c;c2ltdWxhdGVk\x07 \x1b[2J\x1b[31m \x07 \x9b31m \x85 \u202e\u2066 [/b] [/] [@click=app.quit]x[/] pore space"
)


@dataclass(frozen=True, slots=True)
class Order:
    """Parts of the request to go wrong that a fault may look at."""

    model: str
    body: Mapping[str, Any]
    key: str
    """The key that came with the request; only the echo faults repeat it."""
    shape: Callable[[dict[str, Any]], dict[str, Any]] = dict
    """Puts a chat completion into the words of the API that was asked."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault as the model name orders it."""

    what: str
    first: int | None
    """How many requests with the same body fail before the reply is normal; None = all of them."""


@dataclass(frozen=True, slots=True)
class StreamFault:
    """A stream that goes wrong; the same request unstreamed gets a normal reply."""

    spoil: Callable[[list[bytes], bytes], list[bytes]]
    """From the events of a sound stream, and an error as an event, to what is sent."""
    cuts: bool = False
    """Whether the connection is broken off after them."""


def parse(model: str) -> Fault | None:
    """Read fault:<what> or fault:<what>:<n>; None for any other name."""
    if not model.startswith(PREFIX):
        return None
    what, colon, count = model.removeprefix(PREFIX).rpartition(":")
    if colon and count.isascii() and count.isdigit():
        return Fault(what, int(count))
    return Fault(model.removeprefix(PREFIX), None)


def normal_body(order: Order, text: str = NORMAL_TEXT, finish: str = "stop") -> dict[str, Any]:
    """A sound, short reply."""
    return completion(order.model, text, "chatcmpl-sim-fault", usage(20, text), finish)


def normal(order: Order) -> Reply:
    """The reply of a fault model once it no longer fails."""
    return as_json(normal_body(order))


def _says(text: str, finish: str = "stop") -> Callable[[Order], Reply]:
    return lambda order: as_json(normal_body(order, text, finish))


def _fails(status: int, message: str, code: str | int | None = None, **headers: str) -> Callable[[Order], Reply]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda order: failure(status, message, code, headers=named)


def _message(**changes: Any) -> Callable[[Order], Reply]:
    """A reply whose message has other fields; `finish` changes the finish reason."""
    finish = changes.pop("finish", "stop")

    def build(order: Order) -> Reply:
        body = normal_body(order, finish=finish)
        body["choices"][0]["message"].update(changes)
        return as_json(body)

    return build


def _usage(change: Mapping[str, Any] | None) -> Callable[[Order], Reply]:
    """A reply with other usage, or without any."""

    def build(order: Order) -> Reply:
        body = normal_body(order)
        counted = body.pop("usage")
        return as_json(body if change is None else {**body, "usage": {**counted, **change}})

    return build


def _swap(old: bytes, new: bytes) -> Callable[[Order], Reply]:
    """A normal reply with some of its bytes exchanged."""
    return lambda order: replace(normal(order), body=normal(order).body.replace(old, new))


def _page(status: int, body: bytes, content_type: str = "text/html", **headers: str) -> Callable[[Order], Reply]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda order: Reply(status, body, named, content_type)


def _too_many(retry_after: Callable[[], Mapping[str, str]]) -> Callable[[Order], Reply]:
    return lambda order: failure(429, "Too many requests (simulated).", "rate_limit_exceeded", headers=retry_after())


def _error_in_200(code: int) -> Callable[[Order], Reply]:
    metadata = {"provider_name": "Simulated upstream", "raw": "the service behind the service failed (simulated)"}
    error = {"code": code, "message": "Provider returned error (simulated)", "metadata": metadata}
    return lambda order: as_json({"error": error, "choices": None})


def _moderation(order: Order) -> Reply:
    metadata = {
        "reasons": ["violence"],
        "flagged_input": "the simulated text that was flagged",
        "provider_name": "Simulated upstream",
        "model_slug": order.model,
    }
    message = "The input was flagged by moderation (simulated)."
    return as_json({"error": {"code": 403, "message": message, "metadata": metadata}}, 403)


def _content_filter_400(order: Order) -> Reply:
    inner = {
        "code": "ResponsibleAIPolicyViolation",
        "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
    }
    message = "The prompt was stopped by the content filter (simulated)."
    error = {"message": message, "type": None, "param": "prompt", "code": "content_filter", "status": 400}
    return as_json({"error": {**error, "innererror": inner}}, 400)


def _length_empty(order: Order) -> Reply:
    body = normal_body(order, "", "length")
    body["usage"].update(completion_tokens=200, completion_tokens_details={"reasoning_tokens": 200})
    return as_json(body)


def _deep(order: Order) -> Reply:
    nested = b"[" * 100_000 + b"]" * 100_000
    return Reply(200, json.dumps({**LABEL, "choices": "DEEP"}).encode().replace(b'"DEEP"', nested))


def _echo_key(status: int) -> Callable[[Order], Reply]:
    return lambda order: failure(status, f"Incorrect API key provided: {order.key} (simulated).", "invalid_api_key")


def _rejects(param: str, code: str, message: str) -> Callable[[Order], Reply]:
    """Refuses a parameter as long as the request has it."""
    refusal = failure(400, message, code, param=param, kind="invalid_request_error")
    return lambda order: refusal if param in order.body else normal(order)


def _listed(order: Order) -> Reply:
    first, second = NORMAL_TEXT.split()
    parts = [{"type": "text", "text": f"{first} "}, {"type": "text", "text": second}]
    return _message(content=parts)(order)


def _first_half(events: list[bytes], error: bytes) -> list[bytes]:
    return events[: len(events) // 2]


def _error_midway(events: list[bytes], error: bytes) -> list[bytes]:
    return [*_first_half(events, error), error]


def _garbage_midway(events: list[bytes], error: bytes) -> list[bytes]:
    half = len(events) // 2
    return [*events[:half], b'data: {"delta": simulated garbage\n\n', *events[half:]]


def _pings(events: list[bytes], error: bytes) -> list[bytes]:
    return [b": ping (simulated)\n\n"] * 5


FAULTS: dict[str, Callable[[Order], Reply]] = {
    "429": _too_many(lambda: {}),
    "429-retry-after": _too_many(lambda: {"Retry-After": "1"}),
    "429-retry-after-ms": _too_many(lambda: {"retry-after-ms": "200"}),
    "429-date": _too_many(lambda: {"Retry-After": formatdate(time.time() + 2, usegmt=True)}),
    "429-nonsense": _too_many(lambda: {"Retry-After": "nan"}),
    "429-long": _too_many(lambda: {"Retry-After": "99999"}),
    "500": _fails(500, "Internal error (simulated)."),
    "502-html": _page(502, b"<html><body><h1>502 Bad Gateway</h1>simulated</body></html>"),
    "503": _fails(503, "Service unavailable (simulated)."),
    "529": _fails(529, "Overloaded (simulated).", "overloaded_error"),
    "408": _fails(408, "Request timeout (simulated)."),
    "400": _fails(400, "Bad request (simulated).", "invalid_request"),
    "401": _fails(401, "The key was refused (simulated).", "invalid_api_key"),
    "402": _fails(402, "Insufficient credits (simulated).", 402),
    "403": _fails(403, "Forbidden (simulated).", "forbidden"),
    "403-moderation": _moderation,
    "404": _fails(404, "This model does not exist (simulated).", "model_not_found"),
    "422": _fails(422, "Unprocessable request (simulated).", "unprocessable"),
    "quota": _fails(429, "You exceeded your current quota (simulated).", "insufficient_quota"),
    "garbage": _page(200, b'{"choices": [{"message": simulated garbage', "application/json"),
    "html": _page(200, b"<!doctype html><title>Log in</title><form>simulated login page</form>"),
    "nothing": _page(200, b"", "application/json"),
    "204": _page(204, b"", "application/json"),
    "error-in-200": _error_in_200(429),
    "error-in-200-502": _error_in_200(502),
    "empty": _message(content=""),
    "null": _message(content=None),
    "no-choices": lambda order: as_json({**normal_body(order), "choices": []}),
    "list-content": _listed,
    "refusal": _message(content=None, refusal="I will not help with that (simulated)."),
    "content-filter": _message(content=None, finish="content_filter"),
    "content-filter-400": _content_filter_400,
    "length": _says("pore spa", "length"),
    "length-empty": _length_empty,
    "no-usage": _usage(None),
    "bad-usage": _usage({"prompt_tokens": -5, "completion_tokens": "many", "total_tokens": float("nan")}),
    "nan": lambda order: as_json({**normal_body(order), "score": float("nan")}),
    "deep": _deep,
    "surrogate": _says("pore \ud800 space"),
    "not-utf8": _swap(b"pore", b"p\xff\xfere"),
    "escape": _says(HOSTILE_TEXT),
    "escape-error": _fails(400, HOSTILE_TEXT, "invalid_request"),
    "formula": _says('=HYPERLINK("http://127.0.0.1/simulated","pore space")'),
    "redirect": _page(307, b"", Location="/elsewhere"),
    "echo-key": _echo_key(401),
    "echo-key-200": lambda order: as_json(normal_body(order, f"Your key is {order.key}")),
    "echo-key-500": _echo_key(500),
    "other-model": lambda order: as_json({**normal_body(order), "model": "another/served-model"}),
    "reject-temperature": _rejects(
        "temperature", "unsupported_value", "'temperature' cannot be set for this model; leave it out (simulated)."
    ),
    "reject-max-tokens": _rejects(
        "max_tokens",
        "unsupported_parameter",
        "'max_tokens' does not exist for this model. Use 'max_completion_tokens' instead (simulated).",
    ),
    "cost-high": _usage({"cost": 1000}),
}
"""Every fault that is a whole reply, by name; faults of the connection itself are in broken_wire."""

STREAMED: dict[str, StreamFault] = {
    "stream-cut": StreamFault(_first_half, cuts=True),
    "stream-unfinished": StreamFault(_first_half),
    "stream-error": StreamFault(_error_midway),
    "stream-garbage": StreamFault(_garbage_midway),
    "stream-pings": StreamFault(_pings),
}
"""Every fault of a stream, by name: broken off, ended early, with an error or garbage midway, or nothing but comments."""

EXPIRED = "expired"
"""The fault of batches alone: the request is not answered in time. Anywhere else the reply is normal."""
