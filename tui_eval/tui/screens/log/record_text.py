"""An attempt's record as text to read, part by part. Everything in it is foreign: it becomes safe here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.states import attempt_status
from tui_eval.tui.widgets.cells import Cell, Tone
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import clock, count, seconds, usd

PROMPT_FIELDS = ("system", "instructions", "messages", "input")
REPLY, PROMPT, THOUGHTS, PARAMETERS, FIGURES, HEADERS, JSON, ATTEMPTS = (
    "Reply", "Prompt", "Thoughts", "Parameters", "Usage", "Headers", "JSON", "Attempts",
)  # fmt: skip
Record = Mapping[str, Any]
HIGHEST = 1e15
"""A number beyond it is no time in ms and no amount."""


def parts_of(record: Record) -> list[str]:
    """Return the names of the parts that a record has."""
    names = [REPLY, PROMPT]
    names += [THOUGHTS] if record.get("reasoning_text") else []
    names += [PARAMETERS, FIGURES]
    names += [HEADERS] if record.get("request_headers") or record.get("response_headers") else []
    return [*names, JSON, ATTEMPTS]


def part_text(record: Record, part: str, whole: bool = False) -> list[Paragraph]:
    """One part of a record as paragraphs; `whole`: long fields in full."""
    most = None if whole else LONGEST_TEXT
    match part:
        case "Reply":
            return _reply(record, most)
        case "Prompt":
            return _prompt(record.get("request"), most)
        case "Thoughts":
            return _field(record.get("reasoning_text"), most)
        case "Parameters":
            return _parameters(record.get("request"))
        case "Usage":
            return _figures(record)
        case "Headers":
            return [*_headers("sent", record.get("request_headers")), *_headers("received", record.get("response_headers"))]
        case _:
            return _field(json_of(record), most)


def json_of(record: Record) -> str:
    """The record as JSON for people: indented, every sign beyond ASCII escaped, so that nothing in it is hidden."""
    return json.dumps(record, ensure_ascii=True, indent=2)


def headline(record: Record) -> list[Cell]:
    """Describe an attempt and how it ended, in one line."""
    simulated: list[Cell] = [("  simulated", "warn")] if record.get("simulated") is True else []
    names = (("stage", 16), ("model", 24), ("item_id", 40))
    where = "  " + " · ".join(safe_line(record.get(name), most) for name, most in names)
    call, attempt = record.get("call_index"), record.get("attempt")
    numbers = f"  call {_plus_one(call)}, attempt {_plus_one(attempt)}"
    return [attempt_status(safe_line(record.get("status")), record.get("error_kind")), *simulated, where, (numbers, "dim")]


def _plus_one(value: Any) -> str:
    return str(value + 1) if isinstance(value, int) else "-"


def _reply(record: Record, most: int | None) -> list[Paragraph]:
    paragraphs: list[Paragraph] = []
    if record.get("error_message"):
        kind = f"{safe_line(record.get('error_kind'))}: " if record.get("error_kind") else ""
        (first, _), *more = _field(str(record["error_message"]), most)
        paragraphs += [(kind + first, "bad"), *more, ("", "")]
    if record.get("finish_reason") == "length":
        paragraphs += [("cut by the token limit (finish reason length)", "warn"), ("", "")]
    text = record.get("response_text")
    if isinstance(text, str):
        return [*paragraphs, *_field(text, most)]
    body = record.get("response_body_b64")
    if body:
        paragraphs.append((f"the body was no text; {count(len(str(body)))} characters of base64 stand in JSON", "dim"))
    if record.get("started_at") is None:
        paragraphs.append(("it was never sent", "dim"))
    return paragraphs or [("no text came back", "dim")]


def _prompt(request: Any, most: int | None) -> list[Paragraph]:
    if not isinstance(request, dict):
        return [("nothing was sent", "dim")]
    paragraphs: list[Paragraph] = []
    for name in PROMPT_FIELDS:
        content = request.get(name)
        if isinstance(content, str):
            paragraphs += [(name, "accent"), *_field(content, most), ("", "")]
        elif isinstance(content, list):
            for message in content:
                paragraphs += [*_message(message, most), ("", "")]
    return paragraphs or _field(json.dumps(request, indent=2), most)


def _message(message: Any, most: int | None) -> list[Paragraph]:
    if not isinstance(message, dict):
        return _field(json.dumps(message), most)
    role = safe_line(message.get("role", message.get("type")), 40)
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(_piece(piece) for piece in content)
    elif not isinstance(content, str):
        content = json.dumps(message, indent=2)
    return [(role, "accent"), *_field(content, most)]


def _piece(piece: Any) -> str:
    """A part of a message: its text, or what it is where it is an image or a document."""
    if isinstance(piece, dict) and isinstance(piece.get("text"), str):
        return str(piece["text"])
    return json.dumps(piece, indent=2)


def _parameters(request: Any) -> list[Paragraph]:
    if not isinstance(request, dict):
        return [("nothing was sent", "dim")]
    rest = {name: value for name, value in request.items() if name not in PROMPT_FIELDS}
    wide = max((len(name) for name in rest), default=0)
    return [
        (f"{safe_line(name, 40):<{min(wide, 40)}}  {safe_line(json.dumps(value), 2000)}", "") for name, value in rest.items()
    ]


def _figures(record: Record) -> list[Paragraph]:
    usage = record.get("usage") if isinstance(record.get("usage"), dict) else {}
    assert usage is not None
    rows: list[tuple[str, str, Tone]] = [
        ("tokens of the prompt", _number(usage.get("prompt_tokens")), ""),
        ("  of them read from a cache", _number(usage.get("cached_tokens")), "dim"),
        ("  of them written to a cache", _number(usage.get("cache_write_tokens")), "dim"),
        ("tokens of the completion", _number(usage.get("completion_tokens")), ""),
        ("  of them for thinking", _number(usage.get("reasoning_tokens")), "dim"),
        ("tokens together", _number(usage.get("total_tokens")), ""),
        ("cost", f"{usd(_figure(usage.get('cost_usd')))}  ({safe_line(record.get('cost_source'))})", ""),
        ("  at a provider behind a router", usd(_figure(usage.get("upstream_cost_usd"))), "dim"),
        ("charged to the budget", usd(_figure(record.get("charged_usd"))), ""),
        ("", "", ""),
        ("started", clock(_words(record.get("started_at"))), ""),
        ("ended", clock(_words(record.get("ended_at"))), ""),
        ("latency, s", seconds(_figure(record.get("latency_ms"))), "strong"),
        ("waited for a free place, s", seconds(_figure(record.get("queue_ms"))), ""),
        ("to the first token, s", seconds(_figure(record.get("ttft_ms"))), ""),
        ("to the first token of the answer, s", seconds(_figure(record.get("ttft_visible_ms"))), ""),
        ("", "", ""),
        ("HTTP status", safe_line(record.get("http_status")), ""),
        ("finish reason", safe_line(record.get("finish_reason")), ""),
        ("model asked for", safe_line(record.get("model_id")), ""),
        ("model that answered", safe_line(record.get("served_model")), ""),
        ("taken from the cache", "yes" if record.get("cached") is True else "no", ""),
        ("batch", safe_line(record.get("batch_id")), ""),
        ("settles its call", "yes" if record.get("final") is True else "no: a resume asks again", ""),
        ("attempt", safe_line(record.get("attempt_id")), "dim"),
        ("call key", safe_line(record.get("call_key")), "dim"),
    ]
    return [(f"{name:<36}{value}" if name else "", tone) for name, value, tone in rows]


def _headers(title: str, headers: Any) -> list[Paragraph]:
    if not isinstance(headers, dict):
        return []
    lines: list[Paragraph] = [(f"{safe_line(name, 60)}: {safe_line(value, 2000)}", "") for name, value in headers.items()]
    return [(title, "accent"), *lines, ("", "")]


def _field(text: Any, most: int | None) -> list[Paragraph]:
    if not isinstance(text, str):
        return [("-", "dim")]
    if most is None or len(text) <= most:
        return [(safe(text), "")]
    return [
        (safe(text[:most]), ""),
        ("", ""),
        (f"the first {count(most)} of {count(len(text))} characters; a shows all", "warn"),
    ]


def _number(value: Any) -> str:
    return count(value) if isinstance(value, int) else "-"


def _figure(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value <= HIGHEST else None


def _words(value: Any) -> str | None:
    return value if isinstance(value, str) else None
