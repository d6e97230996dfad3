"""Entry point of the full-screen app."""

from __future__ import annotations

import gc
from pathlib import Path

from tui_eval.tui.app import EvalApp
from tui_eval.tui.background.ordered_keys import keep_escape
from tui_eval.tui.first_look_app import looked_at
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import looks_only

COLLECTED_AFTER = (1_000, 5, 200)
"""Objects made between two looks for garbage: few, since no key is answered while one goes on. In steps as large as a
command's, one took 80 to 115 ms now and then; these take some 5 ms."""


def main(workspace: Path, attach: Path | None = None) -> int:
    """Open the app on a workspace, or on one of its runs; returns the exit code. What ended it by mistake is raised here.

    A folder of others is looked at first.
    """
    gc.freeze()  # what was loaded stays: no look need go through it
    gc.set_threshold(*COLLECTED_AFTER)
    keep_escape()
    if not looked_at(Workspace(workspace)):
        return 0
    app = EvalApp(Workspace(workspace), attach)
    if looks_only():
        app.settings.wrong.append("you chose to look only: nothing is sent in this session")
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
