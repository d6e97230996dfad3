"""Values of a form that are not typed in one line: files, models, longer texts. Each is asked for on a screen of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from textual.binding import Binding

from tui_eval.configuring.drafting.fields import Field, read_text, typed_text
from tui_eval.configuring.drafting.starting import Offered
from tui_eval.core.errors import ConfigError
from tui_eval.models.editing import looks_like_key
from tui_eval.tui.page import Page
from tui_eval.tui.screens.dialogs.ask_line import Ask
from tui_eval.tui.screens.dialogs.choose import Choose, ChooseSome
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.tui.screens.dialogs.pick_path import PickPath
from tui_eval.tui.screens.setup.toml_view import NO_KEYS_HERE
from tui_eval.tui.widgets.form import Form
from tui_eval.tui.widgets.form_rows import FormRow, Place
from tui_eval.tui.widgets.table import RowTable
from tui_eval.workspace.places import path_from
from tui_eval.workspace.secret_looks import looks_secret

ANOTHER = ("another", "any other model: fill in its provider, its id and the variable of its key")
ON_FILE = "Models are put on file on screen 1."


class SetupFields(Form):
    """The fields of a run: a key typed into one of them is thrown away at once."""

    def refused(self, place: Place, value: Any) -> str:
        """Why a value must not even be shown."""
        key = isinstance(value, str) and (looks_secret(value) or looks_like_key((str(place[-1]),), value))
        return NO_KEYS_HERE if key else ""


class ChooseModels(ChooseSome):
    """Several models; F5 takes them and starts the run at once."""

    BINDINGS = [Binding("f5", "start", "Start", id="choose.start", tooltip="Take what is marked, and start the run")]
    HINT = "Space marks, Enter takes them or this row, F5 starts, / filters, Esc back"
    starts = False

    def action_start(self) -> None:
        """Take what is marked, or this row, and have the run started."""
        self.starts = True
        self.query_one(RowTable).action_open()


class ChooseEntries(ChooseSome):
    """Several of what a list may hold; e leads to the list as text, where an entry may be anything."""

    BINDINGS = [Binding("e", "edit", "As text", id="choose.edit", tooltip="Write the list by hand, one entry a line")]
    HINT = "Space marks, Enter takes them or this row, e: as text, / filters, Esc back"
    edits = False

    def action_edit(self) -> None:
        """Leave the list for its text."""
        self.edits = True
        self.dismiss([])


class Filling:
    """Asks for the values of one form. `folder`: what paths are relative to. `offered`: the models to choose from."""

    def __init__(
        self,
        page: Page,
        form: Form,
        folder: Path,
        offered: Callable[[], Sequence[Offered]],
        describe: Callable[[Offered], None],
        picked: Callable[[Place], object],
        start: Callable[[], object],
    ) -> None:
        self._page, self._form, self._folder = page, form, folder
        self._offered = offered
        self._describe = describe
        """Puts the entry of a model that the config does not know yet into it."""
        self._picked = picked
        """Told the place of a file that was chosen."""
        self._start = start
        """Starts the run."""

    def ask(self, row: FormRow, adds: bool) -> None:
        """Ask for the value of a row, or (`adds`) for another entry of its list."""
        names = row.field.names
        if row.sort in ("tables", "entry"):
            self._add_entry(row)
        elif names == "model" and row.field.sort == "texts":
            self._choose_models(row)
        elif row.field.sort == "texts" and row.field.choices:
            self._choose_entries(row)
        elif names == "model":
            self._choose_model(lambda name: self._form.put(row.place, name), row.field)
        elif names in ("file", "folder"):
            self._pick(names == "folder", lambda path: self._put_file(row.place, path))
        elif names == "files" and adds:
            self._pick(False, lambda path: self._append(row, path))
        else:
            self._write(row)

    def _add_entry(self, row: FormRow) -> None:
        place = row.place if row.sort == "tables" else row.place[:-1]
        if place == ("models",):
            self._add_described(place)
        else:
            self._choose_model(lambda name: self._form.added(place, {"model": name}), row.field)

    def _add_described(self, place: Place) -> None:
        """A model of the config's own: begun from a simulated one, or empty."""
        offered = [model for model in self._offered() if model.entry is not None]
        entries = [(model.name, model.about) for model in offered] + [ANOTHER]

        def take(choice: list[int]) -> None:
            entry = offered[choice[0]].entry if choice[0] < len(offered) else {"name": "", "model": ""}
            self._form.added(place, dict(entry or {}))

        Choose("Which model is to be described in this config?", entries).ask(self._page.app, take)

    def _choose_model(self, take: Callable[[str], None], field: Field) -> None:
        offered = self._offered()
        entries = [(model.name, model.about) for model in offered] + [("another name …", "typed by hand")]

        def chosen(choice: list[int]) -> None:
            if choice[0] == len(offered):
                question = Ask(f"{field.key}: the model's name", check=_no_key)
                question.ask(self._page.app, lambda name: take(name) if name else None)
            else:
                self._describe(offered[choice[0]])
                take(offered[choice[0]].name)

        Choose("Which model?", entries, note=ON_FILE).ask(self._page.app, chosen)

    def _choose_models(self, row: FormRow) -> None:
        offered = self._offered()
        now = [str(name) for name in self._texts(row)]
        names = [model.name for model in offered]
        unknown_names = [name for name in now if name not in names]
        entries = [(model.name, model.about) for model in offered] + [(name, "not known") for name in unknown_names]
        marked = [i for i, (name, _) in enumerate(entries) if name in now]

        def take(indices: list[int]) -> None:
            for index in indices:
                if index < len(offered):
                    self._describe(offered[index])
            self._form.put(row.place, [entries[index][0] for index in indices])
            if dialog.starts:
                self._start()

        dialog = ChooseModels(f"{row.field.key}: which models?", entries, marked, ON_FILE)
        dialog.ask(self._page.app, take)

    def _choose_entries(self, row: FormRow) -> None:
        """Mark what the list is to hold; what it holds already stays in its order, with what is written in it besides."""
        field, now = row.field, self._texts(row)
        own_values = [value for value in now if value not in field.choices]
        values = [*field.choices, *own_values]
        entries = [
            *zip(field.choices, field.choice_words, strict=True),
            *((typed_text(field, [each]), "as written") for each in own_values),
        ]
        marked = [n for n, value in enumerate(values) if value in now]
        note = f"{field.help.partition('. ')[0]}. An entry with options of its own is written as text."
        dialog = ChooseEntries(f"{field.key}: which?", entries, marked, note)

        def take(indices: list[int]) -> None:
            if dialog.edits:
                self._write(row)
            else:
                selected = [values[index] for index in indices]
                remaining = [each for each in now if each in selected]
                self._form.put(row.place, [*remaining, *(each for each in selected if each not in remaining)])

        dialog.ask(self._page.app, take)

    def _pick(self, folders: bool, take: Callable[[str], None]) -> None:
        start = self._page.eval_app.workspace.root / "datasets"
        start = start if start.is_dir() else self._page.eval_app.workspace.root
        words = "Which folder?" if folders else "Which file?"
        picker = PickPath(words, start.absolute(), folders)
        picker.ask(self._page.app, lambda path: take(path_from(self._folder, path)))

    def _put_file(self, place: Place, path: str) -> None:
        self._form.put(place, path)
        self._picked(place)

    def _append(self, row: FormRow, path: str) -> None:
        self._form.put(row.place, [*self._texts(row), path])

    def _texts(self, row: FormRow) -> list[Any]:
        value = self._form.values.get(row.place) if self._form.values is not None and row.given else None
        return list(value) if isinstance(value, list) else [value] if isinstance(value, str) else []

    def _write(self, row: FormRow) -> None:
        field = row.field
        value = self._form.values.get(row.place) if self._form.values is not None and row.given else None
        text = "" if value in (None, []) else _as_text(field, value)
        note = f"{field.help}{' One entry a line.' if field.sort == 'texts' else ''}"
        if field.names == "prompt" and value is None:
            try:
                text = self._page.eval_app.workspace.prompt(str(row.place[0]), field.key)[0]
            except ConfigError as error:
                self._page.eval_app.say(str(error), bad=True)
                return
            note = "As it is sent now. Changes here apply to this config alone; screen 5 changes it for every run."

        editor = EditText(field.key, text, lambda text: _wrong(field, text), note)
        editor.ask(self._page.app, lambda text: self._form.put(row.place, _read(field, text)))


def _no_key(text: str) -> str:
    return NO_KEYS_HERE if looks_secret(text) else ""


def _as_text(field: Field, value: Any) -> str:
    return value if isinstance(value, str) else typed_text(field, value)


def _read(field: Field, text: str) -> Any:
    return text if field.sort == "text" and "\n" in text else read_text(field, text)


def _wrong(field: Field, text: str) -> str:
    try:
        _read(field, text)
    except ValueError as error:
        return str(error)
    return ""
