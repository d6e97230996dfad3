"""Mapping of a file's columns to the parts of a question: asked for where the columns' names do not tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui_eval.core.field_roles import ROLES, SEVERAL
from tui_eval.core.plaintext import count_of
from tui_eval.datasets.field_mapping import FieldMapping, FileColumns
from tui_eval.datasets.field_values import is_blank, sort_of
from tui_eval.datasets.sets import QuestionSet, unread_words
from tui_eval.tui.keymap import KEYS, bind, spoken
from tui_eval.tui.page import beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.dialog import Dialog
from tui_eval.tui.widgets.cells import Cell, Column, listed_rows, row_cells
from tui_eval.tui.widgets.table import RowTable

OTHER_ROWS = 13
"""Of a terminal: what stands above and below the columns."""
LONGEST = 300
"""Of a value as it is shown; characters."""
HINT = "  ".join(
    (
        *(f"{spoken(KEYS[f'map.{role}'])} {role}" for role in ROLES),
        f"{spoken(KEYS['form.unset'].partition(',')[0])} nothing",
        "Space the next  Enter takes it  Esc leaves",
    )
)


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """Row of the table: a column of the file, what it is of a question, and its values in the first records."""

    name: str
    role: str
    values: Sequence[object]

    def value(self, record: int) -> Cell:
        """Return its value in a record; nothing where there are not so many."""
        return _value(self.values[record]) if record < len(self.values) else ""


def _value(value: object) -> Cell:
    if is_blank(value):
        return ("-", "dim")
    if isinstance(value, (str, int)):
        return safe_line(str(value)[:LONGEST], LONGEST)
    return (safe_line(", ".join(map(str, value)), LONGEST) if isinstance(value, list) else sort_of(value), "")


COLUMNS: Sequence[Column[ColumnRow]] = (
    Column("column", 14, lambda row: safe_line(row.name, 60), middle=True),
    Column("is", 9, lambda row: (row.role or "-", "accent" if row.role else "dim")),
    Column("record 1", 16, lambda row: row.value(0), share=2),
    Column("record 2", 16, lambda row: row.value(1), share=1),
    Column("record 3", 16, lambda row: row.value(2), share=1, above=100),
)


class MapColumns(Dialog[FieldMapping]):
    """The columns with their first values, and what each is. The mapping; None where one leaves."""

    CSS = """
    MapColumns > Vertical { max-height: 88%; }
    MapColumns Static { height: auto; }
    MapColumns RowTable { background: $surface; }
    MapColumns #verdict { height: auto; min-height: 2; max-height: 5; }
    """
    BINDINGS = [
        *(
            bind(f"map.{role}", f"say('{role}')", role.capitalize(), tooltip=f"This column: {words}")
            for role, words in ROLES.items()
        ),
        bind("form.unset", "say('')", "Nothing", tooltip="This column is nothing of a question"),
        bind("form.next", "turn", "Next", show=False, tooltip="The next thing that this column can be, and no other is"),
        Binding("escape,backspace", "dismiss(None)", "Leave", id="map.leave"),
    ]

    def __init__(self, name: str, columns: FileColumns, read: Callable[[FieldMapping], QuestionSet]) -> None:
        """`read`: reads the file by a mapping; it is called beside the screen. ConfigError where it cannot be read so."""
        super().__init__()
        self._name, self._columns, self._read = name, columns, read
        self.mapping = columns.guessed
        self._reads: QuestionSet | str | None = None
        """What the file holds by this mapping, or why it cannot be read so; None while it is being read."""
        self._wanted = False
        """Whether Enter was pressed while it was being read."""

    def compose(self) -> ComposeResult:
        """Yield the question, the columns, and the verdict on them."""
        title = f"Which column of {safe_line(self._name, 40)} is what?"
        with Vertical():
            yield Static(Content.assemble((title, "bold"), f"  {count_of(self._columns.records, 'record')}"), markup=False)
            yield RowTable(COLUMNS)
            yield Static(id="verdict", markup=False)
            yield Static(Content.styled(HINT, "dim"), markup=False)

    def on_mount(self) -> None:
        """Begin with what the names suggest."""
        table = self.query_one(RowTable)
        table.styles.height = min(len(self._columns.names) + 1, max(self.app.size.height - OTHER_ROWS, 4))
        table.focus()
        self._changed(self.mapping)

    def action_say(self, role: str) -> None:
        """Set the role of the column under the cursor; the same role once more takes it away."""
        column = self._column
        self._changed(self.mapping.with_role(column, "" if self.mapping.role(column) == role else role))

    def action_turn(self) -> None:
        """The next thing that the column can be: no other column is that."""
        column, now = self._column, self.mapping.role(self._column)
        free = ["", *(role for role in ROLES if role in (now, SEVERAL) or not self.mapping.columns(role))]
        self._changed(self.mapping.with_role(column, free[(free.index(now) + 1) % len(free)]))

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Take it, as soon as it is known that the file can be read so."""
        event.stop()
        self._wanted = self._reads is None
        if isinstance(self._reads, QuestionSet):
            self.dismiss(self.mapping)

    @property
    def _column(self) -> str:
        return self._columns.names[min(self.query_one(RowTable).cursor, len(self._columns.names) - 1)]

    def _changed(self, mapping: FieldMapping) -> None:
        self.mapping, self._wanted = mapping, False
        self.query_one(RowTable).show(listed_rows([self._cells(name) for name in self._columns.names]))
        lacking = "" if mapping.question or mapping.turns else "question"
        lacking = "answer" if mapping.options and not mapping.answer and not lacking else lacking
        if lacking:
            self._show_result(mapping, f"Say which column has the {lacking}: {spoken(KEYS[f'map.{lacking}'])} on its row.")
            return
        self._reads = None
        self._tell(("reading it so ...", "dim"))
        then = partial(self._show_result, mapping)
        beside(self, partial(self._read, mapping), then, group="mapping", otherwise=then)

    def _show_result(self, mapping: FieldMapping, result: QuestionSet | str) -> None:
        if not self.is_attached or mapping != self.mapping:
            return
        self._reads = result
        if isinstance(result, str):
            self._tell((f"✗ {safe_line(result, LONGEST)}", "$error"))
            return
        with_answer = sum(bool(question.answer_text) for question in result.questions)
        answers = "each with its answer" if with_answer == len(result.questions) else f"{with_answer:,} with an answer"
        self._tell((f"✓ {result.words}, {answers}", "$success"), ("; " + safe_line(unread_words(result), LONGEST), ""))
        if self._wanted:
            self.dismiss(self.mapping)

    def _tell(self, *pieces: tuple[str, str]) -> None:
        self.query_one("#verdict", Static).update(Content.assemble(*pieces))

    def _cells(self, name: str) -> list[Cell]:
        role = self.mapping.role(name)
        several = role == SEVERAL and len(self.mapping.options) > 1
        label = f"option {'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[self.mapping.options.index(name) % 26]}" if several else role
        return row_cells(COLUMNS, ColumnRow(name, label, [row.get(name) for row in self._columns.rows]))
