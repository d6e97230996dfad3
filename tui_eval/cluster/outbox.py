"""Lines on their way home: numbered bundles, kept until the coordinator has them on its disk. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LARGEST = 1 << 20
"""Characters of a bundle after which it is closed."""
PATIENCE_S = 2.0
"""Once a line has waited so long for its acknowledgement, no new call is begun."""
MOST_WAITING = 8 << 20
"""Characters that may wait for it."""


@dataclass(slots=True)
class Bundle:
    """Some lines for files of the run, and what else has changed by the time of the last of them."""

    number: int
    born: float
    """Monotonic clock when its first line came, seconds."""
    lines: dict[str, list[str]] = field(default_factory=dict)
    """By the name of the file."""
    size: int = 0
    changes: Mapping[str, Any] = field(default_factory=dict)

    def as_message(self) -> dict[str, Any]:
        """Return it as it is sent, and kept in a spool."""
        return {"n": self.number, "lines": self.lines, "changes": dict(self.changes)}


class Outbox:
    """Bundles of one worker's life, in their order."""

    def __init__(self, changes: Callable[[], Mapping[str, Any]], clock: Callable[[], float]) -> None:
        """`changes`: what has changed since it was last asked; `clock`: monotonic, seconds."""
        self._changes, self._clock = changes, clock
        self._open = Bundle(1, clock())
        self.waiting: deque[Bundle] = deque()
        """Bundles that are closed and not acknowledged."""
        self._size = 0

    def add(self, name: str, line: str) -> None:
        """Take a line for a file."""
        if not self._open.size:
            self._open.born = self._clock()
        self._open.lines.setdefault(name, []).append(line)
        self._open.size += len(line)
        self._size += len(line)

    @property
    def is_full(self) -> bool:
        """Return whether the open bundle is to be closed now."""
        return self._open.size >= LARGEST

    def close_bundle(self) -> Bundle | None:
        """Close the open bundle; None where there is nothing to say."""
        changes = self._changes()
        if not self._open.size and not changes:
            return None
        bundle, self._open = self._open, Bundle(self._open.number + 1, self._clock())
        bundle.changes = changes
        self.waiting.append(bundle)
        return bundle

    def acknowledge(self, number: int) -> None:
        """Forget every bundle up to one: the coordinator has them on its disk."""
        while self.waiting and self.waiting[0].number <= number:
            self._size -= self.waiting.popleft().size

    @property
    def has_open_lines(self) -> bool:
        """Return whether lines wait that are in no bundle."""
        return self._open.size > 0

    @property
    def is_behind(self) -> bool:
        """Return whether so much waits, or for so long, that no new call may begin."""
        oldest = self.waiting[0].born if self.waiting else self._open.born if self._open.size else None
        return self._size > MOST_WAITING or (oldest is not None and self._clock() - oldest > PATIENCE_S)
