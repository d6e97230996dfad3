"""The deadlines of all attempts under way, with one timer for all of them: nearly every attempt ends long before its own."""

from __future__ import annotations

import asyncio
import contextlib
import math

STOOD_STILL_S, GRACE_S = 0.5, 1.0
"""Where the event loop comes so much too late (the process was stopped, the machine slept), so long are replies read that came
meanwhile, before anything is ended."""


class Deadlines:
    """Attempts and when each is to end at the latest; each is an `asyncio.timeout(None)`, which ends as if it were its own."""

    def __init__(self) -> None:
        self._due: dict[asyncio.Timeout, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, attempt: asyncio.Timeout, due: float = math.inf) -> None:
        """An attempt is under way; `due`: the moment of the event loop's clock at which it is ended."""
        self._due[attempt] = due
        self._look_at(due)

    def leave(self, attempt: asyncio.Timeout) -> None:
        """An attempt has ended."""
        self._due.pop(attempt, None)

    def end_all(self) -> None:
        """End every attempt that is under way, now."""
        self._end(list(self._due))

    def _end(self, attempts: list[asyncio.Timeout]) -> None:
        now = asyncio.get_running_loop().time()
        for attempt in attempts:
            with contextlib.suppress(RuntimeError):  # it is ending at this very moment
                attempt.reschedule(now)

    def _look_at(self, moment: float) -> None:
        if moment == math.inf or (self._timer is not None and self._timer.when() <= moment):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(moment, self._look)

    def _look(self) -> None:
        """End what is due, and look again when the next may be."""
        loop = asyncio.get_running_loop()
        now, timer, self._timer = loop.time(), self._timer, None
        if timer is not None and now - timer.when() > STOOD_STILL_S:
            self._look_at(now + GRACE_S)
            return
        late = [attempt for attempt, due in self._due.items() if due <= now]
        self._end(late)
        for attempt in late:
            self.leave(attempt)
        self._look_at(min(self._due.values(), default=math.inf))
