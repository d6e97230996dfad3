"""Actions on models on file from their list: copy, switch, delete, mend where they are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from textual.app import App
from textual.widgets import TextArea

from tui_eval.models.catalogue import copy_model, delete_model, models_on_file, set_enabled
from tui_eval.models.editing import file_problem, file_text, keep_file, name_problem
from tui_eval.models.listing import ModelEntry
from tui_eval.tui.page import Page, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.ask_line import Ask
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.workspace.places import Workspace

Done = tuple[str, str]
"""What was done, in words, and the name of the model to show then; "" = the one that is shown."""


class Deeds:
    """Changes of the models on file, each in the background; `on_done` is told which model to show then."""

    def __init__(self, page: Page, on_done: Callable[[str], None]) -> None:
        self._page, self._on_done = page, on_done

    @property
    def _app(self) -> App[None]:
        return self._page.app

    @property
    def _workspace(self) -> Workspace:
        return self._page.eval_app.workspace

    def do(self, deed: Callable[[], Done]) -> None:
        """Do something in the background; say what was done, or why it cannot be done."""
        beside(self._page, deed, self._say_done, outlives=True)

    def _say_done(self, done: Done) -> None:
        words, show = done
        self._page.eval_app.say(words)
        self._on_done(show)

    def copy(self, entry: ModelEntry, names: Sequence[str]) -> None:
        """A second one under another name, which is asked for."""
        title = f"Name of the copy of {safe_line(entry.name, 60)}"
        question = Ask(title, "", lambda name: name_problem(name, names))
        question.ask(self._app, lambda name: self.do(partial(_copied, self._workspace, entry.name, name)))

    def delete(self, entry: ModelEntry) -> None:
        """Take it from the file, once it is confirmed."""
        consequence = "It is removed from .conf/models.toml, with its settings and comments. Runs that used it keep theirs."
        deed = partial(self.do, partial(_deleted, self._workspace, entry.name))
        confirm(self._app, f"Delete the model {safe_line(entry.name, 60)}?", consequence, deed)

    def switch(self, entry: ModelEntry) -> None:
        """Let runs use it, or keep them from it."""
        self.do(lambda: _switched(self._workspace, entry.name))

    def mend(self, line: int) -> None:
        """Edit the file of models as text, from this line on (0 = from its beginning)."""
        workspace = self._workspace
        note = "Every model begins with a line [[models]]. Keys are not stored here, only the names of their variables."
        with self._page.eval_app.telling():
            before = file_text(workspace)
            editor = EditText(".conf/models.toml", before, partial(file_problem, workspace), note)
            editor.ask(self._app, lambda text: self.do(partial(_keep, workspace, text, before)))
            editor.call_after_refresh(lambda: editor.query_one(TextArea).move_cursor((max(line - 1, 0), 0), center=True))


def _copied(workspace: Workspace, name: str, new: str) -> Done:
    copy_model(workspace, name, new)
    return f"{new}: a copy of {name}; e changes it", new


def _deleted(workspace: Workspace, name: str) -> Done:
    delete_model(workspace, name)
    return f"deleted {name}", ""


def _switched(workspace: Workspace, name: str) -> Done:
    """As it stands on file by now: a key may be pressed before the list shows what the one before it did."""
    match = models_on_file(workspace).get(name)
    now = match is not None and not match[0].enabled
    set_enabled(workspace, name, now)
    return f"{name} is enabled: runs may use it" if now else f"{name} is disabled: a run that names it is refused", ""


def _keep(workspace: Workspace, text: str, before: str) -> Done:
    keep_file(workspace, text, before)
    return "the models are saved in .conf/models.toml", ""
