"""A form: rows of fields, a line in which one of them is typed, and help for the row under the cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.dom import DOMNode
from textual.keys import key_to_character
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from tui_eval.configuring.drafting.fields import UNFILLED, Field, read_text
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import host
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import listed_rows
from tui_eval.tui.widgets.checklist import Ticked
from tui_eval.tui.widgets.form_cells import COLUMNS, cells_of, help_of
from tui_eval.tui.widgets.form_rows import (
    FormRow,
    Place,
    Values,
    circle,
    default_words,
    entry_around,
    field_at,
    form_rows,
    problem_of,
    typed_form,
)
from tui_eval.tui.widgets.table import RowTable

NOTHING = "(?!.)"
"""What a line may hold in which a key was typed."""
ELSEWHERE = ("file", "folder", "files", "model", "prompt")
"""What is not typed in a line: it is chosen, or written in a text area."""


class Form(Widget):
    """Fields to be filled in. Every change is made in `values` at once, key press by key press, and told by `Changed`.

    What cannot be typed in one line (a file, a model, long texts) is asked for by `ValueRequest`; the screen answers
    with `put`.
    """

    DEFAULT_CSS = """
    Form { height: 1fr; }
    Form Horizontal { height: 1; display: none; background: $surface; }
    Form.-typing Horizontal { display: block; }
    Form Horizontal > Static { width: auto; max-width: 40%; padding: 0 1; color: $accent; text-style: bold; }
    Form Input { height: 1; border: none; padding: 0; width: 1fr; background: $surface; }
    Form Input:focus { border: none; }
    Form .help { height: 4; padding: 0 1; background: $surface; }
    """
    BINDINGS = [
        bind("form.next", "next", "Next value", tooltip="The next of the values that this field may have"),
        bind("form.add", "add", "Add", tooltip="Add an entry to the list under the cursor"),
        bind("form.remove", "remove", "Remove", tooltip="Take the entry under the cursor out of its list"),
        bind("form.unset", "unset", "Default", tooltip="Empty the field: its default holds again"),
        Binding("escape", "stop_typing", "Undo", id="form.undo"),
    ]

    class Changed(Message):
        """Something was filled in or taken out."""

    @dataclass
    class ValueRequest(Message):
        """A value is wanted that is not typed in a line."""

        form: Form
        row: FormRow
        adds: bool = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.table: Field | None = None
        self.values: Values | None = None
        self._at: Sequence[Place] = ((),)
        self._rows: list[FormRow] = []
        self._unfolded: frozenset[Place] = frozenset()
        self._problems: Mapping[Place, str] = {}
        self._typed: FormRow | None = None
        """The row whose value is being typed, as it was before."""
        self._before: Any = None
        """Its value then; None where it had none."""
        self._typed_wrong = ""
        self.ticked = Ticked()

    def compose(self) -> ComposeResult:
        """The rows, the line to type in, and the help."""
        yield RowTable(COLUMNS, header=False)
        with Horizontal():
            yield Static(markup=False)
            yield _ValueInput(compact=True, select_on_focus=False)
        yield Static(markup=False, classes="help")

    # what is filled in

    def fill(self, table: Field, values: Values, at: Sequence[Place] = ((),)) -> None:
        """Show the fields at these places of a table (the empty place: all of them), to be filled into `values`."""
        self.table, self.values, self._at = table, values, at
        self.query_one(RowTable).cursor = 0
        self.look()

    def mark(self, problems: Mapping[Place, str], notes: Mapping[Place, str] | None = None) -> None:
        """Say at its row what is wrong, which is foreign text, and what a table of the checklist, or a value, comes to."""
        notes = notes or {}
        if (problems, notes) != (self._problems, self.ticked.notes):
            self._problems, self.ticked.notes = problems, notes
            self._draw()

    def look(self) -> None:
        """Look at the values again."""
        if self.table is not None and self.values is not None:
            self._rows = form_rows(self.table, self.values, self._at, self._unfolded, self.ticked.places)
        self._draw()

    def go_to(self, place: Place) -> bool:
        """Put the cursor on a field, or on the nearest table around it; whether there is such a row."""
        around = {place[:size] for size in range(1, len(place))}
        self._unfolded |= {prefix for prefix in around if isinstance(prefix[-1], int) or prefix in self.ticked.places}
        self.look()
        for size in range(len(place), 0, -1):
            index = next((i for i, row in enumerate(self._rows) if row.place == place[:size]), None)
            if index is not None:
                self.query_one(RowTable).move(self._first_needed(index))
                self._draw()
                return True
        return False

    def _first_needed(self, at: int) -> int:
        """Of a table that is missing, or empty, the first of its rows that has to be filled in, or names a model; any other row
        is itself."""
        row = self._rows[at]
        if row.sort != "table" or row.place not in self._problems or (self.values and self.values.get(row.place)):
            return at
        self._unfolded |= {row.place}
        self.look()
        below = (i for i, candidate in enumerate(self._rows) if i > at and candidate.place[: len(row.place)] == row.place)
        needed = [i for i in below if self._rows[i].field.required or self._rows[i].field.names == "model"]
        return next(iter(needed), at)

    def refused(self, place: Place, value: Any) -> str:
        """Why a value must not even be shown, such as a key typed where keys do not belong; empty where it may be."""
        return ""

    def put(self, place: Place, value: Any) -> None:
        """Fill in a value; None takes it out. What is refused is thrown away at once, and so is the rest of it."""
        line = self.query_one(_ValueInput)
        words = self.refused(place, value) if value is not None else ""
        if self.typing and (words or line.restrict):
            with self.prevent(Input.Changed):
                line.value = ""
            line.restrict = NOTHING  # the rest of the key may be on its way: it goes nowhere, least of all to other keys
            value = self._before
            self._typed_wrong = words or self._typed_wrong
        if self.values is None:
            return
        if value is None:
            self._drop(place)
        else:
            self.values.set(place, value)
        self._changed()

    def _drop(self, place: Place) -> None:
        """Take a value out, and the optional table around it where nothing else stands in it."""
        if self.values is None or self.table is None:
            return
        self.values.drop(place)
        around = place[:-1]
        field = field_at(self.table, around) if len(around) > 1 and isinstance(around[-1], str) else None
        if field is not None and field.sort == "table" and self.values.get(around) == {}:
            self._unfolded |= {around}
            self._drop(around)

    @property
    def row(self) -> FormRow | None:
        """The row under the cursor."""
        cursor = self.query_one(RowTable).cursor
        return self._rows[cursor] if cursor < len(self._rows) else None

    @property
    def typing(self) -> bool:
        """Report whether a value is being typed."""
        return self.has_class("-typing")

    # keys

    def wants_text(self, row: FormRow) -> bool:
        """Return whether a row holds a typed line: a printable key on it begins to fill it in."""
        return row.sort == "value" and row.field.sort not in ("boolean", "choice", "texts") and row.field.names not in ELSEWHERE

    def is_text(self, key: str, node: DOMNode) -> bool:
        """Return whether a key is text in this form, rather than the command that it has in a part (`node`) of the screen.

        A row that wants text takes every printable key; no row leaves one to what stands around the form.
        """
        row, letter = self.row, key_to_character(key)
        if letter is None or not letter.isprintable():
            return False
        return self.typing or (row is not None and self.wants_text(row)) or self not in node.ancestors_with_self

    def on_key(self, event: events.Key) -> None:
        """Begin to fill in a row that wants text with the key; no printable key becomes a command of the screen."""
        if self.typing or not event.is_printable or event.character is None:
            return
        row, active = self.row, self.screen.active_bindings.get(event.key)
        if row is not None and self.wants_text(row):
            self._begin_typing(row, event.character)
        elif active is not None and not self.is_text(event.key, active.node):
            return
        else:
            host(self).say("letters are text in a form; the line of keys shows which keys work here, F1 all of them")
        event.stop()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Change what the row holds: by typing, by choosing, by folding."""
        event.stop()
        row = self.row
        if row is None:
            return
        if row.sort == "entry" or (row.sort == "table" and (not row.given or row.words or row.place in self._unfolded)):
            self._unfolded ^= {row.place}
            self.look()
        elif row.sort == "tables":
            self.action_add()
        elif row.sort == "value":
            self._fill_in(row)

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Help for another row."""
        event.stop()
        self._help()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense for the row under the cursor, or while something is typed."""
        row = self.row
        if action == "stop_typing" or self.typing or row is None:
            return self.typing and action == "stop_typing"
        if action == "next":
            return row.place in self.ticked.places or (row.sort == "value" and bool(circle(row.field)))
        if action == "add":
            return row.sort in ("tables", "entry") or (
                row.sort == "value" and row.field.sort == "texts" and bool(row.field.names)
            )
        if action == "remove":
            return row.sort == "entry" or entry_around(row.place) is not None
        return row.given and row.sort in ("value", "table") if action == "unset" else True

    def action_next(self) -> None:
        """The next of a field's few values; a table on a checklist is left out, or is there again."""
        row = self.row
        if row is not None and row.place in self.ticked.places and self.values is not None:
            self.put(row.place, self.ticked.turn(row, self.values))
            return
        values = circle(row.field) if row is not None else ()
        if row is None or not values:
            return
        now = self._value(row)
        self.put(row.place, values[(values.index(now) + 1) % len(values)] if now in values else values[0])

    def action_add(self) -> None:
        """Another entry in the list that the cursor is in."""
        row = self.row
        if row is None or self.values is None:
            return
        if row.sort == "value":
            self.post_message(self.ValueRequest(self, row, adds=True))
            return
        place = row.place if row.sort == "tables" else row.place[:-1]
        if any(field.required and field.names == "model" for field in row.field.fields) or row.field.names:
            self.post_message(self.ValueRequest(self, row, adds=True))
        else:
            self.added(place, {})

    def added(self, place: Place, entry: Any) -> None:
        """Put an entry into a list, unfold it and go there."""
        if self.values is None:
            return
        new = (*place, self.values.add(place, entry))
        self._unfolded |= {new}
        self._changed()
        self.go_to(new)

    def action_remove(self) -> None:
        """Take the entry under the cursor out of its list."""
        row = self.row
        place = None if row is None else row.place if row.sort == "entry" else entry_around(row.place)
        if place is None or self.values is None:
            return
        self.values.drop(place)
        self._unfolded = frozenset(unfolded for unfolded in self._unfolded if unfolded[: len(place) - 1] != place[:-1])
        self._changed()
        self.go_to(place[:-1])

    def action_unset(self) -> None:
        """The default holds again."""
        row = self.row
        if row is not None and row.given:
            self._unfolded -= {row.place}
            self.put(row.place, None)

    def action_stop_typing(self) -> None:
        """Restore the value from before."""
        row = self._typed
        if row is not None and self.typing:
            self.put(row.place, self._before)
            self._end_typing()

    # typing

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take every key press at once, as far as it makes a value."""
        event.stop()
        row = self._typed
        if row is None or not self.typing:
            return
        try:
            value = read_text(row.field, event.value)
        except ValueError as error:
            self._typed_wrong = str(error)
            self._help()
            self.post_message(self.Changed())
            return
        self._typed_wrong = ""
        self.put(row.place, value)
        self._help()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep what was typed; where it makes no value, what is wrong stays on show."""
        event.stop()
        if self._typed_wrong:
            self.app.bell()
            return
        self._end_typing()

    def _fill_in(self, row: FormRow) -> None:
        if row.field.sort in ("boolean", "choice"):
            self.action_next()
        elif row.field.names in ELSEWHERE or row.field.sort == "texts":
            self.post_message(self.ValueRequest(self, row))
        else:
            self._begin_typing(row)

    def _begin_typing(self, row: FormRow, typed: str = "") -> None:
        """Let the value be changed; what is typed stands in its place, until Esc brings it back."""
        assert self.values is not None
        self._typed, self._before = row, self.values.get(row.place) if row.given else None
        self._typed_wrong = ""
        label, line = self.query_one("Horizontal > Static", Static), self.query_one(_ValueInput)
        line.restrict = None
        label.update(Content(f"{safe_line(row.field.key)} ›"))
        with self.prevent(Input.Changed):
            line.value = typed_form(row.field, self.values.get(row.place)) if row.given else ""
        line.placeholder = "" if row.given else safe_line(default_words(row.field))
        line.cursor_position = len(line.value)
        self.add_class("-typing")
        self.screen.set_focus(line)  # now, not a little later: keys may come in one piece
        if typed:
            line.value, line.cursor_position = typed, len(typed)
        self.refresh_bindings()

    def _end_typing(self) -> None:
        self._typed_wrong = ""
        self.remove_class("-typing")
        self.screen.set_focus(self.query_one(RowTable))
        self._draw()
        self.refresh_bindings()

    def typing_left(self) -> None:
        """The keys went elsewhere: what was typed stays; where it makes no value, what was there before comes back."""
        if not self.typing:
            return
        row, wrong = self._typed, self._typed_wrong
        self._typed_wrong = ""
        self.remove_class("-typing")
        if wrong and row is not None:
            self.put(row.place, self._before)
        self._draw()

    @property
    def wrong(self) -> str:
        """Mistake in the value being typed: until it is mended, the values are not what the person means."""
        return self._typed_wrong

    # drawing

    def _changed(self) -> None:
        self.look()
        self.refresh_bindings()
        self.post_message(self.Changed())

    def _value(self, row: FormRow) -> Any:
        assert self.values is not None
        return self.values.get(row.place) if row.given else row.field.default

    def _draw(self) -> None:
        if self.is_mounted:
            self.query_one(RowTable).show(listed_rows([cells_of(row, self._problem(row), self.ticked) for row in self._rows]))
            self._help()

    def _problem(self, row: FormRow) -> str:
        """Return the problem at a row; a missing value that has been filled in is none, until problems are counted again."""
        wrong = problem_of(row, self._problems)
        return "" if wrong in UNFILLED and row.given and row.sort == "value" else wrong

    def _help(self) -> None:
        row, box = self.row, self.query_one(".help", Static)
        if row is None:
            box.update(Content(""))
            return
        note = self.ticked.notes.get(row.place, "") if row.sort == "value" else ""
        box.update(help_of(row, self._typed_wrong or self._problem(row), note), layout=False)


class _ValueInput(Input):
    """The line in which a value is typed."""

    BINDINGS = [
        Binding("down", "submit", "Keep", show=False, id="form.keep"),
        Binding("enter", "submit", "Keep", id="form.keep_it"),
    ]

    def on_mount(self) -> None:
        """A blinking cursor would write to the terminal all the time."""
        self.cursor_blink = False

    def on_blur(self, event: events.Blur) -> None:
        """The keys went elsewhere; where the whole terminal lost them, they come back here."""
        if not self.app.app_focus:
            return
        form = next((node for node in self.ancestors if isinstance(node, Form)), None)
        if form is not None:
            form.typing_left()
