"""Laws of columns: a table's rows are made of its list of columns, and nothing shifts where one is added."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from tui_eval.core.records import Attempt
from tui_eval.tui.screens.log import screen as log
from tui_eval.tui.widgets.cells import Column, row_cells

ROOT = Path(__file__).resolve().parents[2]
TUI = sorted((ROOT / "tui_eval" / "tui").rglob("*.py"))
ROWS = ("list[Cell]", "Sequence[Cell]")
MOST_BY_HAND = 2
"""Cells of a row that says why there is no more: a line of a file that is damaged."""


def rows_by_hand(source: str) -> Iterator[str]:
    """Names of functions that write the cells of a table's row one after the other, in a module that has columns."""
    tree = ast.parse(source)
    if not any(isinstance(node, ast.Name) and node.id == "Column" for node in ast.walk(tree)):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.returns is not None and ast.unparse(node.returns) in ROWS:
            displays = [one for one in ast.walk(node) if isinstance(one, ast.List | ast.Tuple)]
            if any(len(display.elts) > MOST_BY_HAND for display in displays):
                yield node.name


@pytest.mark.parametrize("path", TUI, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_row_is_written_beside_its_columns(path: Path) -> None:
    """Titles and cells that stand apart shift by one as soon as a column is added to one of them alone."""
    assert not [*rows_by_hand(path.read_text())]


def test_a_row_written_by_hand_is_seen() -> None:
    """The law catches what it is there for."""
    source = """
COLUMNS = (Column("a", 1, one), Column("b", 1, two), Column("c", 1, three))
def cells(row) -> list[Cell]:
    return [one(row), two(row), three(row)]
def other(row) -> list[Cell]:
    return row_cells(COLUMNS, row)
"""
    assert [*rows_by_hand(source)] == ["cells"]


def test_a_column_is_added_in_one_place() -> None:
    """With another column in the middle of the log's, every other cell is still under its title."""
    head = {field.name: None for field in fields(Attempt)} | {
        "status": "ok", "error_kind": None, "stage": "answer", "item_id": "q1", "model": "mini", "latency_ms": 1500,
        "usage": {"total_tokens": 12, "cost_usd": 0.5, "upstream_cost_usd": None, "reasoning_tokens": 7}, "cached": False,
        "ended_at": "2026-01-01T10:00:00Z", "call_index": 0, "attempt": 0, "http_status": 200,
    }  # fmt: skip
    before = {column.title: column.cell(head) for column in log.COLUMNS}
    thinking: Column[log.Head] = Column("thinking", 8, lambda head: str(head["usage"]["reasoning_tokens"]), right=True)
    columns = [*log.COLUMNS[:5], thinking, *log.COLUMNS[5:]]
    cells = dict(zip([column.title for column in columns], row_cells(columns, head), strict=True))
    assert cells == {**before, "thinking": "7"}
