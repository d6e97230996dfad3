"""An attempt's record as an inspector shows it. Everything in it is foreign: it becomes safe here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.results.stored_samples import Mark, judgements
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.states import attempt_status
from tui_eval.tui.widgets.cells import Cell, Tone
from tui_eval.tui.widgets.inspector import Section, labelled, reply_section, section
from tui_eval.tui.words import clock, count, seconds, usd

PROMPT_FIELDS = ("system", "instructions", "messages", "input")
Record = Mapping[str, Any]
INSTRUCTIONS = ("system", "developer", "instructions")
HIGHEST = 1e15
"""A number beyond it is no time in ms and no amount."""


def record_sections(record: Record, whole: bool, scored: Iterable[Section] = (), mark: Mark | None = None) -> list[Section]:
    """Say of an attempt why it failed, what was asked, what came back, and on wish every byte of it.

    `scored`: the target and the scores of the reply, where results have them. `mark`: the score whose reading is marked.
    """
    sections = [*_why(record, whole), *_prompt(record.get("request"), whole), *scored, *_reply(record, whole, mark)]
    thinking = record.get("reasoning_text")
    if isinstance(thinking, str):
        size = f"{count(len(thinking))} characters; a shows them"
        sections.append(Section("THINKING", safe(thinking)) if whole else Section("THINKING", size, "dim"))
    sections += _parameters(record.get("request"))
    return sections


def reply_sections(record: Record, whole: bool) -> list[Section]:
    """Say what came back, and why it is no good reply."""
    return [*_why(record, whole), *_reply(record, whole, None)]


def details(record: Record, whole: bool) -> list[Section]:
    """The figures of an attempt, its headers and its raw JSON."""
    headers = [*_headers("sent", record.get("request_headers")), *_headers("received", record.get("response_headers"))]
    folded = [Section("HEADERS", f"{len(headers)} lines; a shows them", "dim")] if headers and not whole else headers
    raw = Section("JSON", json_of(record), is_json=True) if whole else Section("JSON", "a shows all of the record", "dim")
    return [*_figures(record, whole), *folded, raw]


def json_of(record: Record) -> str:
    """The record as JSON for people: indented, every sign beyond ASCII escaped, so that nothing in it is hidden."""
    return json.dumps(record, ensure_ascii=True, indent=2)


def headline(record: Record, where: str) -> tuple[Cell, ...]:
    """Describe an attempt and how it ended, in one line; `where`: its place in the list, in words."""
    item = str(record.get("item_id") or "").removeprefix(f"{record.get('model')}/").removeprefix(NO_DOCUMENT + "/")
    names = "  " + " · ".join([safe_line(record.get("model"), 30), safe_line(item, 60), safe_line(record.get("stage"), 16)])
    usage = record.get("usage") if isinstance(record.get("usage"), dict) else {}
    assert usage is not None
    facts = [] if record.get("http_status") in (None, 200) else [f"HTTP {safe_line(record.get('http_status'), 10)}"]
    facts += [f"{seconds(_figure(record.get('latency_ms')))} s", usd(_figure(usage.get("cost_usd")))]
    status = attempt_status(safe_line(record.get("status")), record.get("error_kind"))
    return status, (names, "strong"), f"  {' · '.join(facts)}", (f"  {where}", "dim")


def _why(record: Record, whole: bool) -> Iterator[Section]:
    """Yield why there is no good reply."""
    message, kind = record.get("error_message"), record.get("error_kind")
    if message or kind:
        first, *more = section("WHY", str(message or ""), whole, "bad")
        yield first._replace(text=": ".join(filter(None, [safe_line(kind) if kind else "", first.text])))
        yield from more
    if record.get("finish_reason") == "length":
        yield Section("WHY", "cut by the token limit (finish reason length)", "warn")
    if record.get("started_at") is None:
        yield Section("WHY", "it was never sent", "dim")


def _reply(record: Record, whole: bool, mark: Mark | None) -> list[Section]:
    text, body = record.get("response_text"), record.get("response_body_b64")
    if isinstance(text, str):
        is_read = mark is not None and mark.read is not None and not judgements(mark.read)
        read = (safe_line(mark.read, 200), mark.pattern) if mark is not None and is_read else ("", "")
        return reply_section("REPLY", text, whole, *read)
    if body:
        return [Section("REPLY", f"no text; {count(len(str(body)))} characters of base64 stand in JSON", "dim")]
    return [Section("REPLY", "no text came back", "dim")]


def _prompt(request: Any, whole: bool) -> list[Section]:
    """Return the messages that were sent; the label stands beside the first."""
    if not isinstance(request, dict):
        return [Section("ASKED", "nothing was sent", "dim")]
    found: list[Section] = []
    for name in PROMPT_FIELDS:
        content = request.get(name)
        if isinstance(content, str):
            found += _of_role(name, content, whole)
        elif isinstance(content, list):
            found += [each for message in content for each in _message(message, whole)]
    first, *rest = found or section("", json.dumps(request, indent=2), whole)
    return [first._replace(label="ASKED"), *rest]


def _message(message: Any, whole: bool) -> list[Section]:
    if not isinstance(message, dict):
        return section("", json.dumps(message), whole)
    role = safe_line(message.get("role", message.get("type")), 40)
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(_piece(piece) for piece in content)
    elif not isinstance(content, str):
        content = json.dumps(message, indent=2)
    return _of_role(role, content, whole)


def _of_role(role: str, content: str, whole: bool) -> list[Section]:
    """Return a message; instructions, which are alike in all calls, on a line until all of it is wished for."""
    if role in INSTRUCTIONS and not whole:
        return [Section("", f"{role}: {safe_line(content, 300)}", "dim", is_line=True)]
    return [Section("", role, "dim"), *section("", content, whole)]


def _piece(piece: Any) -> str:
    """A part of a message: its text, or what it is where it is an image or a document."""
    if isinstance(piece, dict) and isinstance(piece.get("text"), str):
        return str(piece["text"])
    return json.dumps(piece, indent=2)


def _parameters(request: Any) -> list[Section]:
    """Return the other parameters of a request, a line each."""
    rest = {name: value for name, value in request.items() if name not in PROMPT_FIELDS} if isinstance(request, dict) else {}
    lines = [f"{safe_line(name, 40)} = {safe_line(json.dumps(value), 2000)}" for name, value in rest.items()]
    return [Section("WITH", "\n".join(lines), "dim")] if lines else []


def _figures(record: Record, whole: bool) -> list[Section]:
    """Tokens, costs and times; in full what they are made of."""
    usage = record.get("usage") if isinstance(record.get("usage"), dict) else {}
    assert usage is not None
    rows: list[tuple[str, str, Tone]] = [
        ("tokens of the prompt", _number(usage.get("prompt_tokens")), ""),
        ("of them read from a cache", _number(usage.get("cached_tokens")), "dim"),
        ("of them written to a cache", _number(usage.get("cache_write_tokens")), "dim"),
        ("tokens of the completion", _number(usage.get("completion_tokens")), ""),
        ("of them for thinking", _number(usage.get("reasoning_tokens")), "dim"),
        ("tokens together", _number(usage.get("total_tokens")), ""),
        (f"cost, {safe_line(record.get('cost_source'))}", usd(_figure(usage.get("cost_usd"))), ""),
        ("at a provider behind a router", usd(_figure(usage.get("upstream_cost_usd"))), "dim"),
        ("charged to the budget", usd(_figure(record.get("charged_usd"))), ""),
        ("started", clock(_words(record.get("started_at"))), ""),
        ("ended", clock(_words(record.get("ended_at"))), ""),
        ("latency, s", seconds(_figure(record.get("latency_ms"))), "strong"),
        ("waited for a free place, s", seconds(_figure(record.get("queue_ms"))), ""),
        ("to the first token, s", seconds(_figure(record.get("ttft_ms"))), ""),
        ("to the first token of the answer, s", seconds(_figure(record.get("ttft_visible_ms"))), ""),
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
    told = [row for row in rows if whole or (row[2] != "dim" and row[1] not in ("-", "no"))]
    return labelled("USAGE", [(f"{value:>9}  {name}", tone) for name, value, tone in told])


def _headers(title: str, headers: Any) -> list[Section]:
    lines = headers.items() if isinstance(headers, dict) else ()
    texts = [f"{safe_line(name, 60)}: {safe_line(value, 2000)}" for name, value in lines]
    return labelled("HEADERS", [(text, "") for text in (title, *texts)]) if texts else []


def _number(value: Any) -> str:
    return count(value) if isinstance(value, int) else "-"


def _figure(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value <= HIGHEST else None


def _words(value: Any) -> str | None:
    return value if isinstance(value, str) else None
