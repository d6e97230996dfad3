"""Name of the person at the keys, asked for once before the first rating."""

from __future__ import annotations

from collections.abc import Callable

from tui_eval.runs.person_marks import LONGEST_NAME, name_of_person
from tui_eval.tui.page import Page
from tui_eval.tui.screens.dialogs.ask_line import Ask

WHO = "Your name or initials?"
WHO_NOTE = "The name is stored with each rating, so that agreement between persons can be reported. Empty = without a name."


def ask_person(page: Page, then: Callable[[], None]) -> None:
    """Go on once it is known who rates; a person who gives no answer goes nowhere."""
    settings = page.eval_app.settings

    def keep(name: str) -> None:
        trouble = settings.keep_person(name_of_person(name))
        if trouble:
            page.eval_app.say(trouble, bad=True)
        then()

    if settings.is_person_known:
        then()
    else:
        Ask(WHO, settings.person, _trouble_with_name, note=WHO_NOTE, enter="rates").ask(page.app, keep)


def _trouble_with_name(name: str) -> str:
    """Why a name cannot stand beside ratings; empty where it can."""
    return "" if len(name) <= LONGEST_NAME else f"at most {LONGEST_NAME} characters"
