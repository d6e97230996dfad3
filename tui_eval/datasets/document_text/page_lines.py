"""A page of a PDF as lines: what pypdf draws, piece by piece, with the place of each on the page as it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import hypot
from typing import Any

from tui_eval.core.document_text import plain_page

AT_EACH_END = 3
"""How many lines at the top and at the foot of a page may be a head or a foot."""
Matrix = Sequence[float]
_TURNED = {0: (1, 0, 0, 1, 0, 0), 90: (0, -1, 1, 0, 0, 0), 180: (-1, 0, 0, -1, 0, 0), 270: (0, 1, -1, 0, 0, 0)}
"""By how far a page is turned to the right when it is looked at."""


@dataclass(frozen=True, slots=True)
class DrawnPiece:
    """Text that was drawn in one go, and where it begins: points to the right, and upwards."""

    text: str
    x: float
    y: float
    size: float
    level: bool
    """Whether it runs from left to right, neither turned nor slanted upwards."""


@dataclass(slots=True)
class PageLine:
    """A line of the text: what it is made of."""

    pieces: list[DrawnPiece] = field(default_factory=list)
    is_field: bool = False
    """Whether it is what was filled into a form."""

    @property
    def text(self) -> str:
        """Text of the line."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def first(self) -> DrawnPiece | None:
        """The first of it that can be seen; None where it is blank, or not level."""
        first_piece = next((piece for piece in self.pieces if piece.text.strip()), None)
        return first_piece if first_piece is not None and first_piece.level else None

    @property
    def stripped(self) -> PageLine:
        """The same without white space at its ends."""
        pieces = [piece for piece in self.pieces if piece.text]
        while pieces and not pieces[0].text.strip():
            del pieces[0]
        while pieces and not pieces[-1].text.strip():
            del pieces[-1]
        if pieces:
            pieces[0] = replace(pieces[0], text=pieces[0].text.lstrip())
            pieces[-1] = replace(pieces[-1], text=pieces[-1].text.rstrip())
        return PageLine(pieces, self.is_field)


class DrawnText:
    """Pieces of text that a page draws: give `before`, `after` and `text` to pypdf as its visitors."""

    def __init__(self, rotation: int) -> None:
        self._outer: list[Matrix] = [_TURNED.get(rotation % 360, _TURNED[0])]
        self._opening: Matrix | None = None
        """The matrix of a form that is drawn next: it holds once the form's own operators come."""
        self.pieces: list[DrawnPiece] = []

    def before(self, operator: bytes, _operands: Any, cm: Matrix, _tm: Matrix) -> None:
        """An operator comes; after `Do` those of the form that it draws."""
        if self._opening is not None:
            self._outer.append(self._opening)
            self._opening = None
        if operator == b"Do":
            self._opening = product(cm, self._outer[-1])

    def after(self, operator: bytes, _operands: Any, _cm: Matrix, _tm: Matrix) -> None:
        """It is done."""
        if operator == b"Do":
            if self._opening is None and len(self._outer) > 1:
                self._outer.pop()
            self._opening = None

    def text(self, text: str, cm: Matrix, tm: Matrix, _font: Any, size: float) -> None:
        """Text was drawn."""
        if text:
            a, b, c, d, x, y = product(product(tm, cm), self._outer[-1])
            self.pieces.append(DrawnPiece(text, x, y, abs(size) * hypot(c, d), a > 0 and abs(b) < 0.1 * a))


def product(first: Matrix, second: Matrix) -> tuple[float, ...]:
    """Two matrices of a PDF, the first applied first."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def turned(box: Sequence[float], rotation: int) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a rectangle, as the page is looked at."""
    x0, y0, x1, y1 = box
    corners = [product((1, 0, 0, 1, x, y), _TURNED.get(rotation % 360, _TURNED[0])) for x, y in ((x0, y0), (x1, y1))]
    across, high = [corner[4] for corner in corners], [corner[5] for corner in corners]
    return min(across), min(high), max(across), max(high)


def lines_of(pieces: Sequence[DrawnPiece]) -> list[PageLine]:
    """The lines that pieces make up, as they were drawn."""
    lines = [PageLine()]
    for piece in pieces:
        for n, part in enumerate(plain_page(piece.text).split("\n")):
            if n:
                lines.append(PageLine())
            if part:
                lines[-1].pieces.append(DrawnPiece(part, piece.x, piece.y, piece.size, piece.level))
    return lines


def ends_of(lines: Sequence[PageLine], top: float) -> list[tuple[int, float]]:
    """The highest and the lowest lines of a page: which of them they are, and how far from its top they stand, downwards."""
    placed = sorted((top - line.first.y, at) for at, line in enumerate(lines) if line.first is not None)
    ends = placed if len(placed) <= 2 * AT_EACH_END else [*placed[:AT_EACH_END], *placed[-AT_EACH_END:]]
    return [(at, round(depth, 1)) for depth, at in ends]
