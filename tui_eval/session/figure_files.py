"""Statistics and tables of a run, each written as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Collection

from tui_eval.core.calls import Json
from tui_eval.core.results import Table
from tui_eval.results.tables import is_simulated, json_text, rows_csv, table_json, table_rows
from tui_eval.runs.writing import Inside, write_file


def write_stats(out: Inside, name: str, rows: list[dict[str, Json]], simulated: Collection[str]) -> None:
    """Write rows of statistics to NAME.json and NAME.csv; `simulated`: the models that are."""
    write_file(out / f"{name}.json", json_text({"simulated": bool(simulated), "buckets": rows}))
    write_file(out / f"{name}.csv", rows_csv([{**row, "simulated": is_simulated(row, simulated)} for row in rows]))


def write_table(out: Inside, name: str, table: Table, simulated: Collection[str]) -> None:
    """Write a table of a report to NAME.json and NAME.csv."""
    write_file(out / f"{name}.json", json_text({"simulated": bool(simulated), **table_json(table)}))
    write_file(out / f"{name}.csv", rows_csv([{**row, "simulated": is_simulated(row, simulated)} for row in table_rows(table)]))
