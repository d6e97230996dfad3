"""Optional tables of a form as a checklist: ticked or left out by a key, with what each of them comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tui_eval.configuring.drafting.fields import Field
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Cell
from tui_eval.tui.widgets.form_rows import FormRow, Place, Values
from tui_eval.tui.words import count, usd

LEFT_OUT = "left out"
BESIDES = 30
"""Columns of a note, behind which stands what the table holds."""


class Ticked:
    """Tables of a checklist, with the content of those that were left out."""

    def __init__(self) -> None:
        self.places: frozenset[Place] = frozenset()
        self.notes: Mapping[Place, str] = {}
        self._kept: dict[Place, Any] = {}

    def turn(self, row: FormRow, values: Values) -> Any:
        """Return the new value at a row: nothing where it has one, else the one that it had before."""
        if row.given:
            self._kept[row.place] = values.get(row.place)
            return None
        return self._kept.get(row.place, {})

    def label(self, row: FormRow) -> str:
        """Its name behind a box."""
        return f"[{'x' if row.given else ' '}] {safe_line(row.label)}"

    def value(self, row: FormRow) -> Cell:
        """Return its note, and its content where it is folded."""
        if not row.given:
            return LEFT_OUT, "dim"
        note = self.notes.get(row.place, "")
        return (f"{note:<{BESIDES}}" if note and row.words else note) + safe_line(row.words, 200), "" if note else "dim"


def optional_tables(table: Field, at: Place) -> frozenset[Place]:
    """The tables directly below one that nothing holds of where they are left out."""
    return frozenset(
        (*at, field.key) for field in table.fields if field.sort == "table" and not (field.holds or field.required)
    )


def stage_notes(stages: Sequence[Mapping[str, Any]], places: frozenset[Place]) -> Mapping[Place, str]:
    """Return the calls and cost of a plan's stages, at the tables of the same names."""
    notes: dict[Place, str] = {}
    for place in places:
        own = [stage for stage in stages if stage["stage"] == place[-1]]
        costs = [stage["cost_usd"] for stage in own]
        total_usd = None if None in costs else sum(costs)
        cost = "cost unknown" if total_usd is None else f"~{usd(total_usd)}"
        if own:
            notes[place] = f"{count(sum(stage['calls'] for stage in own))} calls  {cost}"
    return notes
