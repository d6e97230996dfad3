"""Asks what a new run is to start from: an example, a kind, a config, an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from textual.app import App

from tui_eval.core.errors import TuiEvalError
from tui_eval.session.drafting.starting import Start, begun, plugin_notes, starts
from tui_eval.tui.ordered_keys import OPENS
from tui_eval.tui.page import host
from tui_eval.tui.screens.choose import Choose
from tui_eval.tui.screens.pick_path import PickPath

Result = TypeVar("Result")
A_FILE = ("a config file …", "any TOML config: choose its path")
NOTE = "The examples are simulated: they need no key and cost nothing."


def begin(app: App[Any]) -> None:
    """Ask, and open the form. What there is to start from is looked for in the background."""
    entries = host(app).board.entries
    found = partial(_found, app, lambda: (starts(host(app).workspace, entries), plugin_notes()), lambda seen: _ask(app, *seen))
    app.run_worker(
        found, thread=True, exclusive=True, group=f"{OPENS}setup", description="what to start from", exit_on_error=False
    )


def _found(app: App[Any], work: Callable[[], Result], then: Callable[[Result], None]) -> None:
    """In the background: do something, then go on with it in the app; what is wrong is told."""
    try:
        result = work()
    except TuiEvalError as error:
        app.call_from_thread(host(app).say, str(error), True)
    else:
        app.call_from_thread(then, result)


def _ask(app: App[Any], found: Sequence[Start], notes: Sequence[str]) -> None:
    if notes:
        host(app).say("\n".join(notes), True)
    kept = host(app).kept.drafts
    going_on = [(f"go on: {draft.get(('name',)) or draft.kind}", "the form as you left it") for draft in kept]
    entries = [*going_on, *((start.name, start.about) for start in found), A_FILE]

    def take(chosen: list[int] | None) -> None:
        if not chosen:
            return
        index = chosen[0] - len(going_on)
        if index < 0:
            host(app).show_setup(kept[chosen[0]])
        elif index == len(found):
            app.push_screen(
                PickPath("Which config?", host(app).workspace.root.absolute(), suffixes=(".toml",)),
                lambda path: _open(app, Start(str(path), "", path=path)) if path else None,
            )
        else:
            _open(app, found[index])

    app.push_screen(Choose("What is the new run to start from?", entries, note=NOTE), take)


def _open(app: App[Any], start: Start) -> None:
    opened = partial(_found, app, lambda: begun(start, host(app).workspace), host(app).show_setup)
    app.run_worker(opened, thread=True, exclusive=True, group=f"{OPENS}setup", description="a config", exit_on_error=False)
