"""The file that a text was made of: what it says, or what is known of its picture."""

from __future__ import annotations

from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical

from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.text import Paragraph, Reading

GONE = "The file is not in the run folder: its texts were made elsewhere."


class SourcePane(Vertical):
    """Name, and what stands in it."""

    def compose(self) -> ComposeResult:
        """The name, the text."""
        yield Lines(id="source-name")
        yield Reading(id="source-text")

    def show(self, path: Path | None, text: str | None, reference: str | None) -> None:
        """Show another file. `text`: what it says, as far as it was read; `reference`: what somebody wrote down of it."""
        name = "no file" if path is None else safe_line(path.name, 80)
        self.query_one("#source-name", Lines).say((f"── {name}", "dim"))
        self.query_one("#source-text", Reading).show(_paragraphs(path, text, reference))


def _paragraphs(path: Path | None, text: str | None, reference: str | None) -> list[Paragraph]:
    if path is None and text is None:
        return [(GONE, "warn")]
    if text is not None:
        return [(safe(text[:LONGEST_TEXT]), "")]
    if reference is not None:
        return [("What stands in it, as written down beside it", "accent"), (safe(reference[:LONGEST_TEXT]), "")]
    return [("Nobody wrote down what stands in it.", "dim")]
