"""Limits on calls at once: the run's one semaphore, and below it a limit per endpoint that learns."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, deque
from collections.abc import Callable, Mapping
from functools import partial

from tui_eval.core.calls import ModelSpec
from tui_eval.engine.adaptive_window import AdaptiveWindow, CallGroup
from tui_eval.engine.rates import MINUTE_S, RateWindow

STILL_ACCEPTS_S = 60.0
"""An endpoint that answered a call within this time before a refusal still accepts calls."""


class EndpointLimit:
    """The places of one model at its endpoint, handed out in the order of context as the window that it learns allows."""

    def __init__(self, most: int, pace: RateWindow | None = None) -> None:
        self.most = most
        self.pace = pace or RateWindow(None, None)
        self.window = AdaptiveWindow(most)
        self.accepted_at = -math.inf
        """When it last answered a call, by the clock of the event loop."""
        self.line = asyncio.Lock()
        """Held by the call whose turn is next, where a rate is stated."""
        self.settled = asyncio.Event()
        """Set when the tokens of a call were settled."""
        self.names: set[str] = set()
        """The models, by name, that share this limit."""
        self._told_s: float | None = None
        self._waiting: deque[tuple[asyncio.Future[CallGroup], float]] = deque()
        """Calls in line, with about how many tokens each may use."""
        self._reopening: asyncio.TimerHandle | None = None
        self._given_up = False
        self.on_closed: Callable[[float], None] | None = None
        """Called where it is found closed, with the seconds for which it is."""

    @property
    def limit(self) -> float:
        """Number of calls it may have in flight now."""
        return 1.0 if self.window.closed_until is not None else max(self.window.window, 1.0)

    @property
    def reason(self) -> str:
        """Why the limit is below the most, in words; empty where it is not."""
        if self.limit >= self.most:
            return ""
        if self.window.closed_until is None or self._told_s is None:
            return "the server said 429"
        return f"the server said 429, wait {self._told_s:.0f} s"

    def closed_to(self, place: CallGroup) -> bool:
        """Return whether the server has refused everything since this place was given, so that one other call is to try."""
        return self.window.closed_until is not None and not self.window.is_probe(place) and not self._given_up

    async def acquire(self, again: bool = False, tokens: float = 1.0) -> CallGroup:
        """Wait for a place; it is given back by `release`, or by one of `accept`, `refuse` and `fail`.

        Calls that are asked again come before those that were not asked yet.
        """
        turn: asyncio.Future[CallGroup] = asyncio.get_running_loop().create_future()
        entry = (turn, tokens)
        if again:
            self._waiting.appendleft(entry)
        else:
            self._waiting.append(entry)
        self._wake()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release(turn.result())
            elif entry in self._waiting:
                self._waiting.remove(entry)
            raise

    def release(self, place: CallGroup) -> None:
        """The call was not sent."""
        self.window.withdraw(asyncio.get_running_loop().time(), place)
        self._wake()

    def accept(self, place: CallGroup, began: float, tokens: float = 1.0) -> None:
        """The call, sent at `began`, was answered; `tokens`: about what it might use."""
        self.accepted_at = asyncio.get_running_loop().time()
        self.window.accepted(self.accepted_at, place, began, tokens)
        self._wake()

    def refuse(self, place: CallGroup, began: float, wait_s: float | None, tokens: float = 1.0) -> None:
        """The server said 429, and maybe how long the call is to wait."""
        self._told_s = wait_s
        now = asyncio.get_running_loop().time()
        before = self.window.closed_until
        self.window.refused(now, place, began, wait_s, tokens)
        closed = self.window.closed_until
        if closed is not None and closed != before and self.on_closed is not None:
            self.on_closed(closed - now)
        self._wake()

    def close(self, seconds: float) -> None:
        """Nothing is sent for so long: others who ask it found it closed."""
        self._told_s = seconds
        self.window.close_until(asyncio.get_running_loop().time() + seconds)
        self._wake()

    def fail(self, place: CallGroup) -> None:
        """The call failed in a way that says nothing of limits."""
        self.window.ended(asyncio.get_running_loop().time(), place)
        self._wake()

    def accepts(self, began: float) -> bool:
        """Return whether it accepted another call since shortly before one that began then."""
        return self.accepted_at > began - STILL_ACCEPTS_S

    def settle(self, booked: int, tokens: int | None) -> None:
        """Settle what a call used of the tokens that were booked for it; None where nobody knows."""
        self.pace.settle(asyncio.get_running_loop().time(), booked, tokens)
        self.settled.set()

    def give_up_waiting(self) -> None:
        """Nothing is sent any more: whoever stands in line is to hear so now."""
        self._given_up = True
        self._wake()

    def _wake(self) -> None:
        """Give out the places that there are, and come back when time brings the next.

        A closed endpoint is tried with a call of either end of the line in turn: it may be one call that is refused.
        """
        loop = asyncio.get_running_loop()
        while self._waiting:
            now = loop.time()
            end = -1 if self.window.probes % 2 else 0
            turn, tokens = self._waiting[end]
            opens = now if self._given_up else self.window.opens_at(now, tokens)
            if opens > now:
                self._come_back(loop, opens)
                return
            del self._waiting[end]
            if not turn.done():
                turn.set_result(self.window.begin(now, tokens))

    def _come_back(self, loop: asyncio.AbstractEventLoop, moment: float) -> None:
        """Look again at that moment of the loop's clock, unless that is to be done earlier already."""
        if moment == math.inf or (self._reopening is not None and self._reopening.when() <= moment + 0.001):
            return
        if self._reopening is not None:
            self._reopening.cancel()
        self._reopening = loop.call_at(moment + 0.001, self._reopen)

    def _reopen(self) -> None:
        self._reopening = None
        self._wake()


class Slots:
    """The run's one semaphore. A place that comes free goes to the model with the fewest calls in flight.

    First come, first served would give a model that hangs every place in the end: its calls never give one back.
    """

    def __init__(self, most: int) -> None:
        self.free = most
        self._in_flight: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def acquire(self, model: str) -> None:
        """Wait for a place."""
        if self.free and not self._waiting:
            self._take(model)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(model, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release(model)
            raise

    def release(self, model: str) -> None:
        """Give a place back."""
        self._in_flight[model] -= 1
        self.free += 1
        while self.free and self._waiting:
            self._hand_on(min(self._waiting, key=self._in_flight.__getitem__))

    def _take(self, model: str) -> None:
        self.free -= 1
        self._in_flight[model] += 1

    def _hand_on(self, model: str) -> None:
        """Give a place to the next call of a model, if one still waits."""
        turns = self._waiting[model]
        turn = turns.popleft()
        if not turns:
            del self._waiting[model]
        if not turn.done():
            self._take(model)
            turn.set_result(None)


class Limiter:
    """The run's one global semaphore, and its endpoints' limits."""

    def __init__(self, max_concurrency: int, parts: int = 1, on_closed: Callable[[str, float], None] | None = None) -> None:
        """`parts`: by how many what is stated of a model is divided, each of which keeps its part apart from the others;
        `on_closed`: called where an endpoint is found closed, with a model's name and seconds.
        """
        self._parts, self._on_closed = parts, on_closed
        self.max_concurrency = max_concurrency
        self.slots = Slots(max_concurrency)
        self.endpoints: dict[str, EndpointLimit] = {}

    def give_up_waiting(self) -> None:
        """Nothing is sent any more: no call waits for what a server asked for."""
        for limit in self.endpoints.values():
            limit.give_up_waiting()

    def least_left_s(self, now: float, remaining: Mapping[str, int]) -> float:
        """The least time, in seconds, in which so many calls of each model, by name, can begin at the rates that are stated."""
        calls = ((limit, sum(max(remaining.get(name, 0), 0) for name in limit.names)) for limit in self.endpoints.values())
        return max((limit.pace.left_s(now, n) for limit, n in calls if n), default=0.0)

    def endpoint(self, model: ModelSpec) -> EndpointLimit:
        """The limit of a model at its endpoint; never above the global one. Names of one model that state the same share it."""
        stated = (model.max_in_flight, model.requests_per_minute, model.tokens_per_minute)
        name = f"{model.endpoint} {model.model} {stated}"
        limit = self.endpoints.get(name)
        if limit is None:
            most = min(self._part(model.max_in_flight) or self.max_concurrency, self.max_concurrency)
            pace = RateWindow(self._part(model.requests_per_minute), self._part(model.tokens_per_minute), MINUTE_S)
            limit = self.endpoints[name] = EndpointLimit(most, pace)
            if self._on_closed is not None:
                limit.on_closed = partial(self._on_closed, model.name)
        limit.names.add(model.name)
        return limit

    def _part(self, stated: int | None) -> int | None:
        """Return this part's share of what is stated, at least 1; None where nothing is."""
        return None if stated is None else max(stated // self._parts, 1)
