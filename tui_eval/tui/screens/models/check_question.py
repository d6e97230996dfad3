"""The question before a check asks real models: which, how much at most, and where everything goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.plaintext import counted
from tui_eval.models.check_size import MOST_QUESTIONS, USUAL_QUESTIONS, check_size
from tui_eval.models.listing import ModelEntry
from tui_eval.tui.hosts_first import leaving_of_models
from tui_eval.tui.page import Page
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.confirm import Confirm
from tui_eval.tui.words import usd

SHOWN = 6
"""Hosts that are named where nothing new goes to them."""


def ask_about_check(page: Page, entries: Sequence[ModelEntry], begin: Callable[[], None]) -> None:
    """Begin a check; at once where all of the models are simulated, else once a person says yes."""
    app = page.eval_app
    try:
        size = check_size(entries, app.workspace)
        leaving = leaving_of_models(size.goes, app.workspace)
    except TuiEvalError as error:
        app.say(str(error), bad=True)
        return
    if not size.models:
        begin()
        return

    def answered(yes: bool | None) -> None:
        if not yes:
            return
        try:
            leaving.allow(app.workspace)
        except TuiEvalError as error:
            app.say(str(error), bad=True)
            return
        begin()

    cost = "cost unknown" if size.max_cost_usd is None else f"at most {usd(size.max_cost_usd)}"
    one = len(size.models) == 1
    who = safe_line(size.models[0], 40) if one else counted(len(size.models), "model")
    kind = "a real model: usually" if one else f"{len(size.models)} real models: usually"
    each = "" if one else " each"
    what = f"Tiny questions to {kind} {USUAL_QUESTIONS}{each}, at most {MOST_QUESTIONS}{each}; {cost}."
    lines = leaving.lines
    shown = lines[: len(leaving.new) + SHOWN]
    more = [f"and {counted(len(lines) - len(shown), 'place')} more"] if len(shown) < len(lines) else []
    page.app.push_screen(Confirm(f"Ask {who}?", "\n".join([what, *shown, *more])), answered)
