"""One call: what the log or the cache has, room, budget, attempts, what came back, and the wait before the next attempt."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tui_eval.core.calls import ApiError, Call, Completion, ModelSpec, Repair, Reply, Request, Usage, unasked
from tui_eval.core.errors import ConfigError, StorageError
from tui_eval.core.key import call_key
from tui_eval.core.money import Verdict, may_use, worst_case
from tui_eval.core.samples import Sample
from tui_eval.engine.backoff import pause_s
from tui_eval.engine.calling import PREFLIGHT, Ended, Pending, RunContext
from tui_eval.engine.circuit_breaker import CircuitBreaker
from tui_eval.engine.limiter import EndpointLimit
from tui_eval.engine.logbook import stamp, write_attempt, write_copy, write_intent, write_unsent
from tui_eval.engine.send import Lost
from tui_eval.engine.verdict import charged, priced, verdict_of, wait_asked_s
from tui_eval.providers import WIRES
from tui_eval.runs.record import reply_of

WORTH_SAYING_S = 2.0
"""Waits for a rate that are said."""
MOST_CHARACTERS_PER_TOKEN = 6
"""No usual text has more; a server that counts fewer tokens has hardly read all of it."""
LONGEST_NAP_S = 0.5
"""How soon a call that waits for its turn notices that its model gets no more calls."""
REOPENED = frozenset({"error", "timeout"})
"""Statuses that --failed asks again."""


async def ask(context: RunContext, call: Call, sample: Sample, model: ModelSpec) -> Reply:
    """Bring a call to its end: from the log if it is settled there, else from the cache, else by asking as often as may be."""
    pending = Pending(call, sample, model, call_key(call, model))
    try:
        return await _brought_to_end(context, pending)
    finally:
        pending.end(context.budget)


async def _brought_to_end(context: RunContext, pending: Pending) -> Reply:
    record = context.recorded.record(pending.key) if context.recorded else None
    known = known_reply(context, pending, record, context.reopen_failed)
    if known is not None:
        context.progress.call_ended(known.reply, replayed=True, cached=known.cached)
        return known.reply
    reply = unasked(pending.call) or not_carried(pending.call, pending.model)
    if reply is None and context.offline:
        reply = unsent(pending.call, "offline: this call is not in the log")
    if reply is None:
        reply = await _asked_or_broken(context, pending)
    if reply.attempts == 0:
        write_unsent(context, pending, reply, record)
    elif reply.final and pending.call.stage != PREFLIGHT:
        context.breaker.ended(pending.model, reply)
    context.progress.call_ended(reply, replayed=False)
    return reply


def not_carried(call: Call, model: ModelSpec) -> Reply | None:
    """How a call ends whose attachments its interface has no place for; None where there are none such."""
    accepts = WIRES[model.wire].accepts
    for message in call.messages:
        for attachment in message.attachments:
            if attachment.mime not in accepts:
                message_text = f"provider {model.wire!r} takes no {attachment.mime} ({attachment.path})"
                return Reply(call, "error", error_kind="permanent", error_message=message_text)
    return None


@dataclass(frozen=True, slots=True)
class Known:
    """A reply that need not be asked for."""

    reply: Reply
    cached: bool = False
    """Whether the cache had it, and not the log."""


def known_reply(context: RunContext, pending: Pending, record: dict[str, Any] | None, reopen_failed: bool) -> Known | None:
    """The reply that the log (its record of the call, if any) or the cache has; None where the call is still to be asked.

    `reopen_failed`: what failed or timed out for good is asked again.
    """
    call = pending.call
    pending.begun = record is not None and (record["cached"] or record["started_at"] is not None or record["attempt"] > 0)
    pending.extra = pending.begun or call.beyond_plan
    if unasked(call) is not None:
        return None
    if record is not None:
        known = reply_of(record, call)
        if record["simulated"]:
            context.progress.made_up(pending.model.name)
        if record["final"] and not (reopen_failed and known.status in REOPENED):
            if context.copies:
                write_copy(context, pending, record)
            return Known(known)
        pending.attempt = record["attempt"] + (record["started_at"] is not None)
    if context.cache is not None and (kept := context.cache.get(pending.key, context.sender.place(pending.model))):
        known = reply_of(kept, call)
        write_copy(context, pending, kept)
        return Known(known, cached=True)
    return None


async def _asked_or_broken(context: RunContext, pending: Pending) -> Reply:
    """The call's end; a bug of ours on the way ends this call, on record, and no other."""
    try:
        return await _asked(context, pending)
    except Exception as error:
        context.folder.narrate_exception(
            f"{pending.sample.id}: {pending.call.stage} {pending.model.name}: a bug of ours", error
        )
        message = f"{type(error).__name__}: {error}; the traceback is in run.log"
        return Reply(pending.call, "error", error_kind="internal", error_message=message)


async def _asked(context: RunContext, pending: Pending) -> Reply:
    """Attempt after attempt, until one settles the call or nothing more may be sent."""
    known = context.acquainted.get(pending.model.name)
    if known is None:
        known = context.acquainted[pending.model.name] = asyncio.Event()
    elif not known.is_set():
        await _either(known, context.breaker.stopping)
    try:
        while True:
            outcome = await _attempt(context, pending)
            if isinstance(outcome, Reply):
                return outcome
            if outcome > 0:
                known.set()
                await _sleep(context.breaker, outcome)
    finally:
        known.set()


async def _attempt(context: RunContext, pending: Pending) -> Reply | float:
    """One attempt; the reply that ends the call, or the seconds to wait before the next attempt."""
    model = pending.model
    limit = context.limiter.endpoint(model)
    worst = worst_case(pending.call, model.price)
    queued = time.monotonic()
    tokens = may_use(pending.call)
    if not _is_hopeless(context, model, worst):
        await _until(context, model, worst, limit.pace.turn(queued, tokens))
    while True:
        await context.breaker.open.wait()
        if reason := context.breaker.why_not(model):
            return unsent(pending.call, reason)
        await limit.acquire()
        try:
            await context.limiter.slots.acquire(model.name)
            try:
                if reason := context.breaker.why_not(model):
                    return unsent(pending.call, reason)
                if context.breaker.paused or limit.closed:
                    continue
                if pending.extra and not context.budget.may_retry():
                    return kept_back(context, pending)
                request = encoded(context, pending)
                if isinstance(request, Reply):
                    return request
                now = time.monotonic()
                verdict, start = context.budget.verdict(worst), now
                if verdict == "go":
                    start = limit.pace.begin(now, tokens)
                    verdict = "wait" if start > now else context.budget.reserve(worst)
                if verdict == "go":
                    pending.begin(context.budget)
                    return await _sent(context, pending, request, limit, worst, queued)
            finally:
                context.limiter.slots.release(model.name)
        finally:
            limit.release()
        if verdict != "wait":
            return skipped(context, pending.call, verdict)
        if start > now:
            await _until(context, model, worst, start)
        else:
            await _wait_for_money(context, worst)


def encoded(context: RunContext, pending: Pending) -> Request | Reply:
    """The request of a call; the reply that ends it where its wire cannot make one, which costs no other call."""
    try:
        return WIRES[pending.model.wire].encode(pending.call, pending.model, context.repairs.get(pending.model.name, {}))
    except Exception as error:
        context.folder.narrate_exception(f"{pending.call.item_id}: a bug of the wire {pending.model.wire}", error)
        return unsent(pending.call, f"its provider's format cannot say it: {type(error).__name__}: {error}")


async def _sent(
    context: RunContext, pending: Pending, request: Request, limit: EndpointLimit, worst: int | None, queued: float
) -> Reply | float:
    """An attempt that has room and budget: written down, sent, read, settled, written down."""
    call, model = pending.call, pending.model
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
    _adapt(limit, ended, verdict)
    wait = _wait_before_next(context, pending, ended, verdict)
    usage, source = priced(verdict.usage, model)
    charge = charged(ended, usage, worst)
    context.budget.settle(worst, charge or 0)
    await money_settled(context)
    reply = _reply(context, pending, ended, verdict, usage, final=wait is None and not ended.cancelled)
    write_attempt(context, pending, reply, identity, request, started_at, queue_ms, ended, verdict, (source, charge))
    if isinstance(verdict, ApiError):
        context.breaker.learn(model, verdict)
    elif WIRES[model.wire].cuts_prompts:
        _warn_of_cut(context, call, model, usage)
    pending.attempt += 1
    if wait is None:
        return reply
    if _may_retry(context, pending):
        return wait
    if call.stage != PREFLIGHT:
        context.breaker.ended(model, reply)
    return kept_back(context, pending, f"not retried after: {reply.error_message}")


async def _exchange(context: RunContext, call: Call, model: ModelSpec, request: Request, identity: str) -> Ended:
    """Send and read within one absolute deadline, from name lookup to last byte."""
    ended = Ended(None, began=asyncio.get_running_loop().time())
    context.progress.in_flight += 1
    try:
        async with asyncio.timeout(call.timeout_s) as deadline:
            context.breaker.enter(deadline)
            try:
                got = await context.sender.send(request, model, identity, WIRES[model.wire].shows if model.stream else None)
            finally:
                context.breaker.leave(deadline)
        if isinstance(got, Lost):
            ended.sent = got.sent
            ended.answered = got.answered
            ended.said = ApiError(got.kind, got.message, retry=got.retry, cause=got.cause)
        else:
            ended.answered = got
            said = WIRES[model.wire].decode(got.status, got.headers, got.body)
            ended.said = without_keys(said, context.folder.redact) if isinstance(said, Completion) else said
    except TimeoutError:
        ended.cancelled = context.breaker.broken_off
        ended.timed_out = not ended.cancelled
    except Exception as error:
        context.folder.narrate_exception(f"{identity}: a bug of ours", error)
        ended.said = ApiError("internal", f"{type(error).__name__}: {error}; the traceback is in run.log")
    finally:
        context.progress.in_flight -= 1
    ended.latency_ms = round((asyncio.get_running_loop().time() - ended.began) * 1000)
    ended.ended_at = stamp()
    return ended


def without_keys(said: Completion, redact: Callable[[str], str]) -> Completion:
    """What was said without any key, which a stream may tell in pieces; before a message is made of it and cut short."""
    text, refusal, reasoning = (None if words is None else redact(words) for words in (said.text, said.refusal, said.reasoning))
    return replace(said, text=text, refusal=refusal, reasoning=reasoning)


def _adapt(limit: EndpointLimit, ended: Ended, verdict: Completion | ApiError) -> None:
    """Let the endpoint's limit learn from what came back."""
    if isinstance(verdict, Completion):
        limit.succeed()
    elif verdict.kind == "rate_limit":
        limit.slow_down(ended.began, wait_asked_s(ended.answered) if verdict.retry else None)
    elif verdict.kind == "transient" and ended.answered:
        limit.hesitate()


def _wait_before_next(context: RunContext, pending: Pending, ended: Ended, verdict: Completion | ApiError) -> float | None:
    """Seconds until the next attempt of this call; None when this one ends it."""
    if isinstance(verdict, Completion) or ended.timed_out or ended.cancelled:
        return None
    if verdict.repair is not None and verdict.repair.parameter not in pending.repaired:
        pending.repaired.add(verdict.repair.parameter)
        remember(context, pending.model, verdict.repair)
        return 0.0
    if not verdict.retry or pending.tries >= context.run.retries or (verdict.kind == "empty" and pending.was_empty):
        return None
    pending.was_empty = verdict.kind == "empty"
    pending.tries += 1
    pause = pause_s(pending.tries, context.kind.defaults.backoff)
    return max(pause, wait_asked_s(ended.answered) or 0.0)


def _may_retry(context: RunContext, pending: Pending) -> bool:
    """Whether the budget has a call to spare, and hold it: what is planned and not asked yet comes first.

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
        context.breaker.narrate(
            f"{model.name}: a prompt of {characters:,} characters was counted as {read:,} tokens: the server may have cut it "
            "to its context length (Ollama: num_ctx of the Modelfile) without saying so"
        )


def remember(context: RunContext, model: ModelSpec, repair: Repair) -> None:
    """Apply what was found out about a parameter to every later call of the model, and tell it once."""
    known = context.repairs.setdefault(model.name, {})
    if known.get(repair.parameter) != repair:
        known[repair.parameter] = repair
        context.breaker.narrate(f"{model.name}: {repaired(repair)}")
        try:
            context.on_learned(model, repair)
        except ConfigError as error:
            context.breaker.narrate(f"{model.name}: what was learnt is not kept for other runs: {error}")


def repaired(repair: Repair) -> str:
    """What was found out about a parameter and is done about it, as a sentence."""
    if repair.lower_to is not None:
        return f"the server takes {repair.parameter} up to {repair.lower_to}; from now on it is sent no higher"
    what = f"sent as {repair.rename_to}" if repair.rename_to else "left out"
    return f"the server refuses {repair.parameter}; from now on it is {what}"


def _reply(
    context: RunContext, pending: Pending, ended: Ended, verdict: Completion | ApiError, usage: Usage, final: bool
) -> Reply:
    """What the flow is told. A text that repeats a key is told as the log has it: later calls build on the same words."""
    redact = context.folder.redact
    fault = verdict if isinstance(verdict, ApiError) else None
    return Reply(
        pending.call,
        "ok" if fault is None else "timeout" if ended.timed_out else "error",
        text=verdict.text or "" if isinstance(verdict, Completion) else None,
        error_kind=None if fault is None or ended.timed_out else fault.kind,
        error_message=None if fault is None else redact(fault.message),
        finish_reason=verdict.finish_reason,
        usage=usage,
        latency_ms=ended.latency_ms,
        attempts=pending.attempt + 1,
        final=final,
    )


def unsent(call: Call, message: str) -> Reply:
    """How a call ends that is not sent now, and may be later."""
    return Reply(call, "error", error_kind="not_sent", error_message=message, final=False)


def skipped(context: RunContext, call: Call, verdict: Verdict) -> Reply:
    """How a call ends for which the budget has nothing left."""
    key, cap = "max_calls", str(context.budget.max_calls)
    if verdict == "cost spent":
        key, cap = "max_cost_usd", f"{context.run.max_cost_usd}"
    message = f"budget reached ({key} = {cap}); raise it with tui-eval resume RUN --set run.{key}=..."
    return Reply(call, "skipped_budget", error_message=message, final=False)


def kept_back(context: RunContext, pending: Pending, why: str = "") -> Reply:
    """How a call ends that is not asked (again), since planned ones have not been asked once."""
    most, call = context.budget.max_calls, pending.call
    why = why or ("beyond the plan" if call.beyond_plan and not pending.begun else "asked in vain before")
    message = (
        f"{why}; what is left of the budget (max_calls = {most}) is needed for calls not asked yet; raise it with "
        "tui-eval resume RUN --set run.max_calls=..."
    )
    return Reply(call, "skipped_budget", error_message=message, final=False)


async def _wait_for_money(context: RunContext, worst: int | None) -> None:
    """Wait, without holding a place, until something that is held has been settled, or nothing may be sent any more."""
    async with context.settled:
        while context.budget.must_wait(worst) and not context.breaker.stopped:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_NAP_S):
                    await context.settled.wait()
                    return


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


async def _until(context: RunContext, model: ModelSpec, worst: int | None, moment: float) -> None:
    """Wait for a moment of the monotonic clock, but not where nothing may be sent any more; said once for a model."""
    if moment - time.monotonic() > WORTH_SAYING_S and f"{model.name} rate" not in context.warned:
        context.warned.add(f"{model.name} rate")
        rates = {"requests": model.requests_per_minute, "tokens": model.tokens_per_minute}
        told = " and ".join(f"{n:,} {what} a minute" for what, n in rates.items() if n is not None)
        context.breaker.narrate(f"{model.name}: waits for its limit of {told}")
    while (left := moment - time.monotonic()) > 0 and not _is_hopeless(context, model, worst):
        await _sleep(context.breaker, min(left, LONGEST_NAP_S))


def _is_hopeless(context: RunContext, model: ModelSpec, worst: int | None) -> bool:
    """Whether the run or the model was stopped, or the budget is spent."""
    return bool(context.breaker.why_not(model)) or context.budget.verdict(worst) in ("calls spent", "cost spent")


async def _either(first: asyncio.Event, second: asyncio.Event) -> None:
    """Wait until one of two events is set."""
    waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(event.wait()) for event in (first, second)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
