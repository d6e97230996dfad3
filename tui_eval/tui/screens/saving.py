"""Writing what is shown into a file of the workspace, and saying where it is."""

from __future__ import annotations

from tui_eval.errors import FolderError
from tui_eval.tui import exports
from tui_eval.tui.page import Page


def save_text(page: Page, name: str, text: str) -> None:
    """Write text into a new file of the open run's exports, and say its full path, or why it could not be written."""
    app = page.eval_app
    run_id = app.opened.run_id if app.opened else "none"
    try:
        path = exports.write(app.workspace, run_id, name, text)
    except FolderError as error:
        app.say(str(error), bad=True)
    else:
        app.say(f"written to {path}")
