"""View of a log: the attempts that are shown, and their order, worked out bit by bit, beside whoever looks."""

from __future__ import annotations

import heapq
import math
import threading
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from tui_eval.runs.log.columns import DAMAGED, MISSING, STATUSES, LogColumns, places
from tui_eval.runs.log.index import LogIndex
from tui_eval.runs.log.query import LogQuery, Term, bytes_needed, line_holds

Order = Literal["latency", "cost"]

SLICE_ROWS = 256
SLICE_BYTES = 4 << 20
SORTED_ROWS = 8_192
"""Sorted in one go: about 5 ms during which no other thread runs."""
MERGED_ROWS = 1_024
PAUSE_S = 2.0
PAUSE_FACTOR = 10
"""A sorted view of a log that grows is made anew after 2 s, or 10 times what that took the last time."""
DECISIONS_KEPT = 50_000

Codes = tuple[int, int, int, int]


class Pass:
    """One query over one log file, from its first row on. Only the working thread changes it."""

    def __init__(self, columns: LogColumns, query: LogQuery, order: Order | None, descending: bool) -> None:
        self.columns = columns
        self.query = query
        self.order = order
        self.descending = descending
        self.rows = array("I")
        """What the query lets through, in the log's order; not used without a query."""
        self.examined = 0
        self.sorted: array[int] | None = None
        self.sorted_from = -1
        """How many rows the order is made of."""
        self._job: Iterator[None] | None = None
        self._job_began = self._job_ended = 0.0
        self._decisions: dict[Codes, tuple[Term, ...] | None] = {}

    @property
    def matching(self) -> int:
        """Rows that the query let through so far; with an order, of those whose small fields are read."""
        if self.query.asks:
            return len(self.rows)
        return self.columns.read if self.order else self.columns.lines

    @property
    def shown(self) -> Sequence[int]:
        """The rows in the order in which they are shown; a range where all are shown as they stand."""
        if self.sorted is not None:
            return self.sorted
        return self.rows if self.query.asks else range(self.matching)

    def step(self) -> bool:
        """Look at some more rows, or sort some more; whether there was anything to do."""
        return self._examine() or self._arrange()

    def _examine(self) -> bool:
        columns = self.columns
        if not self.query.asks:
            return False
        end = min(self.examined + SLICE_ROWS, columns.read)
        looked_at, n_bytes = self.examined, 0
        while looked_at < end and n_bytes < SLICE_BYTES:
            terms = self._undecided(looked_at)
            if terms is not None and self.query.numbers and not self.query.numbers_hold(self._numbers_of(looked_at)):
                terms = None
            if terms:
                line = columns.line(looked_at, bytes_needed(terms))
                n_bytes += len(line)
                if line_holds(terms, line, columns.statuses[looked_at] == DAMAGED):
                    self.rows.append(looked_at)
            elif terms is not None:
                self.rows.append(looked_at)
            looked_at += 1
        worked = looked_at > self.examined
        self.examined = looked_at
        return worked

    def _numbers_of(self, row: int) -> Callable[[str], float | None]:
        """Return what tells the numbers of a row; those that are not kept are read from its line, once."""
        columns = self.columns
        heads: list[Mapping[str, Any] | None] = []

        def number(field: str) -> float | None:
            if field in ("s", "cost"):
                value = columns.latencies[row] / 1000 if field == "s" else columns.costs[row]
                return None if value < 0 or math.isnan(value) else value
            if not heads:
                heads.append(columns.parse(row))
            return _number_in(heads[0], field)

        return number

    def _undecided(self, row: int) -> tuple[Term, ...] | None:
        """Return the terms for the line to decide. Rows differ little in their small fields: each mixture is decided once."""
        c = self.columns
        codes = (c.statuses[row], c.kinds[row], c.stages[row], c.models[row])
        if codes not in self._decisions:
            if len(self._decisions) >= DECISIONS_KEPT:
                self._decisions.clear()
            status = None if codes[0] == DAMAGED else STATUSES[codes[0]]
            names = c.kind_names.names[codes[1]], c.stage_names.names[codes[2]], c.model_names.names[codes[3]]
            self._decisions[codes] = self.query.left(status, *names)
        return self._decisions[codes]

    # ---------------------------------------------------------------------------------------------- sorting

    def _arrange(self) -> bool:
        if self.order is None:
            return False
        if self._job is None:
            if self.matching == self.sorted_from or self._rests():
                return False
            self._job_began = time.monotonic()
            self._job = self._sort(self.order)
        if next(self._job, self) is self:
            self._job = None
            self._job_ended = time.monotonic()
        return True

    def _rests(self) -> bool:
        if self.sorted is None:
            return False
        pause = max(PAUSE_S, PAUSE_FACTOR * (self._job_ended - self._job_began))
        return time.monotonic() < self._job_ended + pause

    def _sort(self, order: Order) -> Iterator[None]:
        """Sort the rows there are now, in pieces; the former order is shown until this one is whole."""
        number = self.matching
        values = self.columns.latencies if order == "latency" else self.columns.costs
        pieces: list[array[int]] = []
        unknown, merged = array("I"), array("I")
        for start in range(0, number, SORTED_ROWS):
            end = min(start + SORTED_ROWS, number)
            rows = self.rows[start:end] if self.query.asks else range(start, end)
            unknown.extend(row for row in rows if values[row] == MISSING)
            known_rows = [row for row in rows if values[row] != MISSING]
            pieces.append(array("I", sorted(known_rows, key=values.__getitem__, reverse=self.descending)))
            yield
        for row in heapq.merge(*pieces, key=values.__getitem__, reverse=self.descending):
            merged.append(row)
            if len(merged) % MERGED_ROWS == 0:
                yield
        merged.extend(unknown)
        self.sorted, self.sorted_from = merged, number


def _number_in(head: Mapping[str, Any] | None, field: str) -> float | None:
    """Return a number of an attempt as the columns of the log show it, which count from 1."""
    if head is None:
        return None
    name = {"tokens": "usage", "attempt": "attempt", "call": "call_index", "http": "http_status"}[field]
    value = head["usage"].get("total_tokens") if field == "tokens" else head[name]
    return value + (field in ("attempt", "call")) if isinstance(value, int) else None


class LogView:
    """The rows of a log that are shown. Rows whose latency or cost is not known come last, up or down.

    `advance` is for the working thread; everything else may be called from any thread. What is shown may change between
    two calls: then `row` is None where nothing stands any more.
    """

    def __init__(self, index: LogIndex, wake: Callable[[], None] = lambda: None) -> None:
        """`wake`: called when something else is to be shown, so that whoever advances the view begins at once."""
        self.index = index
        self._wake = wake
        self._lock = threading.Lock()
        self._pass = Pass(index.columns, LogQuery(), None, False)
        self.shows = 0
        """How often something else was asked for."""

    def show(self, query: LogQuery, order: Order | None = None, descending: bool = False) -> None:
        """Show what a query asks for, in the log's order or by latency or cost; whatever was shown is forgotten."""
        with self._lock:
            self._pass = Pass(self.index.columns, query, order, descending)
            self.shows += 1
        self._wake()

    def advance(self, seconds: float) -> bool:
        """Work for about so long, in slices of a few milliseconds; whether there is more to do right now."""
        until = time.monotonic() + seconds
        while self._current().step():
            if time.monotonic() >= until:
                return True
        return False

    @property
    def count(self) -> int:
        """Rows shown."""
        return len(self._pass.shown)

    @property
    def examined(self) -> int:
        """Rows looked at so far."""
        now = self._pass
        return now.examined if now.query.asks else now.matching

    @property
    def ordered(self) -> bool:
        """Return whether what is shown stands in the order asked for; until it does it stands in the log's."""
        now = self._pass
        return now.order is None or now.sorted is not None

    @property
    def done(self) -> bool:
        """Return whether every row of the log was looked at, and has its place."""
        now = self._pass
        placed = now.order is None or now.sorted_from == now.matching
        return now.columns is self.index.columns and self.examined == now.columns.lines and placed

    def row(self, position: int) -> int | None:
        """The index's row that is shown at a position (from 0)."""
        rows = self._pass.shown
        return rows[position] if 0 <= position < len(rows) else None

    def position(self, row: int) -> int | None:
        """Return a row's place in the view; None where it is not shown. A sorted view is searched from its top."""
        now = self._pass
        rows = now.shown
        if now.sorted is not None:
            return next(places(now.sorted, row), None)
        at = bisect_left(rows, row)
        return at if at < len(rows) and rows[at] == row else None

    def _current(self) -> Pass:
        """The pass that is under way, begun anew where the log is another one now."""
        with self._lock:
            now = self._pass
            if now.columns is not self.index.columns:
                now = self._pass = Pass(self.index.columns, now.query, now.order, now.descending)
            return now
