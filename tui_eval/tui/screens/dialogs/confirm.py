"""Asks before something is done that cannot be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from tui_eval.tui.screens.dialogs.dialog import Dialog

ANSWERS = "y  yes      n  no (also Esc, Backspace, q)"


class Confirm(Dialog[bool]):
    """A question with one key for yes; every other way out is no."""

    CSS = """
    Confirm > Vertical { border: round $warning; padding: 1 2; }
    Confirm VerticalScroll { height: auto; max-height: 65vh; background: $surface; }
    """
    BINDINGS = [
        Binding("y", "dismiss(True)", "Yes", id="confirm.yes"),
        Binding("n,escape,backspace,q", "dismiss(False)", "No", id="confirm.no"),
    ]

    def __init__(self, question: str, consequence: str) -> None:
        super().__init__()
        self._words = f"{question}\n\n{consequence}"

    def compose(self) -> ComposeResult:
        """The question, which may be longer than the screen, and the keys, which are always in view."""
        with Vertical():
            with VerticalScroll():
                yield Static(self._words, markup=False)
            yield Static(f"\n{ANSWERS}", markup=False)


def confirm(app: App[Any], question: str, consequence: str, deed: Callable[[], object]) -> None:
    """Ask, and do it after a yes."""
    Confirm(question, consequence).ask(app, lambda yes: deed() if yes else None)
