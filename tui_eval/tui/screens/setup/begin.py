"""Asks what a new run is to start from: an example, a kind, a config, an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from tui_eval.drafting.starting import Start, begun, starts
from tui_eval.errors import TuiEvalError
from tui_eval.tui.screens.choose import Choose
from tui_eval.tui.screens.pick_path import PickPath
from tui_eval.tui.screens.setup.screen import SetupScreen

if TYPE_CHECKING:
    from tui_eval.tui.app import EvalApp

Result = TypeVar("Result")
A_FILE = ("a config file …", "any TOML config: choose its path")
NOTE = "The examples are simulated: they need no key and cost nothing."


def begin(app: EvalApp) -> None:
    """Ask, and open the form. What there is to start from is looked for in the background."""
    entries = app.board.entries
    found = partial(_found, app, lambda: starts(app.workspace, entries), lambda seen: _ask(app, seen))
    app.run_worker(found, thread=True, exclusive=True, group="setup", description="what to start from", exit_on_error=False)


def _found(app: EvalApp, work: Callable[[], Result], then: Callable[[Result], None]) -> None:
    """In the background: do something, then go on with it in the app; what is wrong is told."""
    try:
        result = work()
    except TuiEvalError as error:
        app.call_from_thread(app.say, str(error), True)
    else:
        app.call_from_thread(then, result)


def _ask(app: EvalApp, found: Sequence[Start]) -> None:
    kept = app.kept.drafts
    going_on = [(f"go on: {draft.get(('name',)) or draft.kind}", "the form as you left it") for draft in kept]
    entries = [*going_on, *((start.name, start.about) for start in found), A_FILE]

    def take(chosen: list[int] | None) -> None:
        if not chosen:
            return
        index = chosen[0] - len(going_on)
        if index < 0:
            app.show_setup(SetupScreen(kept[chosen[0]]))
        elif index == len(found):
            app.push_screen(
                PickPath("Which config?", app.workspace.root.absolute(), suffixes=(".toml",)),
                lambda path: _open(app, Start(str(path), "", path=path)) if path else None,
            )
        else:
            _open(app, found[index])

    app.push_screen(Choose("What is the new run to start from?", entries, note=NOTE), take)


def _open(app: EvalApp, start: Start) -> None:
    opened = partial(_found, app, lambda: begun(start, app.workspace), lambda draft: app.show_setup(SetupScreen(draft)))
    app.run_worker(opened, thread=True, exclusive=True, group="setup", description="a config", exit_on_error=False)
