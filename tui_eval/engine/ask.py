"""One call: what the log or the cache has, room, budget, attempts, what came back, and the wait before the next attempt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tui_eval.configuring.taken_answers import not_taken
from tui_eval.core.calls import (
    NOTHING_PAID,
    ApiError,
    Call,
    Completion,
    Json,
    ModelSpec,
    Repair,
    Reply,
    Request,
    Usage,
    unasked,
)
from tui_eval.core.errors import ConfigError, StorageError
from tui_eval.core.key import call_key
from tui_eval.core.money import tokens_used
from tui_eval.core.samples import Sample
from tui_eval.engine.backoff import pause_s, refusal_pause_s
from tui_eval.engine.calling import PREFLIGHT, AttemptEnd, Pending, RunContext
from tui_eval.engine.circuit_breaker import CircuitBreaker
from tui_eval.engine.http.send import Lost
from tui_eval.engine.logbook import is_simulated, stamp, write_attempt, write_copy, write_intent, write_unsent
from tui_eval.engine.turns import CallSlot, kept_back, turn_of, unsent
from tui_eval.engine.verdict import charged, priced, verdict_of, wait_asked_s
from tui_eval.providers import WIRES
from tui_eval.providers.wire import Wire
from tui_eval.runs.log_counts import tallied_as
from tui_eval.runs.record import reply_of

MOST_CHARACTERS_PER_TOKEN = 6
"""No usual text has more; a server that counts fewer tokens has hardly read all of it."""
MOST_REFUSALS = 30
"""So often a call is refused with 429 by an endpoint that accepts others, before that uses up its retries."""


async def ask(context: RunContext, call: Call, sample: Sample, model: ModelSpec) -> Reply:
    """Bring a call to its end: from the log if it is settled there, else from the cache, else by asking as often as may be."""
    pending = Pending(call, sample, model, call_key(call, model))
    try:
        if context.fetch is not None:
            await context.fetch(pending.key, model, sample)
        return await _brought_to_end(context, pending)
    finally:
        pending.end(context.budget)


async def _brought_to_end(context: RunContext, pending: Pending) -> Reply:
    record = context.recorded.record(pending.key) if context.recorded else None
    on_file = known_reply(context, pending, record, context.reopen_failed)
    if on_file is not None:
        context.progress.call_ended(on_file.reply, replayed=True, cached=on_file.cached, free=on_file.free)
        return on_file.reply
    allow_more_tokens(context, pending, record)
    reply = unasked(pending.call) or not_carried(pending.call, pending.model)
    if reply is None and pending.call.stage in context.taken:
        reply = not_taken(pending.call)
    if reply is None and context.offline:
        reply = unsent(pending.call, "offline: this call is not in the log")
    if reply is None:
        reply = await _asked_or_broken(context, pending)
    if reply.attempts == 0:
        write_unsent(context, pending, reply, record)
    elif reply.final and pending.call.stage != PREFLIGHT:
        context.breaker.ended(pending.model, reply)
    context.progress.call_ended(reply, replayed=False, lost=pending.lost, reopened=ended_as(record))
    return reply


def ended_as(record: Mapping[str, Any] | None) -> str | None:
    """Return how a call ended that is asked again, by its record (a field of Tally); None where it had not ended."""
    return None if record is None or not record["final"] else tallied_as(record["status"], record["error_kind"])


def not_carried(call: Call, model: ModelSpec) -> Reply | None:
    """Return the end of a call whose attachments its interface has no place for; None where there are none such."""
    accepts = WIRES[model.wire].accepts
    for message in call.messages:
        for attachment in message.attachments:
            if attachment.mime not in accepts:
                message_text = f"provider {model.wire!r} takes no {attachment.mime} ({attachment.path})"
                return Reply(call, "error", error_kind="permanent", error_message=message_text)
    return None


@dataclass(frozen=True, slots=True)
class KnownReply:
    """A reply that need not be asked for."""

    reply: Reply
    cached: bool = False
    """Whether the cache had it, and not the log."""
    free: bool = False
    """Whether this run was charged nothing for it: it came from the cache, now or in an earlier life, or from another run."""


def known_reply(context: RunContext, pending: Pending, record: dict[str, Any] | None, reopen_failed: bool) -> KnownReply | None:
    """The reply that the log (its record of the call, if any) or the cache has; None where the call is still to be asked.

    What its kind cannot read is not taken from the cache. `reopen_failed`: that is asked again, too, and what failed or timed
    out for good, where it can help.
    """
    call = pending.call
    pending.begun = record is not None and (record["cached"] or record["started_at"] is not None or record["attempt"] > 0)
    pending.extra = pending.begun or call.beyond_plan
    if unasked(call) is not None:
        return None
    if record is not None:
        reply = reply_of(record, call) if context.recorded is None else context.recorded.reply_of(record, call)
        if record["simulated"]:
            context.progress.made_up(pending.model.name)
        stays = not reopen_failed or call.stage in context.taken
        if record["final"] and (stays or not reply.can_end_otherwise):
            if context.copies:
                write_copy(context, pending, record)
            return KnownReply(reply, free=record["cached"] or context.copies)
        pending.attempt = record["attempt"] + (record["started_at"] is not None)
        pending.retried = reply.paid
    if context.cache is not None and (cached_record := context.cache.get(pending.key, context.sender.place(pending.model))):
        reply = replace(reply_of(cached_record, call), cached=True, retried=pending.retried)
        if not reply.unread:
            write_copy(context, pending, cached_record)
            return KnownReply(reply, cached=True, free=True)
    return None


def allow_more_tokens(context: RunContext, pending: Pending, record: Mapping[str, Any] | None) -> None:
    """Raise the token limit of a call that is asked again (`record`: its last attempt) or follows a planned one, where a person
    has raised it for such; its key stays that of the call that was planned.
    """
    least, limit = pending.call.max_output_tokens, context.run.max_output_tokens_again
    asked_again = record is not None or pending.call.beyond_plan
    if asked_again and least is not None and limit is not None and least < limit:
        pending.call = replace(pending.call, max_output_tokens=limit)


async def _asked_or_broken(context: RunContext, pending: Pending) -> Reply:
    """The call's end; a bug of ours on the way ends this call, on record, and no other."""
    try:
        return await _ask_until_settled(context, pending)
    except Exception as error:
        context.folder.narrate_exception(
            f"{pending.sample.id}: {pending.call.stage} {pending.model.name}: a bug of ours", error
        )
        message = f"{type(error).__name__}: {error}; the traceback is in run.log"
        return Reply(pending.call, "error", error_kind="internal", error_message=message)


async def _ask_until_settled(context: RunContext, pending: Pending) -> Reply:
    """Attempt after attempt, until one settles the call or nothing more may be sent."""
    acquainted = await context.first_attempts.turn(pending.model.name, context.breaker.stopping)
    through = await context.prefixes.turn(pending.call, pending.model, context.breaker.stopping)
    return await _attempts(context, pending, (acquainted,) if through is None else (acquainted, through))


async def _attempts(context: RunContext, pending: Pending, waited_for: Sequence[asyncio.Event]) -> Reply:
    """The attempts themselves. `waited_for`: set when the first of them is through, whatever it came to."""
    try:
        while True:
            outcome = await _attempt(context, pending)
            if isinstance(outcome, Reply):
                return outcome
            if outcome > 0:
                _set_all(waited_for)
                await _sleep(context.breaker, outcome)
    finally:
        _set_all(waited_for)


def _set_all(events: Sequence[asyncio.Event]) -> None:
    for event in events:
        event.set()


async def _attempt(context: RunContext, pending: Pending) -> Reply | float:
    """One attempt; the reply that ends the call, or the seconds to wait before the next attempt."""
    queued = time.monotonic()
    turn = await turn_of(context, pending)
    if isinstance(turn, Reply):
        return turn
    try:
        return await _sent(context, pending, turn, queued)
    finally:
        turn.give_back()


async def _sent(context: RunContext, pending: Pending, turn: CallSlot, queued: float) -> Reply | float:
    """An attempt that has room and budget: written down, sent, read, settled, written down."""
    call, model, request, worst = pending.call, pending.model, turn.request, turn.worst
    assert request is not None
    identity = context.next_id()
    try:
        write_intent(context, pending, identity, worst)
    except StorageError as error:
        context.budget.settle(worst, 0)
        context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)
        return unsent(call, str(error))
    queue_ms = round((time.monotonic() - queued) * 1000)
    started_at = stamp()
    ended = await _exchange(context, call, model, request, identity)
    verdict = verdict_of(call, ended, model)
    _adapt(turn, ended, verdict)
    wait = _wait_before_next(context, pending, turn, ended, verdict)
    usage, source = priced(verdict.usage, model)
    charge = charged(ended, usage, worst)
    context.budget.settle(worst, charge or 0)
    await money_settled(context)
    reply = _reply(context, pending, ended, verdict, usage, final=wait is None and not ended.cancelled)
    cost = (source, charge)
    pending.lost |= not write_attempt(context, pending, reply, identity, request, started_at, queue_ms, ended, verdict, cost)
    if isinstance(verdict, ApiError):
        context.breaker.learn(model, verdict)
    elif WIRES[model.wire].cuts_prompts:
        _warn_of_cut(context, call, model, usage)
    pending.attempt += 1
    if wait is None:
        return reply if pending.retried == NOTHING_PAID else replace(reply, retried=pending.retried)
    pending.retried = pending.retried.plus(reply.paid)
    if _may_retry(context, pending):
        return wait
    if call.stage != PREFLIGHT:
        context.breaker.ended(model, reply)
    return kept_back(context, pending, f"not retried after: {reply.error_message}")


async def _exchange(context: RunContext, call: Call, model: ModelSpec, request: Request, identity: str) -> AttemptEnd:
    """Send and read within one absolute deadline, from name lookup to last byte."""
    ended = AttemptEnd(None, began=asyncio.get_running_loop().time())
    context.progress.in_flight += 1
    context.progress.in_flight_extra += call.beyond_plan
    try:
        async with asyncio.timeout(None) as deadline:
            context.breaker.deadlines.enter(deadline, ended.began + call.timeout_s)
            try:
                wire = WIRES[model.wire]
                hear = _listener(context, wire, identity) if model.stream else None
                got = await context.sender.send(request, model, identity, wire.shows if model.stream else None, hear)
            finally:
                context.breaker.deadlines.leave(deadline)
        if isinstance(got, Lost):
            ended.sent = got.sent
            ended.answered = got.answered
            ended.said = ApiError(got.kind, got.message, retry=got.retry, cause=got.cause)
        else:
            ended.answered = got
            decoded = WIRES[model.wire].decode(got.status, got.headers, got.body)
            ended.said = without_keys(decoded, context.folder.redact) if isinstance(decoded, Completion) else decoded
    except TimeoutError:
        ended.cancelled = context.breaker.broken_off
        ended.timed_out = not ended.cancelled
    except Exception as error:
        context.folder.narrate_exception(f"{identity}: a bug of ours", error)
        ended.said = ApiError("internal", f"{type(error).__name__}: {error}; the traceback is in run.log")
    finally:
        context.progress.in_flight -= 1
        context.progress.in_flight_extra -= call.beyond_plan
    ended.latency_ms = round((asyncio.get_running_loop().time() - ended.began) * 1000)
    ended.ended_at = stamp()
    return ended


def _listener(context: RunContext, wire: Wire, identity: str) -> Callable[[Json], None] | None:
    """Return a function that tells the words of an attempt's events to whoever listens; None where nobody does."""
    on_words, words = context.on_words, wire.words
    return None if on_words is None or words is None else lambda event: on_words(identity, words(event))


def without_keys(completion: Completion, redact: Callable[[str], str]) -> Completion:
    """Return a completion without any key, which a stream may tell in pieces; before a message is made of it and cut short."""
    words = {name: getattr(completion, name) for name in ("text", "refusal", "refusal_words", "reasoning")}
    clean: dict[str, Any] = {name: None if text is None else redact(text) for name, text in words.items()}
    return completion if clean == words else replace(completion, **clean)


def _adapt(turn: CallSlot, ended: AttemptEnd, verdict: Completion | ApiError) -> None:
    """Let the endpoint's limit and the model's rate learn from what came back."""
    answered = ended.answered
    if isinstance(verdict, ApiError) and verdict.kind == "rate_limit":
        turn.refuse(ended.began, wait_asked_s(answered) if verdict.retry else None)
    elif answered is not None and answered.status < 400:
        turn.accept(ended.began)
    else:
        turn.fail()
    nothing = not ended.sent or (answered is not None and answered.status >= 400)
    turn.settle(0 if nothing else tokens_used(verdict.usage))


def _wait_before_next(
    context: RunContext, pending: Pending, turn: CallSlot, ended: AttemptEnd, verdict: Completion | ApiError
) -> float | None:
    """Seconds until the next attempt of this call; None when this one ends it."""
    if isinstance(verdict, Completion) or ended.timed_out or ended.cancelled:
        return None
    if verdict.repair is not None and verdict.repair.parameter not in pending.repaired:
        pending.repaired.add(verdict.repair.parameter)
        remember(context, pending.model, verdict.repair)
        return 0.0
    if not verdict.retry or not context.run.retries:
        return None
    wait_s = wait_asked_s(ended.answered) or 0.0
    if verdict.kind == "rate_limit" and turn.limit.accepts(ended.began) and pending.refusals < MOST_REFUSALS:
        pending.refusals += 1
        return max(refusal_pause_s(pending.refusals), wait_s)
    if pending.tries >= context.run.retries or (verdict.kind == "empty" and pending.was_empty):
        return None
    pending.was_empty = verdict.kind == "empty"
    pending.tries += 1
    return max(pause_s(pending.tries, context.kind.defaults.backoff), wait_s)


def _may_retry(context: RunContext, pending: Pending) -> bool:
    """Return whether the budget has a call to spare, and hold it: what is planned and not asked yet comes first.

    So a model that fails uses up what is spare, and never the calls of another.
    """
    if not context.budget.may_retry():
        return False
    pending.promise_retry(context.budget)
    return True


def _warn_of_cut(context: RunContext, call: Call, model: ModelSpec, usage: Usage) -> None:
    """Say once that a server seems to have read less than was sent: it tells by its count of prompt tokens alone."""
    characters = sum(len(message.content) for message in call.messages)
    read = usage.prompt_tokens
    if read is not None and characters > MOST_CHARACTERS_PER_TOKEN * read and model.name not in context.warned:
        context.warned.add(model.name)
        context.breaker.warn(
            f"{model.name}: a prompt of {characters:,} characters was counted as {read:,} tokens: the server may have "
            "silently cut it to its context length (Ollama: num_ctx of the Modelfile)"
        )


def remember(context: RunContext, model: ModelSpec, repair: Repair) -> None:
    """Apply what was found out about a parameter to every later call of the model, and tell it once."""
    repairs = context.repairs.setdefault(model.name, {})
    if repairs.get(repair.parameter) != repair:
        repairs[repair.parameter] = repair
        context.breaker.narrate(f"{model.name}: {repaired(repair)}")
        try:
            context.on_learned(model, repair)
        except ConfigError as error:
            context.breaker.warn(f"{model.name}: what was learned is not kept for other runs: {error}")


def repaired(repair: Repair) -> str:
    """Say what was found out about a parameter and is done about it, as a sentence."""
    if repair.lower_to is not None:
        return f"the server takes {repair.parameter} up to {repair.lower_to}; from now on it is sent no higher"
    change = f"sent as {repair.rename_to}" if repair.rename_to else "left out"
    return f"the server refuses {repair.parameter}; from now on it is {change}"


def _reply(
    context: RunContext, pending: Pending, ended: AttemptEnd, verdict: Completion | ApiError, usage: Usage, final: bool
) -> Reply:
    """Build the reply to the flow. A text that repeats a key is told as the log has it: later calls build on the same words."""
    redact = context.folder.redact
    fault = verdict if isinstance(verdict, ApiError) else None
    return Reply(
        pending.call,
        "ok" if fault is None else "timeout" if ended.timed_out else "error",
        text=verdict.text or "" if isinstance(verdict, Completion) else None,
        error_kind=None if fault is None or ended.timed_out else fault.kind,
        error_message=None if fault is None else redact(fault.message),
        refusal_words=None if fault is None else fault.refusal_words,
        finish_reason=verdict.finish_reason,
        usage=usage,
        latency_ms=ended.latency_ms,
        ttft_ms=ended.answered.ttft_ms if ended.answered else None,
        attempts=pending.attempt + 1,
        final=final,
        ended_at=ended.ended_at,
        http_status=None if ended.answered is None else ended.answered.status,
        simulated=is_simulated(pending.model, verdict),
    )


async def money_settled(context: RunContext) -> None:
    """Tell those who wait for money, and stop the run if a server charged more than the worst case allowed for."""
    if context.budget.cap is not None:
        if context.budget.overdrawn:
            context.breaker.stop("a server charged more than the worst case: the USD cap is exceeded", aborted=True)
        async with context.settled:
            context.settled.notify_all()


async def _sleep(breaker: CircuitBreaker, seconds: float) -> None:
    """Wait, but no longer than until the run is stopped."""
    try:
        async with asyncio.timeout(seconds):
            await breaker.stopping.wait()
    except TimeoutError:
        return
