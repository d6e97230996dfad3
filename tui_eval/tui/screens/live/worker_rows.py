"""The workers of a run: a row for each, with the calls a second that came home from it, those in trouble first."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui_eval.runs.entry import RunEntry
from tui_eval.runs.worker_entry import TROUBLED, WorkerEntry
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.live.log_figures import brief, decimal
from tui_eval.tui.widgets.cells import Cell, Column, Tone
from tui_eval.tui.words import count, span

RECENT_S = 10.0
"""The time that calls a second are of."""
TONES: Mapping[str, Tone] = {"working": "good", "joining": "accent", "unreachable": "warn", "refused": "bad", "lost": "bad"}


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """Row of the table: a worker, and its calls a second; None while too little of it was seen."""

    entry: WorkerEntry
    rate: float | None


class WorkerPaces:
    """Records that workers had sent home by the moments that were seen of a run, by its own clock."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, Mapping[str | None, int]]] = deque()

    def rows(self, entry: RunEntry) -> list[WorkerRow]:
        """Return a row for each worker of a run as it is now."""
        now = entry.worked_s
        counts = {each.name: each.attempts for each in entry.workers if each.attempts is not None}
        if now is not None and (not self._seen or self._seen[-1][0] != now):
            self._seen.append((now, counts))
            while self._seen[0][0] < now - RECENT_S or self._seen[0][0] > now:
                self._seen.popleft()
        found = [WorkerRow(each, self._rate(each, now)) for each in entry.workers]
        return sorted(found, key=lambda row: row.entry.state not in TROUBLED)

    def _rate(self, worker: WorkerEntry, now: float | None) -> float | None:
        """Return the calls a second that came home since the first of the moments that it was seen in."""
        then, before = next(((at, counts[worker.name]) for at, counts in self._seen if worker.name in counts), (now, 0))
        if now is None or then is None or worker.attempts is None or now <= then:
            return None
        return max(worker.attempts - before, 0) / (now - then)


def _state(row: WorkerRow) -> Cell:
    return safe_line(row.entry.state, 20), TONES.get(row.entry.state, "dim")


COLUMNS: Sequence[Column[WorkerRow]] = (
    Column("worker", 6, lambda row: safe_line(row.entry.name, 60)),
    Column("address", 18, lambda row: (safe_line(row.entry.address, 200), "dim"), share=1, middle=True),
    Column("state", 11, _state),
    Column("calls/s", 7, lambda row: decimal(row.rate), right=True),
    Column("calls", 7, lambda row: brief(row.entry.attempts), right=True, above=99),
    Column("in flight", 9, lambda row: count(row.entry.in_flight), right=True),
    Column("credits", 7, lambda row: brief(row.entry.credits), right=True),
    Column("last heard", 10, lambda row: "-" if row.entry.heard_s is None else span(row.entry.heard_s), right=True),
)
