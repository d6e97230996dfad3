"""How long each model's answers took, as lines of the summary below the metrics: p50, p90 and their n."""

from __future__ import annotations

from tui_eval.core.results import Cell as Figure
from tui_eval.results.read_report import ReportTable, number, whole
from tui_eval.tui.report_rows import Report, text
from tui_eval.tui.widgets.cells import Cell
from tui_eval.tui.words import count, seconds

LATENCY = "latency"
"""The table of a report that has it, in milliseconds."""
NEEDED = {"model", "n", "p50", "p90"}


def latency_lines(report: Report) -> list[tuple[ReportTable, int]]:
    """The rows of that table, where several metrics are shown under one another; else it stands among the tables alone."""
    table = report.tables.get(LATENCY)
    if table is None or len(report.measures) < 2 or not set(table.columns) >= NEEDED:
        return []
    return [(table, row) for row in range(len(table.rows))]


def latency_cells(table: ReportTable, row: int) -> list[Cell]:
    """A model's latency in the columns of the metrics; a percentile that so few answers do not tell is no number."""
    found = table.values(row)
    late, on_file = (whole(found.get(name, Figure(None)).value) or 0 for name in ("n_timed_out", "n_on_file"))
    told = [f"{count(n)} {what}" for n, what in ((late, "timed out"), (on_file, "on file")) if n]
    name = " ".join(text(part, 60) for part in ((table.rest(row) or {}).get("stage"), found["model"].value) if part)
    return [
        (name, "strong"),
        (f"{LATENCY} p50", "accent"),
        _seconds(found["p50"]),
        f"p90 {_seconds(found['p90'])}",
        count(whole(found["n"].value)),
        (count(late), "warn" if late else "dim"),
        "",
        "",
        "",
        (", ".join(told) or "-", "warn" if late else "dim"),
    ]


def _seconds(figure: Figure) -> str:
    value = number(figure.value)
    return "-" if value is None else f"{seconds(value)} s"
