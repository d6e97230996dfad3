"""The way to sending a call again: its messages are found in the background, then its screen opens."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path

from tui_eval.errors import TuiEvalError
from tui_eval.tui.page import Page


def open_resend(page: Page, run: Path, attempt_id: str) -> None:
    """Open the screen for sending an attempt's call again, or say why it cannot be sent."""
    page.eval_app.say("reading what was sent …")
    work = partial(_open, page, run, attempt_id)
    page.run_worker(work, thread=True, exclusive=True, group="resend", exit_on_error=False)


def _open(page: Page, run: Path, attempt_id: str) -> None:
    app = page.eval_app
    try:  # what reads configs is loaded here, beside the screen: it takes a moment
        found = import_module("tui_eval.resend").original(run, attempt_id, app.workspace)
        screen = import_module("tui_eval.tui.screens.resend.screen").ResendScreen
    except (TuiEvalError, OSError) as error:
        app.call_from_thread(app.say, f"this call cannot be sent again: {error}", True)
        return

    def show() -> None:
        if page.is_current:
            app.clear_notifications()
            app.push_screen(screen(found))

    app.call_from_thread(show)
