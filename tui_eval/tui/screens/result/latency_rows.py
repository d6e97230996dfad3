"""How long each model's answers took, as lines of the summary below the metrics: p50, p90 and their n."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Literal, NamedTuple

from tui_eval.core.results import Cell as Figure
from tui_eval.results.read_report import ReportTable, number, whole
from tui_eval.results.table_columns import TableColumn, figure_in
from tui_eval.tui.report_rows import Report, text
from tui_eval.tui.words import count, seconds

LATENCY = "latency"
"""The table of a report that has it, in milliseconds."""
NEEDED: Set[TableColumn] = {"model", "n", "p50", "p90"}


class LatencyLine(NamedTuple):
    """Line of how long a model's answers took; a percentile that so few answers do not tell is no number."""

    table: ReportTable
    row: int

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The row of the report that it shows."""
        return self.table.values(self.row)

    @property
    def name(self) -> str:
        """The model, and the stage where the report says it."""
        parts = ((self.table.rest(self.row) or {}).get("stage"), figure_in(self.figures, "model").value)
        return " ".join(text(part, 60) for part in parts if part)

    @property
    def n(self) -> int | None:
        """How many answers were timed."""
        return whole(figure_in(self.figures, "n").value)

    @property
    def n_late(self) -> int:
        """How many calls timed out."""
        return self._count("n_timed_out")

    @property
    def lacking(self) -> str:
        """Why answers were not timed, and how many."""
        reasons = ((self.n_late, "timed out"), (self._count("n_on_file"), "on file"))
        return ", ".join(f"{count(n)} {reason}" for n, reason in reasons if n) or "-"

    def seconds(self, percentile: Literal["p50", "p90"]) -> str:
        """Return a percentile in seconds."""
        value = number(figure_in(self.figures, percentile).value)
        return "-" if value is None else f"{seconds(value)} s"

    def _count(self, column: TableColumn) -> int:
        return whole(figure_in(self.figures, column).value) or 0


def latency_lines(report: Report) -> list[LatencyLine]:
    """Return the rows of that table where several metrics are shown under one another; else it is among the tables alone."""
    table = report.tables.get(LATENCY)
    if table is None or len(report.measures) < 2 or not set(table.columns) >= NEEDED:
        return []
    return [LatencyLine(table, row) for row in range(len(table.rows))]
