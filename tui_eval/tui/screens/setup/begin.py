"""Asks what a new run is to start from: an example, a kind, a config, an earlier run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_eval.drafting.drafts import Draft
from tui_eval.drafting.starting import Start, begun, starts
from tui_eval.errors import TuiEvalError
from tui_eval.tui.screens.choose import Choose
from tui_eval.tui.screens.pick_path import PickPath
from tui_eval.tui.screens.setup.screen import SetupScreen

if TYPE_CHECKING:
    from tui_eval.tui.app import EvalApp

A_FILE = ("a config file …", "any TOML config: choose its path")
NOTE = "The examples are simulated: they need no key and cost nothing."


def begin(app: EvalApp) -> None:
    """Ask, and open the form."""
    kept = app.kept_setup
    going_on = [("go on with the form", "as you left it")] if kept is not None else []
    found = starts(app.workspace)
    entries = [*going_on, *((start.name, start.about) for start in found), A_FILE]

    def take(chosen: list[int] | None) -> None:
        if not chosen:
            return
        index = chosen[0] - len(going_on)
        if index < 0 and kept is not None:
            app.show_setup(SetupScreen(kept))
        elif index == len(found):
            app.push_screen(
                PickPath("Which config?", app.workspace.root.absolute(), suffixes=(".toml",)),
                lambda path: _open(app, Start(str(path), "", path=path)) if path else None,
            )
        else:
            _open(app, found[index])

    app.push_screen(Choose("What is the new run to start from?", entries, note=NOTE), take)


def _open(app: EvalApp, start: Start) -> None:
    try:
        draft: Draft = begun(start, app.workspace)
    except TuiEvalError as error:
        app.say(str(error), bad=True)
        return
    app.show_setup(SetupScreen(draft))
