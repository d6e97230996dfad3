"""One long text, opened from another screen: a file of the run, or notes in full."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.tui.keymap import bind
from tui_eval.tui.screens.dialogs.saving import TextPage, save_text
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.text import Paragraph, Reading


class ReaderScreen(TextPage):
    """A text to read, to copy and to write to a file."""

    MODE = "results"
    BINDINGS = [
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("record.copy", "copy", "Copy", tooltip="Copy the text"),
        bind("record.write", "write", "Write", tooltip="Write the text to a file, whose path is shown"),
        bind("record.pager", "pager", "Pager", tooltip="Read the text in $PAGER"),
    ]

    def __init__(self, title: str, paragraphs: Sequence[Paragraph], name: str) -> None:
        """`name`: of the file that it is written to."""
        super().__init__()
        self._heading = title
        self._paragraphs = paragraphs
        self._file_name = name

    def on_mount(self) -> None:
        """Show it."""
        self.query_one("#about", Lines).say((self._heading, "strong"))
        self.show_text(self._paragraphs)
        self.query_one(Reading).focus()

    def action_write(self) -> None:
        """Write the text to a file."""
        save_text(self, self._file_name, self.text)
