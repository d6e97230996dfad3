"""One thing, or several, chosen from a list that is filtered as one types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.events import DescendantFocus, Resize
from textual.widgets import Input, Static

from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.dialogs.dialog import Dialog
from tui_eval.tui.widgets.cells import Cell, Column, listed_rows, row_cells
from tui_eval.tui.widgets.filter import Filtered, FilterLine
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Paragraph, wrapped

_MOST_ROWS = 28
_FEWEST_ROWS = 3
_SHARE_OF_HEIGHT = 0.9
_BORDERS = 2
_AROUND = 6
"""Columns around what is said in full: frame, and padding twice."""
_LONGEST_ABOUT, _MOST_WHOLE_ROWS = 400, 4
_BESIDE = 9
"""Columns of a row beside what it is called and what is said about it: frame, cursor, mark, scroll bar, and between them."""
Entry = tuple[str, str]
"""What it is called, and what is said about it: foreign text."""


class EntryRow(NamedTuple):
    """Row of the list: what is said of it, and whether it is marked."""

    name: str
    about: str
    marked: bool


def columns_of(width: int) -> Sequence[Column[EntryRow]]:
    """Return the columns of the list; `width`: that of the names."""
    return (
        Column("", 1, lambda row: ("✓", "good") if row.marked else ""),
        Column("", width, lambda row: safe_line(row.name, 100)),
        Column("", 10, lambda row: (safe_line(row.about, 200), "dim"), share=1),
    )


class ChooseSome(Dialog[list[int]], Filtered):
    """Several of a list: Space marks, Enter takes what is marked (in the order of the list), Esc goes back (None)."""

    DEFAULT_CSS = """
    ChooseSome > Vertical { max-height: 90%; }
    ChooseSome RowTable { height: auto; min-height: 1; max-height: 28; background: $surface; }
    ChooseSome Static { height: auto; }
    ChooseSome #whole { display: none; height: 3; padding: 0 1 1 1; color: $text-muted; }
    ChooseSome #whole.-used { display: block; }
    """
    BINDINGS = [
        bind("list.mark", "mark", "Mark"),
        bind("filter", "filter", "Filter"),
        Binding("escape,backspace,q", "dismiss(None)", "Back", id="choose.back"),
    ]
    HINT = "Space marks, Enter takes them or this row, / filters, Esc goes back"

    def __init__(self, title: str, entries: Sequence[Entry], marked: Iterable[int] = (), note: str = "") -> None:
        super().__init__()
        self._title, self._entries, self._note = title, entries, note
        self._marked = set(marked)
        self._shown = list(range(len(entries)))
        self._columns: Sequence[Column[EntryRow]] = ()

    def compose(self) -> ComposeResult:
        """The question, the list, the filter."""
        longest = max((len(safe_line(name, 60)) for name, _ in self._entries), default=8)
        self._columns = columns_of(min(max(longest, 8), 34))
        with Vertical():
            yield Static(Content.assemble((safe_line(self._title, 200), "bold")), markup=False)
            yield RowTable(self._columns, header=False, empty="Nothing has these words; Esc clears the filter.")
            yield Static(id="whole", markup=False)
            yield FilterLine("words")
            yield Static(
                Content.assemble((f"{safe(self._note)}\n" if self._note else "", ""), (self.HINT, "dim")), markup=False
            )

    def on_mount(self) -> None:
        """Show the list."""
        self._show()
        self.query_one(RowTable).focus()

    def on_resize(self, event: Resize) -> None:
        """Leave as much to the list as what stands around it leaves: what the keys do is always seen."""
        self.call_after_refresh(self._fit)
        texts = [safe_line(about, _LONGEST_ABOUT) for _, about in self._entries]
        whole, rows = self.query_one("#whole"), max((len(self._rows_of(text)) for text in texts), default=0)
        whole.set_class(any(len(text) > self.size.width - _BESIDE - self._columns[1].width for text in texts), "-used")
        whole.styles.height = min(rows, _MOST_WHOLE_ROWS) + 1

    def _rows_of(self, text: str) -> list[Paragraph]:
        return list(wrapped([(text, "")], max(self.size.width - _AROUND, 8)))

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Say all about another one."""
        event.stop()
        self._say_whole()

    def _say_whole(self) -> None:
        """In full what is said of the one under the cursor: in the list it may be cut."""
        row = self.query_one(RowTable).cursor
        about = safe_line(self._entries[self._shown[row]][1], _LONGEST_ABOUT) if row < len(self._shown) else ""
        self.query_one("#whole", Static).update(Content("\n".join(line for line, _ in self._rows_of(about))))

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """The line of the filter comes and goes with what has the keys."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        table = self.query_one(RowTable)
        around = sum(child.outer_size.height for child in self.query_one(Vertical).children if child is not table)
        room = int(self.size.height * _SHARE_OF_HEIGHT) - _BORDERS - around
        table.styles.height = max(min(max(len(self._entries), _FEWEST_ROWS), _MOST_ROWS, room), 1)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Only what has these words."""
        words = event.value.casefold().split()
        texts = [f"{name} {about}".casefold() for name, about in self._entries]
        self._shown = [i for i, text in enumerate(texts) if all(word in text for word in words)]
        self._show()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Take it."""
        event.stop()
        self.take(self._shown[event.row])

    def take(self, index: int) -> None:
        """Take what is marked; where nothing is, what the cursor is on."""
        self.dismiss(sorted(self._marked) or [index])

    def action_mark(self) -> None:
        """Mark it, or take the mark back."""
        row = self.query_one(RowTable).cursor
        if row < len(self._shown):
            self._marked ^= {self._shown[row]}
            self._show()

    def _show(self) -> None:
        self.query_one(RowTable).show(listed_rows([self._cells(index) for index in self._shown]))
        self._say_whole()

    def _cells(self, index: int) -> list[Cell]:
        return row_cells(self._columns, EntryRow(*self._entries[index], index in self._marked))


class Choose(ChooseSome):
    """One of a list: Enter takes it (a list of its index alone), Esc goes back (None)."""

    HINT = "Enter takes it, / filters, Esc goes back"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is marked here."""
        return action != "mark"
