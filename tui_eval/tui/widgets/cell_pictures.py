"""A picture as lines of cells, scaled to the room there is, by a package that is an optional extra, loaded when it is needed.

A terminal that speaks Kitty's graphics protocol or Sixel is sent the picture itself, every other one half-blocks in colours.
What it speaks is told by its environment: it is not asked, since the app reads its keys, and an answer would be taken for some.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import os
import struct
import sys
import termios
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO, StringIO
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from rich.color import Color
from rich.console import Console
from rich.segment import ControlType, Segment
from rich.style import Style
from textual.strip import Strip

from tui_eval.workspace.plain_files import ANYWHERE, stream_of

PACKAGE = "textual_image"
HOW_TO_GET_IT = "Pictures need the optional extra: pip install 'tui-eval[images]'"
Protocol = Literal["kitty", "sixel", "blocks"]
ENV = "TUI_EVAL_PICTURES"
"""kitty, sixel or blocks: how pictures are drawn, where what the terminal says of itself is not right."""
KITTY_TERMS = ("xterm-kitty", "xterm-ghostty")
SIXEL_TERMS = ("foot", "foot-extra", "mlterm", "contour", "yaft-256color")
SIXEL_PROGRAMS = ("WezTerm", "iTerm.app", "mintty", "contour", "BlackBox", "Konsole")
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
MOST_SENT = 200_000
"""Bytes that a picture may be on the line."""
PIECE = 4096
"""Characters of base64 that Kitty takes at once."""
MOST_SIDE = 290
"""Columns or rows for which there are placeholders."""
MOST_CELLS = 4_000
"""Cells of half-blocks, each about 45 bytes on the line."""
CELL = (10, 20)
"""Pixels of a cell, as far as is known."""
_QUIET = threading.Lock()


@dataclass(frozen=True, slots=True)
class DrawnPicture:
    """Picture as it is put on the screen."""

    strips: tuple[Strip, ...]
    sent: str = ""
    """What the terminal is sent beforehand."""
    ended: str = ""
    """What it is sent when the picture has gone."""


def can_draw() -> bool:
    """Return whether the extra is installed; it is not loaded for that."""
    return any(os.path.isfile(os.path.join(folder, PACKAGE, "__init__.py")) for folder in sys.path if folder)


def protocol(environ: Mapping[str, str] = os.environ) -> Protocol:
    """Return the graphics protocol of the terminal by its environment; tmux and screen in between pass none of it on."""
    requested, term = environ.get(ENV), environ.get("TERM", "")
    if requested in ("kitty", "sixel", "blocks"):
        return requested  # type: ignore[return-value]
    if "TMUX" in environ or term.startswith(("tmux", "screen")):
        return "blocks"
    if "KITTY_WINDOW_ID" in environ or "GHOSTTY_RESOURCES_DIR" in environ or term in KITTY_TERMS:
        return "kitty"
    return "sixel" if term in SIXEL_TERMS or environ.get("TERM_PROGRAM") in SIXEL_PROGRAMS else "blocks"


def cell_pixels(descriptor: int = 2) -> tuple[int, int] | None:
    """Width and height of a cell in pixels; None where the terminal does not say. A Sixel's size is its pixels."""
    try:
        rows, columns, width, height = struct.unpack("HHHH", fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8)))
    except OSError:
        return None
    return (width // columns, height // rows) if columns and rows and width >= columns and height >= rows else None


def picture_cells(path: Path, columns: int, rows: int, how: Protocol, cell: tuple[int, int] | None = None) -> DrawnPicture:
    """A picture in at most so many cells, of so many pixels each; to be called beside the screen.

    OSError where the file cannot be read as a picture of one of `FORMATS`, or is one that would fill the memory.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with stream_of(path, ANYWHERE) as stream, Image.open(stream, formats=FORMATS) as opened:
            wide, high = cell or CELL
            width, height = _cells(opened.width / wide, opened.height / high, columns, rows, how == "blocks")
            opened.draft("RGB", (width * wide, height * high))
            image = opened.convert("RGB")
        image.thumbnail((width * wide, height * high))
    except (UnidentifiedImageError, Image.DecompressionBombError, ValueError, SyntaxError) as error:
        raise OSError(str(error)) from None
    if how == "sixel" and cell is not None:
        return _by_sixel(image, width, height)
    return _by_kitty(image, width, height) if how == "kitty" else _by_blocks(image, width, height)


def _cells(width: float, height: float, columns: int, rows: int, bounded: bool) -> tuple[int, int]:
    """The cells that a picture of so many fills: as large as fits, in its own proportions; `bounded`: at most MOST_CELLS."""
    share = min(min(columns, MOST_SIDE) / width, min(rows, MOST_SIDE) / height)
    size = max(width * share, 1), max(height * share, 1)
    over = max(size[0] * size[1] / MOST_CELLS, 1) ** 0.5 if bounded else 1
    return max(round(size[0] / over), 1), max(round(size[1] / over), 1)


def _by_blocks(image: Any, width: int, height: int) -> DrawnPicture:
    """Two pixels in a cell, one above the other; cells alike that stand side by side are one piece."""
    data = image.resize((width, 2 * height)).tobytes()
    pixels = [data[at : at + 3] for at in range(0, len(data), 3)]
    colors = {pixel: Color.from_rgb(*pixel) for pixel in set(pixels)}
    rows = [[colors[pixel] for pixel in pixels[at : at + width]] for at in range(0, len(pixels), width)]
    return DrawnPicture(
        tuple(
            Strip([Segment("▀" * len([*alike]), Style.from_color(*pair)) for pair, alike in groupby(zip(*halves, strict=True))])
            for halves in zip(rows[::2], rows[1::2], strict=True)
        )
    )


def _by_sixel(image: Any, width: int, height: int) -> DrawnPicture:
    """Drawn from the last of its lines, so that none of them is written over it."""
    while len(data := _sixels(image)) > MOST_SENT:
        image = image.resize((max(image.width * 3 // 4, 1), max(image.height * 3 // 4, 1)))
    up = f"\x1b[{height - 1}A" if height > 1 else ""
    text = f"\x1b7{up}\x1b[{width}D{data}\x1b8"
    last = [Segment(" " * width), Segment(text, control=[(ControlType.CURSOR_FORWARD, 0)])]
    return DrawnPicture((*[Strip.blank(width)] * (height - 1), Strip(last, width)))


def _sixels(image: Any) -> str:
    """A picture as the bytes of a Sixel, made of its pixels alone."""
    with _silent():
        from textual_image.renderable import SixelImage

        lines = _lines(SixelImage(image), *image.size)
    return next(segment.text for line in lines for segment in line if "\x1bP" in segment.text)


def _by_kitty(image: Any, width: int, height: int) -> DrawnPicture:
    while len(data := _base64(image)) > MOST_SENT:
        image = image.resize((max(image.width * 3 // 4, 1), max(image.height * 3 // 4, 1)))
    number = int.from_bytes(os.urandom(4), "big") | 1
    pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)]
    sent = [f"i={number},m={int(n < len(pieces))},f=100,q=2;{piece}" for n, piece in enumerate(pieces, start=1)]
    sent.append(f"a=p,i={number},c={width},r={height},U=1,q=2")
    with _silent():
        from textual_image.renderable import TGPImage

        picture = TGPImage(image, width=width, height=height)
        picture.terminal_image_id = number  # it is sent by the app: the package would write between the app's own bytes
        strips = tuple(Strip(line) for line in _lines(picture, width, height) if line)
    return DrawnPicture(strips, "".join(f"\x1b_G{command}\x1b\\" for command in sent), f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\")


def _base64(image: Any) -> str:
    """A picture as PNG in base64."""
    stream = BytesIO()
    image.save(stream, "PNG")
    return base64.b64encode(stream.getvalue()).decode()


def _lines(picture: Any, width: int, height: int) -> list[list[Segment]]:
    console = Console(width=width, height=height, force_terminal=True, color_system="truecolor", file=StringIO())
    return console.render_lines(picture, console.options, pad=False)


class _Nowhere:
    """Stands where the package looks for the terminal: it is none, and keeps what it is told."""

    def __init__(self, writes: list[str]) -> None:
        self._told = writes

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        self._told.append(text)
        return len(text)

    def flush(self) -> None:
        pass


@contextlib.contextmanager
def _silent() -> Iterator[list[str]]:
    """Redirect into a list what the package would write to the terminal, or ask of it as it is loaded."""
    writes: list[str] = []
    with _QUIET:
        before = sys.__stdout__
        sys.__stdout__ = _Nowhere(writes)  # type: ignore[misc, assignment]
        try:
            yield writes
        finally:
            sys.__stdout__ = before  # type: ignore[misc]
