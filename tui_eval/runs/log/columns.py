"""Columns of a run's log: a few numbers a line, and where it stands in the file."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

from tui_eval.runs.log.growing_lines import LineIndex, LogFile
from tui_eval.runs.log.sums import OTHERS, Figures, failed
from tui_eval.runs.record import head_of

HEAD_BYTES = (2_048, 65_536, 1 << 20)
"""How much of a line is read for its small fields: more only where less did not hold them. A longer head is no attempt."""
NAME_CHARACTERS = 300
SEARCHED_AT_ONCE = 1 << 16
MISSING = -1.0
"""Stands for an amount that is not known, in arrays that hold amounts from 0 up."""

DAMAGED = 255
STATUSES = ("ok", "timeout", "error", "skipped_budget")
"""By their numbers in the column of statuses."""
_STATUS_CODES = {name: code for code, name in enumerate(STATUSES)}


class Names:
    """Names as small numbers. Beyond `most` of them every new name is OTHERS, number 0."""

    def __init__(self, most: int) -> None:
        self.names = [OTHERS]
        self._codes: dict[str, int] = {}
        self._most = most

    def code(self, name: str) -> int:
        """The number of a name; only its first 300 characters are told apart."""
        code = self._codes.get(name[:NAME_CHARACTERS])
        if code is None:
            if len(self.names) > self._most:
                return 0
            code = self._codes[name[:NAME_CHARACTERS]] = len(self.names)
            self.names.append(name[:NAME_CHARACTERS])
        return code


class LogColumns(LineIndex[dict[str, Any]]):
    """Everything known about one log file: a few numbers a line, 42 bytes in all. A replaced log gets new ones.

    Only the reading thread appends; any thread may read a row below `read` at any time.
    """

    cached = 4_000

    def __init__(self, file: LogFile | None) -> None:
        super().__init__(file, head_of, HEAD_BYTES[-1])
        self.damaged = 0
        self.keys = array("Q")
        self.statuses = array("B")
        self.kinds = array("B")
        self.stages = array("H")
        self.models = array("H")
        self.latencies = array("d")
        self.costs = array("d")
        self.failures = array("I")
        self.kind_names, self.stage_names, self.model_names = Names(254), Names(65_534), Names(65_534)
        self.figures = Figures()

    @property
    def read(self) -> int:
        """Lines whose small fields are known. `costs` is the column that is appended to last."""
        return len(self.costs)

    def parse(self, row: int) -> dict[str, Any] | None:
        """The small fields, read from disk; None where the line is no attempt."""
        for size in HEAD_BYTES:
            line = self.line(row, size)
            try:
                return head_of(line)
            except ValueError:
                if len(line) < size:
                    return None
        return None

    def add(self, row: int, head: Mapping[str, Any] | None) -> None:
        """Note the next row's small fields."""
        if head is None:
            self.damaged += 1
        elif failed(head):
            self.failures.append(row)
        self.keys.append(0 if head is None else int(head["call_key"][:16], 16))
        self.statuses.append(DAMAGED if head is None else _STATUS_CODES[head["status"]])
        self.kinds.append(self.kind_names.code("" if head is None else head["error_kind"] or ""))
        self.stages.append(0 if head is None else self.stage_names.code(head["stage"]))
        self.models.append(0 if head is None else self.model_names.code(head["model"]))
        self.latencies.append(MISSING if head is None or head["latency_ms"] is None else head["latency_ms"])
        self.costs.append(MISSING if head is None else cost_of(head))


def cost_of(head: Mapping[str, Any]) -> float:
    """Return an attempt's cost in USD, upstream cost included; 0 for a copy from another run, MISSING where it is not known."""
    if head["cached"]:
        return 0.0
    cost = head["usage"]["cost_usd"]
    return MISSING if cost is None else float(cost + (head["usage"]["upstream_cost_usd"] or 0.0))


def places(column: array[int], value: int) -> Iterator[int]:
    """Yield the places of a number in a column, in order: looked for as bytes, ten times as fast as number by number."""
    needle, size = array(column.typecode, [value]).tobytes(), column.itemsize
    for start in range(0, len(column), SEARCHED_AT_ONCE):
        part = column[start : start + SEARCHED_AT_ONCE].tobytes()
        at = part.find(needle)
        while at >= 0:
            if at % size == 0:
                yield start + at // size
            at = part.find(needle, at + 1)
