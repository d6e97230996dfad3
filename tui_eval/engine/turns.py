"""A call's turn: nothing forbids it, its rate allows it, and a place at its endpoint, one of the run and budget are free."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tui_eval.core.calls import Call, ModelSpec, Repair, Reply, Request
from tui_eval.core.money import Verdict, may_use, worst_case
from tui_eval.engine.adaptive_window import CallGroup
from tui_eval.engine.calling import Pending, RunContext
from tui_eval.engine.limiter import EndpointLimit, Slots
from tui_eval.providers import WIRES

WORTH_SAYING_S = 2.0
"""Waits for a rate that are said."""
LONGEST_NAP_S = 0.5
"""How soon a call that waits for its turn notices that its model gets no more calls."""


@dataclass(slots=True)
class CallSlot:
    """Resources that a call holds while it is sent: places, and tokens of its rate."""

    limit: EndpointLimit
    slots: Slots
    model: str
    place: CallGroup
    worst: int | None
    """The most it can cost, in micro-dollars, where that is known."""
    tokens: int
    """About how many tokens it may use."""
    request: Request | None = None
    booked: int = 0
    """Tokens booked at its rate; 0 until it has begun."""
    begun: bool = False
    told: bool = False
    """Whether the endpoint's limit knows how it ended."""

    def accept(self, began: float) -> None:
        """It was answered; `began`: when it was sent, by the clock of the event loop."""
        self.told = True
        self.limit.accept(self.place, began, self.tokens)

    def refuse(self, began: float, wait_s: float | None) -> None:
        """The server said 429, and maybe how long to wait."""
        self.told = True
        self.limit.refuse(self.place, began, wait_s, self.tokens)

    def fail(self) -> None:
        """It failed in a way that says nothing of limits."""
        self.told = True
        self.limit.fail(self.place)

    def settle(self, tokens: int | None) -> None:
        """The tokens it used; None where nobody knows."""
        if self.begun:
            self.begun = False
            self.limit.settle(self.booked, tokens)

    def give_back(self) -> None:
        """It holds nothing any more."""
        self.settle(None)
        self.slots.release(self.model)
        if not self.told:
            self.limit.release(self.place)


async def turn_of(context: RunContext, pending: Pending) -> CallSlot | Reply:
    """Wait for the turn of a call, and begin it: its budget is reserved; or the reply that ends it unsent.

    Where a rate is stated its calls stand in one line, so that they begin in the order of asking.
    """
    limit = context.limiter.endpoint(pending.model)
    line = contextlib.nullcontext() if limit.pace.free else limit.line
    async with line:
        return await _first_in_line(context, pending, limit)


async def _first_in_line(context: RunContext, pending: Pending, limit: EndpointLimit) -> CallSlot | Reply:
    model = pending.model
    worst = worst_case(pending.call, model.price)
    tokens = may_use(pending.call)
    while True:
        await context.breaker.open.wait()
        if reason := context.breaker.why_not(model):
            return unsent(pending.call, reason)
        await _until_rate_allows(context, model, worst, limit, tokens)
        turn = await _placed(context, pending, limit, worst, tokens)
        outcome: Reply | Verdict | None = None
        try:
            outcome = _begun(context, pending, turn)
            if outcome == "go":
                return turn
        finally:
            if outcome != "go":
                turn.give_back()
        if isinstance(outcome, Reply):
            return outcome
        if outcome in ("calls spent", "cost spent"):
            return skipped(context, pending.call, outcome)
        if outcome == "wait":
            await _wait_for_money(context, worst)


async def _placed(context: RunContext, pending: Pending, limit: EndpointLimit, worst: int | None, tokens: int) -> CallSlot:
    """A place at the endpoint, then one of the run."""
    name = pending.model.name
    place = await limit.acquire(again=pending.tries + pending.refusals > 0, tokens=tokens)
    try:
        await context.limiter.slots.acquire(name)
    except BaseException:
        limit.release(place)
        raise
    return CallSlot(limit, context.limiter.slots, name, place, worst, tokens)


def _begun(context: RunContext, pending: Pending, turn: CallSlot) -> Reply | Verdict | None:
    """Begin a call that has its places: "go" where it has begun, None where its line has to be joined again."""
    if reason := context.breaker.why_not(pending.model):
        return unsent(pending.call, reason)
    if context.breaker.paused or turn.limit.closed_to(turn.place):
        return None
    if pending.extra and not context.budget.may_retry():
        return kept_back(context, pending)
    request = encoded(context, pending)
    if isinstance(request, Reply):
        return request
    verdict = context.budget.verdict(turn.worst)
    if verdict != "go":
        return verdict
    now, booked = time.monotonic(), turn.limit.pace.booking(turn.tokens)
    if turn.limit.pace.begin(now, booked) > now:
        return None
    turn.request, turn.booked, turn.begun = request, booked, True
    pending.begin(context.budget)
    return context.budget.reserve(turn.worst)


def encoded(context: RunContext, pending: Pending) -> Request | Reply:
    """The request of a call; the reply that ends it where its wire cannot make one, which costs no other call, or where it asks
    for more tokens than the server was found to allow."""
    call, model = pending.call, pending.model
    try:
        request = WIRES[model.wire].encode(call, model, context.repairs.get(model.name, {}))
        return no_more_room(call, model, request, context.repairs.get(model.name, {})) or request
    except Exception as error:
        context.folder.narrate_exception(f"{pending.call.item_id}: a bug of the wire {pending.model.wire}", error)
        return unsent(pending.call, f"its provider's format cannot say it: {type(error).__name__}: {error}")


def no_more_room(call: Call, model: ModelSpec, request: Request, repairs: Mapping[str, Repair]) -> Reply | None:
    """End a call, unsent, that asks for more tokens than a reply was cut at, where the server was found to allow no more:
    its request would be that of the reply. None where it may be sent."""
    if call.cut_at is None:
        return None
    before = replace(call, max_output_tokens=call.cut_at)
    if WIRES[model.wire].encode(before, model, repairs).body != request.body:
        return None
    message = f"not asked with more tokens: the server allows no more than those at which the reply was cut ({call.cut_at:,})"
    return Reply(call, "error", error_kind="not_sent", error_message=message)


def unsent(call: Call, message: str) -> Reply:
    """Return the end of a call that is not sent now, and may be later."""
    return Reply(call, "error", error_kind="not_sent", error_message=message, final=False)


def skipped(context: RunContext, call: Call, verdict: Verdict) -> Reply:
    """Return the end of a call for which the budget has nothing left."""
    key, cap = "max_calls", str(context.progress.max_calls)
    if verdict == "cost spent":
        key, cap = "max_cost_usd", f"{context.run.max_cost_usd}"
    context.progress.caps_reached.add(key)
    message = f"budget reached ({key} = {cap}); raise it with tui-eval resume RUN --set run.{key}=..."
    return Reply(call, "skipped_budget", error_message=message, final=False)


def kept_back(context: RunContext, pending: Pending, why: str = "") -> Reply:
    """Return the end of a call that is not asked (again), since planned ones have not been asked once."""
    most, call = context.progress.max_calls, pending.call
    context.progress.caps_reached.add("max_calls")
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


async def _until_rate_allows(
    context: RunContext, model: ModelSpec, worst: int | None, limit: EndpointLimit, tokens: int
) -> None:
    """Wait for what is stated per minute, but not where nothing may be sent any more; said once for a model."""
    if limit.pace.free:
        return
    while not _is_hopeless(context, model, worst):
        now = time.monotonic()
        left_s = limit.pace.opens_at(now, limit.pace.booking(tokens)) - now
        if left_s <= 0:
            return
        _tell_of_rate(context, model, left_s)
        limit.settled.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(left_s, LONGEST_NAP_S)):
                await limit.settled.wait()


def _tell_of_rate(context: RunContext, model: ModelSpec, left_s: float) -> None:
    if left_s <= WORTH_SAYING_S or f"{model.name} rate" in context.warned:
        return
    context.warned.add(f"{model.name} rate")
    rates = {"requests": model.requests_per_minute, "tokens": model.tokens_per_minute}
    limits = " and ".join(f"{n:,} {unit} a minute" for unit, n in rates.items() if n is not None)
    context.breaker.narrate(f"{model.name}: waits for its limit of {limits}")


def _is_hopeless(context: RunContext, model: ModelSpec, worst: int | None) -> bool:
    """Return whether the run or the model was stopped, or the budget is spent."""
    return bool(context.breaker.why_not(model)) or context.budget.verdict(worst) in ("calls spent", "cost spent")
