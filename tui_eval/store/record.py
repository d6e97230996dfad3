"""One line of call_logs.jsonl: an attempt to bytes and back. Small fields stand first, big ones last."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from tui_eval.types import Attempt, Call, Reply, Usage

_BIG = ("request", "response_text", "response_json", "response_body_b64")
_SMALL = tuple(field.name for field in fields(Attempt) if field.name not in _BIG and field.name != "usage")
_USAGE = tuple(field.name for field in fields(Usage))
_HEAD_END = b', "request": '

_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, check_circular=False).encode


def line_of(attempt: Attempt, request_text: str | None) -> str:
    """The attempt's line, newline included. `request_text` is the body as it was sent (JSON), None if never sent."""
    head = {name: getattr(attempt, name) for name in _SMALL}
    head["usage"] = {name: getattr(attempt.usage, name) for name in _USAGE}
    tail = {name: getattr(attempt, name) for name in _BIG[1:]}
    return f'{_encode(head)[:-1]}, "request": {request_text or "null"}, {_encode(tail)[1:]}\n'


def head_of(line: bytes) -> dict[str, Any]:
    """The small fields of a line, without reading the big ones. ValueError when it is no attempt line."""
    end = line.find(_HEAD_END)
    if end < 0:
        raise ValueError("no attempt record")
    return dict(json.loads(line[:end] + b"}"))


def usage_of(head: dict[str, Any]) -> Usage:
    """The usage of a record."""
    return Usage(**{name: head["usage"].get(name) for name in _USAGE})


def reply_of(record: dict[str, Any], call: Call) -> Reply:
    """The reply that a record stands for: what a flow is told when it is driven from the log."""
    return Reply(
        call,
        record["status"],
        text=record["response_text"] if record["status"] == "ok" else None,
        error_kind=record["error_kind"],
        error_message=record["error_message"],
        finish_reason=record["finish_reason"],
        usage=usage_of(record),
        latency_ms=record["latency_ms"],
        attempts=record["attempt"] + 1,
        final=record["final"],
    )
