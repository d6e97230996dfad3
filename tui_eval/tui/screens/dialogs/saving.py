"""A text taken elsewhere: into a file of the workspace's exports, or into the reader's pager; and screens whose text is."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence

from textual.app import App
from textual.widget import Widget

from tui_eval.core.errors import FolderError
from tui_eval.tui import exports
from tui_eval.tui.foreground import run_in_foreground
from tui_eval.tui.page import Above, Page, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.text import Paragraph, Reading


def show_in_pager(app: App[None], text: str) -> str:
    """Show safe text in $PAGER (else less, else more); what went wrong, or nothing."""
    try:
        command = shlex.split(os.environ.get("PAGER", "")) or [next(filter(shutil.which, ("less", "more")), "less")]
    except ValueError as error:
        return f"$PAGER cannot be read as a command: {error}"
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="backslashreplace", suffix=".txt") as file:
            file.write(text)
            file.flush()
            run_in_foreground(app, [*command, file.name])
    except OSError as error:
        return f"{command[0]}: cannot be started ({error}); $PAGER names another one"
    return ""


def save_text(page: Page, name: str, text: str) -> None:
    """Write text into a new file of the open run's exports, and say its full path, or why it could not be written."""
    page.eval_app.say(*_write(page, _run_id(page), name, text))


def save_made(page: Page, name: str, make: Callable[[], str]) -> None:
    """Likewise with a text that takes long to make: in the background, where `make` must not touch the screen."""
    page.eval_app.say(f"writing {safe_line(name)} …")
    run_id, say = _run_id(page), page.eval_app.say
    beside(page, lambda: _write(page, run_id, name, make()), lambda told: say(*told), outlives=True, keys_wait=False)


def in_pager(page: Page, text: str) -> None:
    """Read safe text in $PAGER, or say why that cannot be."""
    trouble = show_in_pager(page.app, text)
    if trouble:
        page.eval_app.say(trouble, bad=True)


class TextPage(Above):
    """A text on a screen of its own, to be read there, copied, or read in the pager."""

    _paragraphs: Sequence[Paragraph] = ()

    def parts(self) -> Iterable[Widget]:
        """Yield the title, and the text."""
        yield Lines(id="about")
        yield Reading()

    def show_text(self, paragraphs: Sequence[Paragraph]) -> None:
        """Show it from its beginning."""
        self._paragraphs = paragraphs
        self.query_one(Reading).show(paragraphs)

    @property
    def text(self) -> str:
        """All of it, without tones."""
        return "\n".join(text for text, _ in self._paragraphs)

    def action_copy(self) -> None:
        """Copy it as text."""
        self.eval_app.copy_text(self.text)

    def action_pager(self) -> None:
        """Read it in the pager."""
        in_pager(self, self.text)


def simulated(page: Page) -> bool:
    """Return whether what is shown of the open run was made up by the simulator, wholly or in part."""
    app = page.eval_app
    is_simulated = app.entry is not None and bool(app.entry.simulated)
    return is_simulated or (app.opened is not None and app.opened.table("report.json").get("simulated") is True)


def _write(page: Page, run_id: str, name: str, text: str) -> tuple[str, bool]:
    """Write a text to a file; return the message on it, and whether it went wrong."""
    try:
        return f"written to {exports.write(page.eval_app.workspace, run_id, name, text)}", False
    except FolderError as error:
        return str(error), True


def _run_id(page: Page) -> str:
    opened = page.eval_app.opened
    return opened.run_id if opened else "none"
