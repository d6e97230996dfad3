"""Progress of a run that makes a set of questions, document by document, as its folder tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.runs.entry import RunEntry
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Cell, Column, row_cells
from tui_eval.tui.words import count

SET = "dataset.json"
"""Of a run folder: the set of questions that the run made."""
PROGRESS = "generated/progress.json"
"""How far it is, by document."""
KEYS = ("wanted", "made", "kept", "dropped")
"""What it says of each."""
MOST = 1_000
"""Documents that are listed."""


def makes_set(entry: RunEntry | None) -> bool:
    """Return whether a run that has ended made a set of questions."""
    return entry is not None and not entry.live and (entry.path / SET).is_file()


@dataclass(frozen=True, slots=True)
class MadeRow:
    """Row of the table: the questions about a document, or about all of them. None: the folder does not say how many."""

    name: str
    wanted: int | None
    made: int | None
    kept: int | None
    dropped: int | None


COLUMNS: Sequence[Column[MadeRow]] = (
    Column("questions about", 24, lambda row: row.name, share=1, middle=True),
    Column("wanted", 8, lambda row: count(row.wanted), right=True),
    Column("made", 8, lambda row: count(row.made), right=True),
    Column("kept", 8, lambda row: (count(row.kept), "good" if row.kept else "dim"), right=True),
    Column("dropped", 8, lambda row: (count(row.dropped), "warn" if row.dropped else "dim"), right=True),
)


def made_rows(table: Mapping[str, Any]) -> Sequence[Sequence[Cell]]:
    """Return a row for each document, of several one for all of them first; none where the table, which may be
    anybody's, says nothing."""
    documents = table.get("documents")
    tallies = [(str(name), _counts(entry)) for name, entry in documents.items()][:MOST] if isinstance(documents, dict) else []
    sums = [_sum([counts[place] for _, counts in tallies]) for place in range(len(KEYS))]
    rows = [MadeRow(safe_line(name, 120), *counts) for name, counts in tallies]
    every = [MadeRow(f"all {count(len(tallies))} documents", *sums), *rows] if len(rows) > 1 else rows
    return [row_cells(COLUMNS, row) for row in every]


def _counts(entry: object) -> list[int | None]:
    values = [entry.get(key) if isinstance(entry, dict) else None for key in KEYS]
    return [value if type(value) is int and 0 <= value < 2**53 else None for value in values]


def _sum(counts: Sequence[int | None]) -> int | None:
    numbers = [n for n in counts if n is not None]
    return sum(numbers) if len(numbers) == len(counts) else None
