"""Asks for one line of text; what is wrong with it is said as it is typed."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.dialogs.dialog import Dialog


class Ask(Dialog[str]):
    """One line. Enter keeps it as soon as nothing is wrong with it; Esc goes back without it (None).

    `check`: what is wrong with a text, "" where nothing is. `secret`: dots are shown in its place. `note`: what else to know.
    `enter`: what Enter does.
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
        super().__init__()
        self._title, self._value, self._secret, self._note, self._enter = title, value, secret, note, enter
        self._check = check

    def compose(self) -> ComposeResult:
        """The question, the line, and what is wrong with it."""
        with Vertical():
            yield Static(Content.assemble((safe_line(self._title, 200), "bold")), markup=False)
            yield Input(self._value, password=self._secret, compact=True, select_on_focus=False)
            yield Static(markup=False, id="wrong")

    def on_mount(self) -> None:
        """Say what there is to say; no blinking, which would write to the terminal all the time."""
        self.query_one(Input).cursor_blink = False
        self._tell("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look at what is typed."""
        self._tell(self._check(event.value) if self._check and event.value else "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep it, unless something is wrong with it."""
        wrong = self._check(event.value) if self._check else ""
        if wrong:
            self._tell(wrong)
            self.app.bell()
            return
        value = event.value
        if self._secret:
            with self.prevent(Input.Changed):
                event.input.value = ""
        self.dismiss(value)

    def _tell(self, wrong: str) -> None:
        parts: list[tuple[str, str]] = [(f"✗ {safe(wrong[:400])}\n", "bold $error")] if wrong else []
        parts += [(f"{safe(self._note)}\n", "")] if self._note else []
        self.query_one("#wrong", Static).update(Content.assemble(*parts, (f"Enter {self._enter}, Esc goes back", "dim")))
