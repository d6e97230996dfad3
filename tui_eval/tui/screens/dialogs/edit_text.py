"""A text of several lines, written in place; what is wrong with it is said as it is written."""

from __future__ import annotations

from collections.abc import Callable

from textual.widgets import TextArea

from tui_eval.tui.keymap import bind
from tui_eval.tui.screens.dialogs.ask_line import WritingDialog
from tui_eval.tui.screens.dialogs.confirm import confirm


class EditText(WritingDialog):
    """A text area. F2 keeps the text as soon as nothing is wrong with it; Esc goes back, and asks where something was written.

    The result is None where nothing is to change.
    """

    CSS = """
    EditText > Vertical { height: 88%; }
    EditText TextArea { height: 1fr; border: none; padding: 0; background: $panel; }
    EditText TextArea:focus { border: none; }
    EditText Static { height: auto; max-height: 5; }
    """
    KEYS = "F2 keeps it, Esc goes back"
    BINDINGS = [
        bind("text.keep", "keep", "Keep"),
        bind("text.back", "back", "Back"),
    ]

    def __init__(self, title: str, text: str, check: Callable[[str], str] | None = None, note: str = "") -> None:
        super().__init__(title, text, check, note)
        self._opened = text

    def writing(self) -> TextArea:
        """The text area."""
        return TextArea(self._text, soft_wrap=True, compact=True, show_line_numbers=True, tab_behavior="focus")

    def on_mount(self) -> None:
        """Begin at the end of the text; no blinking, which would write to the terminal all the time."""
        area = self.query_one(TextArea)
        area.cursor_blink = False
        self._opened = area.text  # not what was given: the area has its own ends of lines
        area.move_cursor(area.document.end)
        self.tell(self.wrong(area.text))

    def on_text_area_changed(self) -> None:
        """Look at what is written."""
        self.tell(self.wrong(self.query_one(TextArea).text))

    def action_keep(self) -> None:
        """Keep the text, unless something is wrong with it."""
        text = self.query_one(TextArea).text
        if self.wrong(text):
            self.app.bell()
            return
        self.dismiss(None if text == self._opened else text)

    def action_back(self) -> None:
        """Back without it; where something was written, only once that is confirmed."""
        if self.query_one(TextArea).text == self._opened:
            self.dismiss(None)
            return
        consequence = "y leaves the text as it was before; n goes on writing, and F2 keeps it."
        confirm(self.app, "Discard what you wrote?", consequence, lambda: self.dismiss(None))
