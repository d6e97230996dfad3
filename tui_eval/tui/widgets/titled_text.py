"""A text under a line that says what it is: several of them stand beside each other, or one under the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from tui_eval.core.text_differences import difference
from tui_eval.tui.sanitize import LONGEST_TEXT, safe
from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.text import Paragraph, Reading

WIDE = 120
"""Columns of a terminal from which on two texts stand beside each other."""


SHOWN_AS: Mapping[str, Tone] = {"+": "good", "-": "bad", "…": "accent"}


def differing_lines(before: str, after: str, same: str) -> list[Paragraph]:
    """The lines around what is another in two foreign texts; `same`: what is said where nothing is."""
    lines = difference(before[:LONGEST_TEXT], after[:LONGEST_TEXT])
    return [(safe(line), SHOWN_AS.get(line[:1], "")) for line in lines] or [(same, "dim")]


class Titled(Vertical):
    """A text to read, under its name."""

    DEFAULT_CSS = """
    Titled { height: 1fr; width: 1fr; }
    Titled > Lines { background: $surface; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)

    def compose(self) -> ComposeResult:
        """The name and the text."""
        yield Lines()
        yield Reading()

    def show(self, title: Sequence[Piece], paragraphs: Sequence[Paragraph]) -> None:
        """Show another text; where it is the same, its place stays."""
        self.query_one(Lines).say(*title)
        reading = self.query_one(Reading)
        reading.show(paragraphs, keep_place=True)

    def take_keys(self) -> None:
        """Give the keys that scroll to the text."""
        self.query_one(Reading).focus()
