"""A long text in which one passage is marked, by a bar beside its lines and by its colours, and others struck through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.text import BESIDE, Paragraph, Reading

BAR = "▌"
"""Stands beside the lines of what is marked."""
STRUCK = "╌"
"""Stands beside those of which something is struck through."""
ABOVE = 3
"""The part of a page, one in so many, that stands above what is marked."""


class MarkedReading(Reading):
    """A text to read, and where in it something begins and ends."""

    HANGING = False
    COMPONENT_CLASSES = {"reading--mark", "reading--struck"}
    DEFAULT_CSS = """
    MarkedReading > .reading--mark { text-style: reverse bold; }
    MarkedReading > .reading--struck { text-style: strike; color: $text-muted; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = ""
        self._span = (0, 0)
        self._struck: Sequence[tuple[int, int]] = ()
        self._said_in: Tone = ""
        self._parts: dict[int, tuple[int, int]] = {}
        """Of each line that holds something marked, where it begins and ends there."""
        self._gone: dict[int, list[tuple[int, int]]] = {}
        """The same of what is struck through."""
        self._of: Sequence[Paragraph] | None = None

    def show_text(
        self, text: str, start: int = 0, end: int = 0, tone: Tone = "", struck: Sequence[tuple[int, int]] = ()
    ) -> None:  # fmt: skip
        """Show a safe text in which the characters from `start` up to `end` are marked; none where these are the same.

        `struck`: from where to where others are struck through, be they marked or not.
        """
        if (text, (start, end), tone, struck) == (self._text, self._span, self._said_in, self._struck):
            return
        self._text, self._span, self._said_in, self._of = text, (start, end), tone, None
        self._struck = struck
        self.show([(text, tone)])
        self.call_after_refresh(self.go_to_mark)

    @property
    def marked(self) -> dict[int, tuple[int, int]]:
        """Of each wrapped line that holds something marked, by its number, from which character to which."""
        self._look_for_parts()
        return self._parts

    @property
    def struck(self) -> dict[int, list[tuple[int, int]]]:
        """The same of what is struck through, of which a line may hold several."""
        self._look_for_parts()
        return self._gone

    def _look_for_parts(self) -> None:
        lines = self.lines
        if lines is not self._of:
            self._of = lines
            texts = [line for line, _ in lines]
            self._parts, self._gone = dict(_parts(self._text, self._span, texts)), {}
            for span in self._struck:
                for row, part in _parts(self._text, span, texts):
                    self._gone.setdefault(row, []).append(part)

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
        """One line; what is marked in other colours, what is struck through with a line through it, and a bar before either."""
        strip = super().render_line(y)
        row = self.top + y
        part, gone = self.marked.get(row), self.struck.get(row, [])
        if part is None and not gone:
            return strip
        base, room = self._base, max(self.size.width - BESIDE, 0)
        text = self.lines[row][0]
        cuts = sorted({0, len(text), *(part or ()), *(at for span in gone for at in span)})
        pieces = []
        for start, end in pairwise(cuts):
            name = "mark" if part is not None and part[0] <= start < part[1] else ""
            name = "struck" if any(first <= start < last for first, last in gone) else name
            pieces.append(Segment(text[start:end], base + self._mark(name) if name else base))
        line = Strip(pieces).adjust_cell_length(room, base)
        segments = list(strip)
        bar = Segment(STRUCK if part is None else BAR, base + self._mark("dim" if part is None else "accent"))
        return Strip([bar, *line, Segment(" ", base), segments[-1]], self.size.width)

    def _mark(self, name: str) -> Style:
        return self.get_component_rich_style(f"reading--{name}", partial=True)


def _parts(text: str, span: tuple[int, int], lines: Sequence[str]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield each line's part of a span: lines are pieces of the text, in order, blanks at their ends left out."""
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
