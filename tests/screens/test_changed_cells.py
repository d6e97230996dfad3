"""Laws of changed cells: after any frames a terminal shows the same, cell by cell, as if each was written whole."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pyte
import pytest
import textual
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import ControlType, Segment
from rich.style import Style
from soaking import SOAK
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Region, Size
from textual.strip import Strip

from tui_eval.tui.background.changed_cells import TRIED_VERSIONS, ShownCells, WrittenUpdate

Frame = LayoutUpdate | ChopsUpdate
CONSOLE = Console(force_terminal=True, color_system="256", legacy_windows=False)
NARROW = ("a", "b", "word", " ", "   ", "─", "│ ", "█▌", "✓", "é", "0.5", "·", "\u00a0")
STRANGE = (
    "日本",
    "語",
    "e\u0301",
    "\u0301",
    "✅",
    "👩\u200d🔬",
    "⚠\ufe0f",
    "🇩🇪",
    "שלום",
    "क्षि",
    "\u00ad",
    "\u200b",
    "x\u0327\u0301",
)
STYLES = tuple(
    Style.parse(text)
    for text in (
        "",
        "on color(3)",
        "color(12)",
        "bold color(200) on color(3)",
        "dim color(200) on color(3)",
        "bold dim red",
        "reverse",
        "reverse blue on color(9)",
        "underline on color(3)",
        "italic strike color(12) on #102030",
        "default on default",
        "underline2 overline",
    )
)
LINK = Style.parse("link https://example.org/ bold")
HOME = "\x1b[1;1H"
"""Where Textual puts the cursor after a frame."""
SEEN_ON_BLANKS = ("bg", "reverse", "underscore", "strikethrough")


class EveryCharacter(pyte.Screen):
    """Screen that draws what stands behind a character without a width, which pyte drops up to the next escape."""

    def draw(self, data: str) -> None:
        """Draw a text, character by character."""
        for character in data:
            super().draw(character)


@dataclass
class Terminals:
    """Two of a kind: one is sent every frame whole, the other what `ShownCells` makes of it."""

    size: Size
    whole: pyte.Screen = field(init=False)
    sparing: pyte.Screen = field(init=False)
    shown: ShownCells = field(default_factory=ShownCells)
    bytes_whole: int = 0
    bytes_sparing: int = 0

    def __post_init__(self) -> None:
        self.whole, self.sparing = EveryCharacter(*self.size), EveryCharacter(*self.size)
        self.feed("\x1b[?7l", "\x1b[?7l")

    def feed(self, whole: str, sparing: str) -> None:
        """Write to both."""
        pyte.Stream(self.whole).feed(whole.replace("\n", "\r\n"))
        pyte.Stream(self.sparing).feed(sparing.replace("\n", "\r\n"))
        self.bytes_whole += len(whole.encode())
        self.bytes_sparing += len(sparing.encode())

    def show(self, frame: Frame) -> None:
        """Show a frame on both."""
        written = self.shown.written(frame, self.size, ColorSystem.EIGHT_BIT)
        assert isinstance(written, CompositorUpdate)
        self.feed(frame.render_segments(CONSOLE) + HOME, written.render_segments(CONSOLE) + HOME)

    def garble(self, text: str) -> None:
        """Another program writes to both, and one asks for the screen to be drawn anew."""
        self.feed(text + HOME, text + HOME)
        self.shown.forget()

    def resize(self, size: Size) -> None:
        """The window has another size."""
        self.size = size
        self.whole.resize(size.height, size.width)
        self.sparing.resize(size.height, size.width)
        self.shown.forget()

    def differences(self) -> list[tuple[int, int, object, object]]:
        """Cells that differ. Colours and attributes that a blank does not show are none."""
        return [
            (x, y, _seen(self.whole, x, y), _seen(self.sparing, x, y))
            for y in range(self.size.height)
            for x in range(self.size.width)
            if _seen(self.whole, x, y) != _seen(self.sparing, x, y)
        ]


def _seen(screen: pyte.Screen, x: int, y: int) -> tuple[object, ...]:
    cell = screen.buffer[y][x]
    if cell.data[:1] == " " and not (cell.reverse or cell.underscore or cell.strikethrough):
        return (cell.data, *(getattr(cell, name) for name in SEEN_ON_BLANKS))
    return tuple(cell)


class Frames:
    """Frames made at random: some rows change, others stay, as on a screen."""

    def __init__(self, chance: random.Random, size: Size, strangeness: float) -> None:
        self.chance, self.strangeness = chance, strangeness
        self.styles = (None, *STYLES, LINK) if chance.random() < 0.1 else (None, *STYLES)
        self.size = size
        self.rows = [self._row() for _ in range(size.height)]

    def resize(self, size: Size) -> None:
        """Frames of another size."""
        self.size = size
        self.rows = [self._row() for _ in range(size.height)]

    def next(self) -> Frame:
        """Change something, and draw all of it or some regions."""
        for y in range(self.size.height):
            how = self.chance.random()
            if how < 0.3:
                self.rows[y] = self._row()
            elif how < 0.6:
                self.rows[y] = self._edited(self.rows[y])
        return self._whole() if self.chance.random() < 0.4 else self._part()

    def _row(self) -> Strip:
        segments: list[Segment] = []
        while Strip(segments).cell_length < self.size.width:
            texts = STRANGE if self.chance.random() < self.strangeness else NARROW
            text = "".join(self.chance.choices(texts, k=self.chance.randint(1, 3)))
            segments.append(Segment(text, self.chance.choice(self.styles)))
        return Strip(segments).crop(0, self.size.width)

    def _edited(self, row: Strip) -> Strip:
        """A row with a few cells of another."""
        start = self.chance.randrange(self.size.width)
        end = min(start + self.chance.randint(1, 3), self.size.width)
        return Strip.join([row.crop(0, start), self._row().crop(start, end), row.crop(end)])

    def _whole(self) -> LayoutUpdate:
        return LayoutUpdate([self._cut(row, self._cuts()) for row in self.rows], Region(0, 0, *self.size))

    def _part(self) -> ChopsUpdate:
        """Chops of all rows, as the compositor cuts them, and spans of some: not always where it is cut."""
        cuts = [self._cuts() for _ in self.rows]
        chops: list[dict[int, Strip | None]] = []
        for row, cut in zip(self.rows, cuts, strict=True):
            strips = self._cut(row, cut)
            chops.append({x: strip if self.chance.random() < 0.9 else None for x, strip in zip(cut, strips, strict=False)})
        spans = []
        for y in sorted(self.chance.sample(range(self.size.height), self.chance.randint(1, self.size.height))):
            x1, x2 = sorted(self.chance.sample(range(self.size.width + 1), 2))
            spans.append((y, x1, x2))
        return ChopsUpdate(chops, spans, [cut[1:] for cut in cuts])

    def _cuts(self) -> list[int]:
        inner = self.chance.sample(range(1, self.size.width), self.chance.randint(0, 3))
        return [0, *sorted(inner), self.size.width]

    def _cut(self, row: Strip, cuts: list[int]) -> list[Strip]:
        strips = row.divide(cuts[1:])
        return [_on_its_own(strip, end - x) for strip, x, end in zip(strips, cuts, cuts[1:], strict=False)]


def _on_its_own(strip: Strip, width: int) -> Strip:
    """A strip that fits, also where a family was cut apart and is counted otherwise.

    It does not begin with a mark, which would join what another part shows beside it: that one is left out.
    """
    segments = list(strip)
    while segments and not cell_len(segments[0].text):
        segments.pop(0)
    if segments:
        while not cell_len(segments[0].text[0]):
            segments[0] = Segment(segments[0].text[1:], segments[0].style)
    own = Strip(segments)
    return own if own.cell_length <= width else Strip([Segment("?" * width)])


def walk(seed: int) -> Terminals:
    """Show frames; some are left out, and now and then a terminal has another size or is garbled."""
    chance = random.Random(seed)
    size = Size(chance.randint(4, 24), chance.randint(1, 4))
    terminals, frames = Terminals(size), Frames(chance, size, chance.choice((0.0, 0.0, 0.1, 0.5)))
    for _ in range(chance.randint(2, 8)):
        frame, event = frames.next(), chance.random()
        if event < 0.1:
            continue
        if event < 0.2:
            terminals.garble(chance.choice(("\x1b[2J", "\x1b[1;2Hgarble", "\x1b[2;1H\x1b[7m~~\x1b[0m")))
        elif event < 0.25:
            size = Size(chance.randint(4, 24), chance.randint(1, 4))
            terminals.resize(size)
            frames.resize(size)
            frame = frames.next()
        terminals.show(frame)
        assert not terminals.differences(), f"seed {seed}"
    return terminals


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=SOAK) for part in range(1, 20))])
def test_a_terminal_shows_the_same_as_if_frames_were_written_whole(part: int) -> None:
    """Wide characters, marks, families of emoji that the terminal counts otherwise, styles, links, frames left out, sizes."""
    walks = [walk(seed) for seed in range(part * 500, (part + 1) * 500)]
    assert sum(each.bytes_sparing for each in walks) < 0.75 * sum(each.bytes_whole for each in walks)


def test_a_picture_is_written_whole_and_nothing_is_known_afterwards() -> None:
    """An update with a segment that steers the terminal passes as it is; the next one writes every cell of its own."""
    shown, size = ShownCells(), Size(4, 2)
    plain = LayoutUpdate([[Strip([Segment("abcd")])], [Strip([Segment("efgh")])]], Region(0, 0, 4, 2))
    steering = Segment("\x1b[1A\x1b[4D\x1bPq#0\x1b\\", None, [(ControlType.CURSOR_FORWARD, 0)])
    picture = LayoutUpdate([[Strip.blank(4)], [Strip([Segment("    "), steering], 4)]], Region(0, 0, 4, 2))
    texts = []
    for update in (plain, plain, picture, plain):
        written = shown.written(update, size, ColorSystem.TRUECOLOR)
        texts.append(written.text if isinstance(written, WrittenUpdate) else written)
    assert texts == ["\x1b[1;1Habcd\x1b[2;1Hefgh", "", picture, "\x1b[1;1Habcd\x1b[2;1Hefgh"]


def test_this_version_of_textual_is_among_the_tried_ones() -> None:
    """Another one draws whole frames until these tests, and those of `test_bytes_of_screens`, have passed with it."""
    assert textual.__version__ in TRIED_VERSIONS
