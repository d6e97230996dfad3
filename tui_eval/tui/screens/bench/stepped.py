"""Page on which an entry of a list is read in full, and the list is walked through."""

from __future__ import annotations

from tui_eval.tui.keymap import bind
from tui_eval.tui.screens.dialogs.saving import TextPage
from tui_eval.tui.widgets.text import Reading


class SteppedPage(TextPage):
    """An entry opened from a list of the bench."""

    MODE = "results"
    BINDINGS = [
        bind("record.next", "step(1)", "Next", tooltip="The next one of the list"),
        bind("record.previous", "step(-1)", "Previous", tooltip="The one before it in the list"),
        bind("record.copy", "copy", "Copy", tooltip="Copy all of it as text"),
        bind("record.pager", "pager", "Pager", show=False, tooltip="Read it in $PAGER"),
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
    ]

    def __init__(self, n: int, place: int) -> None:
        """`n`: entries of the list that it is opened from; `place`: which of them."""
        super().__init__()
        self.n, self.place = n, place

    def show_entry(self) -> None:
        """Show the entry at its place."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Show the one that was opened."""
        self.query_one(Reading).focus()
        self.show_entry()

    def action_step(self, by: int) -> None:
        """The next one, or the one before."""
        if 0 <= self.place + by < self.n:
            self.place += by
            self.show_entry()
        else:
            self.say_here("that was the last one" if by > 0 else "that was the first one")
