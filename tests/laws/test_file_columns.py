"""Laws of the columns that are read by name: each is written, and nothing in the app names one that is not."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from tui_eval.results.attempts import with_simulated_costs
from tui_eval.results.read_report import TableColumn
from tui_eval.runs.buckets import Buckets
from tui_eval.runs.stats_columns import StatsColumn

ROOT = Path(__file__).resolve().parents[2]
TUI = sorted((ROOT / "tui_eval" / "tui").rglob("*.py"))
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*/report.json"))
CALLS = "calls_by_stage_and_model"
READ = ("accuracy", "scores", "groups", "group_scores", "latency")
"""Tables whose columns are read by name."""
ALIKE = re.compile(r"(attempts|calls|n|sum|avg|p\d\d|rank|ci)_[a-z0-9_]+|[a-z0-9_]+_(rate|ok)")
"""What a column of a file is called."""
NO_COLUMNS = {"n_in_doubt_unknown", "n_in_doubt_granted", CALLS}
"""Other keys of report.json that are called like one."""


def reports() -> list[dict[str, Any]]:
    """The reports that the golden runs wrote, of every kind."""
    return [json.loads(path.read_text()) for path in GOLDEN]


@cache
def written() -> set[str]:
    """Columns that any golden run wrote, of its statistics and of its tables."""
    tables = {column for report in reports() for table in report["tables"].values() for column in table["columns"]}
    return tables | {column for report in reports() for row in report[CALLS] for column in row}


def unwritten(source: str, columns: set[str]) -> Iterator[str]:
    """Texts of a module that look like a column of a file, and that no file has."""
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if ALIKE.fullmatch(text) and text not in columns:
            yield text


def test_statistics_are_written_under_the_names_they_are_read_by() -> None:
    """Every column that `StatsColumn` names is written, and every column that is written has its name there."""
    rows = with_simulated_costs(Buckets().rows([], []), ())
    assert {column for row in rows for column in row} == set(get_args(StatsColumn))


def test_every_column_that_is_read_is_in_a_table() -> None:
    """No name of `TableColumn` is one that no kind writes."""
    tables = [table for report in reports() for name, table in report["tables"].items() if name in READ]
    assert set(get_args(TableColumn)) <= {column for table in tables for column in table["columns"]}


@pytest.mark.parametrize("path", TUI, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_app_names_no_column_that_is_not_written(path: Path) -> None:
    """A chart that reads `attempts_ok`, which is called calls_ok, would be empty and say nothing."""
    assert not [*unwritten(path.read_text(), written() | set(get_args(StatsColumn)) | NO_COLUMNS)]


def test_a_misnamed_column_is_seen() -> None:
    """The law catches what it is there for."""
    source = 'row.get("attempts_ok"), row["n_latency_ok"], row.get("eror_rate"), "calls"'
    assert [*unwritten(source, written())] == ["attempts_ok", "eror_rate"]
