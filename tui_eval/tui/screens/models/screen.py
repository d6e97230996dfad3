"""The models on file: which there are, whether they can be asked and what they cost; added, changed, checked, thrown away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from functools import partial

from textual.widget import Widget

from tui_eval.configuring.drafting.planner import mark_of
from tui_eval.configuring.drafting.schema import model_schema
from tui_eval.core.plaintext import count_of
from tui_eval.models.check_notes import Note, notes_file, read_notes
from tui_eval.models.listing import ModelEntry, ModelList, listed_models
from tui_eval.models.prices import prices_file
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Page, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.models.checks import Checks, ask_about_check
from tui_eval.tui.screens.models.model_form import ModelForm
from tui_eval.tui.screens.models.model_import import Bringing
from tui_eval.tui.screens.models.model_rows import COLUMNS, ModelListRow, details, words_of
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.list_view import ListView
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Reading
from tui_eval.workspace.places import Workspace

NO_MODELS = """No models on file yet.

  a   add one; for most, a name and the provider's id (gpt-5-mini) will do
  d   discover the model servers that run on this machine
  i   import the registry of another tool

The examples bring simulated models of their own, which need no key."""
NOT_READ = """The models on file cannot be read; what is wrong stands below.

  e   opens .conf/models.toml here, at the mistake"""


def marks(workspace: Workspace) -> object:
    """Something that is another as soon as a file that the list is read from is, or the day."""
    files = (workspace.models_file, prices_file(workspace), workspace.env_file, notes_file(workspace))
    return tuple(map(mark_of, files)), date.today()


def read(workspace: Workspace) -> tuple[ModelList, dict[str, Note]]:
    """The models on file and what their last checks found out; what cannot be read is told."""
    model_schema()  # made once, and here beside the screen, so that the form comes at once
    try:
        return listed_models(workspace), read_notes(workspace)
    except OSError as error:
        return ModelList((), (f"{error.filename}: cannot be read: {error.strerror}",)), {}


def line_named(problems: Sequence[str]) -> int:
    """The line that a mistake in a file names; 0 = none does."""
    match = re.search(r"line ([0-9]{1,9})\b", problems[0]) if problems else None
    return int(match.group(1)) if match else 0


def about(model_list: ModelList, n_shown: int, words: str, asking: int) -> list[Piece]:
    """Describe how many models there are, how many of them cannot be asked, and what is wrong with the files."""
    if model_list.problems:
        return [(f"✗ {safe_line(model_list.problems[0], 300)}", "bad")]
    total = count_of(len(model_list.entries), "model")
    pieces: list[Piece] = [(f"{n_shown} of {total}" if words else total, "dim")]
    missing = sum(entry.key_is_set is False for entry in model_list.entries)
    wrong = sum(entry.table is None for entry in model_list.entries)
    pieces += [(f"   {wrong} with a mistake: no run starts before it is mended (Enter)", "bad")] if wrong else []
    pieces += [(f"   {missing} without a key", "warn")] if missing else []
    pieces += [(f"   asking {asking} …", "accent")] if asking else []
    return [*pieces, ("   prices: USD per million tokens, in / out", "dim")] if model_list.entries else pieces


ON_ONE = ("edit", "copy", "delete", "enable", "check", "key", "open")


class ModelsScreen(Page, SortableList[ModelListRow]):
    """The list of models, and the one under the cursor in full."""

    MODE = "models"
    CSS = """
    ModelsScreen Reading { height: 40%; min-height: 8; max-height: 20; border-top: solid $panel; }
    """
    BINDINGS = [
        bind("model.add", "add", "Add", tooltip="Put a new model on file"),
        bind("model.edit", "edit", "Edit", show=False, tooltip="Change the model under the cursor"),
        bind(
            "model.check",
            "check",
            "Check",
            tooltip="Ask the model a few tiny questions: does it answer, and what does it take?",
        ),
        bind("model.key", "key", "Key", tooltip="Store the key that the model needs; it is not shown again"),
        bind("model.enable", "enable", "On/off", tooltip="Let runs use the model, or keep them from it"),
        bind("model.discover", "discover", "Discover", tooltip="Look for model servers on this machine"),
        bind("model.import", "import", "Import", tooltip="Put the models of another tool's registry on file"),
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("model.check_all", "check_all", "Check all", show=False, tooltip="Check every model that is enabled"),
        bind("model.copy", "copy", "Duplicate", show=False, tooltip="A second model that differs in its name"),
        bind("model.delete", "delete", "Delete", show=False, tooltip="Take the model from the file; asks first"),
        bind("pane.next", "app.focus_next", "To the text below", show=False, tooltip="To the text below the list, and back"),
        bind("back", "back", "Clear the filter", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._list = ModelList()
        self.view = ListView(COLUMNS, words_of)
        self._marks: object = None
        self._wanted = ""
        """The model that the cursor is to go to when the list has been read anew."""

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the list, the list, the filter, and the model under the cursor."""
        yield Lines(id="about")
        yield RowTable(COLUMNS, id="models", empty="reading the models on file …")
        yield FilterLine(self.view.help_words(), id="filter")
        yield Reading(id="details")

    def on_mount(self) -> None:
        """Nothing is being asked yet."""
        self._checks = Checks(self, self.show_list)
        self._actions = Bringing(self, self._read)
        self.query_one(RowTable).focus()
        self.look()  # now: a key close behind the one that led here is for the list

    def on_unmount(self) -> None:
        """End what was begun here."""
        self._checks.end()
        self._actions.end()

    # what is on file

    def look(self) -> None:
        """Read the files anew where one of them is another than before, whoever changed it."""
        now = marks(self.eval_app.workspace)
        if now != self._marks:
            self._marks = now
            self._read()

    def _read(self, name: str = "") -> None:
        """Read the models in the background, and put the cursor on this one."""
        self._wanted = name or self._wanted
        beside(self, partial(read, self.eval_app.workspace), self._take_models, group="list")

    def _take_models(self, on_file: tuple[ModelList, dict[str, Note]]) -> None:
        self._list, notes = on_file
        self._checks.remember(notes)
        self.show_list(self._wanted)
        self._wanted = ""

    def show_list(self, name: str = "") -> None:
        """Draw the list; the cursor stays on its model, or goes to the named one."""
        if not self.is_mounted:
            return
        nothing = "" if self._list.entries else NOT_READ if self._list.problems else NO_MODELS
        self.list_entries(nothing, lambda row: row.entry.name, name or None)
        self.query_one("#about", Lines).say(*about(self._list, len(self.listed), self.view.text, len(self._checks.asking)))
        self._show_details()

    def _show_details(self) -> None:
        entry, reading = self.chosen, self.query_one("#details", Reading)
        if entry is not None:
            reading.show(details(entry, self._checks.of(entry), date.today()), keep_place=True)
        else:
            reading.show([(safe_line(problem, 1000), "bad") for problem in self._list.problems])

    @property
    def chosen(self) -> ModelEntry | None:
        """The model under the cursor."""
        return None if self.current is None else self.current.entry

    def offers(self, action: str) -> bool | str:
        """Return whether a key applies to the model under the cursor, or its label."""
        entry = self.chosen
        if action == "open" and entry is not None:
            return "Edit" if entry.table else "Mend"
        if action == "enable" and entry is not None and entry.table is not None:
            return "Disable" if entry.enabled else "Enable"
        if entry is None or entry.table is None:
            return action not in ON_ONE
        return action != "key" or bool(entry.key)

    def entries(self) -> Sequence[ModelListRow]:
        """All models, with where the check of each stands."""
        return [ModelListRow(entry, self._checks.of(entry), date.today()) for entry in self._list.entries]

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Another model stands below."""
        self.query_one("#details", Reading).top = 0
        self._show_details()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Change it."""
        self.action_edit()

    async def action_back(self) -> None:
        """Clear the filter."""
        self.query_one(FilterLine).action_clear()

    # what is done to models

    def action_add(self) -> None:
        """Fill in a new one."""
        self.app.push_screen(ModelForm(None, self._list, self._read))

    def action_edit(self) -> None:
        """Change the one under the cursor; one with a mistake where it is written."""
        entry = self.chosen
        if entry is not None and entry.table is not None:
            self.app.push_screen(ModelForm(entry, self._list, self._read))
        elif entry is not None or self._list.problems:
            self._actions.mend(line_named(self._list.problems) if entry is None else entry.line)

    def action_copy(self) -> None:
        """A second one under another name."""
        if entry := self._usable():
            self._actions.copy(entry, [model.name for model in self._list.entries])

    def action_delete(self) -> None:
        """Take it from the file, once it is confirmed."""
        if entry := self._usable():
            self._actions.delete(entry)

    def action_enable(self) -> None:
        """Let runs use it, or keep them from it."""
        if entry := self._usable():
            self._actions.switch(entry)

    def action_check(self) -> None:
        """Ask it a few tiny questions."""
        if entry := self._usable():
            self._check([entry.name])

    def action_check_all(self) -> None:
        """Ask all that are enabled."""
        self._check([entry.name for entry in self._list.entries if entry.enabled])

    def action_key(self) -> None:
        """Store the key that it needs."""
        entry = self._usable()
        if entry is not None and entry.key:
            self._actions.store_key(entry.key)
        elif entry is not None:
            self.eval_app.say(f"{entry.name} names no key; if it needs one, give the variable's name in api_key_env (e)")

    def action_discover(self) -> None:
        """Look for model servers on this machine."""
        self._actions.discover()

    def action_import(self) -> None:
        """Put the models of another tool's registry on file."""
        self._actions.bring()

    def _check(self, names: list[str]) -> None:
        entries = [entry for entry in self._list.entries if entry.name in names and entry.name not in self._checks.asking]
        ask_about_check(self, entries, lambda: self._begin(names))

    def _begin(self, names: list[str]) -> None:
        refused = self._checks.begin(names)
        if refused:
            self.eval_app.say(refused, bad=True)

    def _usable(self) -> ModelEntry | None:
        """The model under the cursor; where there is none, or one with a mistake, that is told."""
        entry = self.chosen
        if entry is None:
            self.eval_app.say("there is no model under the cursor; a adds one", bad=True)
        elif entry.table is None:
            self.eval_app.say(f"{entry.name}: mend the mistake first (Enter)", bad=True)
            return None
        return entry
