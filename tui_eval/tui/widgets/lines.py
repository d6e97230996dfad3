"""Single lines of a screen that change often: drawn anew only where they say something new."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.widgets import Static

from tui_eval.tui.widgets.cells import Tone

STYLES: dict[str, str] = {
    "": "",
    "good": "$success",
    "bad": "bold $error",
    "warn": "$warning",
    "dim": "dim",
    "accent": "$accent",
    "strong": "bold",
}
Piece = str | tuple[str, Tone]


def plain(pieces: Iterable[Piece]) -> str:
    """Return the text of pieces, without tones."""
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)


class Lines(Static):
    """Some lines of safe text in pieces of several tones; the height is fixed, so that nothing is laid out anew."""

    DEFAULT_CSS = """
    Lines { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes, markup=False)
        self._said: tuple[Piece, ...] = ()

    def say(self, *pieces: Piece) -> None:
        """Show these pieces one after the other."""
        if pieces == self._said:
            return
        self._said = pieces
        parts = [(piece, "") if isinstance(piece, str) else (piece[0], STYLES[piece[1]]) for piece in pieces]
        self.update(Content.assemble(*parts), layout=False)

    @property
    def text(self) -> str:
        """Its text, without tones."""
        return plain(self._said)
