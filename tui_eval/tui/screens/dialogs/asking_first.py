"""The question before anything is sent: what it costs, where it goes, and the yes to what goes there for the first time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui_eval.configuring.egress import EgressQuestion
from tui_eval.configuring.loading import Loaded
from tui_eval.core.errors import TuiEvalError
from tui_eval.tui.hosts_first import Leaving, leaving_of
from tui_eval.tui.page import Page
from tui_eval.tui.screens.dialogs.confirm import confirm


def ask_first(
    page: Page,
    question: str,
    words: Callable[[Leaving], Sequence[str]],
    find: Callable[[], Leaving],
    begin: Callable[[], object],
    refused: Callable[[str], object],
) -> None:
    """Ask, with where everything goes, and begin after a yes, which is one to what goes there for the first time, too.

    `find` says where everything goes; where that cannot be found or put on record, `refused` is told why.
    """
    try:
        leaving = find()
    except TuiEvalError as error:
        refused(str(error))
        return

    def allowed() -> None:
        try:
            leaving.allow(page.eval_app.workspace)
        except TuiEvalError as error:
            refused(str(error))
        else:
            begin()

    confirm(page.app, question, "\n".join(words(leaving)), allowed)


def ask_to_send(
    page: Page,
    question: str,
    summary: str,
    loaded: Loaded,
    begin: Callable[[], object],
    refused: Callable[[str], object],
) -> None:
    """Ask before a config is run whose calls go to real models; `summary`: how many calls, and at what cost."""
    workspace = page.eval_app.workspace
    ask_first(
        page,
        question,
        lambda leaving: [summary, *leaving.lines],
        lambda: leaving_of(EgressQuestion.of(loaded.egress, loaded.file, workspace)),
        begin,
        refused,
    )
