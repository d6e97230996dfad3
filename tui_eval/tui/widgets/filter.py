"""The line in which a filter is typed; it is there while it is used or holds something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, cast

from textual import events
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input

from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Rows, row_cells
from tui_eval.tui.widgets.list_view import Entry, ListView
from tui_eval.tui.widgets.table import RowTable

if TYPE_CHECKING:
    from tui_eval.tui.page import Page


DIFFERING = "Only where models differ, or all"
FILTERING = "Filter: words, field:word, field<1, field=x; ! before one for the opposite. The fields are the columns"


class FilterLine(Input):
    """A filter as it is typed. Enter keeps it and goes back to the list, Escape clears it first."""

    DEFAULT_CSS = """
    FilterLine { height: 1; border: none; padding: 0 1; display: none; background: $surface; }
    FilterLine:focus { border: none; }
    FilterLine.-used { display: block; }
    """
    BINDINGS = [
        Binding("escape", "clear", "Clear", id="filter.clear"),
        Binding("enter", "keep", "Keep", id="filter.keep"),
        Binding("down", "keep", "To the list", show=False, id="filter.list"),
    ]

    def __init__(self, words: str, *, id: str | None = None) -> None:
        super().__init__(id=id, placeholder=words, compact=True, select_on_focus=False)
        self.cursor_blink = False

    def begin(self) -> None:
        """Show the line and take the keys."""
        self.add_class("-used")
        self.screen.set_focus(self)  # now, not a little later: keys may come in one piece

    def action_keep(self) -> None:
        """Give the keys back to the list."""
        self.set_class(bool(self.value), "-used")
        self.screen.focus_next("RowTable")

    def action_clear(self) -> None:
        """No filter any more."""
        self.value = ""
        self.action_keep()

    def on_blur(self, event: events.Blur) -> None:
        """An empty line goes when it is left."""
        self.set_class(bool(self.value), "-used")


class Filtered(Widget):
    """A list with a filter below it, behind its own base class."""

    def action_filter(self) -> None:
        """Type a filter."""
        self.query_one(FilterLine).begin()

    async def action_back(self) -> None:
        """Clear the filter; else back to where one came from."""
        if self.query_one(FilterLine).value or not await cast("Page", self.screen).eval_app.step_back():
            self.query_one(FilterLine).action_clear()


class SortableList(Generic[Entry], Filtered):
    """A list of entries that are all at hand, behind its own base class: filtered by one grammar, sorted by its columns."""

    BINDINGS = [
        bind("list.sort", "sort", "Sort", show=False, tooltip="Sort by the next column, or as the entries come"),
        bind("list.reverse", "reverse", "Reverse", show=False, tooltip="The other way round"),
    ]
    view: ListView[Entry]
    """Its query and its order."""
    listed: Sequence[Entry] = ()
    """The entries that the view has, as they were drawn last."""

    def entries(self) -> Sequence[Entry]:
        """All entries there are."""
        raise NotImplementedError

    def show_list(self) -> None:
        """Draw the entries that the view has; the cursor stays on its own."""
        raise NotImplementedError

    def list_entries(
        self, nothing: str = "", name: Callable[[Entry], object] = lambda entry: entry, at: object = None
    ) -> None:  # fmt: skip
        """Draw the entries that the view has; the cursor stays on its own, which is told by its name, or goes to one so named;
        where that is gone, to the first that was found.

        `nothing`: what stands there where there is no entry at all; else it is what the filter lacks.
        """
        table, columns = self.query_one(RowTable), self.view.columns
        wanted = name(self.current) if at is None and self.current is not None else at
        self.listed = self.view.chosen(self.entries())
        table.empty = nothing or self.none_found()
        place = next((place for place, entry in enumerate(self.listed) if name(entry) == wanted), None)
        gone = 0 if self.view.text else table.cursor
        rows = Rows(lambda: len(self.listed), lambda row: row_cells(columns, self.listed[row]))
        table.show(rows, gone if place is None else place)

    @property
    def current(self) -> Entry | None:
        """The entry under the cursor."""
        cursor = self.query_one(RowTable).cursor
        return self.listed[cursor] if cursor < len(self.listed) else None

    def none_found(self) -> str:
        """Say that nothing is as the filter asks, which field may have been meant, and how it is cleared."""
        hint = [f"There is {safe_line(self.view.query.hint, 200)}"] if self.view.query.hint else []
        return "\n".join([f"Nothing matches {safe_line(self.view.text, 60)}", *hint, "Esc or Backspace clears the filter"])

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as it is typed."""
        event.stop()
        self.view = self.view.with_query(event.value)
        self.show_list()

    def action_sort(self) -> None:
        """By the next column, or as the entries come."""
        self.view = self.view.with_next_order(self.entries())
        self._reorder()

    def action_reverse(self) -> None:
        """The other way round."""
        if self.view.order:
            self.view = self.view.reversed()
        self._reorder()

    def _reorder(self) -> None:
        self.query_one(RowTable).set_columns(self.view.marked_columns())
        self.show_list()
        cast("Page", self.screen).eval_app.say(self.view.order_words() or "as they come; , sorts by the next column")
