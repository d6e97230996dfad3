"""Tables as report.json holds them: read as they are, and as far as they have the form they should have; their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tui_eval.core.results import Cell as Figure
from tui_eval.runs.stats_columns import StatsColumn

TableColumn = Literal[
    "rank_best", "rank_worst", "stage", "model", "metric", "by", "value",
    "accuracy", "mean", "ci_low", "ci_high",
    "n_total", "n_replies", "n_scored", "n_correct", "n_items", "n_effective", "n_cost_known", "n_cost_unknown",
    "n", "p50", "p90", "n_timed_out", "n_on_file",
]  # fmt: skip
OLD_COUNTS = frozenset({"n_asked", "n_questions"})
"""What versions before 0.6 called n_total and n_items."""
SUMS = 2
"""By which rules means, intervals and tests are made: 1 = those of before 2026-11-26, which wrote no number."""
NOTHING = Figure(None)


def by_older_sums(report: Mapping[str, Any]) -> bool:
    """Return whether a report's means, intervals and tests were made by older rules than today's; not where there is none."""
    made_by = report.get("sums")
    return bool(report) and not (type(made_by) is int and made_by >= SUMS)


def figure_in(row: Mapping[str, Figure], column: TableColumn | StatsColumn) -> Figure:
    """Return the figure that a row has in a column; one without a value where it does not have the column."""
    return row.get(column, NOTHING)


Filter = Mapping[str, Any]
"""Which scores a row rests on, as `results.answer_search.counts` reads it."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of a report. Its texts come from the file as they are: not safe to show before `shown`."""

    name: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Figure, ...], ...]
    rests_on: tuple[Filter | None, ...] = ()

    def rest(self, row: int) -> Filter | None:
        """Return the filter of the scores that a row rests on; None where the report does not say."""
        return self.rests_on[row] if row < len(self.rests_on) else None

    def values(self, row: int) -> dict[str, Figure]:
        """A row by the names of its columns."""
        return dict(zip(self.columns, self.rows[row], strict=True))

    @property
    def marked(self) -> bool:
        """Return whether its rows are means of marks on a metric's own scale, no shares of what is right."""
        return {"metric", "mean"} <= set(self.columns)


def read_table(name: str, content: Any) -> ReportTable:
    """A table of any form; rows that are not as long as its columns are left out. Without a title it is called `name`."""
    table = table_of(content)
    columns = tuple(str(column) for column in list_of(table.get("columns")))
    rows = tuple(tuple(map(figure_of, row)) for row in map(list_of, list_of(table.get("rows"))) if len(row) == len(columns))
    whole_table = len(rows) == len(list_of(table.get("rows")))
    rests = tuple(rest if isinstance(rest, dict) else None for rest in list_of(table.get("rests_on"))) if whole_table else ()
    return ReportTable(name, str(table.get("title") or name), str(table.get("note") or ""), columns, rows, rests)


def figure_of(cell: Any) -> Figure:
    """A cell of any form, with what is known of it."""
    entry = table_of(cell)
    value = entry.get("value")
    ends = list_of(entry.get("interval"))
    low, high = map(number, ends) if len(ends) == 2 else (None, None)
    plain = value if isinstance(value, str | bool) or number(value) is not None else None if value is None else str(value)
    return Figure(plain, whole(entry.get("n")), low, high, str(entry.get("formula") or ""))


def number(value: Any) -> float | None:
    """A finite number, or None."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 else None


def whole(value: Any) -> int | None:
    """A whole number that can be counted with, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else None


def table_of(content: Any) -> dict[str, Any]:
    """Return an object as it is; an empty one in place of anything else."""
    return content if isinstance(content, dict) else {}


def list_of(content: Any) -> list[Any]:
    """Return a list as it is; an empty one in place of anything else."""
    return content if isinstance(content, list) else []


def objects_of(content: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; nothing of anything else."""
    return [inner for inner in list_of(content) if isinstance(inner, dict)]


def simulated_models(progress: Mapping[str, Any], report: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the simulated models of a run, by progress.json and report.json; None where they do not tell them apart."""
    if isinstance(report.get("simulated_models"), list):
        return frozenset(name for name in report["simulated_models"] if isinstance(name, str))
    flags = {name: table_of(tally).get("simulated") for name, tally in table_of(progress.get("models")).items()}
    if not flags or not all(isinstance(flag, bool) for flag in flags.values()):
        return None
    return frozenset(name for name, flag in flags.items() if flag)
