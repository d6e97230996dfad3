"""What a run that makes a set of questions has made so far, document by document, as its folder tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tui_eval.runs.entry import RunEntry
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Cell, Column
from tui_eval.tui.words import count

SET = "dataset.json"
"""Of a run folder: the set of questions that the run made."""
PROGRESS = "generated/progress.json"
"""How far it is, by document."""
KEYS = ("wanted", "made", "kept", "dropped")
COLUMNS = (Column("questions about", 24, share=1, middle=True), *(Column(key, 8, right=True) for key in KEYS))
MOST = 1_000
"""Documents that are listed."""


def makes_set(entry: RunEntry | None) -> bool:
    """Whether a run that has ended made a set of questions."""
    return entry is not None and not entry.live and (entry.path / SET).is_file()


def made_rows(table: Mapping[str, Any]) -> Sequence[Sequence[Cell]]:
    """A row for each document, of several one for all of them first; none where the table, which may be
    anybody's, says nothing."""
    told = table.get("documents")
    found = [(str(name), _counts(one)) for name, one in told.items()][:MOST] if isinstance(told, dict) else []
    sums = [_sum([counts[place] for _, counts in found]) for place in range(len(KEYS))]
    rows = [_row(safe_line(name, 120), counts) for name, counts in found]
    return [_row(f"all {count(len(found))} documents", sums), *rows] if len(rows) > 1 else rows


def _counts(found: object) -> list[int | None]:
    values = [found.get(key) if isinstance(found, dict) else None for key in KEYS]
    return [value if type(value) is int and 0 <= value < 2**53 else None for value in values]


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [one for one in counts if one is not None]
    return sum(known) if len(known) == len(counts) else None


def _row(name: str, counts: Sequence[int | None]) -> list[Cell]:
    wanted, made, kept, dropped = counts
    kept_cell: Cell = (count(kept), "good" if kept else "dim")
    return [name, count(wanted), count(made), kept_cell, (count(dropped), "warn" if dropped else "dim")]
