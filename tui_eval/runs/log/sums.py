"""Sums over the attempts of a log while it grows: per stage and model, pace per second, errors by cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tui_eval.runs.buckets import Bucket, Buckets

OTHERS = "(others)"
"""Stands for every name beyond those that are told apart."""

PACE_SECONDS = 600
CAUSES = 200
MESSAGE_CHARACTERS = 200
LEAVES = 10_000
"""Pairs of stage and model told apart; a run has a few, a stranger's log may have any number."""
UNSENT_CALLS = 100_000
"""Calls not sent yet that are remembered, at 100 bytes a call; beyond them each is counted as it comes, and stays counted."""


def failed(head: Mapping[str, Any]) -> bool:
    """Return whether an attempt was sent and brought no reply: an error or a timeout."""
    return head["status"] in ("error", "timeout") and head["error_kind"] != "not_sent"


@dataclass(slots=True)
class Second:
    """Attempts that ended within one second."""

    ended: int = 0
    timed: int = 0
    """Good replies with a known latency."""
    latency_ms: float = 0.0


class AttemptPace:
    """Attempts that were sent, by the second they ended in: the last 600 seconds in which any did."""

    def __init__(self) -> None:
        self.seconds: dict[int, Second] = {}

    def add(self, head: Mapping[str, Any]) -> None:
        """Take an attempt into account; one that was never sent, or was copied from another run, has no pace."""
        second = None if head["cached"] or head["started_at"] is None else _second_of(head["ended_at"])
        if second is None:
            return
        entry = self.seconds.get(second)
        if entry is None:
            entry = self.seconds[second] = Second()
            if len(self.seconds) > 2 * PACE_SECONDS:
                self._forget()
        entry.ended += 1
        if head["status"] == "ok" and head["latency_ms"] is not None:
            entry.timed += 1
            entry.latency_ms += head["latency_ms"]

    def points(self, n_points: int, until: float | None, width_s: int) -> list[Second | None]:
        """`n_points` spans of `width_s` seconds, the last one ending with the second `until` (by default the last known)."""
        last = max(self.seconds, default=0) if until is None else int(until)
        begins = range(last + 1 - n_points * width_s, last + 1, width_s)
        return [self._span(begin, width_s) for begin in begins]

    def _span(self, begin: int, width_s: int) -> Second | None:
        parts = [self.seconds[second] for second in range(begin, begin + width_s) if second in self.seconds]
        if not parts:
            return None
        return Second(
            sum(part.ended for part in parts),
            sum(part.timed for part in parts),
            sum(part.latency_ms for part in parts),
        )

    def _forget(self) -> None:
        for second in sorted(self.seconds)[:-PACE_SECONDS]:
            del self.seconds[second]


@dataclass(slots=True)
class Cause:
    """Failed attempts of one model that were told the same."""

    kind: str
    """The error kind, or the status where it has none."""
    model: str
    message: str
    """Its first 200 characters."""
    count: int
    last_row: int


class Causes:
    """Failed attempts grouped by cause, 200 groups at most; those of rarer causes are counted in `others`."""

    def __init__(self) -> None:
        self.groups: dict[tuple[str, str, str], Cause] = {}
        self.others = 0
        """Failed attempts whose cause is not among the groups any more. Groups and others add up to all that failed."""

    def add(self, row: int, head: Mapping[str, Any]) -> None:
        """Take a failed attempt into account."""
        key = (head["error_kind"] or head["status"], head["model"], (head["error_message"] or "")[:MESSAGE_CHARACTERS])
        group = self.groups.get(key)
        if group is None:
            if len(self.groups) >= CAUSES:
                self._drop_rarest()
            group = self.groups[key] = Cause(*key, 0, row)
        group.count += 1
        group.last_row = row

    def top(self, n: int) -> list[Cause]:
        """The `n` most frequent causes, of equals the latest first; copies that change no more."""
        groups = sorted(self.groups.values(), key=lambda group: (-group.count, -group.last_row))
        return [Cause(g.kind, g.model, g.message, g.count, g.last_row) for g in groups[:n]]

    def _drop_rarest(self) -> None:
        """A cause that comes again and again outlives any number of messages that are never the same twice."""
        key = min(self.groups, key=lambda key: (self.groups[key].count, self.groups[key].last_row))
        self.others += self.groups.pop(key).count


class Figures:
    """Everything that is added up while the small fields of a log are read, once each, in order."""

    def __init__(self) -> None:
        self.buckets = Buckets()
        self.pace = AttemptPace()
        self.causes = Causes()
        self._unsent: dict[int, tuple[Bucket, str, bool]] = {}
        """By call: in which bucket it was counted as not sent, as what, and whether that settled it."""

    def add(self, row: int, head: Mapping[str, Any]) -> None:
        """Take the attempt in a row of the log into account."""
        self._count(head)
        self.pace.add(head)
        if failed(head):
            self.causes.add(row, head)

    def _count(self, head: Mapping[str, Any]) -> None:
        """As the reports do, a call that was not sent counts only until it is sent, and once.

        One forward pass cannot see one thing they see: that a call noted as not sent had been settled before. The engine
        writes no such note.
        """
        key = int(head["call_key"][:16], 16)
        unsent = head["started_at"] is None and not head["cached"]
        before = self._unsent.get(key)
        if before is not None:
            bucket, name, settled = before
            if not (settled and not head["final"]):
                bucket.counts[name] -= 1
                del self._unsent[key]
            elif unsent:
                return
        leaf = self._add(head)
        if unsent and len(self._unsent) < UNSENT_CALLS:
            self._unsent[key] = (leaf, "not_sent" if head["error_kind"] == "not_sent" else head["status"], head["final"])

    def _add(self, head: Mapping[str, Any]) -> Bucket:
        leaves, pair = self.buckets.leaves, (head["stage"], head["model"])
        if pair not in leaves and len(leaves) >= LEAVES:
            pair = (OTHERS, OTHERS)
            head = {**head, "stage": OTHERS, "model": OTHERS}
        self.buckets.add(head)
        return leaves[pair]


def _second_of(stamp: str) -> int | None:
    """A moment as a log has it, in whole seconds since 1970; None when it is no moment."""
    try:
        return int(datetime.fromisoformat(stamp).timestamp())
    except (ValueError, OverflowError, OSError):
        return None
