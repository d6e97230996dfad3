"""One pass over a log: counts, money, who answered, and where each call's reply stands. It can go on where it ended."""

from __future__ import annotations

import contextlib
import os
from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tui_eval.runs.buckets import Buckets
from tui_eval.runs.folder import LOG
from tui_eval.runs.ledger import Ledger
from tui_eval.runs.log_counts import BESIDE, is_beyond_plan, tallied_as
from tui_eval.runs.reader import Recorded, RunReader, lines
from tui_eval.runs.record import head_of, record_of

Told = Callable[[float], None]
"""Told how much is done, as a share of 1."""
Head = Mapping[str, Any]
LINES_TOLD = 1024


def not_told(share: float) -> None:
    """Tell nobody, where nobody wants to know."""


class LogPass:
    """Sums over the lines of a log, as far as it was read. A line is read once, however often it goes on."""

    def __init__(self, path: Path, repeats: int) -> None:
        self.path = path
        self.buckets = Buckets()
        self.per_repeat = [Buckets() for _ in range(repeats)] if repeats > 1 else []
        self.ledger = Ledger()
        self.recorded = Recorded(path)
        """Open until somebody closes it."""
        self.served: dict[str, Counter[str]] = {}
        """By model: how many replies each served model gave."""
        self.spans: dict[str, tuple[str, str]] = {}
        """By model: when its first attempt started and its last one ended."""
        self.answered: dict[str, int] = {}
        """By model: where its last good reply stands."""
        self.cached: Counter[str] = Counter()
        """By model: replies that were not asked for by this run."""
        self.settled: Counter[tuple[str, str, bool]] = Counter()
        """Calls that are settled, by model, how they ended (`tallied_as`), and whether they are beyond the plan."""
        self.upto = 0
        """The byte behind the last line that was read."""
        self.damaged: list[int] = []
        """Numbers, from 1, of the lines that are no attempt record."""
        self._lines = 0
        self._unsent = array("Q")

    def read_on(self, each: Callable[[Head], None] | None = None, to_the_end: bool = False, told: Told = not_told) -> None:
        """Read what was added since. `to_the_end`: a line whose big fields are damaged is found, too.

        `each`: given the small fields of every attempt, in order.
        """
        size = _size(self.path / LOG)
        for offset, line in lines(self.path / LOG, self.upto):
            self._lines += 1
            self.upto = offset + len(line) + 1
            if self._lines % LINES_TOLD == 0:
                told(min(self.upto / max(size, 1), 1.0))
            head, sound = _read(line, to_the_end)
            if head is not None:
                self._take(offset, head)
                if each is not None:
                    each(head)
            if not sound:
                self.damaged.append(self._lines)

    def end(self) -> None:
        """Nothing is added any more: a call that was not sent counts only if it was not sent later, either."""
        for offset in self._unsent:
            head = self.recorded.head_at(offset)
            if self.recorded.counts(head["call_key"], offset):
                self._count(head)
        del self._unsent[:]
        reader = RunReader(self.path)
        self.ledger.begin(reader.intents(self.ledger.has_ended), reader.grants())

    def _take(self, offset: int, head: dict[str, Any]) -> None:
        before = self.recorded.add(head, offset)
        if self.recorded.counts(head["call_key"], offset):
            self._settle(before, -1)
            self._settle(head, 1)
        self.ledger.end(head)
        if head["started_at"] is None and not head["cached"]:
            self._unsent.append(offset)
            return
        self._count(head)
        model = head["model"]
        if head["served_model"]:
            self.served.setdefault(model, Counter())[head["served_model"]] += 1
        if head["started_at"]:
            first, last = self.spans.get(model, (head["started_at"], head["ended_at"]))
            self.spans[model] = (min(first, head["started_at"]), max(last, head["ended_at"]))
        self.cached[model] += head["cached"]
        if head["status"] == "ok":
            self.answered[model] = offset

    def _settle(self, head: Head | None, by: int) -> None:
        if head is not None and head["final"] and head["stage"] != BESIDE:
            self.settled[head["model"], tallied_as(head["status"], head["error_kind"]), is_beyond_plan(head)] += by

    def _count(self, head: Head) -> None:
        self.buckets.add(head)
        if 0 <= head["repeat"] < len(self.per_repeat):
            self.per_repeat[head["repeat"]].add(head)


def _read(line: bytes, to_the_end: bool) -> tuple[dict[str, Any] | None, bool]:
    """(the small fields of a line at least, None where it is no attempt record; whether it is sound as far as it was read)."""
    if to_the_end:
        with contextlib.suppress(ValueError):
            return record_of(line), True
    try:
        return head_of(line), not to_the_end
    except ValueError:
        return None, False


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
