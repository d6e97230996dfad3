"""One line of call_logs.jsonl: an attempt to bytes and back. Small fields stand first, big ones last."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from operator import attrgetter, itemgetter
from typing import Any, get_args

from tui_eval.types import Attempt, Call, Reply, Status, Usage

_BIG = (
    "request", "request_headers", "response_headers", "response_text", "reasoning_text", "response_json", "response_body_b64",
)  # fmt: skip
_SMALL = tuple(field.name for field in fields(Attempt) if field.name not in _BIG and field.name != "usage")
_USAGE = tuple(field.name for field in fields(Usage))
_USAGE_NAMES = frozenset(_USAGE)
_HEAD_END = b', "request": '
_HEAD_NAMES = frozenset((*_SMALL, "usage"))
RECORD_NAMES = _HEAD_NAMES | frozenset(_BIG)
"""Every field of a record."""
_TEXTS = ("status", "stage", "item_id", "model", "model_id", "about", "run_id", "doc_id", "ended_at")
_FLAGS = ("final", "cached", "simulated")
STATUSES = frozenset(get_args(Status))
_TEXTS_OR_NONE = ("error_kind", "error_message", "finish_reason", "served_model", "started_at", "batch_id")
_AMOUNTS = ("attempt", "repeat", "call_index", "latency_ms", "ttft_ms", "ttft_visible_ms", "charged_usd")
_ATTEMPT_ID = re.compile(r"[^-]{1,40}-[0-9]{1,8}")
_CALL_KEY = re.compile(r"[0-9a-f]{16,64}")

_texts_of, _texts_or_none_of, _amounts_of = itemgetter(*_TEXTS), itemgetter(*_TEXTS_OR_NONE), itemgetter(*_AMOUNTS)
_flags_of = itemgetter(*_FLAGS)
_small_of, _usage_of, _big_of = attrgetter(*_SMALL), attrgetter(*_USAGE), attrgetter(*_BIG[1:])

LATER = {"request_headers": None, "response_headers": None, "batch_id": None, "ttft_visible_ms": None, "reasoning_text": None}
"""Fields that older records do not have, the latest first: what was not noted is not known."""

_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, check_circular=False).encode


def line_of(attempt: Attempt, request_text: str | None) -> str:
    """The attempt's line, newline included. `request_text` is the body as it was sent (JSON), None if never sent."""
    head = dict(zip(_SMALL, _small_of(attempt), strict=True))
    head["usage"] = dict(zip(_USAGE, _usage_of(attempt.usage), strict=True))
    tail = dict(zip(_BIG[1:], _big_of(attempt), strict=True))
    return f'{_encode(head)[:-1]}, "request": {request_text or "null"}, {_encode(tail)[1:]}\n'


def head_of(line: bytes) -> dict[str, Any]:
    """The small fields of a line, without reading the big ones. ValueError when it is no attempt line."""
    end = line.find(_HEAD_END)
    if end < 0:
        raise ValueError("no attempt record")
    try:
        head = json.loads(line[:end] + b"}")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    head = completed(head, "batch_id", "ttft_visible_ms")
    if not _is_attempt(head):
        raise ValueError("no attempt record")
    return dict(head)


def record_of(line: bytes) -> dict[str, Any]:
    """A whole line, big fields included. ValueError when it is no attempt line."""
    try:
        record = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    record = completed(record, *LATER)
    if not _is_attempt(record) or not record.keys() >= RECORD_NAMES:
        raise ValueError("no attempt record")
    return dict(record)


def completed(record: Any, *names: str) -> Any:
    """A record with the fields it is too old to have; who lacks any of them lacks the first."""
    if isinstance(record, dict) and names[0] not in record:
        return {**{name: LATER[name] for name in names}, **record}
    return record


def attempt_of(record: dict[str, Any]) -> Attempt:
    """The attempt that a whole record stands for."""
    return Attempt(**{name: record[name] for name in (*_SMALL, *_BIG)}, usage=usage_of(record))


def is_attempt_id(value: Any) -> bool:
    """Whether a value names an attempt: a life and a number."""
    return isinstance(value, str) and _ATTEMPT_ID.fullmatch(value) is not None


def _is_attempt(value: Any) -> bool:
    """Whether it has every small field of an attempt, each of its type: a log may come from a stranger."""
    return (
        isinstance(value, dict)
        and value.keys() >= _HEAD_NAMES
        and is_attempt_id(value["attempt_id"])
        and isinstance(value["call_key"], str)
        and _CALL_KEY.fullmatch(value["call_key"]) is not None
        and set(map(type, _texts_of(value))) == {str}
        and set(map(type, _texts_or_none_of(value))) <= {str, type(None)}
        and set(map(type, _flags_of(value))) == {bool}
        and value["status"] in STATUSES
        and isinstance(value["attempt"], int)
        and isinstance(value["repeat"], int)
        and all(map(_is_amount, _amounts_of(value)))
        and isinstance(value["usage"], dict)
        and value["usage"].keys() >= _USAGE_NAMES
        and all(map(_is_amount, map(value["usage"].get, _USAGE)))
    )


def _is_amount(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and 0 <= value <= 1e15)


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
