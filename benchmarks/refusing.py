"""Servers that refuse calls with 429, and a client that keeps to a rule, simulated: pure, seeded, no clock and no network."""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tui_eval.engine.adaptive_window import AdaptiveWindow, CallGroup

Answer = tuple[int, float | None]
"""Status, and the seconds that a refusal asks to wait."""
LARGE = 10.0
"""Tokens of a large call."""
Asks = Callable[[float], float | None]
"""What a refusal asks for, given the time until the server accepts again."""


def silent(left_s: float) -> float | None:
    """No Retry-After."""
    return None


def exact(left_s: float) -> float | None:
    """As long as it takes."""
    return left_s


def rounded(left_s: float) -> float | None:
    """Whole seconds, rounded up."""
    return math.ceil(left_s)


class Server(Protocol):
    """Something that answers or refuses."""

    def ask(self, now: float, chance: random.Random, tokens: float) -> Answer:
        """What becomes of a call of so many tokens that comes in now."""

    def end(self) -> None:
        """An accepted call has ended."""


class Bucket:
    """A token bucket; `rates` are (from when on, tokens per second)."""

    def __init__(self, rates: Sequence[tuple[float, float]], size: float = 10.0, asks: Asks = silent) -> None:
        self.rates, self.size, self.asks, self.level, self.at = rates, size, asks, size, 0.0

    def ask(self, now: float, chance: random.Random, tokens: float) -> Answer:
        """Accepted while as many tokens as the call has are in the bucket."""
        rate = [rate for since, rate in self.rates if now >= since][-1]
        self.level = min(self.size, self.level + rate * (now - self.at))
        self.at = now
        if self.level < tokens:
            return 429, self.asks((tokens - self.level) / rate)
        self.level -= tokens
        return 200, None

    def end(self) -> None:
        """Nothing."""


class Minutes:
    """So many calls in each minute of the clock, or in any sixty seconds; refused calls count, too, where it is told so."""

    def __init__(self, most: int, sliding: bool, asks: Asks = silent, counts_refused: bool = False) -> None:
        self.most, self.sliding, self.asks, self.counts_refused = most, sliding, asks, counts_refused
        self.counted: deque[float] = deque()

    def ask(self, now: float, chance: random.Random, tokens: float) -> Answer:
        """Accepted while the minute has room."""
        since = now - 60 if self.sliding else now // 60 * 60 - 1e-9
        while self.counted and self.counted[0] <= since:
            self.counted.popleft()
        has_room = len(self.counted) < self.most
        if has_room or self.counts_refused:
            self.counted.append(now)
        return (200, None) if has_room else (429, self.asks(self.counted[0] + 60 - now if self.sliding else 60 - now % 60))

    def end(self) -> None:
        """Nothing."""


class Places:
    """So many calls at once."""

    def __init__(self, most: int, wait_s: float | None = None) -> None:
        self.most, self.busy, self.wait_s = most, 0, wait_s

    def ask(self, now: float, chance: random.Random, tokens: float) -> Answer:
        """Accepted while a place is free."""
        if self.busy >= self.most:
            return 429, self.wait_s
        self.busy += 1
        return 200, None

    def end(self) -> None:
        """A place is free again."""
        self.busy -= 1


@dataclass(slots=True)
class Stray:
    """Refuses, or fails with 500, by chance or in turn, whatever the pace."""

    refused: float
    failed: float = 0.0
    wait_s: float | None = None
    in_turn: bool = False
    asked: int = 0

    def ask(self, now: float, chance: random.Random, tokens: float) -> Answer:
        """By the toss, or every second one."""
        self.asked += 1
        drawn = self.asked % 2 * 0.99 if self.in_turn else chance.random()
        if drawn < self.refused:
            return 429, self.wait_s
        return (500, None) if drawn < self.refused + self.failed else (200, None)

    def end(self) -> None:
        """Nothing."""


@dataclass(slots=True)
class Stream:
    """One refusal every so many seconds, with a long Retry-After."""

    every_s: float
    wait_s: float
    next: float = 0.0

    def ask(self, now: float, chance: random.Random, tokens: float) -> Answer:
        """The first call after each moment is refused."""
        if now < self.next:
            return 200, None
        self.next = now + self.every_s
        return 429, self.wait_s

    def end(self) -> None:
        """Nothing."""


class Rule(Protocol):
    """When a client may begin calls."""

    def opens_at(self, now: float, tokens: float) -> float:
        """When a call of so many tokens may begin; infinite while that takes the end of another."""

    def begin(self, now: float, tokens: float) -> CallGroup | None:
        """A call begins."""

    def end(self, now: float, group: CallGroup | None, began: float, answer: Answer, tokens: float) -> None:
        """A call has ended."""

    def pause_s(self, tries: int, chance: random.Random) -> float:
        """How long a call that failed for the n-th time waits."""


class New:
    """The engine's own rule."""

    def __init__(self, most: int) -> None:
        self.window = AdaptiveWindow(most)
        self.opens_at, self.begin = self.window.opens_at, self.window.begin

    def end(self, now: float, group: CallGroup | None, began: float, answer: Answer, tokens: float) -> None:
        """Told as the engine tells it."""
        assert group is not None
        if answer[0] == 200:
            self.window.accepted(now, group, began, tokens)
        elif answer[0] == 429:
            self.window.refused(now, group, began, answer[1], tokens)
        else:
            self.window.ended(now, group)

    def pause_s(self, tries: int, chance: random.Random) -> float:
        """A quarter to half a second."""
        return chance.uniform(0.25, 0.5)


class Free:
    """No rule at all: always as many in flight as may be."""

    def __init__(self, most: int) -> None:
        self.most, self.limit, self.in_flight = most, float(most), 0

    def opens_at(self, now: float, tokens: float) -> float:
        """At once, while a place is free."""
        return math.inf if self.in_flight >= int(self.limit) else now

    def begin(self, now: float, tokens: float) -> None:
        """One more in flight."""
        self.in_flight += 1

    def end(self, now: float, group: CallGroup | None, began: float, answer: Answer, tokens: float) -> None:
        """One fewer in flight."""
        self.in_flight -= 1

    def pause_s(self, tries: int, chance: random.Random) -> float:
        """As the new rule."""
        return chance.uniform(0.25, 0.5)


class Old(Free):
    """The rule until 2026-11-22: a fifth less at each 429, nothing more for 15 s, then a twentieth of a place a reply."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.shrunk_at, self.calm_until, self.closed_until = -1.0, 0.0, 0.0

    def opens_at(self, now: float, tokens: float) -> float:
        """Not before the last Retry-After is over."""
        return max(super().opens_at(now, tokens), self.closed_until)

    def end(self, now: float, group: CallGroup | None, began: float, answer: Answer, tokens: float) -> None:
        """Shrinks and grows."""
        super().end(now, group, began, answer, tokens)
        status, wait_s = answer
        if status == 200:
            if now >= self.calm_until:
                self.limit = min(self.limit + 0.05, self.most)
            return
        self.calm_until = now + 15 + (wait_s or 0.0)
        if status == 429:
            if began > self.shrunk_at:
                self.shrunk_at, self.limit = now, max(self.limit * 0.8, 1.0)
            self.closed_until = max(self.closed_until, now + (wait_s or 0.0))

    def pause_s(self, tries: int, chance: random.Random) -> float:
        """Doubled each time, at most 8 s."""
        return min(8.0, 0.5 * 2.0 ** (tries - 1)) * (0.5 + chance.random() / 2)


@dataclass(slots=True)
class Happened:
    """What a simulated run came to."""

    begun: list[tuple[float, int]] = field(default_factory=list)
    """When each attempt began, and its status."""
    answered: list[float] = field(default_factory=list)
    """When answers came."""
    tokens: list[float] = field(default_factory=list)
    """The tokens of the calls that were answered, in the order of answers."""
    tries: dict[int, int] = field(default_factory=dict)
    """Attempts of each call."""
    end_s: float = math.inf
    """When the last call was answered; infinite where some were not."""


@dataclass(frozen=True, slots=True)
class Client:
    """How calls are made: how many, for how long at most, and how long answers and refusals take."""

    calls: int = 3000
    until_s: float = 1500.0
    latency_s: float = 0.5
    spread: float = 0.2
    """Sigma of the log-normal latency, whose mean is latency_s."""
    slow: bool = False
    """Whether a refusal takes as long as an answer; else 10 to 30 ms."""
    large: float = 0.0
    """The share of calls that have LARGE tokens; the others have one."""
    starts_s: float = 0.0
    """When its first call may begin."""


class Simulation:
    """One client at one server: events in the order of time."""

    def __init__(self, rule: Rule, server: Server, client: Client, seed: int) -> None:
        self.rule, self.server, self.client, self.chance = rule, server, client, random.Random(seed)
        self.events: list[tuple[float, int, Callable[[float], None]]] = []
        self.number = itertools.count()
        self.now = client.starts_s
        self.sizes, self.tokens = random.Random(f"tokens {seed}"), dict[int, float]()
        self.again: deque[int] = deque()
        self.new = 0
        self.happened = Happened()

    def run(self) -> Happened:
        """Until every call is answered, or the time is over."""
        while not self.is_over:
            self.step()
        if len(self.happened.answered) == self.client.calls:
            self.happened.end_s = self.now
        return self.happened

    @property
    def is_over(self) -> bool:
        """Whether every call was answered, or the time is over."""
        return self.now > self.client.until_s or len(self.happened.answered) >= self.client.calls

    @property
    def _opens_at(self) -> float:
        wants = bool(self.again) or self.new < self.client.calls
        return self.rule.opens_at(self.now, self._tokens_of(self._next_call)) if wants else math.inf

    @property
    def _next_call(self) -> int:
        return self.again[0] if self.again else self.new

    def _tokens_of(self, call: int) -> float:
        if call not in self.tokens:
            self.tokens[call] = LARGE if self.sizes.random() < self.client.large else 1.0
        return self.tokens[call]

    @property
    def next_at(self) -> float:
        """When something happens next."""
        return max(self.now, min(self._opens_at, self.events[0][0] if self.events else math.inf))

    def step(self) -> None:
        """One call begins, one thing happens, or time passes until a call may begin."""
        opens = self._opens_at
        if opens <= self.now:
            self._begin(self.now)
        elif self.events and self.events[0][0] <= opens:
            self.now, _, act = heapq.heappop(self.events)
            act(self.now)
        else:
            self.now = opens

    def _begin(self, now: float) -> None:
        call = self.again.popleft() if self.again else self.new
        self.new += call == self.new
        tries = self.happened.tries[call] = self.happened.tries.get(call, 0) + 1
        tokens = self._tokens_of(call)
        group = self.rule.begin(now, tokens)
        answer = self.server.ask(now, self.chance, tokens)
        self.happened.begun.append((now, answer[0]))
        sigma = self.client.spread
        took = self.client.latency_s * math.exp(self.chance.gauss(-sigma * sigma / 2, sigma))
        if answer[0] != 200 and not self.client.slow:
            took = self.chance.uniform(0.01, 0.03)
        self._at(now + took, lambda end: self._end(end, call, group, now, answer, tries))

    def _end(self, now: float, call: int, group: CallGroup | None, began: float, answer: Answer, tries: int) -> None:
        tokens = self.tokens[call]
        self.rule.end(now, group, began, answer, tokens)
        if answer[0] == 200:
            self.server.end()
            self.happened.answered.append(now)
            self.happened.tokens.append(tokens)
            del self.tokens[call]
        else:
            pause = max(self.rule.pause_s(tries, self.chance), answer[1] or 0.0)
            self._at(now + pause, lambda _: self.again.append(call))

    def _at(self, moment: float, act: Callable[[float], None]) -> None:
        heapq.heappush(self.events, (moment, next(self.number), act))


def side_by_side(simulations: Sequence[Simulation]) -> list[Happened]:
    """Several clients of one server: whatever happens next at any of them happens next."""
    running = list(simulations)
    while running := [one for one in running if not one.is_over]:
        min(running, key=lambda one: one.next_at).step()
    return [one.happened for one in simulations]
