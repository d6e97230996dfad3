"""One call: what the log has, room, budget, attempts, what came back, and the wait before the next attempt."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from dataclasses import dataclass, field, replace

from tui_eval.config import RunSettings
from tui_eval.engine.patience import LONGEST_WAIT_S, pause_s, retry_after_s
from tui_eval.engine.progress import Progress
from tui_eval.engine.room import EndpointLimit, Room
from tui_eval.engine.send import Answered, Lost, Sender
from tui_eval.engine.switch import Switch
from tui_eval.errors import StorageError
from tui_eval.money import MICRO, Budget, cost_usd, to_micro, worst_case
from tui_eval.plaintext import one_line
from tui_eval.providers import WIRES
from tui_eval.store.folder import INTENTS, LOG, RunFolder
from tui_eval.store.ledger import attempt_id
from tui_eval.store.reader import Recorded
from tui_eval.store.record import line_of, reply_of
from tui_eval.types import (
    Attempt,
    Call,
    ErrorKind,
    Fault,
    Item,
    Kind,
    ModelSpec,
    Repair,
    Reply,
    Request,
    Said,
    Usage,
    call_key,
    unasked,
)

REOPENED = frozenset({"error", "timeout"})


@dataclass(slots=True)
class Asking:
    """Everything that calls share while a run goes on."""

    kind: Kind
    run: RunSettings
    run_id: str
    life: str
    folder: RunFolder
    budget: Budget
    room: Room
    sender: Sender
    switch: Switch
    progress: Progress
    recorded: Recorded | None = None
    reopen_failed: bool = False
    offline: bool = False
    repairs: dict[str, dict[str, Repair]] = field(default_factory=dict)
    """What was learnt per model about parameters its server refuses."""
    acquainted: dict[str, asyncio.Event] = field(default_factory=dict)
    """Set once a model's first call is through; until then its other calls wait."""
    settled: asyncio.Condition = field(default_factory=asyncio.Condition)
    numbers: int = 0

    def next_id(self) -> str:
        """A fresh attempt id."""
        self.numbers += 1
        return attempt_id(self.life, self.numbers)


@dataclass(slots=True)
class _Ended:
    """One attempt that has ended: what the server said or why it did not, and what it took."""

    said: Said | Fault | None
    answered: Answered | None = None
    began: float = 0.0
    timed_out: bool = False
    cancelled: bool = False
    sent: bool = True
    latency_ms: int | None = None


@dataclass(slots=True)
class _Pending:
    """A call on its way, with what all its attempts have in common."""

    call: Call
    item: Item
    model: ModelSpec
    key: str
    attempt: int = 0
    tries: int = 0
    repaired: bool = False


async def ask(asking: Asking, call: Call, item: Item, model: ModelSpec) -> Reply:
    """Bring a call to its end: from the log if it is settled there, else by asking as often as is allowed."""
    nothing_to_build_on = unasked(call)
    pending = _Pending(call, item, model, call_key(call, model))
    record = asking.recorded.record(pending.key) if asking.recorded else None
    if nothing_to_build_on is not None:
        _note(asking, pending, nothing_to_build_on, record)
        return _count(asking, nothing_to_build_on)
    if record is not None:
        reply = reply_of(record, call)
        if record["final"] and not (asking.reopen_failed and reply.status in REOPENED):
            return _count(asking, reply, replayed=True)
        pending.attempt = record["attempt"] + (record["started_at"] is not None)
    if asking.offline:
        missing = _unsent(call, "not_sent", "offline: this call is not in the log")
        _note(asking, pending, missing, record)
        return _count(asking, missing)
    reply = await _asked(asking, pending, record)
    if reply.final:
        asking.switch.ended(model, reply)
    return _count(asking, reply)


def _count(asking: Asking, reply: Reply, replayed: bool = False) -> Reply:
    asking.progress.call_ended(reply, replayed)
    return reply


async def _asked(asking: Asking, pending: _Pending, record: dict[str, object] | None) -> Reply:
    """Attempt after attempt, until one settles the call or nothing more may be sent."""
    first = asking.acquainted.get(pending.model.name)
    if first is None:
        first = asking.acquainted[pending.model.name] = asyncio.Event()
    elif not first.is_set():
        await _either(first, asking.switch.stopping)
    while True:
        outcome = await _attempt(asking, pending)
        if isinstance(outcome, Reply):
            first.set()
            if outcome.status == "skipped_budget" or outcome.error_kind == "not_sent":
                _note(asking, pending, outcome, record)
            return outcome
        if outcome > 0:
            first.set()
            await _sleep(asking.switch, outcome)


async def _attempt(asking: Asking, pending: _Pending) -> Reply | float:
    """One attempt; the reply that settles the call, or the seconds to wait before the next."""
    model = pending.model
    limit = asking.room.endpoint(f"{model.endpoint} {model.model}", model.max_in_flight)
    worst = worst_case(pending.call, model.price)
    queued = time.monotonic()
    while True:
        await asking.switch.open.wait()
        if reason := asking.switch.why_not(model):
            return _unsent(pending.call, "not_sent", reason)
        await limit.acquire()
        try:
            async with asking.room.all:
                reason = asking.switch.why_not(model)
                if reason:
                    return _unsent(pending.call, "not_sent", reason)
                if not asking.switch.paused:
                    verdict = asking.budget.reserve(worst)
                    if verdict == "go":
                        return await _sent(asking, pending, limit, worst, queued)
                    if verdict != "wait":
                        return _skipped(asking, pending.call, verdict)
        finally:
            limit.release()
        if not asking.switch.paused:
            await _wait_for_money(asking, worst)


async def _sent(asking: Asking, pending: _Pending, limit: EndpointLimit, worst: int | None, queued: float) -> Reply | float:
    """An attempt that has room and budget: written down, sent, read, settled, written down."""
    call, model = pending.call, pending.model
    identity = asking.next_id()
    request = WIRES[model.wire].encode(call, model, asking.repairs.get(model.name, {}))
    try:
        asking.folder.append(INTENTS, _intent_line(identity, pending, worst))
    except StorageError as error:
        asking.budget.settle(worst, 0)
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)
        return _unsent(call, "not_sent", str(error))
    queue_ms = round((time.monotonic() - queued) * 1000)
    started_at = _stamp()
    asking.progress.in_flight += 1
    try:
        ended = await _exchange(asking, call, model, request, identity)
    finally:
        asking.progress.in_flight -= 1
    verdict = _verdict(call, ended)
    _adapt(asking, limit, ended, verdict)
    wait = _wait_before_next(asking, pending, ended, verdict)
    usage, source = _priced(verdict.usage, model)
    charged = _charged(ended, usage, worst)
    asking.budget.settle(worst, charged or 0)
    await _tell_waiting(asking)
    reply = _reply(pending, ended, verdict, usage, final=wait is None and not ended.cancelled)
    attempt = _record(asking, pending, reply, identity, started_at, queue_ms, ended, verdict, source, charged)
    _write(asking, line_of(attempt, request.body.decode("ascii")))
    if isinstance(verdict, Fault):
        asking.switch.learn(model, verdict)
    pending.attempt += 1
    _watch_cap(asking)
    return reply if wait is None else wait


async def _exchange(asking: Asking, call: Call, model: ModelSpec, request: Request, identity: str) -> _Ended:
    """Send and read within one absolute deadline, from name lookup to last byte."""
    began = time.monotonic()
    ended = _Ended(None, began=asyncio.get_running_loop().time())
    try:
        async with asyncio.timeout(call.timeout_s) as deadline:
            asking.switch.enter(deadline)
            try:
                got = await asking.sender.send(request, model, identity)
            finally:
                asking.switch.leave(deadline)
        if isinstance(got, Lost):
            ended.sent = got.sent
            ended.said = Fault(got.kind, got.message, retry=got.retry)
        else:
            ended.answered = got
            ended.said = WIRES[model.wire].decode(got.status, got.headers, got.body)
    except TimeoutError:
        ended.cancelled = asking.switch.broken_off
        ended.timed_out = not ended.cancelled
    ended.latency_ms = round((time.monotonic() - began) * 1000)
    return ended


def _verdict(call: Call, ended: _Ended) -> Said | Fault:
    """What an ended attempt is: a text to build on, or a fault with its kind."""
    if ended.cancelled:
        return Fault("cancelled", "broken off while in flight; the server may have answered and billed it")
    if ended.timed_out:
        message = (
            f"no complete reply within {call.timeout_s:g} s, our own limit; if this model needs longer, raise timeout_s "
            "(of [run], or of this model's row)"
        )
        return Fault("transient", message)
    said = ended.said
    assert said is not None
    if isinstance(said, Fault):
        return _with_patience(said, ended.answered)
    if said.text is not None and said.text.strip() and said.refusal is None:
        return said
    kind: ErrorKind = "empty"
    message = f"a reply without text (finish reason {one_line(said.finish_reason or 'none', 40)})"
    if said.refusal is not None:
        kind, message = "refused", f"declined: {one_line(said.refusal)}"
    elif said.finish_reason == "length":
        kind = "truncated"
        message = "the token limit was used up before any visible text; raise max_output_tokens"
    return Fault(
        kind,
        message,
        retry=kind == "empty",
        usage=said.usage,
        served_model=said.served_model,
        finish_reason=said.finish_reason,
        body=said.body,
    )


def _with_patience(fault: Fault, answered: Answered | None) -> Fault:
    """The fault, made final where the server wants a longer wait than anyone would sit through."""
    asked = retry_after_s(answered.headers, time.time()) if answered and fault.retry else None
    if asked is None or asked <= LONGEST_WAIT_S:
        return fault
    message = f"{fault.message} (it asks to wait {asked:.0f} s; more than {LONGEST_WAIT_S:.0f} s is not waited for)"
    return replace(fault, retry=False, message=message)


def _adapt(asking: Asking, limit: EndpointLimit, ended: _Ended, verdict: Said | Fault) -> None:
    """Let the endpoint's limit learn from what came back."""
    if isinstance(verdict, Said):
        limit.succeed()
    elif verdict.kind == "rate_limit":
        wait = retry_after_s(ended.answered.headers, time.time()) if ended.answered else None
        limit.slow_down(ended.began, wait if wait is not None and wait <= LONGEST_WAIT_S else None)
    elif verdict.kind == "transient" and ended.answered:
        limit.hesitate()


def _wait_before_next(asking: Asking, pending: _Pending, ended: _Ended, verdict: Said | Fault) -> float | None:
    """Seconds until the next attempt of this call; None when this one settles it (or it was broken off)."""
    if isinstance(verdict, Said) or ended.timed_out or ended.cancelled:
        return None
    if verdict.repair is not None and not pending.repaired:
        pending.repaired = True
        _remember(asking, pending.model, verdict.repair)
        return 0.0
    if not verdict.retry or pending.tries >= asking.run.retries:
        return None
    pending.tries += 1
    asked = retry_after_s(ended.answered.headers, time.time()) if ended.answered else None
    defaults = asking.kind.defaults
    return max(pause_s(pending.tries, defaults.backoff_cap_s, linear=defaults.backoff_cap_s == 2.0), asked or 0.0, 1e-3)


def _remember(asking: Asking, model: ModelSpec, repair: Repair) -> None:
    known = asking.repairs.setdefault(model.name, {})
    if repair.parameter not in known:
        known[repair.parameter] = repair
        what = f"sent as {repair.rename_to}" if repair.rename_to else "left out"
        asking.folder.narrate(f"{model.name}: the server refuses {repair.parameter}; from now on it is {what}")
        asking.progress.why = f"{model.name}: {repair.parameter} is {what}"


def _priced(usage: Usage, model: ModelSpec) -> tuple[Usage, str]:
    """The usage with its cost: as reported, else from the model's price, else unknown."""
    if usage.cost_usd is not None:
        return usage, "reported"
    cost = cost_usd(usage, model.price)
    if cost is None:
        return usage, "unknown"
    tokens = {name: getattr(usage, name) for name in Usage.__dataclass_fields__}
    return Usage(**{**tokens, "cost_usd": round(cost, 9)}), "priced"


def _charged(ended: _Ended, usage: Usage, worst: int | None) -> int | None:
    """Micro-dollars charged: the cost; nothing where nothing was sent or an error came back; else the worst case."""
    if usage.total_usd is not None:
        return to_micro(usage.total_usd)
    if not ended.sent or (ended.answered is not None and ended.answered.status >= 400):
        return 0
    return worst


def _reply(pending: _Pending, ended: _Ended, verdict: Said | Fault, usage: Usage, final: bool) -> Reply:
    fault = verdict if isinstance(verdict, Fault) else None
    return Reply(
        pending.call,
        "ok" if fault is None else "timeout" if ended.timed_out else "error",
        text=verdict.text if isinstance(verdict, Said) else None,
        error_kind=None if fault is None or ended.timed_out else fault.kind,
        error_message=None if fault is None else fault.message,
        finish_reason=verdict.finish_reason,
        usage=usage,
        latency_ms=ended.latency_ms,
        attempts=pending.attempt + 1,
        final=final,
    )


def _record(
    asking: Asking,
    pending: _Pending,
    reply: Reply,
    identity: str,
    started_at: str | None,
    queue_ms: int | None,
    ended: _Ended | None,
    verdict: Said | Fault | None,
    source: str | None,
    charged: int | None,
) -> Attempt:
    call, item, model = pending.call, pending.item, pending.model
    answered = ended.answered if ended else None
    body = verdict.body if verdict else None
    return Attempt(
        attempt_id=identity,
        call_key=pending.key,
        status=reply.status,
        error_kind=reply.error_kind,
        final=reply.final,
        attempt=pending.attempt,
        run_id=asking.run_id,
        stage=call.stage,
        item_id=item.id,
        repeat=item.repeat,
        doc_id=item.doc_id,
        q_index=item.q_index,
        model=model.name,
        model_id=model.model,
        call_index=call.call_index,
        about=call.about,
        started_at=started_at,
        ended_at=_stamp(),
        latency_ms=reply.latency_ms,
        queue_ms=queue_ms,
        ttft_ms=None,
        http_status=answered.status if answered else None,
        finish_reason=reply.finish_reason,
        served_model=verdict.served_model if verdict else None,
        usage=reply.usage,
        cost_source=source,  # type: ignore[arg-type]
        charged_usd=None if charged is None else charged / MICRO,
        cached=False,
        simulated=WIRES[model.wire].simulated,
        error_message=reply.error_message,
        response_text=reply.text,
        response_json=body,
        response_body_b64=_raw(answered) if body is None else None,
    )


def _raw(answered: Answered | None) -> str | None:
    """A body that could not be read as JSON, kept as it came."""
    return base64.b64encode(answered.body).decode("ascii") if answered and answered.body else None


def _note(asking: Asking, pending: _Pending, reply: Reply, record: dict[str, object] | None) -> None:
    """Write down that a call was not sent, and why; once, however often the run is taken up again."""
    if record is not None and (record["status"], record["error_message"]) == (reply.status, reply.error_message):
        return
    if record is not None and record["final"]:
        return
    attempt = _record(asking, pending, reply, asking.next_id(), None, None, None, None, None, None)
    _write(asking, line_of(attempt, None))


def _write(asking: Asking, line: str) -> None:
    """Append a record. On a full disk the reserve is used, so that what was answered is kept; then nothing new starts."""
    try:
        asking.folder.append(LOG, line)
        return
    except StorageError as error:
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)
    try:
        asking.folder.append_last(LOG, line)
    except StorageError as error:
        asking.folder.narrate(f"a record was lost: {error}")


def _unsent(call: Call, kind: ErrorKind, message: str) -> Reply:
    return Reply(call, "error", error_kind=kind, error_message=message, final=False)


def _skipped(asking: Asking, call: Call, verdict: str) -> Reply:
    cap = f"max_calls = {asking.budget.max_calls}" if verdict == "calls spent" else f"max_cost_usd = {asking.run.max_cost_usd}"
    message = f"budget reached ({cap}); raise it with --resume RUN --set run.{cap.split(' ')[0]}=..."
    return Reply(call, "skipped_budget", error_message=message, final=False)


def _intent_line(identity: str, pending: _Pending, worst: int | None) -> str:
    intent = {
        "attempt_id": identity,
        "call_key": pending.key,
        "stage": pending.call.stage,
        "item_id": pending.item.id,
        "model": pending.model.name,
        "attempt": pending.attempt,
        "worst_usd": None if worst is None else worst / MICRO,
    }
    return json.dumps(intent) + "\n"


def _watch_cap(asking: Asking) -> None:
    if asking.budget.overdrawn:
        asking.switch.stop("a server charged more than the worst case allowed for: the USD cap is exceeded", aborted=True)


async def _wait_for_money(asking: Asking, worst: int | None) -> None:
    """Wait, without holding a place, until something that is held has been settled."""
    async with asking.settled:
        budget = asking.budget
        if budget.held and budget.cap is not None and budget.spent + budget.held + (worst or 0) > budget.cap:
            await asking.settled.wait()


async def _tell_waiting(asking: Asking) -> None:
    if asking.budget.cap is not None:
        async with asking.settled:
            asking.settled.notify_all()


async def _sleep(switch: Switch, seconds: float) -> None:
    """Wait, but no longer than until the run is stopped."""
    try:
        async with asyncio.timeout(seconds):
            await switch.stopping.wait()
    except TimeoutError:
        return


async def _either(first: asyncio.Event, second: asyncio.Event) -> None:
    """Wait until one of two events is set."""
    waits = [asyncio.ensure_future(event.wait()) for event in (first, second)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


def _stamp() -> str:
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"
