"""What happens beside the calls a few times a second: wishes of others, what they may see, signals."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable

from tui_eval.core.errors import StorageError
from tui_eval.core.money import MICRO
from tui_eval.engine.calling import Asking
from tui_eval.engine.progress import Progress
from tui_eval.engine.switch import Switch
from tui_eval.runs.folder import PAUSE, PROGRESS, STOP

TICK_S = 0.25

Tick = Callable[[Progress], None]


async def ticks(asking: Asking, on_tick: Tick | None) -> None:
    """A few times a second: what others wish for, what they may see."""
    while True:
        switch, folder = asking.switch, asking.folder
        if folder.wishes(STOP):
            switch.stop("STOP was asked for")
        switch.pause(folder.wishes(PAUSE))
        if not folder.intact():
            switch.stop("the log was moved or replaced while the run was writing it", aborted=True)
        check_disk(asking)
        if switch.stopped:
            asking.room.give_up_waiting()
        publish(asking, "stopping" if switch.stopped else "paused" if switch.paused else "running")
        if on_tick is not None:
            on_tick(asking.progress)
        await asyncio.sleep(TICK_S)


def check_disk(asking: Asking) -> None:
    """Stop where the folder cannot be written any more."""
    if asking.folder.lost:
        asking.switch.stop(asking.folder.lost, aborted=True)


def publish(asking: Asking, state: str) -> None:
    """Write down where the run stands, for whoever watches."""
    progress = asking.progress
    progress.state = state
    if asking.switch.stopped:
        progress.why = asking.switch.stopped
    progress.calls_used = asking.budget.calls_used
    progress.charged_usd = asking.budget.spent / MICRO
    lowered = [limit for limit in asking.room.endpoints.values() if limit.limit < limit.most]
    tightest = min(lowered, key=lambda limit: limit.limit, default=None)
    progress.limit = int(tightest.limit) if tightest else asking.room.max_concurrency
    progress.limit_reason = tightest.reason if tightest else ""
    try:
        asking.folder.replace(PROGRESS, progress.snapshot(time.monotonic()))
    except StorageError as error:
        asking.switch.stop(f"the run folder cannot be written: {error}", aborted=True)


class Signals:
    """SIGINT or SIGTERM once: start nothing new. Again: cancel what is in flight. A closed terminal changes nothing."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
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
        if self._switch.stopped:
            self._switch.break_off()
        else:
            self._switch.stop("interrupted", hint="; calls in flight may finish (Ctrl-C once more breaks them off)")
