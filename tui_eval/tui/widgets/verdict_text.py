"""The verdict on a run: text that is wrapped and never cut."""

from __future__ import annotations

from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.text import wrapped

BAR: Piece = ("▌", "accent")


class VerdictText(Lines):
    """Safe text on as many lines as it takes, behind a bar; what stands below moves only where it takes more of them."""

    DEFAULT_CSS = """
    VerdictText { padding: 0; }
    """

    def __init__(self, *, id: str | None = None, least: int = 0) -> None:
        """`least`: lines that it takes however little it says."""
        super().__init__(id=id)
        self._least = least
        self._told: tuple[str, Tone] = ("", "")

    def tell(self, text: str, tone: Tone = "") -> None:
        """Show a text."""
        self._told = text, tone
        lines = [line for line, _ in wrapped([(text, tone)], max(self.size.width - 2, 8))] if text else []
        self.styles.height = max(len(lines), self._least)
        self.say(*(piece for line in lines for piece in (BAR, (f"{line}\n", tone))))

    def on_resize(self) -> None:
        """Another width wraps anew."""
        self.tell(*self._told)
