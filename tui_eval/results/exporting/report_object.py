"""JSON: one object with all that the reports of the runs say, tables as rows by their columns' names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tui_eval import __version__
from tui_eval.core.errors import FolderError
from tui_eval.results.exporting.exported_run import ExportedRun, means
from tui_eval.results.exporting.exporter import Exporter
from tui_eval.results.read_report import list_of, table_of
from tui_eval.results.tables import json_text


def report_object(runs: Sequence[ExportedRun]) -> Iterator[str]:
    """`runs`: of each, what it is, its notes, and its report; of one without a report, the means of what is on file."""
    found = {"exported_by": f"tui-eval {__version__}", "runs": [_run(run) for run in runs]}
    try:
        yield json_text(found)
    except ValueError:  # an infinity, which JSON has none of
        raise FolderError("a report.json holds what is no number; tui-eval rescore RUN makes it anew from the log") from None


def _run(run: ExportedRun) -> dict[str, Any]:
    report = dict(run.report)
    if report:
        report["headline"] = [_by_column(table) for table in list_of(report.get("headline"))]
        report["tables"] = {name: _by_column(table) for name, table in table_of(report.get("tables")).items()}
    else:
        report["means"] = means(run)
    return {**report, **run.about(), "samples": run.samples, "notes": list(run.notes)}


def _by_column(found: Any) -> Mapping[str, Any]:
    """A table whose rows are objects: {column: {value, and n, interval, formula where it has them}}."""
    table = table_of(found)
    columns = [str(column) for column in list_of(table.get("columns"))]
    return {**table, "rows": [dict(zip(columns, list_of(row), strict=False)) for row in list_of(table.get("rows"))]}


JSON = Exporter("everything that the reports say, as one object", ".json", report_object, by_sample=False)
