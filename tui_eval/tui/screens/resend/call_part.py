"""Call to be sent again: its model, its parameters and its messages, each of which can be changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message as Event

from tui_eval.reporting.resend import Original
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import LONGEST_TEXT, safe
from tui_eval.tui.screens.dialogs.ask_line import Ask
from tui_eval.tui.screens.dialogs.choose import Choose
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.tui.screens.resend.call_rows import (
    COLUMNS,
    MODEL_HELP,
    PARAMETERS,
    SEED_HELP,
    Parameter,
    message_rows,
    parameter_rows,
)
from tui_eval.tui.widgets.cells import listed_rows, row_cells
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.titled_text import Titled

FIRST_MESSAGE = 1 + len(PARAMETERS)
"""The row of the first message: the model and the parameters stand above."""
MOST_MESSAGES = 4
"""Messages whose rows are seen at once."""


class CallPart(Vertical):
    """The call as rows, and under them what the cursor is on, in full."""

    DEFAULT_CSS = """
    CallPart { height: 1fr; }
    """
    BINDINGS = [
        bind("prompt.edit", "edit", "Edit", tooltip="Change what the cursor is on (Enter does, too)"),
        bind("form.unset", "unset", "As it was", tooltip="Take the change under the cursor back"),
    ]

    class Changed(Event):
        """Something will be sent otherwise than before."""

    def __init__(self, original: Original) -> None:
        super().__init__(id="call")
        self._original = original
        self.messages = list(original.call.messages)
        self.parameters = original.parameters

    def compose(self) -> ComposeResult:
        """The rows, and one in full."""
        yield RowTable(COLUMNS, id="rows")
        yield Titled(id="whole")

    def on_mount(self) -> None:
        """Begin at the last message, which is what one most often changes."""
        table = self.query_one("#rows", RowTable)
        table.styles.height = 1 + FIRST_MESSAGE + min(len(self.messages), MOST_MESSAGES)
        self._show()
        table.move(FIRST_MESSAGE + len(self.messages) - 1)
        self.take_keys()

    def take_keys(self) -> None:
        """Give the keys to the rows."""
        self.query_one("#rows", RowTable).focus()

    @property
    def _row(self) -> int:
        return self.query_one("#rows", RowTable).cursor

    def _show(self) -> None:
        rows = parameter_rows(self._original, self.parameters) + message_rows(self._original, self.messages)
        self.query_one("#rows", RowTable).show(listed_rows([row_cells(COLUMNS, row) for row in rows]))
        self._show_whole()

    def _show_whole(self) -> None:
        row, whole = self._row, self.query_one("#whole", Titled)
        if row >= FIRST_MESSAGE:
            message = self.messages[row - FIRST_MESSAGE]
            text = message.content[:LONGEST_TEXT]
            whole.show([(f"{message.role} message, as it will be sent", "accent")], [(safe(text), "")])
        else:
            seed = SEED_HELP if self._original.seed is not None else ""
            whole.show(
                [("what it is", "accent")],
                [(MODEL_HELP if row == 0 else PARAMETERS[row - 1].help, ""), ("", ""), (seed, "dim")],
            )

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Show another row in full."""
        self._show_whole()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Change what was chosen."""
        event.stop()
        self.action_edit()

    def action_edit(self) -> None:
        """Change what the cursor is on."""
        row = self._row
        if row == 0:
            self._choose_model()
        elif row < FIRST_MESSAGE:
            self._ask(PARAMETERS[row - 1])
        else:
            self._edit(row - FIRST_MESSAGE)

    def action_unset(self) -> None:
        """Take the change under the cursor back."""
        row, original = self._row, self._original
        if row >= FIRST_MESSAGE:
            self._take(row - FIRST_MESSAGE, original.call.messages[row - FIRST_MESSAGE].content)
        else:
            names = ("model", "reasoning_effort") if row == 0 else (PARAMETERS[row - 1].name,)
            self._put(**{name: getattr(original.parameters, name) for name in names})

    def _changed(self) -> None:
        self._show()
        self.post_message(self.Changed())

    def _edit(self, index: int) -> None:
        message = self.messages[index]
        last = index == len(self.messages) - 1
        check: Callable[[str], str] | None = (lambda text: "" if text.strip() else EMPTY) if last else None
        EditText(f"The {message.role} message", message.content, check).ask(self.app, partial(self._take, index))

    def _take(self, index: int, text: str) -> None:
        self.messages[index] = replace(self.messages[index], content=text)
        self._changed()

    def _choose_model(self) -> None:
        models = self._original.models
        entries = [(name, f"{table.wire or 'provider guessed'}  {table.model}") for name, table in models.items()]
        Choose("Which model is asked?", entries).ask(self.app, partial(self._take_model, list(models)))

    def _take_model(self, names: list[str], choice: list[int]) -> None:
        """Another model thinks as long as its own settings say."""
        name, before = names[choice[0]], self._original.parameters
        effort = before.reasoning_effort if name == before.model else self._original.models[name].reasoning_effort
        self._put(model=name, reasoning_effort=effort)

    def _ask(self, parameter: Parameter) -> None:
        value = getattr(self.parameters, parameter.name)
        text = "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
        question = Ask(parameter.title, text, parameter.wrong, note=parameter.help)
        question.ask(self.app, lambda text: self._put(**{parameter.name: parameter.read(text)}))

    def _put(self, **values: Any) -> None:
        """Send it with other parameters."""
        self.parameters = replace(self.parameters, **values)
        self._changed()


EMPTY = "it is empty: write what the model is to reply to"
