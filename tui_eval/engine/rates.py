"""Requests and tokens per minute, as a config states them: kept in every minute, used evenly; driven by given times."""

from __future__ import annotations

import math
from collections import deque

MINUTE_S = 60.0
"""The window of what a model may be asked "per minute"."""
MARGIN = 1 / 60
"""By how much the window of requests is kept longer than it is, since they do not all take equally long to arrive."""
REQUESTS_PER_BURST = 120
"""How many requests a minute allow one more at once."""
FASTER, AHEAD = 1.05, 1 / 120
"""How much faster than evenly tokens may be used, and what share of the window may be made up for at once."""


class RateWindow:
    """Limit on the calls and the tokens that may be begun within any window of time: what a provider allows a minute.

    Requests begin evenly, the window divided by their number apart, with a burst of one and one more for every
    REQUESTS_PER_BURST. Tokens are booked at the most a call may use when it begins, and settled at what it used when it ends:
    a server that counts them at either moment, or between, never counts more than is allowed. So that every minute is used
    alike, calls begin no faster than FASTER times the pace at which calls like those before use up what is allowed. Times
    are seconds of any clock that does not go back.
    """

    def __init__(self, requests: int | None, tokens: int | None, window_s: float = MINUTE_S) -> None:
        self.free = requests is None and tokens is None
        self._window_s = window_s
        self._tokens = tokens
        burst = 1 + (requests or 0) // REQUESTS_PER_BURST
        self._gap = 0.0 if requests is None else window_s * (1 + MARGIN) / (requests - burst + 1)
        self._ahead = self._gap * (burst - 1)
        self._next = -math.inf
        self._next_tokens = -math.inf
        self._booked = self._used = 0
        self._ended: deque[tuple[float, int]] = deque()
        """When calls ended that still count, and the tokens they used."""
        self._settled_calls = self._settled_tokens = 0
        self._more = 1.0

    def booking(self, tokens: int) -> int:
        """Return what is booked for a call that may use so many tokens: more where others used more than they might."""
        return math.ceil(tokens * self._more)

    def opens_at(self, now: float, booked: int) -> float:
        """When a call may begin, `now` or later; infinite while that takes the end of another call."""
        start = max(now, self._next - self._ahead)
        if self._tokens is None:
            return start
        start = max(start, self._next_tokens - (AHEAD * self._window_s if self._settled_calls else 0.0))
        self._forget(now)
        over = self._booked + self._used + booked - self._tokens
        if over <= 0 or not self._booked + self._used:
            return start
        for ended, tokens in self._ended:
            over -= tokens
            if over <= 0 or (not self._booked and (ended, tokens) == self._ended[-1]):
                return max(start, ended + self._window_s)
        return math.inf

    def begin(self, now: float, booked: int) -> float:
        """Begin a call, if it may: `now`, and it has begun; or a later moment, to ask again."""
        start = self.opens_at(now, booked)
        if start <= now:
            self._next = max(now, self._next) + self._gap
            self._booked += booked
            if self._tokens is not None:
                self._next_tokens = max(now, self._next_tokens) + self._time_of(self._usual or booked)
        return start

    def settle(self, now: float, booked: int, tokens: int | None) -> None:
        """A call has ended; `tokens` is None where nobody knows what it used: then that is what was booked."""
        if self._tokens is None:
            return
        self._booked -= booked
        spent = booked if tokens is None else tokens
        self._ended.append((now, spent))
        self._used += spent
        if tokens:
            self._next_tokens = self._next_tokens + self._time_of(tokens - self._usual) if self._settled_calls else now
            self._settled_calls, self._settled_tokens = self._settled_calls + 1, self._settled_tokens + tokens
            self._more = max(self._more, self._more * tokens / max(booked, 1))

    @property
    def _usual(self) -> float:
        """Mean number of tokens that a call used; 0 while nobody knows."""
        return self._settled_tokens / max(self._settled_calls, 1)

    def _time_of(self, tokens: float) -> float:
        return tokens / (self._tokens or 1) * self._window_s / FASTER

    def left_s(self, now: float, calls: int) -> float:
        """The least time in which so many more calls can begin, by what calls used so far; seconds."""
        least = max(calls - 1, 0) * self._gap
        if self._tokens is None or not self._settled_calls:
            return least
        self._forget(now)
        needed = calls * self._usual
        free = max(self._tokens - self._booked - self._used, 0)
        return max(least, (needed - free) / self._tokens * self._window_s)

    def _forget(self, now: float) -> None:
        while self._ended and self._ended[0][0] + self._window_s <= now:
            self._used -= self._ended.popleft()[1]
