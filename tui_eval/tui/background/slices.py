"""Jobs in the background: reading and searching in slices so short that no key is held up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

SLICE_S = 0.003
REST_S = 0.0005
"""Between two slices the keys have their turn."""


class Job(Protocol):
    """Something done bit by bit."""

    def behind(self) -> bool:
        """Return whether there is something to do; cheap enough to be asked on every tick."""

    def advance(self, seconds: float) -> bool:
        """Go on for about so long; whether there is more to do."""


def go_on(jobs: Callable[[], Sequence[Job]], stopped: Callable[[], bool]) -> None:
    """Do jobs to their end, in slices so short that keys are not held up."""
    busy = True
    while busy and not stopped():
        busy = sum(job.advance(SLICE_S) for job in jobs()) > 0
        time.sleep(REST_S)
