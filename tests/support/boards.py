"""Boards of scores that a test names: by model of each item its score, several, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.core.units import QUESTIONS, Unit, Units
from tui_eval.results.sums.board import Board

Value = float | None | Sequence[float | None]
"""Of an item: its score, None where there is none; several where it was answered several times."""
RIGHT, MARK = Metric("correct", threshold=1.0), Metric("mark", 1, 5)
ERRORS = Metric("errors", 0, 99_999, "lower")
WHY = "no reply: timeout"


def board_of(
    columns: Mapping[str, Sequence[Value]],
    metric: Metric = RIGHT,
    documents: Sequence[object] = (),
    units: Units = QUESTIONS,
) -> Board:
    """One metric of one stage; `documents`: what the items are about, each its own where nothing is said."""
    found = Board.empty(units, [metric])
    for model, values in columns.items():
        add(found, model, values, metric, documents)
    return found


def add(
    board: Board, model: str, values: Sequence[Value], metric: Metric, documents: Sequence[object] = (), variant: str = ""
) -> None:
    """A side of it."""
    for place, value in enumerate(values):
        for repeat, one in enumerate(value if isinstance(value, Sequence) else [value]):
            own = (f"own {place}",)
            unit = Unit(f"item {place}", (str(documents[place]), *own) if documents else own, variant)
            board.add(unit, {}, repeat, [Score("answer", model, 0, metric.name, one, "" if one is not None else WHY)])
