"""A model filled in: field by field, with help, with what is wrong, and with what a run would make of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from textual.widget import Widget

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.fields import Field
from tui_eval.configuring.drafting.schema import model_schema
from tui_eval.core.errors import TuiEvalError
from tui_eval.models.editing import NO_KEYS_HERE, checked, content_of, keep, looks_like_key, wire_choices
from tui_eval.models.listing import WITH_ADDRESS, ModelEntry, ModelList, entry_of, sentences
from tui_eval.models.model_selection import guessed_wire
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Page, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.choose import Choose
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.screens.models.model_rows import FORM_ADVICE, LABELS, with_keys
from tui_eval.tui.widgets.form import Form
from tui_eval.tui.widgets.form_rows import FormRow, Place
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.workspace.key_files import keys_in
from tui_eval.workspace.model_settings import ModelTable

MISSING = "is missing"
ANY_SERVER = "A server of your own that speaks OpenAI's interface: openai, with its address in base_url."


class ModelFields(Form):
    """The fields of a model: a key typed into one of them is thrown away at once, and the interface is chosen from a list."""

    def refused(self, place: Place, value: Any) -> str:
        """Why a value must not even be shown."""
        return NO_KEYS_HERE if looks_like_key(place, value) else ""

    def wants_text(self, row: FormRow) -> bool:
        """Return whether a row holds what is typed in a line."""
        return row.place != ("wire",) and super().wants_text(row)

    def _fill_in(self, row: FormRow) -> None:
        if row.place == ("wire",):
            self.post_message(self.ValueRequest(self, row))
        else:
            super()._fill_in(row)


class ModelForm(Page):
    """One model, new or on file. `on_saved` is told its name once it is kept."""

    MODE = "models"
    CSS = """
    ModelForm #facts { height: 4; border-top: none; }
    """
    BINDINGS = [
        bind("setup.save", "save", "Save", tooltip="Keep the model in .conf/models.toml"),
        bind("back", "leave", "Back", tooltip="Back to the list; asks where something is not saved"),
        bind("app.leave", "leave", "Back", show=False),
        bind("go.models", "leave", "Back", show=False),
    ]

    def __init__(self, entry: ModelEntry | None, listed: ModelList, on_saved: Callable[[str], None]) -> None:
        super().__init__()
        self._before: ModelTable | None = entry.table if entry is not None else None
        self._others = [model.name for model in listed.entries if entry is None or model.name != entry.name]
        self._on_saved = on_saved
        self._start: dict[str, Any] = {} if self._before is None else content_of(self._before)
        self._draft: Draft | None = None
        self._keys: frozenset[str] = frozenset()
        self._saving = False

    def parts(self) -> Iterable[Widget]:
        """The title, the fields, and what a run would make of them."""
        yield Lines(id="about")
        yield ModelFields()
        yield Lines(id="facts")

    def on_mount(self) -> None:
        """Show what is on file; which keys there are is read once."""
        workspace = self.eval_app.workspace
        self._draft = Draft(dict(self._start), workspace.root)
        self._keys = keys_in([workspace.env_file])
        self.query_one(ModelFields).fill(model_schema(), self._draft)
        self._look_at_it()

    def offers(self, action: str) -> bool | str:
        """Enter changes the field under the cursor."""
        return "Change" if action == "open" else True

    def _look_at_it(self) -> None:
        """Check the draft after every change: say what is wrong with it, and what a run would make of it."""
        if self._draft is None:
            return
        table, problems = checked(self._draft.content, self._others)
        form = self.query_one(ModelFields)
        form.mark(
            {place: with_keys(words) for place, words in problems.items() if words != MISSING}
        )  # those are marked as needed
        entry = None if table is None else self._entry(table)
        fields = with_defaults(entry)
        if fields != form.table:
            form.table = fields
            form.look()
        self.query_one("#facts", Lines).say(*self._facts(entry))
        self.query_one("#about", Lines).say(*self._about(problems))

    def _entry(self, table: ModelTable) -> ModelEntry:
        try:
            return entry_of(table, self.eval_app.workspace, self._keys)
        except TuiEvalError:  # the user's price list is damaged: the list of models says so
            return entry_of(table, None, self._keys)

    def _about(self, problems: dict[Place, str]) -> list[Piece]:
        name = "A new model" if self._before is None else safe_line(self._before.name, 60)
        pieces: list[Piece] = [(name, "strong")]
        if self.changed:
            pieces.append(("   not saved yet: F2 saves", "warn"))
        needed = [_dotted(place) for place, words in problems.items() if words == MISSING]
        wrong = [_dotted(place) for place, words in problems.items() if words != MISSING]
        pieces += [(f"   to mend: {', '.join(wrong)}", "bad")] if wrong else []
        pieces += [(f"   still needed: {', '.join(needed)}", "warn")] if needed else []
        return pieces

    def _facts(self, entry: ModelEntry | None) -> list[Piece]:
        if entry is None:
            return [("This shows how it would be asked, once nothing is needed or wrong.", "dim")]
        return [f"{LABELS.get(topic, topic):<9} {safe_line(words, 300)}\n" for topic, words in sentences(entry, FORM_ADVICE)]

    @property
    def changed(self) -> bool:
        """Return whether anything is not saved."""
        return self._draft is not None and self._draft.content != self._start

    def on_form_changed(self, event: Form.Changed) -> None:
        """Look at every key press."""
        self._look_at_it()

    def on_form_value_request(self, event: Form.ValueRequest) -> None:
        """Choose the interface."""
        choices = wire_choices()
        wire = self._draft.get(("wire",)) if self._draft else None
        names = [None, *(name for name, _ in choices)]

        entries = [
            ("(from the id)", "gpt-… is openai, claude-… anthropic, gemini-… gemini, a/b openrouter, sim-… simulator"),
            *choices,
        ]
        title = "Through which provider is it asked?" + (f" Now: {safe_line(wire, 40)}" if wire else "")
        question = Choose(title, entries, note=ANY_SERVER)
        question.ask(self.app, lambda picked: event.form.put(("wire",), names[picked[0]]))

    def action_save(self) -> None:
        """Keep it, unless something is wrong with it, or it is being kept already."""
        if self._draft is None or self._saving:
            return
        table, problems = checked(self._draft.content, self._others)
        if problems or table is None:
            place, words = next(iter(problems.items()))
            self.query_one(ModelFields).go_to(place)
            self.eval_app.say(
                f"not saved: {_dotted(place)} {words}"
                if words == MISSING
                else f"not saved: {_dotted(place)}: {with_keys(words)}",
                bad=True,
            )
            return
        self._saving = True
        content = dict(self._draft.content)
        work = partial(keep, self.eval_app.workspace, self._before, content)
        beside(self, work, partial(self._saved, content), otherwise=self._not_saved, outlives=True)

    def _not_saved(self, why: str) -> None:
        self._saving = False
        self.eval_app.say(f"not saved: {why}", bad=True)

    def _saved(self, content: dict[str, Any], table: ModelTable) -> None:
        """Back to the list; but not where a person went on to another screen meanwhile, or on typing."""
        outcome = "put on file; c checks it" if self._before is None else "saved"
        self.eval_app.say(f"{table.name}: {outcome}")
        self._saving, self._before, self._start = False, table, content
        self._on_saved(table.name)
        if self.app.screen is self and not self.changed:
            self.app.pop_screen()
        elif self.is_attached:
            self._look_at_it()

    def action_leave(self) -> None:
        """Back to the list; what is not saved is asked for."""
        if self.changed:
            consequence = "Your changes here are lost then. n goes back to them, and F2 saves them."
            confirm(self.app, "Leave without saving?", consequence, self.app.pop_screen)
        else:
            self.app.pop_screen()


def _dotted(place: Place) -> str:
    return ".".join(map(str, place))


def with_defaults(entry: ModelEntry | None) -> Field:
    """The fields of a model, with what holds where they are empty as this model would have it."""
    told = WITH_ADDRESS if entry is not None and entry.wire and not guessed_wire(entry.model) else "guessed from the id"
    wire = f"{entry.wire} ({told})" if entry is not None and entry.wire else told
    defaults = {
        "wire": wire,
        "base_url": entry.where if entry is not None else "",
        "api_key_env": entry.key if entry is not None else "",
    }
    fields = (replace(field, default=defaults.get(field.key) or field.default) for field in model_schema().fields)
    return replace(model_schema(), fields=tuple(fields))
