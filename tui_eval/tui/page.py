"""What every screen has: the line of screens above, the status and the keys below, and one look per tick at what changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tui_eval.tui.widgets.chrome import KeysLine, ScreensLine, StatusLine

if TYPE_CHECKING:
    from tui_eval.tui.app import EvalApp

LEAST = (60, 20)
"""Columns and rows below which the app says so instead of drawing something broken."""


class Page(Screen[None]):
    """A screen of the app. Its parts come from `parts`; `look` is called on every tick while it is the one on show."""

    MODE = ""
    """The number key's screen that it belongs to."""
    DEFAULT_CSS = """
    Page { layers: base above; }
    #too-small { display: none; width: 100%; height: 100%; content-align: center middle; text-align: center; }
    Page.-tiny > * { display: none; }
    Page.-tiny > #too-small { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._held: Widget | None = None
        """What had the keys before the terminal was too small to show it."""

    def compose(self) -> ComposeResult:
        """The frame around the parts."""
        yield ScreensLine(self.MODE)
        yield from self.parts()
        yield StatusLine()
        yield KeysLine()
        yield Static(id="too-small", markup=False)

    def parts(self) -> Iterable[Widget]:
        """What stands between the lines above and below."""
        return ()

    def look(self) -> None:
        """See what changed, and draw it."""

    def offers(self, action: str) -> bool:
        """Whether the line of keys names an action now; every key works all the same, and says why where it cannot."""
        return True

    @property
    def eval_app(self) -> EvalApp:
        """The app, by its own type."""
        return cast("EvalApp", self.app)

    def on_mount(self) -> None:
        """Draw what is known already."""
        self.app.call_after_refresh(self.tick)

    def on_screen_resume(self) -> None:
        """Back on show: draw what changed meanwhile."""
        self.app.call_after_refresh(self.tick)

    def on_resize(self, event: events.Resize) -> None:
        """On a terminal that is too small, say so."""
        width, height = event.size
        tiny = width < LEAST[0] or height < LEAST[1]
        if tiny:
            words = f"This terminal has {width} x {height} places.\nThe app needs {LEAST[0]} x {LEAST[1]}: make it larger."
            self.query_one("#too-small", Static).update(words)
            self._held = self.focused or self._held
        elif self._held is not None:
            self.call_after_refresh(self._held.focus)
            self._held = None
        self.set_class(tiny, "-tiny")

    def tick(self) -> None:
        """One look, kept apart from the next: what goes wrong in it is told once and ends nothing."""
        if self.is_mounted and self.is_attached and not self.has_class("-tiny"):
            with self.eval_app.guarded():
                self.query_one(StatusLine).look(self.eval_app)
                self.look()
                self.query_one(KeysLine).look(self)
