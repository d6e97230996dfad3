"""How many calls at once: the run's one semaphore, and below it a limit per endpoint that learns."""

from __future__ import annotations

import asyncio
from collections import Counter, deque

from tui_eval.core.calls import ModelSpec

SHRINK = 0.8
CALM_S = 15.0
"""No growth for this long after the server asked us to slow down."""
GROWTH = 0.05
MINUTE_S = 60.0
"""The window of what a model may be asked "per minute"."""


class _Window:
    """What has begun within the last window of time."""

    def __init__(self, requests: int | None, tokens: int | None, window_s: float) -> None:
        self._requests = requests
        self._tokens = tokens
        self._window_s = window_s
        self._in_window = 0
        self.begun: deque[tuple[float, int]] = deque()
        """When each call began, or is to begin, and the tokens it may use."""

    def fits(self, tokens: int) -> bool:
        """Whether one more call may begin."""
        few = self._requests is None or len(self.begun) < self._requests
        return not self.begun or (few and (self._tokens is None or self._in_window + tokens <= self._tokens))

    def add(self, start: float, tokens: int) -> None:
        """A call begins."""
        self.begun.append((start, tokens))
        self._in_window += tokens

    def forget(self, now: float) -> None:
        """Drop what lies a whole window back."""
        while self.begun and self.begun[0][0] + self._window_s <= now:
            self._in_window -= self.begun.popleft()[1]

    def next_change(self) -> float:
        """When the oldest call will have left the window."""
        return self.begun[0][0] + self._window_s


class Pace:
    """How many calls, and how many tokens, may be begun within any window of time: what a provider allows a minute.

    `turn` tells a call when to try, in the order of context. Calls that are held up after that (a pause, no place) would
    come all at once: `begin` says whether a call may go at this very moment.
    """

    def __init__(self, requests: int | None, tokens: int | None, window_s: float = MINUTE_S) -> None:
        self._free = requests is None and tokens is None
        self._meant = _Window(requests, tokens, window_s)
        self._real = _Window(requests, tokens, window_s)

    def turn(self, now: float, tokens: int) -> float:
        """When the next call may begin, by the same clock as `now`; its place is taken. In the order of context."""
        if self._free:
            return now
        meant = self._meant
        start = max(now, meant.begun[-1][0]) if meant.begun else now
        meant.forget(start)
        while not meant.fits(tokens):
            start = max(start, meant.next_change())
            meant.forget(start)
        meant.add(start, tokens)
        return start

    def begin(self, now: float, tokens: int) -> float:
        """When a call whose turn has come may begin: `now`, and it has begun; or a later moment, to ask again."""
        if self._free:
            return now
        self._real.forget(now)
        if not self._real.fits(tokens):
            return self._real.next_change()
        self._real.add(now, tokens)
        return now


class EndpointLimit:
    """How many calls one endpoint may have in flight: shrinks when it says so, grows back when all is well."""

    def __init__(self, most: int, pace: Pace | None = None) -> None:
        self.most = most
        self.pace = pace or Pace(None, None)
        self.limit = float(most)
        self.in_flight = 0
        self.reason = ""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._shrunk_at = -1.0
        self._calm_until = 0.0
        self._closed_until = 0.0
        self._reopening: asyncio.TimerHandle | None = None

    @property
    def closed(self) -> bool:
        """Whether the server asked to wait, and that time has not passed."""
        return asyncio.get_running_loop().time() < self._closed_until

    async def acquire(self) -> None:
        """Wait for room at this endpoint."""
        if not self._waiting and self._has_room():
            self.in_flight += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._wake()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            elif turn in self._waiting:
                self._waiting.remove(turn)
            raise

    def release(self) -> None:
        """Give a place back."""
        self.in_flight -= 1
        self._wake()

    def slow_down(self, began_at: float, wait_s: float | None) -> None:
        """The server said 429: a fifth less, once for all calls that were already under way; and not before `wait_s`."""
        now = asyncio.get_running_loop().time()
        if began_at > self._shrunk_at:
            self._shrunk_at = now
            self.limit = max(self.limit * SHRINK, 1.0)
            self.reason = "the server said 429"
        self._calm_until = now + CALM_S
        if wait_s is not None:
            self._closed_until = max(self._closed_until, now + wait_s)
            self._calm_until += wait_s
            self.reason = f"the server said 429, wait {wait_s:.0f} s"

    def give_up_waiting(self) -> None:
        """Nothing is sent any more: whoever stands in line until the server's wait is over is to hear so now."""
        self._closed_until = 0.0
        self._wake()

    def hesitate(self) -> None:
        """The server failed (5xx): do not grow for a while."""
        self._calm_until = asyncio.get_running_loop().time() + CALM_S

    def succeed(self) -> None:
        """A reply came: a little more room, about 5 % for each round of clean replies."""
        if self.limit < self.most and asyncio.get_running_loop().time() >= self._calm_until:
            self.limit = min(self.limit + GROWTH, float(self.most))
            self.reason = "" if self.limit >= self.most else self.reason
            self._wake()

    def _has_room(self) -> bool:
        return self.in_flight < int(self.limit) and not self.closed

    def _wake(self) -> None:
        while self._waiting and self._has_room():
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)
        loop = asyncio.get_running_loop()
        if self._waiting and self._reopening is None and loop.time() < self._closed_until:
            self._reopening = loop.call_at(self._closed_until + 0.001, self._reopen)

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

    def __init__(self, max_concurrency: int) -> None:
        self.max_concurrency = max_concurrency
        self.slots = Slots(max_concurrency)
        self.endpoints: dict[str, EndpointLimit] = {}

    def give_up_waiting(self) -> None:
        """Nothing is sent any more: no call waits for what a server asked for."""
        for limit in self.endpoints.values():
            limit.give_up_waiting()

    def endpoint(self, model: ModelSpec) -> EndpointLimit:
        """The limit of a model at its endpoint; never above the global one. Names of one model that state the same share it."""
        stated = (model.max_in_flight, model.requests_per_minute, model.tokens_per_minute)
        name = f"{model.endpoint} {model.model} {stated}"
        limit = self.endpoints.get(name)
        if limit is None:
            most = min(model.max_in_flight or self.max_concurrency, self.max_concurrency)
            pace = Pace(model.requests_per_minute, model.tokens_per_minute, MINUTE_S)
            limit = self.endpoints[name] = EndpointLimit(most, pace)
        return limit
