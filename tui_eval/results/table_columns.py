"""Names of the columns of a report's tables that are read by name, for charts, summaries and standings.

Kinds write many more, which are shown as they are. `tests/laws/test_file_columns.py` fails on a name that no kind writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tui_eval.core.results import Cell as Figure
from tui_eval.runs.stats_columns import StatsColumn

TableColumn = Literal[
    "rank_best", "rank_worst", "stage", "model", "metric", "by", "value",
    "accuracy", "mean", "ci_low", "ci_high",
    "n_total", "n_asked", "n_replies", "n_scored", "n_correct", "n_questions", "n_effective", "n_cost_known",
    "n", "p50", "p90", "n_timed_out", "n_on_file",
]  # fmt: skip
NOTHING = Figure(None)


def figure_in(row: Mapping[str, Figure], column: TableColumn | StatsColumn) -> Figure:
    """Return the figure that a row has in a column; one without a value where it does not have the column."""
    return row.get(column, NOTHING)
