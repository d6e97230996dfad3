"""Changed cells: what makes a terminal show a frame, by a model of the cells that it shows already.

Textual writes the whole of each region it repaints. This rests on parts of it that are not documented, so it is done with
the versions in `TRIED_VERSIONS` alone. With any other one, frames are written as Textual writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Size
from textual.strip import Strip

TRIED_VERSIONS = frozenset({"8.2.8"})
NEAR = 5
"""So few unchanged cells are written again in the same style: a move is no shorter."""
_UNSURE = re.compile(
    "[^ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2100-\u2bff\ufffd]"
)
"""Characters that join others, or whose width terminals do not agree on."""
UNSURE = "unsure"
_ATTRIBUTES_OFF = {"1": "22", "2": "22", "4": "24", "7": "27"}
"""Only those that every terminal understands; the others end with all."""
_SEEN_ON_BLANKS = {"4", "7", "9", "21", "51", "52", "53"}

Cell = tuple[str, ...]
"""A text and its style, and a third where terminals may count the text otherwise.

Such a text stands in its first cell; those that it covers besides are empty.
"""
UNKNOWN: Cell = ()
Piece = tuple[int, int, list[Cell]]
"""Cells from a column of a row on."""


class WrittenUpdate(CompositorUpdate):
    """A frame as the text that is written for it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def render_segments(self, console: object) -> str:
        """Return the text."""
        return self.text


class ShownCells:
    """Model of the cells that the terminal shows, as far as they are known."""

    def __init__(self) -> None:
        self._rows: list[list[Cell]] = []
        self._unsure: dict[int, Sequence[Piece]] = {}
        """What was written last to rows that hold a text which terminals may count otherwise."""

    def forget(self) -> None:
        """Take nothing for known: the terminal may show something else."""
        self._rows = []
        self._unsure.clear()

    def written(self, update: object, size: Size, colors: ColorSystem) -> object:
        """Return an update that writes only what the terminal does not show yet; as it is where it cannot be taken apart."""
        pieces = _pieces(update, size, colors)
        if pieces is None:
            self.forget()
            return update
        if (len(self._rows), len(self._rows[0]) if self._rows else 0) != (size.height, size.width):
            self.forget()
            self._rows = [[UNKNOWN] * size.width for _ in range(size.height)]
        pen = _Pen()
        for y, row in groupby(pieces, itemgetter(0)):
            self._write_row(pen, y, list(row))
        return WrittenUpdate("".join([*pen.parts, _turn(pen.style, "")]))

    def _write_row(self, pen: _Pen, y: int, pieces: Sequence[Piece]) -> None:
        """Write what changes in a row. One with a text that terminals may count otherwise is written as Textual would."""
        before, last = self._rows[y], self._unsure.pop(y, None)
        after = before.copy()
        for _, x, cells in pieces:
            after[x : x + len(cells)] = cells
        if last is None and after == before:
            return
        is_sure = last is None and _is_narrow(after)
        if is_sure:
            pen.put_changes(y, before, after)
        elif pieces != last:
            after = [UNKNOWN] * len(before)
            for _, x, cells in pieces:
                after[x : x + len(cells)] = cells
                pen.parts.append(f"\x1b[{y + 1};{x + 1}H")
                for cell in cells:
                    pen.put(cell)
        if not is_sure and not _is_narrow(after):
            self._unsure[y] = pieces
        self._rows[y] = after


class _Pen:
    """Writer of cells that says a style only where it changes."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.style = ""

    def put(self, cell: Cell) -> None:
        if cell[1] != self.style and not self._fits(cell):
            self.parts.append(_turn(self.style, cell[1]))
            self.style = cell[1]
        self.parts.append(cell[0])

    def put_changes(self, y: int, before: Sequence[Cell], after: Sequence[Cell]) -> None:
        at = -1
        for x, (cell, shown) in enumerate(zip(after, before, strict=True)):
            if not cell or cell == shown:
                continue
            if x != at:
                between = after[at:x] if at >= 0 and x - at < NEAR else [UNKNOWN]
                if all(map(self._fits, between)):
                    self.parts += [each[0] for each in between]
                else:
                    self.parts.append(f"\x1b[{x - at}C" if at >= 0 else f"\x1b[{y + 1};{x + 1}H")
            self.put(cell)
            at = x + 1

    def _fits(self, cell: Cell) -> bool:
        return cell[1:] == (self.style,) or (cell[:1] == (" ",) and cell[1] == _blank(self.style))


def _pieces(update: object, size: Size, colors: ColorSystem) -> list[Piece] | None:
    """Return the cells of an update, row by row; None where it is none, or more than cells: a picture, a link."""
    pieces = []
    for y, x, segments in _drawn(update):
        if any(control or (style and style._link) for _, style, control in segments):
            return None
        if y < size.height and x < size.width:
            pieces.append((y, x, _cells(segments, colors)[: size.width - x]))
    return pieces if isinstance(update, LayoutUpdate | ChopsUpdate) else None


def _drawn(update: object) -> Iterator[tuple[int, int, list[Segment]]]:
    """Yield row, column and segments of what Textual would write of an update."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            yield y, update.region.x, [segment for strip in strips for segment in strip]
    elif isinstance(update, ChopsUpdate):
        for y, x1, x2 in update.spans:
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if strip is not None and x < x2 and end > x1:
                    yield y, x, list(strip.crop(0, min(end, x2) - x))


def _cells(segments: Iterable[Segment], colors: ColorSystem) -> list[Cell]:
    cells: list[Cell] = []
    for text, style, _ in segments:
        key = "" if style is None else style._ansi if style._ansi is not None else Strip.render_ansi(style, colors)
        width = len(text) if text.isascii() else cell_len(text)
        if text.isascii() or (width == len(text) and not _UNSURE.search(text)):
            blank = (" ", _blank(key)) if " " in text else UNKNOWN
            cells += [blank if character == " " else (character, key) for character in text]
        elif width:
            cells += [(text, key, UNSURE), *[("", key, UNSURE)] * (width - 1)]
        elif cells:  # it joins what stands before it
            there, style_there = cells[-1][:2]
            cells[-1] = (f"{there}{_turn(style_there, key)}{text}{_turn(key, style_there)}", style_there, UNSURE)
    return cells


def _is_narrow(cells: Iterable[Cell]) -> bool:
    return max(map(len, cells)) < 3


@lru_cache(4096)
def _blank(style: str) -> str:
    """Return what is seen of a style where nothing stands: its background."""
    attributes, _, background = _parts(style)
    return style if attributes & _SEEN_ON_BLANKS else background


@lru_cache(4096)
def _turn(before: str, after: str) -> str:
    """Return the shortest sequence that goes from one style to another."""
    (old, *old_colors), (new, *new_colors) = _parts(before), _parts(after)
    off = {_ATTRIBUTES_OFF.get(each, "0") for each in old - new}
    left = {each for each in old if _ATTRIBUTES_OFF.get(each, "0") not in off}
    colors = zip(old_colors, new_colors, ("39", "49"), strict=True)
    codes = [*sorted(off), *sorted(new - left), *(now or default for was, now, default in colors if now != was)]
    whole, part = f"0;{after}".rstrip(";"), ";".join(codes)
    sgr = whole if "0" in off or len(whole) < len(part) else part
    return f"\x1b[{sgr}m" if sgr else ""


@lru_cache(4096)
def _parts(style: str) -> tuple[frozenset[str], str, str]:
    """Return a style's attributes, colour and background."""
    attributes, colors = set(), {"3": "", "4": ""}
    for code in re.findall(r"[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|\d+", style):
        if len(code) == 1 or code in _SEEN_ON_BLANKS:
            attributes.add(code)
        elif code not in ("39", "49"):
            colors[{"9": "3", "1": "4"}.get(code[0], code[0])] = code
    return frozenset(attributes), colors["3"], colors["4"]
