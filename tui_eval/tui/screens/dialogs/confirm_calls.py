"""The question before calls to real models: asked at once, with number and cost as soon as these are counted."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from tui_eval.tui.screens.dialogs.confirm import ANSWERS, Confirm

COUNTING = "counting what it would ask …"
STILL = "still counting: y counts once it says how many calls, and at what cost"
NOT_YET = "n  no (also Esc, Backspace, q)"


class ConfirmCalls(Confirm):
    """A yes counts only once the figures stand there: what nobody could read is answered by no key."""

    CSS = f"""{Confirm.CSS.replace("Confirm", "ConfirmCalls")}
    ConfirmCalls VerticalScroll {{ height: auto; max-height: 55vh; margin: 1 0; background: $surface; }}
    ConfirmCalls #figures {{ height: auto; }}
    """

    def __init__(self, question: str) -> None:
        super().__init__(question, "")
        self._question = question
        self._told_early = STILL
        self.counted = False
        """Whether the figures stand there."""

    def compose(self) -> ComposeResult:
        """The question, the figures, and the keys, which are always in view."""
        with Vertical():
            yield Static(self._question, markup=False)
            with VerticalScroll():
                yield Static(COUNTING, id="figures", markup=False)
            yield Static(NOT_YET, id="answers", markup=False)

    def show_figures(self, words: str) -> None:
        """Put the figures; from here on a yes counts."""
        self.counted = True
        self.query_one("#figures", Static).update(words)
        self.query_one("#answers", Static).update(ANSWERS)

    def show_trouble(self, words: str) -> None:
        """Say why nothing can be asked; a yes counts for nothing."""
        self._told_early = words
        self.query_one("#figures", Static).update(words)

    def dismiss(self, result: bool | None = None) -> AwaitComplete:
        """Answer, and go; a yes that comes too early does neither."""
        if result and not self.counted:
            self.query_one("#figures", Static).update(self._told_early)
            return AwaitComplete.nothing()  # type: ignore[no-any-return, no-untyped-call]
        return super().dismiss(result)
