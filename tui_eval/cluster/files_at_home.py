"""Files of samples that workers ask, and those that add up over them: written at home, while the run goes on, from its log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

from tui_eval.cluster.sample_feed import Place
from tui_eval.configuring.loading import Loaded
from tui_eval.engine.calling import RunContext
from tui_eval.engine.growing import so_far
from tui_eval.engine.samples import keep_files
from tui_eval.evaluation.sample_queues import sample_at

EVERY_S = 1.0
"""At least between two times that the log is read."""
SHARE = 0.1
"""Of the run's time that goes into it at most."""


class FilesAtHome:
    """Samples that came on at workers, whose files are still to be written."""

    def __init__(
        self, context: RunContext, loaded: Loaded, read_on: Callable[[], None], under_way: Callable[[], Iterable[Place]]
    ) -> None:
        """`read_on`: has the context know what came to the log since; `under_way`: the samples that workers have."""
        self._context, self._loaded, self._read_on, self._under_way = context, loaded, read_on, under_way
        files = loaded.evaluation.kind.sample_files
        self._has_files, self._partial = files.files is not None or files.totals is not None, files.partial
        self._ended: list[Place] = []
        self._came = False

    def note(self, ended: Iterable[Place]) -> None:
        """Records came to the log; these samples have ended with them."""
        if self._has_files:
            self._ended += ended
            self._came = True

    async def keep_on(self) -> None:
        """Write files as samples come on, until it is cancelled: the reports write those that are left."""
        pause = EVERY_S
        while True:
            await asyncio.sleep(pause)
            began = time.monotonic()
            await self._write()
            pause = max(EVERY_S, (time.monotonic() - began) / SHARE)

    async def _write(self) -> None:
        context, evaluation = self._context, self._loaded.evaluation
        changed, self._ended = self._ended, []
        if self._partial and self._came:
            changed += self._under_way()
        self._came = False
        if changed:
            self._read_on()
        for queue, place in changed:
            sample = sample_at(evaluation.queues[queue], place)
            try:
                if context.recorded is not None:
                    await keep_files(context, evaluation, so_far(evaluation, sample, context.recorded.reply))
            except Exception as error:
                context.folder.narrate_exception(f"{sample.id}: its files cannot be made", error)
            await asyncio.sleep(0)
