"""Work beside the calls a few times a second: wishes of others, what they may see, signals."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable

from tui_eval.core.errors import StorageError
from tui_eval.core.money import MICRO
from tui_eval.engine.calling import RunContext
from tui_eval.engine.circuit_breaker import CircuitBreaker
from tui_eval.engine.progress import Progress
from tui_eval.runs.folder import LOG, PAUSE, PROGRESS, RESULTS, STOP

TICK_S = 0.25

Tick = Callable[[Progress], None]


async def ticks(context: RunContext, on_tick: Tick | None) -> None:
    """A few times a second: what others wish for, what they may see."""
    while True:
        breaker, folder = context.breaker, context.folder
        if folder.wishes(STOP):
            breaker.stop("STOP was asked for")
        breaker.pause(folder.wishes(PAUSE))
        if disturbed := folder.disturbed():
            breaker.stop(disturbed, aborted=True)
        check_disk(context)
        if breaker.stopped:
            context.limiter.give_up_waiting()
        publish(context, "stopping" if breaker.stopped else "paused" if breaker.paused else "running")
        if on_tick is not None:
            on_tick(context.progress)
        await asyncio.sleep(TICK_S)


def check_disk(context: RunContext) -> None:
    """Stop where the folder cannot be written any more."""
    if context.folder.lost:
        context.breaker.stop(context.folder.lost, aborted=True)


def publish(context: RunContext, state: str) -> None:
    """Write down where the run stands, for whoever watches."""
    progress = context.progress
    progress.state = state
    if context.breaker.stopped:
        progress.why = context.breaker.stopped
    progress.calls_used = context.budget.calls_used - context.budget.idle
    progress.log_bytes, progress.results_bytes = context.folder.sizes[LOG], context.folder.sizes[RESULTS]
    remaining = {name: tally.planned - tally.of_plan for name, tally in progress.models.items()}
    progress.least_left_s = context.limiter.least_left_s(time.monotonic(), remaining)
    progress.charged_usd = context.budget.spent / MICRO
    lowered = [limit for limit in context.limiter.endpoints.values() if limit.limit < limit.most]
    tightest = min(lowered, key=lambda limit: limit.limit, default=None)
    progress.limit = int(tightest.limit) if tightest else context.limiter.max_concurrency
    progress.limit_reason = tightest.reason if tightest else ""
    try:
        context.folder.replace(PROGRESS, progress.snapshot(time.monotonic()))
    except StorageError as error:
        context.breaker.stop(f"the run folder cannot be written: {error}", aborted=True)


class Signals:
    """SIGINT or SIGTERM once: start nothing new. Again: cancel what is in flight. A closed terminal changes nothing."""

    def __init__(self, breaker: CircuitBreaker) -> None:
        self._breaker = breaker
        self._names = (signal.SIGINT, signal.SIGTERM)

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for name in self._names:
            loop.add_signal_handler(name, self._interrupted)

    def __exit__(self, *unused: object) -> None:
        loop = asyncio.get_running_loop()
        for name in self._names:
            loop.remove_signal_handler(name)

    def _interrupted(self) -> None:
        if self._breaker.stopped:
            self._breaker.break_off()
        else:
            self._breaker.stop("interrupted", hint="; calls in flight may finish (Ctrl-C once more cancels them)")
