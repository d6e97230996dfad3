"""The line in which a filter is typed; it is there while it is used or holds something."""

from __future__ import annotations

from textual import events
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input


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
