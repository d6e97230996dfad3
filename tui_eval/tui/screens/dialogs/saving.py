"""Taking what is shown elsewhere: into a file of the workspace, or into the reader's pager."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tui_eval.core.errors import FolderError
from tui_eval.tui import exports
from tui_eval.tui.page import Page
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.pager import page as paged


def save_text(page: Page, name: str, text: str) -> None:
    """Write text into a new file of the open run's exports, and say its full path, or why it could not be written."""
    page.eval_app.say(*_written(page, _run_id(page), name, text))


def save_made(page: Page, name: str, make: Callable[[], str]) -> None:
    """Likewise with a text that takes long to make: in the background, where `make` must not touch the screen."""
    page.eval_app.say(f"writing {safe_line(name)} …")
    page.run_worker(partial(_save_made, page, _run_id(page), name, make), thread=True, exit_on_error=False)


def in_pager(page: Page, text: str) -> None:
    """Read safe text in $PAGER, or say why that cannot be."""
    trouble = paged(page.app, text)
    if trouble:
        page.eval_app.say(trouble, bad=True)


def simulated(page: Page) -> bool:
    """Whether what is shown of the open run was made up by the simulator, wholly or in part."""
    app = page.eval_app
    told = app.entry is not None and bool(app.entry.simulated)
    return told or (app.opened is not None and app.opened.table("report.json").get("simulated") is True)


def _save_made(page: Page, run_id: str, name: str, make: Callable[[], str]) -> None:
    said = _written(page, run_id, name, make())
    page.eval_app.call_from_thread(page.eval_app.say, *said)


def _written(page: Page, run_id: str, name: str, text: str) -> tuple[str, bool]:
    """What is said of it, and whether it went wrong."""
    try:
        return f"written to {exports.write(page.eval_app.workspace, run_id, name, text)}", False
    except FolderError as error:
        return str(error), True


def _run_id(page: Page) -> str:
    opened = page.eval_app.opened
    return opened.run_id if opened else "none"
