"""The verdict on a run: text that is wrapped and never cut."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.lines import STYLES
from tui_eval.tui.widgets.text import wrapped

BAR = "▌"


class VerdictText(Static):
    """Safe text on as many lines as it takes, behind a bar; what stands below moves only where it takes more of them."""

    DEFAULT_CSS = """
    VerdictText { height: 2; padding: 0 1 0 0; }
    """

    def __init__(self, *, id: str | None = None, least: int = 0) -> None:
        """`least`: lines that it takes however little it says."""
        super().__init__(id=id, markup=False)
        self._least = least
        self._said: tuple[str, Tone] = ("", "")

    @property
    def text(self) -> str:
        """Its text, as one line."""
        return self._said[0]

    def say(self, text: str, tone: Tone = "") -> None:
        """Show a text."""
        if (text, tone) != self._said:
            self._said = text, tone
            self._draw()

    def on_resize(self) -> None:
        """Another width wraps anew."""
        self._draw()

    def _draw(self) -> None:
        width = max(self.size.width - len(BAR), 8)
        lines = [f"{BAR}{line}" for line, _ in wrapped([self._said], width)] if self.text else []
        height = max(len(lines), self._least)
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height
        self.update(Content.styled("\n".join(lines), STYLES[self._said[1]]), layout=False)
