"""The look of a form's row, and the help for it. What stands in it is foreign text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from tui_eval.configuring.drafting.fields import UNFILLED
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.widgets.cells import Cell, Column, row_cells
from tui_eval.tui.widgets.checklist import Ticked
from tui_eval.tui.widgets.form_rows import FormRow, default_words, kind_words

MISSING = "missing"
"""What is said of a row that has to be filled in, in the room that a column has."""


@dataclass(frozen=True, slots=True)
class FieldRow:
    """Row of a form as it is drawn: a field, what is wrong with it (empty where nothing is), and the form's checklists."""

    row: FormRow
    wrong: str
    ticked: Ticked

    @property
    def in_checklist(self) -> bool:
        """Report whether it is a value, or a table, of a checklist."""
        return self.row.place in self.ticked.places


def _name(line: FieldRow) -> Cell:
    row = line.row
    sign = {"entry": "▾ " if row.open else "▸ ", "table": "▾ " if row.open else "▸ "}.get(row.sort, "")
    label = "  " * row.depth + sign + (line.ticked.label(row) if line.in_checklist else safe_line(row.label))
    return label if row.sort == "value" else (label, "strong")


def _value(line: FieldRow) -> Cell:
    row = line.row
    if line.in_checklist:
        return line.ticked.value(row)
    if row.sort == "value" and not row.given:
        return safe_line(default_words(row.field), 200), "warn" if row.field.required else "dim"
    return safe_line(row.words, 300), "" if row.sort == "value" else "dim"


def _note(line: FieldRow) -> Cell:
    row, wrong = line.row, line.wrong
    if not wrong:
        return "" if row.given or row.sort != "value" else ("default", "dim")
    is_missing = wrong in UNFILLED or (line.in_checklist and not row.open and not row.words)
    return f"✗ {MISSING if is_missing else safe_line(wrong, 80)}", "bad"


COLUMNS: Sequence[Column[FieldRow]] = (
    Column("field", 30, _name),
    Column("value", 18, _value, share=1),
    Column("", 9, _note),
)


def cells_of(row: FormRow, wrong: str, ticked: Ticked) -> list[Cell]:
    """Return the cells of a row; `wrong`: what is wrong with it, empty where nothing is."""
    return row_cells(COLUMNS, FieldRow(row, wrong, ticked))


def help_of(row: FormRow, wrong: str, note: str = "") -> Content:
    """The place of a row in its file, what may stand there, what is wrong with what does, or what is told of it, and what it is
    for."""
    place = ".".join(str(part + 1) if isinstance(part, int) else part for part in row.place)
    parts: list[tuple[str, str]] = [(safe_line(place), "bold"), (f"  {safe_line(kind_words(row.field))}\n", "dim")]
    if wrong:
        parts.append((f"✗ {safe(wrong[:600])}\n", "bold $error"))
    elif note:
        parts.append((f"{safe_line(note, 300)}\n", "bold"))
    parts.append((safe(row.field.help), ""))
    return Content.assemble(*parts)
