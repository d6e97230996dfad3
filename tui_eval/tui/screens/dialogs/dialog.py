"""A question that stands before a screen; it is answered once, however fast keys come."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class Dialog(ModalScreen[ScreenResultType]):
    """Modal question. A key that comes while it goes away does nothing: Textual would take the screen below with it.

    Its rows are its own from edge to edge: what is left of a line of the screen below reads as garbage.
    """

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical { width: 100%; height: auto; border: round $primary; padding: 0 1; background: $surface; }
    """

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Answer, and go."""
        if not self.is_active:
            return AwaitComplete.nothing()  # type: ignore[no-any-return, no-untyped-call]
        return super().dismiss(result)
