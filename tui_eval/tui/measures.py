"""Choice of the metric that the parts of a screen show, where there are several (all at first), and its label."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import Vertical

from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.filter import FilterLine

MEASURE = bind("measure.next", "screen.measure", "Measure", tooltip="Show the next metric alone; after the last one all again")

ONE = "there is one metric at most"


class PartInTurn(Vertical):
    """One of the parts that a screen shows in turn."""

    BINDINGS = [MEASURE]
    DEFAULT_CSS = """
    PartInTurn { height: 1fr; }
    """

    def begin(self) -> None:
        """Take the keys: they go to its table, or to what has its place."""
        views = self.query("RowTable, Inspector SectionsView")
        next((view for view in views if view.display), views.first()).focus()

    def leave(self) -> bool:
        """Go back a step within the part, such as to a list without a filter; whether there was one."""
        line = next(iter(self.query(FilterLine)), None)
        if line is None or not line.value:
            return False
        line.action_clear()
        return True


def turned(index: int | None, many: int) -> int | None:
    """The measure after the chosen one; None is all of them, before the first and after the last."""
    after = 0 if index is None else index + 1
    return after if after < many > 1 else None


def measure_label(index: int | None, names: Sequence[str]) -> str:
    """Return the label of the measure that is shown; empty where there is nothing to choose."""
    if len(names) < 2:
        return ""
    which = "all" if index is None else f"{safe_line(names[index], 20)}, {index + 1} of"
    return f"{which} {len(names)} measures"
