"""A long text to read: wrapped, scrolled by keys, only the lines on the screen drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tui_eval.tui.keymap import bind
from tui_eval.tui.widgets.cells import TONES, Tone, fitted, scroll_piece, tone_rules

Paragraph = tuple[str, Tone]
"""A line of a text before it is wrapped, and how it is said."""


BESIDE = 3
"""Columns beside the text: a blank on either side, and the scroll bar."""


class Reading(Widget, can_focus=True):
    """Safe text of any length. Lines are wrapped when they are first needed at a width."""

    HANGING = True
    """Whether what is left of a line stands as far to the right as it began."""
    COMPONENT_CLASSES = {"reading--scroll", *(f"reading--{tone}" for tone in TONES)}
    DEFAULT_CSS = (
        """
    Reading { height: 1fr; background: $background; }
    Reading > .reading--scroll { color: $primary 50%; }
    """
        + tone_rules("Reading", "reading")
        + " Reading > .reading--accent { text-style: bold; }"
    )
    BINDINGS = [
        bind("list.down", "step(1)", "Down", show=False),
        bind("list.up", "step(-1)", "Up", show=False),
        bind("list.first", "go(0)", "To the beginning", show=False),
        bind("list.last", "end", "To the end", show=False),
        bind("list.half_down", "half(1)", "Half a page down", show=False),
        bind("list.half_up", "half(-1)", "Half a page up", show=False),
    ]

    def __init__(self, *, id: str | None = None, can_focus: bool = True) -> None:
        """`can_focus`: whether keys can scroll it."""
        super().__init__(id=id)
        self.can_focus = can_focus
        self.top = 0
        self._paragraphs: Sequence[Paragraph] = ()
        self._wrapped: list[Paragraph] = []
        self._width = 0
        self._base = Style()
        """How the text is drawn where it has no tone, at the last look."""

    def show(self, paragraphs: Sequence[Paragraph], keep_place: bool = False) -> None:
        """Show another text, from its beginning unless told otherwise."""
        if list(paragraphs) == list(self._paragraphs) and keep_place:
            return
        self._paragraphs = paragraphs
        self._width = 0
        self.top = self.top if keep_place else 0
        self.refresh()

    @property
    def lines(self) -> Sequence[Paragraph]:
        """The text, wrapped to the width it is shown at."""
        width = max(self.size.width - BESIDE, 8)
        if width != self._width:
            self._width = width
            self._wrapped = list(wrapped(self._paragraphs, width, self.HANGING))
            self.top = max(0, min(self.top, len(self._wrapped) - 1))
        return self._wrapped

    def render_lines(self, crop: Region) -> list[Strip]:
        """Lines of the text, their style looked for once: it is put together of those of all that the text stands in."""
        self._base = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of the text."""
        lines, base = self.lines, self._base
        width = self.size.width
        row = self.top + y
        text, tone = lines[row] if 0 <= row < len(lines) else ("", "")
        style = base + self._tone(tone) if tone else base
        body = [Segment(" ", base), Segment(fitted(text, max(width - BESIDE, 0)), style), Segment(" ", base)]
        return Strip([*body, Segment(self._bar(y), self.get_component_rich_style("reading--scroll"))], width)

    def action_step(self, by: int) -> None:
        """Some lines up or down."""
        self.action_go(self.top + by)

    def action_half(self, direction: int) -> None:
        """Half a page."""
        self.action_step(direction * max(self.size.height // 2, 1))

    def action_end(self) -> None:
        """To the last page."""
        self.action_go(len(self.lines))

    def action_go(self, line: int) -> None:
        """To a line, as far as there are lines below it to fill the page."""
        top = max(0, min(line, len(self.lines) - self.size.height))
        if top != self.top:
            self.top = top
            self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves by three lines."""
        event.stop()
        self.action_step(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel moves by three lines."""
        event.stop()
        self.action_step(-3)

    def on_resize(self) -> None:
        """Another width wraps anew."""
        self.action_go(self.top)
        self.refresh()

    def _tone(self, tone: str) -> Style:
        return self.get_component_rich_style(f"reading--{tone}", partial=True)

    def _bar(self, y: int) -> str:
        return scroll_piece(y, max(self.size.height, 1), self.top, len(self._wrapped))


def wrapped(paragraphs: Iterable[Paragraph], width: int, hanging: bool = False) -> Iterator[Paragraph]:
    """Every paragraph on lines of at most `width` columns: broken at blanks where there are any.

    `hanging`: what is left of an indented line is indented, too; else all lines are pieces of the text.
    """
    for text, tone in paragraphs:
        for line, _ in pieces_of(text, width, hanging):
            yield line, tone


def pieces_of(text: str, width: int, hanging: bool = False) -> Iterator[tuple[str, int]]:
    """Yield the lines of a text, wrapped, each with the place of its first character in the text; where that is left out
    in favour of an indent, the place lies so far before it."""
    at = 0
    for line in text.split("\n"):
        start, indent = 0, " " * min(len(line) - len(line.lstrip(" ")), width // 3) * hanging
        while (end := _end(line, start, width - len(indent) * bool(start))) < len(line):
            blank = line.rfind(" ", start + width // 3, end)
            if blank > start and line[end] != " ":
                end = blank + 1
            yield indent * bool(start) + line[start:end].rstrip(), at + start - len(indent) * bool(start)
            start = end + 1 if line[end] == " " else end
        yield indent * bool(start) + line[start:], at + start - len(indent) * bool(start)
        at += len(line) + 1


def _end(line: str, start: int, width: int) -> int:
    """Up to where a line fits from `start` on; a letter takes its marks along."""
    if line[start : start + width + 1].isascii():
        return min(start + width, len(line))
    end = start + width
    if cell_len(line[start:end]) == width and (end == len(line) or (end < len(line) and cell_len(line[end]))):
        return end
    cells = 0
    for place in range(start, len(line)):
        cells += cell_len(line[place])
        if cells > width:
            return max(place, start + 1)
    return len(line)
