"""A table of any number of rows that draws only those on the screen, and of these only the ones that changed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui_eval.tui.keymap import bind
from tui_eval.tui.widgets.cells import TONES, Cell, Column, Rows, fitted, listed_rows, scroll_piece, tone_rules, widths
from tui_eval.tui.words import count

EMPTY: Rows = listed_rows(())
BEING_READ = "being read …"
"""The end of words that stand in place of rows until those are read."""
PATIENCE_S = 0.15
"""After so long they are shown; what is read sooner would have them flicker."""
Drawn = tuple[tuple[Cell, ...] | str, bool, str]
"""What stands on a line: its cells (or words in place of rows), whether the cursor is there, and the scroll bar's piece."""


class RowTable(Widget, can_focus=True):
    """Rows under a header, a cursor, and the end followed on wish. The rows are asked for one by one, as they are seen.

    Its columns are one typed list, of which its rows are made as well; `Column` says how to add one.
    """

    COMPONENT_CLASSES = {"table--header", "table--cursor", "table--scroll", *(f"table--{tone}" for tone in TONES)}
    DEFAULT_CSS = """
    RowTable { height: 1fr; background: $background; }
    RowTable > .table--header { color: $primary; text-style: bold; }
    RowTable > .table--cursor { background: $panel; }
    RowTable:focus > .table--cursor { background: $primary 35%; text-style: bold; }
    RowTable:ansi > .table--cursor { text-style: underline; background: ansi_default; }
    RowTable:ansi:focus > .table--cursor { text-style: reverse; background: ansi_default; }
    RowTable > .table--scroll { color: $primary 50%; }
    """ + tone_rules("RowTable", "table")
    BINDINGS = [
        bind("list.down", "step(1)", "Down", show=False),
        bind("list.up", "step(-1)", "Up", show=False),
        bind("list.first", "first", "First row", show=False),
        bind("list.last", "last", "Last row", show=False),
        bind("list.half_down", "half(1)", "Half a page down", show=False),
        bind("list.half_up", "half(-1)", "Half a page up", show=False),
        bind("list.left", "sideways(-1)", "Columns to the left", show=False),
        bind("list.right", "sideways(1)", "Columns to the right", show=False),
        bind("list.open", "open", "Open"),
    ]

    @dataclass
    class Opened(Message):
        """A row was chosen."""

        table: RowTable
        row: int

    @dataclass
    class Moved(Message):
        """The cursor went to another row."""

        table: RowTable
        row: int

    def __init__(
        self,
        columns: Sequence[Column[Any]],
        *,
        id: str | None = None,
        empty: str = "",
        header: bool = True,
        can_open: bool = True,
    ) -> None:
        super().__init__(id=id)
        self.columns = columns
        self.rows: Rows = EMPTY
        self.empty = empty
        self.header = header
        self.can_open = can_open
        self.cursor = self.moves = 0
        """The row of the cursor, and how often somebody put it elsewhere: whoever is to hear of it may hear later."""
        self.top = 0
        self.fixed = 1
        """Columns at the left that stay where they are."""
        self.skipped = 0
        """Columns that are scrolled away to the left, after those."""
        self.follow = False
        """Whether the cursor stays on the last row as rows come."""
        self._reads_since: float | None = None
        """When it was first seen that the rows are being read (monotonic clock)."""
        self._drawn: dict[int, Drawn] = {}
        self._styles: dict[str, Style] = {}

    # what is shown

    def show(self, rows: Rows, cursor: int | None = None) -> None:
        """Show other rows; the cursor stays where it was, as far as there are rows, unless told otherwise."""
        self.rows = rows
        self.cursor = self.cursor if cursor is None else cursor
        self.grown()

    def set_columns(self, columns: Sequence[Column[Any]]) -> None:
        """Draw other columns."""
        if [column.title for column in columns] != [column.title for column in self.columns]:
            self.skipped = 0
        self.columns = columns
        self.redraw()

    def grown(self) -> None:
        """Look at the rows again and draw the lines that are not what they were."""
        n = self.rows.count()
        self._reads_since = None if n else self._reads_since
        last = max(n - 1, 0)
        self.cursor = last if self.follow else min(self.cursor, last)
        self._keep_in_sight()
        if not self.size.height:
            return
        if not self.follow and not self._drawn:
            self.refresh()
            return
        for y in range(self._head, self.size.height):
            if self._drawn.get(y) != self._line(y):
                self.refresh(Region(0, y, self.size.width, 1))

    def redraw(self) -> None:
        """Draw everything anew."""
        self._drawn.clear()
        self.refresh()

    # moving

    def move(self, row: int) -> None:
        """Put the cursor on a row, and tell."""
        row = max(0, min(row, self.rows.count() - 1))
        if row == self.cursor:
            return
        self.cursor = row
        self.moves += 1
        self.grown()
        self.post_message(self.Moved(self, row))

    def action_step(self, by: int) -> None:
        """Some rows up or down; whoever moves no longer follows."""
        self.follow = False
        self.move(self.cursor + by)

    def action_round(self, by: int) -> None:
        """Some rows up or down, and round the end."""
        self.follow = False
        self.move((self.cursor + by) % max(self.rows.count(), 1))

    def action_half(self, direction: int) -> None:
        """Half a page."""
        self.action_step(direction * max(self._page // 2, 1))

    def action_first(self) -> None:
        """To the first row."""
        self.follow = False
        self.move(0)

    def action_last(self) -> None:
        """To the last row."""
        self.move(self.rows.count() - 1)

    def action_sideways(self, by: int) -> None:
        """Columns away to the left, or back; those that say what a row is called stay."""
        self.skipped = max(0, min(self.skipped + by, self._hidden_most()))
        self.redraw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Rows that cannot be opened have no key for it."""
        return self.can_open and self.rows.count() > 0 if action == "open" else True

    def action_open(self) -> None:
        """Choose the row under the cursor."""
        if self.can_open and self.rows.count():
            self.post_message(self.Opened(self, self.cursor))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves by three rows."""
        event.stop()
        self.action_step(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel moves by three rows."""
        event.stop()
        self.action_step(-3)

    def on_click(self, event: events.Click) -> None:
        """One click moves the cursor, a second one opens."""
        row = self.top + event.y - self._head
        if event.y < self._head or row >= self.rows.count():
            return
        if row == self.cursor and event.chain > 1:
            self.action_open()
        else:
            self.follow = False
            self.move(row)

    # drawing

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """All there is."""
        return container.width

    def render_line(self, y: int) -> Strip:
        """One line of the table."""
        width = self.size.width
        if y < self._head:
            return self._strip([(column.title, "") for column in self.columns], self._style("table--header"), y, False)
        self._drawn[y] = self._line(y)
        cells, at_cursor, _ = self._drawn[y]
        if isinstance(cells, str):
            return Strip([Segment(fitted(cells, width), self.rich_style + self._style("table--dim"))], width)
        return self._strip(cells, self._style("table--cursor") if at_cursor else self.rich_style, y, at_cursor)

    def on_resize(self) -> None:
        """Room for other rows and columns."""
        self._keep_in_sight()
        self.redraw()

    def on_focus(self) -> None:
        """The cursor is drawn otherwise while other parts have the keys."""
        self.redraw()

    def on_blur(self) -> None:
        """The cursor is drawn otherwise while other parts have the keys."""
        self.redraw()

    def notify_style_update(self) -> None:
        """Another theme."""
        super().notify_style_update()
        self._styles.clear()
        self._drawn.clear()

    def _line(self, y: int) -> Drawn:
        row = self.top + y - self._head
        if row < self.rows.count():
            return tuple(self.rows.cells(row)), row == self.cursor, self._bar(y)
        words = self.empty.split("\n") if not self.rows.count() and not self._soon_there() else []
        return words[row] if row < len(words) else "", False, " "

    def _soon_there(self) -> bool:
        """Return whether rows that are being read may be there before anybody has read that they are."""
        if not self.empty.endswith(BEING_READ):
            return False
        if self._reads_since is None:
            self._reads_since = time.monotonic()
            self.set_timer(PATIENCE_S, self.grown)
        return time.monotonic() - self._reads_since < PATIENCE_S

    def _strip(self, cells: Sequence[Cell], base: Style, y: int, at_cursor: bool) -> Strip:
        segments: list[Segment] = []
        room = self.size.width - 2
        mark = "›" if at_cursor and self.has_focus else " "
        segments.append(Segment(mark, base))
        for index, width in enumerate(self._widths(room)):
            if not width:
                continue
            cell = cells[index] if index < len(cells) else ""
            text, tone = (cell, "") if isinstance(cell, str) else cell
            style = base + self._style(f"table--{tone}") if tone and not base.reverse else base
            column = self.columns[index]
            segments.append(Segment(fitted(text, width, column.right, column.middle), style))
            room -= width + column.gap
            if room >= 0 and column.gap:
                segments.append(Segment(" " * column.gap, base))
        segments.append(Segment(" " * max(room, 0), base))
        line = Strip(segments).adjust_cell_length(self.size.width - 1, base)
        return Strip([*line, Segment(self._bar(y), self._style("table--scroll"))], self.size.width)

    def _widths(self, room: int) -> list[int]:
        return widths(self.columns, room, self.size.width, self.skipped, self.fixed)

    def _hidden_most(self) -> int:
        visible_columns = [column for column in self.columns if self.size.width > column.above]
        fits = sum(column.width + column.gap for column in visible_columns) <= self.size.width - 1
        return 0 if fits and not self.skipped else max(len(self.columns) - self.fixed - 1, 0)

    def _bar(self, y: int) -> str:
        return scroll_piece(y - self._head, self._page, self.top, self.rows.count())

    def _style(self, name: str) -> Style:
        style = self._styles.get(name)
        if style is None:
            whole = name in ("table--header", "table--scroll", "table--cursor")
            style = self._styles[name] = self.get_component_rich_style(name, partial=not whole)
        return style

    @property
    def where(self) -> str:
        """The place of the cursor among the rows, in words."""
        return f"{count(self.cursor + 1)} of {count(self.rows.count())}"

    @property
    def _head(self) -> int:
        return 1 if self.header else 0

    @property
    def _page(self) -> int:
        return max(self.size.height - self._head, 1)

    def _keep_in_sight(self) -> None:
        """Scroll so that the cursor is on the screen; where that moves the rows, every line is another.

        Before the table is laid out, its page is not known: a key that comes so early would scroll for a page of one row.
        """
        if not self.size.height:
            return
        page = self._page
        most = max(self.rows.count() - page, 0)
        top = min(self.top, most)
        if self.cursor < top:
            top = self.cursor
        elif self.cursor >= top + page:
            top = self.cursor - page + 1
        self.top = max(0, min(top, self.cursor))
