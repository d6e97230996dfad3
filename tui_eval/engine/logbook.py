"""The entries of a call in the log: before an attempt is sent, when it has ended, and when it is not sent at all."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tui_eval.core.calls import ApiError, Call, Completion, ModelSpec, Reply, Request
from tui_eval.core.errors import StorageError
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.money import MICRO
from tui_eval.core.records import Attempt
from tui_eval.engine.calling import PREFLIGHT, AttemptEnd, Pending, RunContext
from tui_eval.engine.http.headers import kept_headers, shown_headers
from tui_eval.engine.http.send import HttpReply
from tui_eval.engine.verdict import CostSource
from tui_eval.providers import WIRES
from tui_eval.runs.folder import INTENTS, LOG
from tui_eval.runs.record import copied_line, line_of, place_of_call

_encode = json_encoder()


def write_intent(context: RunContext, pending: Pending, identity: str, worst: int | None) -> None:
    """Say that an attempt is about to be sent. StorageError when that cannot be written: then it must not be sent."""
    intent = {
        "attempt_id": identity,
        "call_key": pending.key,
        "stage": pending.call.stage,
        "item_id": pending.sample.id,
        "model": pending.model.name,
        "attempt": pending.attempt,
        "worst_usd": None if worst is None else worst / MICRO,
    }
    context.folder.append(INTENTS, _encode(intent) + "\n")


def write_attempt(
    context: RunContext,
    pending: Pending,
    reply: Reply,
    identity: str,
    request: Request,
    started_at: str,
    queue_ms: int,
    ended: AttemptEnd,
    verdict: Completion | ApiError,
    cost: tuple[CostSource, int | None],
) -> bool:
    """Write down an attempt that was sent: what was asked, what came back, what it cost; whether that is on file."""
    answered = ended.answered
    if reply.simulated:
        context.progress.made_up(pending.model.name, cost[1])
    attempt = Attempt(
        **_identity(context, pending, reply, identity),
        started_at=started_at,
        ended_at=ended.ended_at,
        latency_ms=ended.latency_ms,
        queue_ms=queue_ms,
        ttft_ms=answered.ttft_ms if answered else None,
        ttft_visible_ms=answered.ttft_visible_ms if answered else None,
        http_status=answered.status if answered else None,
        finish_reason=reply.finish_reason,
        served_model=verdict.served_model,
        usage=reply.usage,
        cost_source=cost[0],
        charged_usd=None if cost[1] is None else cost[1] / MICRO,
        error_message=reply.error_message,
        request_headers=shown_headers(request, pending.model, identity) if ended.sent else None,
        response_headers=kept_headers(answered.headers) if answered else None,
        response_text=reply.text if reply.refusal_words is None else reply.refusal_words,
        reasoning_text=verdict.reasoning if isinstance(verdict, Completion) else None,
        response_json=verdict.body,
        response_body_b64=_raw(answered) if verdict.body is None else None,
    )
    logged = logged_request(request.body, pending.call)
    try:
        line = line_of(attempt, logged)
    except (ValueError, RecursionError):
        bare = replace(attempt, response_json=None, response_body_b64=_raw(answered))
        line = line_of(bare, logged)
    line_bytes = _write(context, line)
    if line_bytes is not None:
        context.progress.attempt_ended(attempt)
    if line_bytes and reply.ok and reply.final and pending.call.stage != PREFLIGHT:
        _keep(context, pending.key, pending.model, line_bytes)
    return line_bytes is not None


def prepared_line(context: RunContext, pending: Pending, identity: str, request: bytes, worst: int | None) -> str:
    """A call that is about to be handed over in a batch, as the record it will be: all but what comes back.

    What is reserved for it stands in `charged_usd`.
    """
    reply = Reply(pending.call, "error", error_kind="transient", error_message="in a batch", final=False)
    attempt = replace(_unanswered(context, pending, reply, identity), charged_usd=None if worst is None else worst / MICRO)
    return line_of(attempt, logged_request(request, pending.call))


def write_batched(context: RunContext, model: ModelSpec, attempt: Attempt, prepared: dict[str, Any]) -> bool:
    """Write down an attempt that came back in a batch, as whose record it was prepared; whether it is in the log."""
    request = json.dumps(prepared["request"])
    try:
        line = line_of(attempt, request, prepared)
    except (ValueError, RecursionError):
        line = line_of(replace(attempt, response_json=None), request, prepared)
    line_bytes = _write(context, line)
    if line_bytes is not None:
        context.progress.attempt_ended(attempt)
    if line_bytes and attempt.status == "ok" and attempt.final:
        _keep(context, attempt.call_key, model, line_bytes)
    return line_bytes is not None


def logged_request(request: bytes, call: Call) -> str:
    """A request's body as it stands in the log: with the place of each attachment instead of its bytes."""
    text = request.decode("ascii")
    for message in call.messages:
        for attachment in message.attachments:
            place = json.dumps(f"{attachment.path} sha256:{attachment.sha256}")[1:-1]
            text = text.replace(attachment.base64, place)
    return text


def write_unsent(context: RunContext, pending: Pending, reply: Reply, record: dict[str, Any] | None) -> None:
    """Write down that a call was not sent, and why; once, however often the run is taken up again."""
    if record is not None and (record["final"] or record["error_message"] == reply.error_message):
        return
    _write(context, line_of(_unanswered(context, pending, reply, context.next_id(is_sent=False)), None))


def _unanswered(context: RunContext, pending: Pending, reply: Reply, identity: str) -> Attempt:
    return Attempt(
        **_identity(context, pending, reply, identity),
        ended_at=stamp(),
        usage=reply.usage,
        error_message=reply.error_message,
    )


def write_copy(context: RunContext, pending: Pending, record: dict[str, Any]) -> None:
    """Take over a record from another run's log or from the cache: as this run's call, cached, charged nothing."""
    _write(context, copied_line(record, context.run_id, pending.call, pending.sample, pending.model))


def stamp(moment: float | None = None) -> str:
    """A moment (seconds since 1970), by default now: ISO 8601 in UTC, with milliseconds."""
    now = time.time() if moment is None else moment
    return f"{_second(int(now // 1))}.{int(now % 1 * 1000):03d}Z"


@lru_cache(maxsize=4)
def _second(whole: int) -> str:
    """A second as it is written: many attempts begin and end in it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))


def is_simulated(model: ModelSpec, verdict: Completion | ApiError) -> bool:
    """Return whether no real model answered: the wire or the reply itself says so."""
    return WIRES[model.wire].simulated or (isinstance(verdict.body, dict) and verdict.body.get("simulated") is True)


def _identity(context: RunContext, pending: Pending, reply: Reply, identity: str) -> dict[str, Any]:
    """Identify the attempt and its call, and how it ended; one that was not sent is simulated where its wire is."""
    call, model = pending.call, pending.model
    return {
        "attempt_id": identity,
        "call_key": pending.key,
        "status": reply.status,
        "error_kind": reply.error_kind,
        "final": reply.final,
        "attempt": pending.attempt,
        **place_of_call(context.run_id, call, pending.sample, model),
        "simulated": reply.simulated or WIRES[model.wire].simulated,
    }


def _raw(answered: HttpReply | None) -> str | None:
    """A body that could not be read as JSON, kept as it came."""
    return base64.b64encode(answered.body).decode("ascii") if answered and answered.body else None


def _keep(context: RunContext, key: str, model: ModelSpec, line: bytes) -> None:
    """Put a good reply into the cache, if there is one. A cache that cannot be written costs the run nothing."""
    if context.cache is None or not context.keeps:
        return
    try:
        context.cache.put(key, line, context.sender.place(model))
    except StorageError as error:
        context.keeps = False
        context.breaker.warn(f"replies are no longer kept for other runs: {error}")


def _write(context: RunContext, line: str) -> bytes | None:
    """Append a record; what was written, None where it was lost.

    On a full disk the reserve is used, so that what was answered is kept (then empty: it goes nowhere else), and nothing
    new starts.
    """
    try:
        return context.folder.append(LOG, line)
    except StorageError as error:
        context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
    try:
        context.folder.append_last(LOG, line)
    except StorageError as error:
        context.folder.narrate(f"a record was lost: {error}")
        return None
    return b""
