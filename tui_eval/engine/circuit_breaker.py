"""Circuit breaker for the run, each endpoint and each model, and the deadlines of attempts under one timer."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import Counter
from collections.abc import Callable

from tui_eval.core.calls import ApiError, ModelSpec, Reply

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


FAILING = frozenset({"rate_limit", "transient", "permanent", "protocol", "empty"})
"""Ends of a call that speak against its model. Refused, truncated and cancelled calls do not."""


class CircuitBreaker:
    """Stops, pauses and the reasons for them."""

    def __init__(
        self,
        stop_model_after: int,
        abort_on_failure: bool,
        narrate: Callable[[str], None],
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """`warn`: told what has to be known whatever happens, `narrate` the rest; without it `narrate` is told both."""
        self.stopped = ""
        """Why nothing new is started; empty while the run goes on."""
        self.aborted = False
        """Whether it was stopped by a failure rather than by a person."""
        self.stopping = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()
        self.broken_off = False
        self.closed: dict[str, str] = {}
        """Why a model (by name) or an endpoint gets no more calls."""
        self.deadlines = Deadlines()
        """Of the attempts under way."""
        self._failed_in_a_row: Counter[str] = Counter()
        self._stop_model_after = stop_model_after
        self._abort_on_failure = abort_on_failure
        self.narrate = narrate
        self.warn = warn or narrate

    def stop(self, reason: str, aborted: bool = False, hint: str = "") -> None:
        """Start nothing new; what is in flight may finish. The hint is only narrated: it holds for this moment."""
        if not self.stopped:
            self.stopped, self.aborted = reason, aborted
            self.stopping.set()
            self.open.set()
            self.warn(f"stopping: {reason}{hint}")

    def pause(self, paused: bool) -> None:
        """Wait, or go on."""
        if paused and not self.stopped:
            self.open.clear()
        else:
            self.open.set()

    @property
    def paused(self) -> bool:
        """Return whether calls wait for a pause to end."""
        return not self.open.is_set()

    def break_off(self) -> None:
        """Cancel what is in flight, now; each attempt is still written down."""
        self.stop("cancelled")
        self.broken_off = True
        self.deadlines.end_all()

    def why_not(self, model: ModelSpec) -> str:
        """Why a call of this model may not be started; empty when it may."""
        return self.stopped or self.closed.get(model.name, "") or self.closed.get(model.endpoint, "")

    def learn(self, model: ModelSpec, fault: ApiError) -> None:
        """A fault that reaches beyond its call closes the model or the endpoint, with one line that says so."""
        if fault.scope == "endpoint" and model.endpoint not in self.closed:
            self.closed[model.endpoint] = f"endpoint stopped: {fault.message}"
            self.warn(f"{model.name}: no more calls to this endpoint with this key: {fault.message}")
        if fault.scope == "model":
            self._close_model(model, fault.message)

    def ended(self, model: ModelSpec, reply: Reply) -> None:
        """A call has ended for good: count failures in a row, and stop the model or the run when it is time."""
        self.count_end(model, reply.status == "timeout" or reply.error_kind in FAILING, reply.error_message)

    def count_end(self, model: ModelSpec, failed: bool, message: str | None) -> None:
        """The same of a call that is known by this alone."""
        self._failed_in_a_row[model.name] = self._failed_in_a_row[model.name] + 1 if failed else 0
        in_a_row = self._failed_in_a_row[model.name]
        if failed and self._abort_on_failure:
            self.stop(f"aborted: {model.name}: {message}", aborted=True)
        elif self._stop_model_after and in_a_row >= self._stop_model_after:
            self._close_model(model, f"{in_a_row} calls in a row failed, the last with: {message}")

    def _close_model(self, model: ModelSpec, message: str) -> None:
        if model.name not in self.closed:
            self.closed[model.name] = f"model stopped: {message}"
            self.warn(f"{model.name}: no more calls to this model: {message}")
