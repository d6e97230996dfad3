"""A text of several lines, written in place; what is wrong with it is said as it is written."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static, TextArea

from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.screens.dialogs.dialog import Dialog


class EditText(Dialog[str]):
    """A text area. F2 keeps the text as soon as nothing is wrong with it; Esc goes back, and asks where something was written.

    The result is None where nothing is to change. `check`: what is wrong with a text, "" where nothing is.
    """

    CSS = """
    EditText > Vertical { height: 88%; }
    EditText TextArea { height: 1fr; border: none; padding: 0; background: $panel; }
    EditText TextArea:focus { border: none; }
    EditText Static { height: auto; max-height: 5; }
    """
    BINDINGS = [
        bind("text.keep", "keep", "Keep"),
        bind("text.back", "back", "Back"),
    ]

    def __init__(self, title: str, text: str, check: Callable[[str], str] | None = None, note: str = "") -> None:
        super().__init__()
        self._title, self._text, self._note = title, text, note
        self._check = check
        self._opened = text

    def compose(self) -> ComposeResult:
        """The title, the text, and what is wrong with it."""
        with Vertical():
            yield Static(Content.assemble((safe_line(self._title, 200), "bold")), markup=False)
            yield TextArea(self._text, soft_wrap=True, compact=True, show_line_numbers=True, tab_behavior="focus")
            yield Static(markup=False, id="wrong")

    def on_mount(self) -> None:
        """Begin at the end of the text; no blinking, which would write to the terminal all the time."""
        area = self.query_one(TextArea)
        area.cursor_blink = False
        self._opened = area.text  # not what was given: the area has its own ends of lines
        area.move_cursor(area.document.end)
        self._tell()

    def on_text_area_changed(self) -> None:
        """Look at what is written."""
        self._tell()

    def action_keep(self) -> None:
        """Keep the text, unless something is wrong with it."""
        text = self.query_one(TextArea).text
        if self._wrong(text):
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

    def _wrong(self, text: str) -> str:
        return self._check(text) if self._check else ""

    def _tell(self) -> None:
        wrong = self._wrong(self.query_one(TextArea).text)
        parts: list[tuple[str, str]] = [(f"✗ {safe(wrong[:400])}\n", "bold $error")] if wrong else []
        parts += [(f"{safe(self._note)}\n", "")] if self._note else []
        self.query_one("#wrong", Static).update(Content.assemble(*parts, ("F2 keeps it, Esc goes back", "dim")))
