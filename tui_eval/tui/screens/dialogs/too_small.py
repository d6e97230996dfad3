"""Screen on a terminal that is too small for the app: nothing else can be done there, least of all unseen."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Static

from tui_eval.tui.keymap import bind

LEAST = (60, 20)
"""Columns and rows below which the app says so instead of drawing something broken."""


def too_small(size: Size) -> bool:
    """Return whether the app cannot be drawn on a terminal of this size."""
    return size.width < LEAST[0] or size.height < LEAST[1]


class TooSmall(ModalScreen[None]):
    """Covers the app until there is room for it."""

    CSS = """
    TooSmall { align: center middle; background: $background; }
    TooSmall > Static { width: 100%; height: auto; text-align: center; }
    """
    BINDINGS = [bind("app.leave", "app.leave", "Quit", show=False)]

    def compose(self) -> ComposeResult:
        """The sentence."""
        yield Static(markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """Say how much room there is."""
        width, height = event.size
        words = f"This terminal has {width} x {height} places.\nThe app needs {LEAST[0]} x {LEAST[1]}: make it larger."
        self.query_one(Static).update(words)
