"""Where the full-screen app starts."""

from __future__ import annotations

from pathlib import Path

from tui_eval.tui.app import EvalApp
from tui_eval.tui.escape_key import keep_escape
from tui_eval.workspace.places import Workspace


def main(workspace: Path, attach: Path | None = None) -> int:
    """Open the app on a workspace, or on one of its runs; returns the exit code. What ended it by mistake is raised here."""
    keep_escape()
    app = EvalApp(Workspace(workspace), attach)
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
