"""A long text in which one passage is marked: by a bar beside its lines as well as by its colours, and scrolled into sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.text import BESIDE, Paragraph, Reading

BAR = "▌"
"""Stands beside the lines of what is marked."""
ABOVE = 3
"""The part of a page, one in so many, that stands above what is marked."""


class MarkedReading(Reading):
    """A text to read, and where in it something begins and ends."""

    HANGING = False
    COMPONENT_CLASSES = {"reading--mark"}
    DEFAULT_CSS = """
    MarkedReading > .reading--mark { text-style: reverse bold; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = ""
        self._span = (0, 0)
        self._said_in: Tone = ""
        self._parts: dict[int, tuple[int, int]] = {}
        """Of each line that holds something marked, where it begins and ends there."""
        self._of: Sequence[Paragraph] | None = None

    def show_text(self, text: str, start: int = 0, end: int = 0, tone: Tone = "") -> None:
        """Show a safe text in which the characters from `start` up to `end` are marked; none where these are the same."""
        if (text, (start, end), tone) == (self._text, self._span, self._said_in):
            return
        self._text, self._span, self._said_in, self._of = text, (start, end), tone, None
        self.show([(text, tone)])
        self.call_after_refresh(self.go_to_mark)

    @property
    def marked(self) -> dict[int, tuple[int, int]]:
        """Of each wrapped line that holds something marked, by its number, from which character to which."""
        lines = self.lines
        if lines is not self._of:
            self._of = lines
            self._parts = dict(_parts(self._text, self._span, [line for line, _ in lines]))
        return self._parts

    def go_to_mark(self) -> None:
        """Scroll so that what is marked is in sight, with some lines above it."""
        first = min(self.marked, default=None)
        if first is not None:
            self.action_go(max(first - self.size.height // ABOVE, 0))

    def on_resize(self) -> None:
        """Another width wraps anew: what is marked stands elsewhere."""
        super().on_resize()
        self.go_to_mark()

    def render_line(self, y: int) -> Strip:
        """One line; of what is marked in other colours, with a bar before it."""
        strip = super().render_line(y)
        row = self.top + y
        part = self.marked.get(row)
        if part is None:
            return strip
        base, room = self._base, max(self.size.width - BESIDE, 0)
        text = self.lines[row][0]
        before, said, after = text[: part[0]], text[part[0] : part[1]], text[part[1] :]
        line = Strip([Segment(before, base), Segment(said, base + self._mark("mark")), Segment(after, base)])
        line = line.adjust_cell_length(room, base)
        segments = list(strip)
        return Strip([Segment(BAR, base + self._mark("accent")), *line, Segment(" ", base), segments[-1]], self.size.width)

    def _mark(self, name: str) -> Style:
        return self.get_component_rich_style(f"reading--{name}", partial=True)


def _parts(text: str, span: tuple[int, int], lines: Sequence[str]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Where each wrapped line meets a span of the text: lines are pieces of it, in order, blanks at their ends left out."""
    start, end = span
    at = 0
    for number, line in enumerate(lines):
        at = text.find(line, at)
        first, last = max(start - at, 0), min(end - at, len(line))
        if line and first < last:
            yield number, (first, last)
        at += len(line)
        if at >= end:
            return
