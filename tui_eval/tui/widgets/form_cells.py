"""The look of a form's row, and the help for it. What stands in it is foreign text."""

from __future__ import annotations

from textual.content import Content

from tui_eval.configuring.drafting.fields import UNFILLED
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.widgets.cells import Cell
from tui_eval.tui.widgets.checklist import Ticked
from tui_eval.tui.widgets.form_rows import FormRow, default_words, kind_words

MISSING = "missing"
"""What is said of a row that has to be filled in, in the room that a column has."""


def cells_of(row: FormRow, wrong: str, ticked: Ticked) -> list[Cell]:
    """Name, value and note of a row; `wrong`: what is wrong with it, empty where nothing is."""
    sign = {"entry": "▾ " if row.open else "▸ ", "table": "▾ " if row.open else "▸ "}.get(row.sort, "")
    is_ticked = row.place in ticked.places
    label = "  " * row.depth + sign + (ticked.label(row) if is_ticked else safe_line(row.label))
    name: Cell = label if row.sort == "value" else (label, "strong")
    value: Cell
    if is_ticked:
        value = ticked.value(row)
    elif row.sort == "value" and not row.given:
        value = (safe_line(default_words(row.field), 200), "warn" if row.field.required else "dim")
    else:
        value = (safe_line(row.words, 300), "" if row.sort == "value" else "dim")
    note: Cell = (
        (f"✗ {MISSING if wrong in UNFILLED or (is_ticked and not row.open and not row.words) else safe_line(wrong, 80)}", "bad")
        if wrong
        else ("" if row.given or row.sort != "value" else ("default", "dim"))
    )
    return [name, value, note]


def help_of(row: FormRow, wrong: str, told: str = "") -> Content:
    """The place of a row in its file, what may stand there, what is wrong with what does, or what is told of it, and what it is
    for."""
    place = ".".join(str(part + 1) if isinstance(part, int) else part for part in row.place)
    parts: list[tuple[str, str]] = [(safe_line(place), "bold"), (f"  {safe_line(kind_words(row.field))}\n", "dim")]
    if wrong:
        parts.append((f"✗ {safe(wrong[:600])}\n", "bold $error"))
    elif told:
        parts.append((f"{safe_line(told, 300)}\n", "bold"))
    parts.append((safe(row.field.help), ""))
    return Content.assemble(*parts)
