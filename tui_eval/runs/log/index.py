"""Index of the attempts of a run's log, their places and outcomes, built bit by bit while the log grows."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from tui_eval.core.calls import Json
from tui_eval.runs.buckets import Buckets
from tui_eval.runs.log.columns import DAMAGED, MISSING, STATUSES, LogColumns, places
from tui_eval.runs.log.growing_lines import GrowingLines
from tui_eval.runs.log.sums import AttemptPace, Cause, Second
from tui_eval.runs.record import record_of

SLICE_LINES = 64
LINE_BYTES = 64 << 20
"""A longer line is no record, and is not shown beyond this."""
SAME_CALL_ROWS = 200
"""Rows looked at for other attempts of a call: a call has a handful of them, a stranger's log may repeat one for ever."""


class LogIndex(GrowingLines[LogColumns]):
    """A run's call_logs.jsonl, which may not exist yet and may grow; it is only ever read.

    First all line ends are looked for, so that every line can be shown; then the small fields of each line are read. A log
    that is another one has other `columns`. `head` is for one thread (it caches the last few thousand); a row that is not
    there (any more) is None.
    """

    def __init__(self, path: Path) -> None:
        """`path`: the log itself."""
        super().__init__(path, LogColumns)
        self._figures_lock = threading.RLock()

    @property
    def columns(self) -> LogColumns:
        """Columns of what is known of each row."""
        return self.index

    # ---------------------------------------------------------------------------------------------- reading on

    def step(self) -> bool:
        """Look for some more line ends, or read some more heads; whether there was anything to do."""
        return super().step() or self._read_heads()

    def _read_heads(self) -> bool:
        columns = self.columns
        rows = range(columns.read, min(columns.read + SLICE_LINES, columns.lines))
        for row in rows:
            head = columns.parse(row)
            with self._figures_lock:
                columns.add(row, head)
                if head is not None:
                    columns.figures.add(row, head)
        return bool(rows)

    # ---------------------------------------------------------------------------------------------- how far it is

    @property
    def read(self) -> int:
        """Rows whose small fields are known."""
        return self.columns.read

    @property
    def damaged(self) -> int:
        """Rows, of those read, whose small fields are none of an attempt."""
        return self.columns.damaged

    @property
    def bytes_seen(self) -> int:
        """Bytes of the log whose rows are read."""
        columns = self.columns
        return columns.starts[columns.read]

    @property
    def bytes_total(self) -> int:
        """Bytes the log had when it was last looked at."""
        return self.columns.total

    # ---------------------------------------------------------------------------------------------- one row

    def head(self, row: int) -> dict[str, Any] | None:
        """The small fields of a row; None where the line is no attempt."""
        return self.columns.entry(row)

    def record(self, row: int) -> dict[str, Any] | None:
        """The whole record of a row; None where the line is no attempt, or longer than 64 MB."""
        try:
            return record_of(self.columns.line(row, LINE_BYTES))
        except ValueError:
            return None

    def raw(self, row: int, most: int = LINE_BYTES) -> bytes:
        """The line as it stands, without its newline; at most so many bytes of it."""
        return self.columns.line(row, most)

    def status(self, row: int) -> str | None:
        """ok, timeout, error or skipped_budget; None where it is not read yet, or damaged."""
        columns = self.columns
        is_known = 0 <= row < columns.read and columns.statuses[row] != DAMAGED
        return STATUSES[columns.statuses[row]] if is_known else None

    def kind(self, row: int) -> str | None:
        """The error kind, if it has one."""
        columns = self.columns
        return columns.kind_names.names[columns.kinds[row]] or None if self.status(row) else None

    def stage(self, row: int) -> str | None:
        """The stage; None where it is not read yet, or damaged."""
        columns = self.columns
        return columns.stage_names.names[columns.stages[row]] if self.status(row) else None

    def model(self, row: int) -> str | None:
        """The model's name in this run; None where it is not read yet, or damaged."""
        columns = self.columns
        return columns.model_names.names[columns.models[row]] if self.status(row) else None

    def latency(self, row: int) -> float | None:
        """Milliseconds from sending to the last byte; None where that is not known."""
        return _amount(self.columns.latencies, row)

    def cost(self, row: int) -> float | None:
        """USD, as `cost_of` has it; None where that is not known."""
        return _amount(self.columns.costs, row)

    def same_call(self, row: int) -> list[int]:
        """The rows read so far that are attempts of the same call, the row itself included, in order."""
        columns, head = self.columns, self.head(row)
        if head is None:
            return [row]
        key, rows = head["call_key"], {row}
        for other_row in islice(places(columns.keys, int(key[:16], 16)), SAME_CALL_ROWS):
            alike = columns.parse(other_row)
            if alike is not None and alike["call_key"] == key:
                rows.add(other_row)
        return sorted(rows)

    def failed(self, row: int) -> bool:
        """Return whether a row is an error or a timeout; one that was not sent is none."""
        failures = self.columns.failures
        at = bisect_left(failures, row)
        return at < len(failures) and failures[at] == row

    def errors_from(self, row: int, step: Literal[1, -1]) -> Iterator[int]:
        """Yield the rows that are errors or timeouts, downwards (1) or upwards (-1) from a row, and on round the end of the
        log as it is now to the row itself; those of calls that were not sent are none."""
        failures = self.columns.failures
        number = len(failures)
        at = bisect_right(failures, row) if step > 0 else bisect_left(failures, row) - 1
        return (failures[(at + step * far) % number] for far in range(number))

    # ---------------------------------------------------------------------------------------------- figures

    @contextmanager
    def at_one_moment(self) -> Iterator[int]:
        """Hold reading on: figures taken in here are of one and the same part of the log, whose length in bytes it yields."""
        with self._figures_lock:
            yield self.bytes_seen

    @property
    def buckets(self) -> Buckets:
        """Sums per stage and model. Another thread may be adding: see `bucket_rows`."""
        return self.columns.figures.buckets

    @property
    def pace(self) -> AttemptPace:
        """Pace of what ended by the second. Another thread may be adding: see `throughput`."""
        return self.columns.figures.pace

    def bucket_rows(self, stages: Sequence[str], models: Sequence[str]) -> list[dict[str, Json]]:
        """`Buckets.rows` of what is read so far."""
        with self._figures_lock:
            return self.columns.figures.buckets.rows(stages, models)

    def errors(self, n: int) -> tuple[list[Cause], int]:
        """The `n` most frequent causes of failed attempts, and how many attempts failed for other ones."""
        with self._figures_lock:
            causes = self.columns.figures.causes
            top = causes.top(n)
            whole = causes.others + sum(group.count for group in causes.groups.values())
            return top, whole - sum(group.count for group in top)

    def throughput(self, n_points: int, until: float | None = None, width_s: int = 1) -> list[float | None]:
        """Attempts ended per second, in `n_points` spans of `width_s` seconds up to a moment; None where nothing ended."""
        return [None if p is None else p.ended / width_s for p in self._points(n_points, until, width_s)]

    def latency_line(self, n_points: int, until: float | None = None, width_s: int = 1) -> list[float | None]:
        """Mean latency in ms of good replies, likewise; None where there was none."""
        return [p.latency_ms / p.timed if p and p.timed else None for p in self._points(n_points, until, width_s)]

    def _points(self, n_points: int, until: float | None, width_s: int) -> list[Second | None]:
        with self._figures_lock:
            return self.columns.figures.pace.points(n_points, until, width_s)


def _amount(column: array[float], row: int) -> float | None:
    return column[row] if 0 <= row < len(column) and column[row] != MISSING else None
