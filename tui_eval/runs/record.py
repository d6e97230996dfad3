"""One line of call_logs.jsonl: an attempt to bytes and back. Small fields stand first, big ones last."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from operator import attrgetter, itemgetter
from typing import Any, get_args

from tui_eval.core.calls import Call, ModelSpec, Reply, Status, Usage
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.records import Attempt
from tui_eval.core.samples import Sample
from tui_eval.runs.ledger import attempt_id

_BIG = (
    "request", "request_headers", "response_headers", "response_text", "reasoning_text", "response_json", "response_body_b64",
)  # fmt: skip
_SMALL = tuple(field.name for field in fields(Attempt) if field.name not in _BIG and field.name != "usage")
_USAGE = tuple(field.name for field in fields(Usage))
_HEAD_END = b', "request": '
_HEAD_NAMES = frozenset((*_SMALL, "usage"))
RECORD_NAMES = _HEAD_NAMES | frozenset(_BIG)
"""Every field of a record."""
REQUIRED = frozenset(field.name for field in fields(Attempt) if field.default is MISSING)
"""Without these there is no record: id, key and status. Everything else has a default."""
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

_DEFAULTS = {field.name: field.default for field in fields(Attempt) if field.default is not MISSING and field.name != "usage"}
_HEAD_DEFAULTS = {name: value for name, value in _DEFAULTS.items() if name not in _BIG}
_NO_USAGE: dict[str, Any] = {field.name: field.default for field in fields(Usage)}

_decode = json.JSONDecoder().decode
_encode = json_encoder()


def line_of(attempt: Attempt, request_text: str | None, copied: Mapping[str, Any] | None = None) -> str:
    """The attempt's line, newline included. `request_text` is the body as it was sent (JSON), None if never sent.

    `copied`: the record it is made from, of whatever version; its fields that are unknown here stay, behind all others.
    """
    head = dict(zip(_SMALL, _small_of(attempt), strict=True))
    head["usage"] = dict(zip(_USAGE, _usage_of(attempt.usage), strict=True))
    tail = dict(zip(_BIG[1:], _big_of(attempt), strict=True))
    if copied is not None:
        tail |= {name: value for name, value in copied.items() if name not in RECORD_NAMES}
    return f'{_encode(head)[:-1]}, "request": {request_text or "null"}, {_encode(tail)[1:]}\n'


def head_of(line: bytes) -> dict[str, Any]:
    """The small fields of a line, without reading the big ones. ValueError when it is no attempt line.

    A line may be of another version: what it lacks has its default, and what is unknown here is left as it is.
    """
    end = line.find(_HEAD_END)
    if end < 0:
        return {name: value for name, value in record_of(line).items() if name not in _BIG}
    head = _parsed(line[:end] + b"}")
    if not head.keys() >= _HEAD_NAMES:
        head = _filled(head, _HEAD_DEFAULTS)
    if not _is_attempt(head):
        raise ValueError("no attempt record")
    return head


def record_of(line: bytes) -> dict[str, Any]:
    """A whole line, big fields included; what it lacks has its default. ValueError when it is no attempt line."""
    record = completed(_parsed(line))
    if not _is_attempt(record):
        raise ValueError("no attempt record")
    return record


def completed(record: dict[str, Any]) -> dict[str, Any]:
    """A record with the fields that its version does not have, each with its default."""
    return record if record.keys() >= RECORD_NAMES else _filled(record, _DEFAULTS)


def _filled(record: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in a record's defaults; if it does not say so, what came back or ran out of time settles its call, nothing else."""
    return {**defaults, "usage": _NO_USAGE, "final": record.get("status") in ("ok", "timeout"), **record}


def json_of(line: bytes) -> Any:
    """Return the value of a line of a log; ValueError or RecursionError where it is no JSON."""
    return _decode(line.decode("utf-8", "surrogatepass"))


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        value = json_of(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("no attempt record")
    return value


def attempt_of(record: dict[str, Any]) -> Attempt:
    """The attempt that a whole record stands for."""
    return Attempt(**{name: record[name] for name in (*_SMALL, *_BIG)}, usage=usage_of(record))


def copied_line(record: dict[str, Any], run_id: str, call: Call, sample: Sample, model: ModelSpec) -> str:
    """The line of a record taken over from another log: as a call of this run, cached, charged nothing."""
    copy = replace(
        attempt_of(record),
        **place_of_call(run_id, call, sample, model),
        cached=True,
        charged_usd=0.0,
        request_headers=None,
        response_headers=None,
    )
    return line_of(copy, json.dumps(record["request"]), record)


def place_of_call(run_id: str, call: Call, item: Sample, model: ModelSpec) -> dict[str, Any]:
    """Return the call and the item of a run that an attempt was made for: these fields of its record, by name."""
    return {
        "run_id": run_id,
        "stage": call.stage,
        "item_id": item.id,
        "repeat": item.repeat,
        "doc_id": item.doc_id,
        "q_index": item.q_index,
        "model": model.name,
        "model_id": model.model,
        "call_index": call.call_index,
        "about": call.about,
    }


def unasked_attempt(life: str, number: int, key: str, reply: Reply, place: Mapping[str, Any], at: str) -> Attempt:
    """The attempt of a reply that was made elsewhere, or is missing there: nobody is asked for it. `place`: `place_of_call`."""
    return Attempt(
        attempt_id=attempt_id(life, number), call_key=key, status=reply.status, error_kind=reply.error_kind, final=True,
        attempt=0, **place, ended_at=at, cached=reply.error_kind != "not_sent", error_message=reply.error_message,
        response_text=reply.text,
    )  # fmt: skip


def is_attempt_id(value: Any) -> bool:
    """Return whether a value names an attempt: a life and a number."""
    return isinstance(value, str) and _ATTEMPT_ID.fullmatch(value) is not None


def _is_attempt(value: dict[str, Any]) -> bool:
    """Return whether it has id, key and status, and every small field is of its type: a log may come from a stranger."""
    return (
        is_attempt_id(value.get("attempt_id"))
        and isinstance(value.get("call_key"), str)
        and _CALL_KEY.fullmatch(value["call_key"]) is not None
        and "status" in value
        and set(map(type, _texts_of(value))) == {str}
        and set(map(type, _texts_or_none_of(value))) <= {str, type(None)}
        and set(map(type, _flags_of(value))) == {bool}
        and value["status"] in STATUSES
        and isinstance(value["attempt"], int)
        and isinstance(value["repeat"], int)
        and isinstance(value["usage"], dict)
        and _are_amounts((*_amounts_of(value), *map(value["usage"].get, _USAGE)))
    )


def _are_amounts(values: tuple[Any, ...]) -> bool:
    """Return whether each is a number within reason, or not known."""
    numbers = [value for value in values if value is not None]
    return set(map(type, numbers)) <= {int, float, bool} and not [value for value in numbers if not 0 <= value <= 1e15]


def usage_of(head: Mapping[str, Any]) -> Usage:
    """The usage of a record."""
    return Usage(**{name: head["usage"].get(name) for name in _USAGE})


_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""Under which of these names a request has its token limit."""


def _as_sent(call: Call, record: Mapping[str, Any]) -> Call:
    """Return the call of a reply that was cut with the limit that was sent, where a later session had raised it."""
    request = record.get("request")
    if not (record["finish_reason"] == "length" or record["error_kind"] == "truncated") or not isinstance(request, dict):
        return call
    sent = next((limit for name in _LIMITS if isinstance(limit := request.get(name), int)), None)
    raised = sent is not None and call.max_output_tokens is not None and sent > call.max_output_tokens
    return replace(call, max_output_tokens=sent) if raised else call


def reply_of(record: dict[str, Any], call: Call) -> Reply:
    """The reply that a record stands for: what a flow is told when it is driven from the log."""
    return Reply(
        _as_sent(call, record),
        record["status"],
        text=record["response_text"] if record["status"] == "ok" else None,
        error_kind=record["error_kind"],
        error_message=record["error_message"],
        refusal_words=record["response_text"] if record["error_kind"] == "refused" else None,
        finish_reason=record["finish_reason"],
        usage=usage_of(record),
        latency_ms=record["latency_ms"],
        ttft_ms=record["ttft_ms"],
        attempts=record["attempt"] + 1,
        final=record["final"],
        ended_at=record["ended_at"] if record["started_at"] is not None else "",
        http_status=record["http_status"],
        cached=record["cached"],
        simulated=record["simulated"],
    )
