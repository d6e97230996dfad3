"""Where the full-screen app starts."""

from __future__ import annotations

import gc
from pathlib import Path

from tui_eval.tui.app import EvalApp
from tui_eval.tui.escape_key import keep_escape
from tui_eval.workspace.places import Workspace

COLLECTED_AFTER = (20_000, 20, 50)
"""Objects made between two looks for garbage. As Python has it, every look goes through all that a large benchmark is made of
(80 ms for 10,000 questions), several times while it is read, and no key is answered meanwhile."""


def main(workspace: Path, attach: Path | None = None) -> int:
    """Open the app on a workspace, or on one of its runs; returns the exit code. What ended it by mistake is raised here."""
    gc.set_threshold(*COLLECTED_AFTER)
    keep_escape()
    app = EvalApp(Workspace(workspace), attach)
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
