"""A question that stands before a screen; it is answered once, however fast keys come."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class Dialog(ModalScreen[ScreenResultType]):
    """Modal question. A key that comes while it goes away does nothing: Textual would take the screen below with it."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Answer, and go."""
        if not self.is_active:
            return AwaitComplete.nothing()  # type: ignore[no-any-return, no-untyped-call]
        return super().dismiss(result)
