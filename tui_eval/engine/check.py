"""Check of what each configured model can do, found out by a few tiny requests to it, or why it cannot answer."""

from __future__ import annotations

import asyncio
import base64
import difflib
import hashlib
import json
import secrets
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tui_eval.core.calls import WITHOUT_TEXT, ApiError, Attachment, Call, Completion, Json, ModelSpec, Repair, Request, Usage
from tui_eval.core.plaintext import one_line
from tui_eval.engine.ask import repaired
from tui_eval.engine.calling import AttemptEnd
from tui_eval.engine.http.send import Lost, Sender
from tui_eval.engine.preflight import tiny_call
from tui_eval.engine.verdict import CostSource, priced, verdict_of
from tui_eval.providers import WIRES
from tui_eval.providers.advice import DEPLOYED
from tui_eval.providers.wire import Decode, Listed

DEADLINE_S = 30.0
"""The most a request may take where the model has no time limit of its own."""
MAX_TOKENS = 256
MOST_REPAIRS = 4
LIMIT_FIELDS = ("max_completion_tokens", "max_output_tokens", "max_tokens")
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
USUAL_S = 60.0
"""The most an attempt may take where the model has no limit of its own."""
IMAGE_SIDE = 64
"""Pixels: some models refuse images that are smaller than the patches they look at."""
KEY_IS_KNOWN = ("permission", "quota", "filter")
"""Causes that a server only tells once it has accepted the key."""
NOT_TO_BE_LISTED = ("key", "path", "tls", "address", "unreachable")
"""Causes after which the list of models would fail just the same."""
NOT_TAKEN = (None, "attachment", "model")
"""Causes of a refusal that, after the same question went through, speak of what was added to it."""
NEAREST = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """Findings about one model. None = not found out."""

    name: str
    wire: str = ""
    model: str = ""
    address: str = ""
    """Base URL as configured, variables unexpanded, or the wire's own."""
    reachable: bool = False
    """Whether anything answered there over HTTP."""
    key: Literal["accepted", "refused", "not needed", "unknown"] = "unknown"
    latency_ms: int | None = None
    limit_field: str | None = None
    """The request field that holds the token limit, as the server takes it."""
    temperature: bool | None = None
    json_schema: Literal["accepted", "ignored", "refused"] | None = None
    images: Literal["accepted", "refused", "not by this interface"] | None = None
    cost: CostSource | None = None
    """Whether the server tells what a reply cost, or the model's price does, or neither."""
    served_model: str | None = None
    listed: bool | None = None
    """Whether the server's own list of models has it."""
    shutdown_date: str | None = None
    """YYYY-MM-DD."""
    requests: int = 0
    """How many were sent for it; a list that several models stand in is asked for once."""
    problem: str = ""
    """Why it cannot answer and what to change; empty = it answers."""
    notes: tuple[str, ...] = ()
    """What else a person should know, a sentence each."""
    simulated: bool = False


async def check(
    models: Sequence[ModelSpec],
    sender: Sender,
    redact: Callable[[str], str],
    on_learned: Callable[[ModelSpec, Repair], None],
    concurrency: int = 8,
    on_finding: Callable[[Finding], None] = lambda finding: None,
) -> list[Finding]:
    """Ask each model a few tiny questions, at most `concurrency` models at a time; findings in the order of the models.

    `redact` blots out keys in every text of a finding; `on_learned` is told of each parameter that a server refuses,
    `on_finding` of each finding as it is complete.
    """
    lists = _Lists(sender)
    places = asyncio.Semaphore(concurrency)

    async def one(model: ModelSpec) -> Finding:
        async with places:
            finding = _without_keys(await _examined(_ServerLine(sender, model), lists, on_learned), redact)
        on_finding(finding)
        return finding

    return list(await asyncio.gather(*map(one, models)))


def address_of(model: ModelSpec) -> str:
    """Return a model's address: its base URL as configured, or its wire's own; empty where the program starts the server."""
    return model.base_url or WIRES[model.wire].base_url or ""


@dataclass(slots=True)
class _ServerLine:
    """The way to one model's server: requests one after another, each with a deadline, counted."""

    sender: Sender
    model: ModelSpec
    requests: int = 0

    @property
    def deadline_s(self) -> float:
        return self.model.timeout_s or DEADLINE_S

    async def exchange(self, request: Request, decode: Decode | None) -> AttemptEnd:
        """Send a request; once more where the connection was lost. Without `decode`, the reply is left as it is."""
        ended, lost = await self._once(request, decode)
        return (await self._once(request, decode))[0] if lost else ended

    async def _once(self, request: Request, decode: Decode | None) -> tuple[AttemptEnd, bool]:
        clock = asyncio.get_running_loop().time
        ended, lost = AttemptEnd(None, began=clock()), False
        self.requests += 1
        try:
            async with asyncio.timeout(self.deadline_s):
                got = await self.sender.send(request, self.model, f"check-{secrets.token_hex(6)}")
            if isinstance(got, Lost):
                ended.answered = got.answered
                ended.said = ApiError(got.kind, got.message, retry=got.retry, cause=got.cause)
                lost = got.sent and got.retry and got.kind == "transient"
            else:
                ended.answered = got
                ended.said = decode(got.status, got.headers, got.body) if decode else None
        except TimeoutError:
            ended.timed_out = True
        except MemoryError:
            raise
        except Exception as error:  # a bug of ours ends the check of one model, and of no other
            ended.said = ApiError("internal", f"a bug of tui-eval: {type(error).__name__}: {error}")
        ended.latency_ms = round((clock() - ended.began) * 1000)
        return ended, lost


@dataclass(frozen=True, slots=True)
class _CheckedAnswer:
    """End of a question, with the request that was sent for it last."""

    request: Request
    ended: AttemptEnd
    verdict: Completion | ApiError

    @property
    def body(self) -> dict[str, Any]:
        parsed = json.loads(self.request.body)
        return parsed if isinstance(parsed, dict) else {}


@dataclass(slots=True)
class _Lists:
    """The lists of models that servers have, each asked for once, however many models are checked there."""

    sender: Sender
    _listings: dict[tuple[str, ...], asyncio.Task[list[Listed]]] = field(default_factory=dict)

    async def of(self, line: _ServerLine) -> list[Listed]:
        """The list of a model's server; ValueError with the reason where there is none to be had."""
        wire = WIRES[line.model.wire]
        if wire.list_models is None or wire.read_models is None:
            raise ValueError("this interface has none")
        request = wire.list_models(line.model)
        place = (line.model.endpoint, line.model.organization_env or "", request.path)
        if place not in self._listings:
            self._listings[place] = asyncio.create_task(self._read(line, request, wire.read_models))
        return await self._listings[place]

    async def _read(self, line: _ServerLine, request: Request, read: Callable[[bytes], list[Listed]]) -> list[Listed]:
        ended = await line.exchange(request, None)
        if ended.timed_out:
            raise ValueError(f"no reply within {line.deadline_s:g} s")
        if isinstance(ended.said, ApiError):
            raise ValueError(ended.said.message)
        assert ended.answered is not None
        if ended.answered.status != 200:
            raise ValueError(f"HTTP {ended.answered.status}")
        return read(ended.answered.body)


async def _examined(line: _ServerLine, lists: _Lists, on_learned: Callable[[ModelSpec, Repair], None]) -> Finding:
    """Everything about one model."""
    repairs: dict[str, Repair] = {}
    base = await _base(line, repairs, on_learned)
    finding = _of_base(line.model, base, repairs)
    if not finding.problem:
        finding = await _with_schema(finding, line, repairs, base)
        finding = await _with_image(finding, line, repairs)
    finding = await _with_list(finding, line, lists, base.verdict)
    return replace(finding, requests=line.requests)


def _question(line: _ServerLine) -> Call:
    model = line.model
    return replace(
        tiny_call(model, "check", model.timeout_s or USUAL_S),
        temperature=0.0 if model.temperature is None else model.temperature,
        max_output_tokens=model.max_output_tokens or MAX_TOKENS,
        timeout_s=line.deadline_s,
    )


async def _ask(line: _ServerLine, call: Call, repairs: dict[str, Repair]) -> _CheckedAnswer:
    wire = WIRES[line.model.wire]
    request = wire.encode(call, line.model, repairs)
    ended = await line.exchange(request, wire.decode)
    return _CheckedAnswer(request, ended, verdict_of(call, ended, line.model))


async def _base(
    line: _ServerLine, repairs: dict[str, Repair], on_learned: Callable[[ModelSpec, Repair], None]
) -> _CheckedAnswer:
    """The tiny question, asked again without each parameter that the server refuses; `repairs` takes in what was learnt."""
    while True:
        answer = await _ask(line, _question(line), repairs)
        repair = answer.verdict.repair if isinstance(answer.verdict, ApiError) else None
        if repair is None or repair.parameter in repairs or len(repairs) == MOST_REPAIRS:
            return answer
        repairs[repair.parameter] = repair
        on_learned(line.model, repair)


def _of_base(model: ModelSpec, base: _CheckedAnswer, repairs: dict[str, Repair]) -> Finding:
    """Build the finding that the tiny question allows."""
    verdict, body = base.verdict, base.body
    finding = Finding(
        model.name,
        model.wire,
        model.model,
        address_of(model),
        reachable=base.ended.answered is not None,
        key=_key(model, base),
        served_model=verdict.served_model,
        notes=tuple(repaired(repair) for repair in repairs.values()),
        simulated=_is_simulated(model, base.ended),
    )
    if isinstance(verdict, ApiError):
        if not _spoke(verdict):
            return replace(finding, problem=verdict.message)
        note = f"it answers, but its reply to the tiny question cannot be used: {verdict.message}"
        finding = replace(finding, notes=(*finding.notes, note))
    return replace(
        finding,
        latency_ms=base.ended.latency_ms,
        limit_field=next((name for name in LIMIT_FIELDS if name in body), None),
        temperature=True if "temperature" in body else False if "temperature" in repairs else None,
        cost=priced(verdict.usage, model)[1],
    )


def _is_simulated(model: ModelSpec, ended: AttemptEnd) -> bool:
    return WIRES[model.wire].simulated or (ended.answered is not None and "x-simulated" in ended.answered.headers)


def _spoke(fault: ApiError) -> bool:
    """Return whether a reply without text is a model's all the same; JSON with nothing of a reply may come from anything."""
    return fault.kind in WITHOUT_TEXT and (fault.kind != "empty" or fault.finish_reason is not None or fault.usage != Usage())


def _key(model: ModelSpec, base: _CheckedAnswer) -> Literal["accepted", "refused", "not needed", "unknown"]:
    verdict = base.verdict
    if isinstance(verdict, ApiError) and verdict.cause == "key":
        return "refused"
    if isinstance(verdict, Completion) or _spoke(verdict) or verdict.cause in KEY_IS_KNOWN:
        return "not needed" if base.request.key_header is None or model.api_key_env is None else "accepted"
    return "unknown"


async def _with_schema(finding: Finding, line: _ServerLine, repairs: dict[str, Repair], base: _CheckedAnswer) -> Finding:
    """The finding with what became of the question when its answer had to follow a JSON schema."""
    answer = await _ask(line, replace(_question(line), json_schema=SCHEMA), repairs)
    if answer.request.body == base.request.body:  # this wire, or what was learnt, leaves the schema out
        return finding
    if isinstance(answer.verdict, Completion):
        return replace(finding, json_schema="accepted" if _follows_schema(answer.verdict.text) else "ignored")
    return _with_refusal(finding, answer.verdict, "json_schema", "JSON schema")


async def _with_image(finding: Finding, line: _ServerLine, repairs: dict[str, Repair]) -> Finding:
    """The finding with what became of the question when an image went with it."""
    image = _image()
    if image.mime not in WIRES[line.model.wire].accepts:
        return replace(finding, images="not by this interface")
    call = _question(line)
    image_call = replace(call, messages=(replace(call.messages[0], attachments=(image,)),))
    verdict = (await _ask(line, image_call, repairs)).verdict
    if isinstance(verdict, Completion) or (verdict.kind in ("truncated", "empty") and _spoke(verdict)):
        return replace(finding, images="accepted")
    return _with_refusal(finding, verdict, "images", "images")


def _with_refusal(finding: Finding, fault: ApiError, ability: str, words: str) -> Finding:
    """The finding with a refusal of what was added to the question, or with a note on why nothing was found out."""
    if fault.kind == "permanent" and fault.cause in NOT_TAKEN:
        refused: dict[str, Any] = {ability: "refused"}
        return replace(finding, **refused)
    return replace(finding, notes=(*finding.notes, f"{words}: not known, because: {fault.message}"))


def _follows_schema(text: str | None) -> bool:
    try:
        parsed = json.loads(text or "")
    except (ValueError, RecursionError):
        return False
    return isinstance(parsed, dict) and set(parsed) == {"ok"} and isinstance(parsed["ok"], bool)


async def _with_list(finding: Finding, line: _ServerLine, lists: _Lists, verdict: Completion | ApiError) -> Finding:
    """The finding with what the server's list of models has on it. A deployment's name is in no list of models."""
    cause = verdict.cause if isinstance(verdict, ApiError) else None
    if line.model.wire in DEPLOYED or not finding.reachable or cause in NOT_TO_BE_LISTED:
        return finding
    try:
        listed = await lists.of(line)
    except ValueError:  # a list that fails is no fault of the model
        return finding
    names = _names_in_lists(line.model)
    entry = next((entry for entry in listed if entry.id in names), None)
    if entry is not None:
        return replace(finding, listed=True, shutdown_date=entry.shutdown_date)
    if cause == "model":
        finding = replace(finding, problem=finding.problem + _suggestion(line.model.model, [entry.id for entry in listed]))
    elif not finding.problem and listed:
        note = f"the server's list of models does not have {line.model.model!r}: another model may be answering in its place"
        finding = replace(finding, notes=(*finding.notes, note))
    return replace(finding, listed=False)


def _names_in_lists(model: ModelSpec) -> set[str]:
    """Return a model's names in a list: Ollama adds the tag that goes without saying, OpenRouter's variants are not in it."""
    names = {model.model, f"{model.model}:latest"}
    return names | {model.model.partition(":")[0]} if model.wire == "openrouter" else names


def _suggestion(model_id: str, ids: Sequence[str]) -> str:
    """The ids of a list that are most like the wanted one, or all of a short list, as the end of a sentence."""
    by_lower = {name.lower(): name for name in ids}
    near = [by_lower[name] for name in difflib.get_close_matches(model_id.lower(), by_lower, NEAREST, 0.5)]
    words = "the nearest in its list"
    if not near and 0 < len(ids) <= NEAREST:
        near, words = list(ids), "its list has"
    return f"; {words}: {', '.join(one_line(name, 80) for name in near)}" if near else ""


def _image() -> Attachment:
    """A small grey picture as a PNG: a header, one deflated row after another, an end."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    rows = (b"\0" + b"\x80" * IMAGE_SIDE) * IMAGE_SIDE
    header = struct.pack(">IIBBBBB", IMAGE_SIDE, IMAGE_SIDE, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return Attachment("check.png", "image/png", hashlib.sha256(png).hexdigest(), base64.b64encode(png).decode("ascii"))


def _without_keys(finding: Finding, redact: Callable[[str], str]) -> Finding:
    """The finding with its foreign texts on one line each, and without keys: blotted out before anything is cut."""
    served = finding.served_model
    return replace(
        finding,
        model=redact(finding.model),
        address=redact(finding.address),
        served_model=None if served is None else one_line(redact(served)),
        problem=one_line(redact(finding.problem), 1000),
        notes=tuple(one_line(redact(note), 1000) for note in finding.notes),
    )
