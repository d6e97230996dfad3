"""Choice of the metric that the parts of a screen show, where there are several (all at first), and its label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar, cast

from textual.containers import Vertical

from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Page
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.filter import FilterLine
from tui_eval.tui.widgets.sections import InSections, Sections

MEASURE = bind("measure.next", "screen.measure", "Measure", tooltip="Show the next metric alone; after the last one all again")

ONE = "there is one metric at most"


class PartInTurn(Vertical):
    """One of the parts that a screen shows in turn."""

    BINDINGS = [MEASURE]
    DEFAULT_CSS = """
    PartInTurn { height: 1fr; display: none; }
    PartInTurn.-shown { display: block; }
    """

    @property
    def page(self) -> Page:
        """The screen it is a part of."""
        return cast(Page, self.screen)

    def begin(self) -> None:
        """Take the keys: they go to its table, its chart, or to what has its place."""
        views = self.query("RowTable, Chart, Inspector SectionsView")
        next((view for view in views if view.display), views.first()).focus()

    def leave(self) -> bool:
        """Go back a step within the part, such as to a list without a filter; whether there was one."""
        line = next(iter(self.query(FilterLine)), None)
        if line is None or not line.value:
            return False
        line.action_clear()
        return True


PartT = TypeVar("PartT", bound=PartInTurn)
"""The type of a screen's parts."""


class InParts(Page, InSections, Generic[PartT]):
    """A screen that shows one of its parts at a time."""

    parts_by_name: Mapping[str, PartT] = {}

    @property
    def part(self) -> PartT | None:
        """The part on show."""
        return self.parts_by_name.get(self.query_one(Sections).chosen) if self.parts_by_name else None

    def turn(self) -> None:
        """Show the part that is chosen."""
        for part in self.parts_by_name.values():
            part.set_class(part is self.part, "-shown")
        if self.part is not None:
            self.call_after_refresh(self.part.begin)

    def on_sections_switched(self, event: Sections.Switched) -> None:
        """Another part."""
        self.turn()
        self.tick()


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
