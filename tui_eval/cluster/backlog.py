"""Number of workers that a run has work for: by the samples that are left, and how many of them a worker can take. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping


class Backlog:
    """The run's samples by queue, in workers."""

    def __init__(self) -> None:
        self._fills: dict[str, float] = {}
        """Samples of a queue that fill a worker, as the last one that asked for some said."""

    def note(self, queue: str, wanted: int) -> None:
        """A worker asked for so many samples: twice what fills it."""
        self._fills[queue] = max(wanted / 2, 1.0)

    def workers(self, open_samples: Mapping[str, int], least: int, most: int) -> int:
        """Return the workers that so many samples by queue, not ended yet, can fill, from `least` to `most`."""
        if not self._fills:
            return least
        usual = min(self._fills.values())
        filled = sum(n / self._fills.get(queue, usual) for queue, n in open_samples.items())
        return max(least, min(most, math.ceil(filled)))
