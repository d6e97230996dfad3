"""Asks for one line of text; what is wrong with it is said as it is typed."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.dialogs.dialog import Dialog


class WritingDialog(Dialog[str]):
    """A title, what is written, and below it what is wrong with that. `check`: what is wrong with a text, "" where nothing is.
    `note`: what else to know."""

    KEYS = ""
    """Words on the keys."""

    def __init__(self, title: str, text: str, check: Callable[[str], str] | None, note: str) -> None:
        super().__init__()
        self._title, self._text, self._check, self._note = title, text, check, note

    def writing(self) -> Widget:
        """The part that is written in."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """The title, what is written, and what is wrong with it."""
        with Vertical():
            yield Static(Content.assemble((safe_line(self._title, 200), "bold")), markup=False)
            yield self.writing()
            yield Static(markup=False, id="wrong")

    def wrong(self, text: str) -> str:
        """Return the problem of a text; empty where there is none."""
        return self._check(text) if self._check else ""

    def tell(self, wrong: str) -> None:
        """Say what is wrong, and what there is to know."""
        parts: list[tuple[str, str]] = [(f"✗ {safe(wrong[:400])}\n", "bold $error")] if wrong else []
        parts += [(f"{safe(self._note)}\n", "")] if self._note else []
        self.query_one("#wrong", Static).update(Content.assemble(*parts, (self.KEYS, "dim")))


class Ask(WritingDialog):
    """One line. Enter keeps it as soon as nothing is wrong with it; Esc goes back without it (None).

    `secret`: dots are shown in its place. `enter`: what Enter does.
    """

    CSS = """
    Ask Input { height: 1; border: none; padding: 0; margin: 1 0; background: $panel; }
    Ask Input:focus { border: none; }
    Ask Static { height: auto; }
    """
    BINDINGS = [Binding("escape", "dismiss(None)", "Back", id="ask.back")]

    def __init__(
        self,
        title: str,
        value: str = "",
        check: Callable[[str], str] | None = None,
        secret: bool = False,
        note: str = "",
        enter: str = "keeps it",
    ) -> None:
        super().__init__(title, value, check, note)
        self._secret, self.KEYS = secret, f"Enter {enter}, Esc goes back"

    def writing(self) -> Input:
        """The line."""
        return Input(self._text, password=self._secret, compact=True, select_on_focus=False)

    def on_mount(self) -> None:
        """Say what there is to say; no blinking, which would write to the terminal all the time."""
        self.query_one(Input).cursor_blink = False
        self.tell("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look at what is typed."""
        self.tell(self.wrong(event.value) if event.value else "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep it, unless something is wrong with it."""
        if wrong := self.wrong(event.value):
            self.tell(wrong)
            self.app.bell()
            return
        value = event.value
        if self._secret:
            with self.prevent(Input.Changed):
                event.input.value = ""
        self.dismiss(value)
