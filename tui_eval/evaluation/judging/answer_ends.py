"""How the answers of each model ended: answered, failed and why, degraded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tui_eval.core.calls import Reply
from tui_eval.core.plaintext import counted
from tui_eval.core.results import Cell, Table
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, table_of

_COLUMNS = ("model", "turns", "answered", "failed", "degraded", "why")


@dataclass(slots=True)
class _Ends:
    """Of one model."""

    asked: int = 0
    answered: int = 0
    degraded: int = 0
    why: Counter[str] = field(default_factory=Counter)


class AnswerEnds:
    """Counts them, model by model."""

    def __init__(self, models: Iterable[str]) -> None:
        self._ends = {name: _Ends() for name in models}

    def add(self, reply: Reply, is_degraded: bool) -> None:
        """Take in an answer; degraded: it was asked without an earlier one that had failed."""
        ends = self._ends[reply.call.model]
        ends.asked += 1
        ends.answered += reply.ok
        ends.degraded += is_degraded
        if not reply.ok:
            ends.why[reply.why] += 1

    def degraded(self, model: str) -> int:
        """How many answers of a model are."""
        return self._ends[model].degraded

    def table(self) -> Table:
        """A row for each model."""
        rows: list[Cells] = [
            {
                RESTS_ON: None, "model": name, "turns": ends.asked, "answered": ends.answered,
                "failed": ends.asked - ends.answered, "degraded": ends.degraded,
                "why": ", ".join(f"{n} {why}" for why, n in ends.why.most_common()) or "",
            }
            for name, ends in self._ends.items()
        ]  # fmt: skip
        n = sum(ends.degraded for ends in self._ends.values())
        note = f"{counted(n, 'degraded turn')}: asked after a turn had failed, without it."
        return table_of("Turns by model", rows, _COLUMNS, note, _COLUMNS[:1])

    def in_short(self) -> Table:
        """The same as text."""
        table = self.table()
        rows = tuple(tuple(Cell(str(cell.value) or "-") for cell in row) for row in table.rows)
        return Table(table.title, table.columns, rows, table.note, table.keys, table.rests_on)
