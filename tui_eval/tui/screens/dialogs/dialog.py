"""A question that stands before a screen; it is answered once, however fast keys come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from textual.app import App
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer | None], Generic[Answer]):
    """Modal question. A key that comes while it goes away does nothing: Textual would take the screen below with it.

    Its rows are its own from edge to edge: what is left of a line of the screen below reads as garbage.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical { width: 100%; height: auto; border: round $primary; padding: 0 1; background: $surface; }
    """

    def ask(self, app: App[Any], then: Callable[[Answer], object]) -> None:
        """Ask, and go on with the answer; nothing follows where there is none."""

        def answered(answer: Answer | None) -> None:
            if answer is not None:
                then(answer)

        app.push_screen(self, answered)

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Answer, and go."""
        if not self.is_active:
            return AwaitComplete.nothing()  # type: ignore[no-any-return, no-untyped-call]
        return super().dismiss(result)
