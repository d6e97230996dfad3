"""One attempt in full: what was sent, what came back, what it took, and the other attempts of its call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from textual.widget import Widget

from tui_eval.core.plaintext import visible
from tui_eval.tui.keymap import bind
from tui_eval.tui.open_run import OpenedRun
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.dialogs.saving import TextPage, save_text
from tui_eval.tui.screens.log.record_text import ATTEMPTS, JSON, REPLY, Record, headline, json_of, part_text, parts_of
from tui_eval.tui.states import attempt_status
from tui_eval.tui.widgets.cells import Cell, Column, ListedRows, row_cells
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.sections import InSections, Sections
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Reading
from tui_eval.tui.words import clock, seconds, usd


class CallRow(NamedTuple):
    """Row of the list: an attempt of the call, as the index of the log has it."""

    head: Mapping[str, Any]
    on_show: bool
    """Whether it is the one that is read."""


def _message(row: CallRow) -> str:
    return safe_line(row.head["error_message"]) if row.head["error_message"] else ""


COLUMNS: Sequence[Column[CallRow]] = (
    Column("", 2, lambda row: "→" if row.on_show else ""),
    Column("status", 12, lambda row: attempt_status(row.head["status"], row.head["error_kind"])),
    Column("attempt", 7, lambda row: str(row.head["attempt"] + 1), right=True),
    Column("s", 7, lambda row: seconds(row.head["latency_ms"]), right=True),
    Column("cost", 9, lambda row: usd(row.head["usage"].get("cost_usd")), right=True),
    Column("ended", 10, lambda row: clock(row.head["ended_at"])),
    Column("message", 20, _message, share=1),
)


class AttemptScreen(TextPage, InSections):
    """An attempt opened from the log."""

    MODE = "log"
    CSS = """
    AttemptScreen #others { display: none; }
    AttemptScreen.-others #others { display: block; }
    AttemptScreen.-others Reading { display: none; }
    """
    BINDINGS = [
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("pane.next", "part(1)", "Next part"),
        bind("pane.previous", "part(-1)", "Previous part", show=False),
        bind("record.next", "step(1)", "Next", tooltip="The next attempt of the list"),
        bind("record.previous", "step(-1)", "Previous", show=False, tooltip="The attempt before it in the list"),
        bind("record.copy", "copy", "Copy", tooltip="Copy this part"),
        bind("call.resend", "resend", "Send again", tooltip="Send this call again, with other messages or parameters"),
        bind("record.copy_all", "copy_all", "Copy all", show=False, tooltip="Copy the whole record as JSON"),
        bind("record.write", "write", "Write", tooltip="Write this part to a file, whose path is shown"),
        bind("record.pager", "pager", "Pager", show=False, tooltip="Read this part in $PAGER"),
        bind("record.whole", "whole", "All of it", show=False, tooltip="Show long texts in full"),
    ]

    def __init__(self, opened: OpenedRun, row: int, neighbour: Callable[[int, int], int | None]) -> None:
        super().__init__()
        self._opened = opened
        self._row = row
        self._neighbour = neighbour
        self._record: Record | None = None
        self._others: list[int] = []

    def parts(self) -> Iterable[Widget]:
        """A headline, the parts' names, and the part."""
        yield Lines(id="about")
        yield Sections([REPLY], id="parts")
        yield Reading()
        yield RowTable(COLUMNS, id="others")

    def on_mount(self) -> None:
        """Read the record."""
        super().on_mount()
        self._take(self._row)
        self.query_one(Reading).focus()

    def _take(self, row: int) -> None:
        self._row = row
        self._record = self._opened.index.record(row)
        self._others = self._opened.index.same_call(row)
        sections = self.query_one(Sections)
        about = self.query_one("#about", Lines)
        if self._record is None:
            about.say(("this line of the log is no attempt", "warn"))
            sections.offer([JSON])
            self.remove_class("-others")
            raw = self._opened.index.raw(row, LONGEST_TEXT).decode("utf-8", "replace")
            self.query_one(Reading).show([(safe(raw), ""), ("w writes the line to a file", "dim")])
            return
        about.say(*headline(self._record))
        sections.offer(parts_of(self._record))
        self._show()

    def _show(self, whole: bool = False) -> None:
        if self._record is None:
            return
        part = self.query_one(Sections).chosen
        self.set_class(part == ATTEMPTS, "-others")
        if part == ATTEMPTS:
            table = self.query_one(RowTable)
            table.show(ListedRows([self._attempt_cells(row) for row in self._others]), self._others.index(self._row))
            table.focus()
            return
        reading = self.query_one(Reading)
        reading.show(part_text(self._record, part, whole), keep_place=whole)
        reading.focus()

    def _attempt_cells(self, row: int) -> list[Cell]:
        head = self._opened.index.head(row)
        if head is None:
            return ["", attempt_status("damaged", None)]
        return row_cells(COLUMNS, CallRow(head, row == self._row))

    def on_sections_switched(self, event: Sections.Switched) -> None:
        """Show the part."""
        self._show()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Another attempt of the same call."""
        if event.row < len(self._others):
            self._take(self._others[event.row])

    def action_step(self, by: int) -> None:
        """The next attempt of the list, with the same part."""
        row = self._neighbour(self._row, by)
        if row is None:
            self.say_here("that was the last one" if by > 0 else "that was the first one")
        else:
            self._take(row)

    def action_whole(self) -> None:
        """Long texts in full."""
        self._show(whole=True)

    def action_copy_all(self) -> None:
        """The record."""
        if self._record is not None:
            self.eval_app.copy_text(json_of(self._record))

    def action_write(self) -> None:
        """The part as a file."""
        part = self.query_one(Sections).chosen.lower()
        record = self._record or {}
        suffix = "json" if part == JSON.lower() else "txt"
        name = f"attempt-{record.get('attempt_id', self._row)}-{part}.{suffix}"
        save_text(self, name, self.text)

    def action_resend(self) -> None:
        """Send the call again, changed."""
        if self._record is None:
            self.eval_app.say("this line of the log is no attempt: there is nothing to send again", bad=True)
        else:
            self.eval_app.send_again(self._opened.path, self._record["attempt_id"])

    @property
    def text(self) -> str:
        """The part that is shown, in full, as text that steers no terminal."""
        part = self.query_one(Sections).chosen
        if self._record is None:
            return visible(self._opened.index.raw(self._row).decode("utf-8", "replace"))
        if part == ATTEMPTS:
            return "\n".join(
                "  ".join(c if isinstance(c, str) else c[0] for c in self._attempt_cells(row)) for row in self._others
            )
        if part == JSON:
            return json_of(self._record)
        return "\n".join(text for text, _ in part_text(self._record, part, whole=True))
