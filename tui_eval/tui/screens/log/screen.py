"""The log inspector: every attempt of the open run, followed, filtered, sorted, opened."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from textual.widget import Widget
from textual.widgets import Input
from textual.worker import get_current_worker

from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.results.stored_run import StoredRun
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.log.columns import MISSING, cost_of
from tui_eval.runs.log.query import FIELDS, LogQuery
from tui_eval.runs.log.view import LogView, Order
from tui_eval.runs.steering import RunEntry
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.open_run import OpenedRun
from tui_eval.tui.page import Place, ReadingOn, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.log.attempt_dossier import attempt_dossier, owner_of_record, row_of_sample
from tui_eval.tui.screens.result.sample_dossier import SampleDossiers
from tui_eval.tui.screens.result.sample_inspecting import SampleInspecting, SamplePlace
from tui_eval.tui.simulated_badge import pretended
from tui_eval.tui.states import attempt_status
from tui_eval.tui.widgets.cells import Cell, Column, Rows, row_cells
from tui_eval.tui.widgets.filter import FILTERING, Filtered, FilterLine
from tui_eval.tui.widgets.inspector import Dossier, Inspector, Split
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.table import EMPTY, RowTable
from tui_eval.tui.words import clock, count, seconds, usd

Head = Mapping[str, Any]
"""The fields of an attempt's record that stand before its request (`core/records.Attempt`), as the index of a log has them."""


def sample_text(head: Head) -> str:
    """Name the sample of an attempt, without what its other columns say."""
    return safe_line(head["item_id"].removeprefix(head["model"] + "/").removeprefix(NO_DOCUMENT + "/"), 120)


def token_text(head: Head) -> str:
    """Count the tokens of an attempt; "-" where no server told."""
    tokens = head["usage"].get("total_tokens")
    return count(tokens) if isinstance(tokens, int) else "-"


def cost_text(head: Head) -> str:
    """Say what an attempt cost, as the order by cost has it."""
    cost = cost_of(head)
    return "cached" if head["cached"] else "-" if cost == MISSING else usd(cost)


def call_text(head: Head) -> str:
    """Number the call of an attempt within its sample, from 1."""
    return str(head["call_index"] + 1) if isinstance(head["call_index"], int) else "-"


COLUMNS: Sequence[Column[Head]] = (
    Column("status", 12, lambda head: attempt_status(head["status"], head["error_kind"])),
    Column("stage", 6, lambda head: safe_line(head["stage"], 40)),
    Column("item", 18, sample_text, share=3, middle=True),
    Column("model", 10, lambda head: safe_line(head["model"], 80), share=2),
    Column("s", 6, lambda head: seconds(head["latency_ms"]), right=True),
    Column("tokens", 6, token_text, right=True),
    Column("cost", 9, lambda head: (cost_text(head), "dim"), right=True),
    Column("ended", 10, lambda head: (clock(head["ended_at"]), "dim")),
    Column("call", 4, lambda head: (call_text(head), "dim"), right=True),
    Column("attempt", 7, lambda head: (str(head["attempt"] + 1), "dim"), right=True),
    Column("kind of error", 13, lambda head: (safe_line(head["error_kind"]) if head["error_kind"] else "", "warn"), above=119),
    Column("HTTP", 4, lambda head: (safe_line(head["http_status"]), "dim"), right=True, above=119),
)
"""The columns of the log. To add one, add an entry here where it is to stand, and run `scripts/snapshots`."""
SMALL = 80 * 24
"""Places of a terminal that is redrawn on every tick."""
SOON_S = 0.01
"""Between two looks at what a new filter or order has come to."""
ORDERS: tuple[Order | None, ...] = (None, "latency", "cost")
NOTHING = """No run is open. 4 lists the runs; Enter opens one.

A run that was started in any other terminal is there, too."""
NONE_FOUND = """No attempt is like this; Esc clears the filter.

Fields: {fields}, as in
  status:failed model:mini !kind:refused text:"rate limit"   item=q1 is q1 alone   s>10"""
BEING_READ = "The log is being read …"
NO_CALLS = "No call has ended yet. They appear here as they do."


class LogScreen(ReadingOn, Place, SampleInspecting, Filtered):
    """Every attempt, one line each, and beside them the one under the cursor in full."""

    MODE = "log"
    BINDINGS = [
        bind(
            "filter",
            "filter",
            "Filter",
            tooltip=FILTERING,
        ),
        bind("log.follow", "follow", "Follow", tooltip="Follow the end of the log, or stop following"),
        bind(
            "log.next_error",
            "error(1)",
            "Next error",
            tooltip="The next attempt that failed or timed out, round the end",
        ),
        bind(
            "log.previous_error", "error(-1)", "Previous error", show=False, tooltip="The one before that failed or timed out"
        ),
        bind("log.sort", "sort", "Sort", tooltip="Sort by latency, by cost, or as they came"),
        bind("log.reverse", "reverse", "Reverse", show=False, tooltip="The other way round"),
        bind("call.resend", "resend", "Send again", tooltip="Send this call again, with other messages or parameters"),
        bind("record.copy_all", "copy_record", "Copy JSON", show=False, tooltip="Copy the record as JSON"),
        bind("run.results", "app.visit('result')", "Results", show=False, tooltip="The results of this run"),
        bind("back", "back", "Clear the filter, or go back", show=False),
        bind("app.leave", "leave", "Quit", tooltip="Back to where one came from, else quit; runs go on by themselves"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._opened: OpenedRun | None = None
        self._view: LogView | None = None
        self._version = -1
        self._query = LogQuery()
        self._order: Order | None = None
        self._descending = True
        self._next_follow = 0.0
        self._fresh_until = 0.0
        """Until then (monotonic clock) another filter or order is new: the list is looked at more often than ticks come."""
        self._looks_soon = False
        self._handed = ""
        """The filter that another screen asked for."""
        self._held: int | None = None
        """The log's row that the cursor was put on."""
        self._moves = 0
        """The table's, when that was noted."""

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the run and its attempts, the attempts, and the filter."""
        yield Lines(id="about")
        with Split():
            yield RowTable(COLUMNS, id="attempts", empty=NOTHING)
            yield Inspector()
        yield FilterLine(f"words, field:word s<1 item=x, ! for the opposite; fields: {' '.join(FIELDS)}", id="filter")

    def jobs(self) -> Sequence[Job]:
        """The samples that attempts belong to, and their index."""
        return () if self._view is None else (self.dossiers.stored, self.dossiers.questions)

    def on_mount(self) -> None:
        """Say that no run is open, until one is."""
        self._say()

    def look(self) -> None:
        """Show the lines that came to the log since."""
        app = self.eval_app
        if app.opened is not self._opened:
            self._take(app.opened)
        query, app.log_query = app.log_query, None
        if query or (query is not None and not isinstance(self.focused, FilterLine)):  # else a filter is being typed already
            self.query_one(FilterLine).value = self._handed = query
            self.query_one(FilterLine).set_class(self._filtered, "-used")
            if self.in_inspector:
                self.to_list()
            self._show()
        if self._opened is not None and self._version != self._opened.follower.version and not self._too_soon():
            self._version = self._opened.follower.version
            self._stay()
            self.query_one(RowTable).empty = self._nothing()
            self.query_one(RowTable).grown()
            self._say()
        self.read_on()
        if not self._is_sought and (not self.query_one(RowTable).follow or self.inspector.dossier is None):
            self.inspect_again((self._row(), self.inspected_list.where, self._view is not None and self.dossiers.settled))

    def place(self) -> SamplePlace | None:
        """The sample that the attempt under the cursor belongs to; None where results have none."""
        row = self._row()
        record = None if row is None or self._opened is None else self._opened.index.record(row)
        sample = None if record is None else row_of_sample(self.dossiers, record)
        return (
            None
            if sample is None or record is None
            else SamplePlace(sample, owner_of_record(record), self.inspected_list.where)
        )

    def dossier(self, whole: bool) -> Dossier | None:
        """Say what there is of the attempt under the cursor, or of another model's answer to the same."""
        row = self._row()
        if row is None or self._opened is None:
            return None
        if self._walked is not None:
            return super().dossier(whole)
        return attempt_dossier(self._opened, self.dossiers, row, whole, self.inspected_list.where)

    def _too_soon(self) -> bool:
        """Following redraws every line: the larger the terminal, the less often, so that it sends no more than a small one."""
        now = time.monotonic()
        if not self.query_one(RowTable).follow or now < self._fresh_until:
            return False
        if now < self._next_follow:
            return True
        self._next_follow = now + self.eval_app.every_s * (self.size.width * self.size.height / SMALL - 0.5)
        return False

    def _stay(self) -> None:
        """Keep the cursor on the attempt that was looked at while a filter or an order is made anew."""
        table = self.query_one(RowTable)
        if table.follow or self._view is None or self._held is None or table.moves != self._moves:
            return  # or a key has just put it elsewhere
        place = self._view.position(self._held)
        if place is not None:
            table.cursor = place

    def _take(self, opened: OpenedRun | None) -> None:
        """Another run is open: its log, from its end if it is live."""
        self._opened, self._version, self._held = opened, -1, None
        table = self.query_one(RowTable)
        if opened is None:
            self._view = None
            table.empty = NOTHING
            table.show(EMPTY, 0)
            self._say()
            return
        self._view = opened.follower.view()
        self.dossiers = SampleDossiers(StoredRun(opened.path / RESULTS), self.eval_app.settings.letters)
        entry = self.eval_app.entry
        table.follow = entry is not None and entry.live
        table.show(Rows(self._count, self._cells), 0)
        self._show()

    def _count(self) -> int:
        return self._view.count if self._view else 0

    def _cells(self, position: int) -> Sequence[Cell]:
        row = self._view.row(position) if self._view else None
        return cells(self._opened.index.head(row) if self._opened and row is not None else None)

    def _row(self) -> int | None:
        """The log's row under the cursor."""
        return self._view.row(self.query_one(RowTable).cursor) if self._view else None

    def _show(self) -> None:
        """Filter and sort as wished; the cursor stays on its attempt where that is still shown."""
        if self._view is None:
            return
        table, row = self.query_one(RowTable), self._row()
        self._query = LogQuery.parse(self.query_one(FilterLine).value)
        self._view.show(self._query, self._order, self._descending)
        if not table.follow:
            place = self._view.position(row) if row is not None and self._order is None else None
            table.cursor = place or 0
        table.empty = self._nothing()
        self._fresh_until = time.monotonic() + self.eval_app.every_s
        self._look_again()

    def _look_again(self) -> None:
        """Look soon at what the new filter or order has come to: now the list would be empty, and at the next tick late."""
        if not self._looks_soon:
            self._looks_soon = True
            self.set_timer(SOON_S, self._look_soon)

    def _look_soon(self) -> None:
        self._looks_soon = False
        if self.is_current and self.is_attached and self._view is not None:
            with self.eval_app.guarded():
                self._version = -1
                self.look()
                if self._is_sought:
                    self._look_again()

    @property
    def _is_sought(self) -> bool:
        """Return whether a new filter or order is still worked out: the entry beside it would go, and come again."""
        return self._view is not None and not self._view.done and time.monotonic() < self._fresh_until

    def _nothing(self) -> str:
        """Why no attempt is shown: what was not looked at yet is not missing."""
        if self._opened is None or self._view is None:
            return NOTHING
        if self._opened.index.behind() or not self._view.done:
            return BEING_READ
        hint = f"There is {safe_line(self._query.hint, 200)}\n\n" if self._query.hint else ""
        return hint + NONE_FOUND.format(fields=" ".join(FIELDS)) if self._filtered else NO_CALLS

    @property
    def _filtered(self) -> bool:
        return bool(self.query_one(FilterLine).value.strip())

    def _say(self) -> None:
        self.query_one("#about", Lines).say(*self._about())

    def _about(self) -> Iterable[Piece]:
        opened, view = self._opened, self._view
        if opened is None or view is None:
            return [("no run is open", "dim")]
        index = opened.index
        entry = self.eval_app.entry
        pieces: list[Piece] = [(safe_line(entry.name if entry and entry.name else opened.run_id, 30), "strong"), "  "]
        if self._filtered:
            share = f", {100 * view.examined // max(index.lines, 1)} % looked at" if view.examined < index.lines else ""
            whose = f"calls of {safe_line(self._query.item, 40)}: " if self._query.item else ""
            pieces.append((f"{whose}{count(view.count)} of {count(index.lines)} lines{share}", "accent"))
        else:
            pieces.append(self._attempts(index.lines, entry))
        if self._order is not None:
            way = "highest first" if self._descending else "lowest first"
            pieces.append((f"  by {self._order}, {way}" + ("" if view.ordered else ": sorting"), "accent"))
        if index.read < index.lines or index.bytes_seen < index.bytes_total:
            pieces.append((f"  indexing {100 * index.read // max(index.lines, 1)} %", "warn"))
        if index.damaged:
            pieces.append((f"  {count(index.damaged)} damaged lines", "warn"))
        if self.query_one(RowTable).follow:
            pieces.append(("  following the end", "good"))
        if entry is not None and entry.simulated:
            pieces.append((f"  {pretended(entry.made_up)}", "warn"))
        return pieces

    def _attempts(self, lines: int, entry: RunEntry | None) -> str:
        """Count the attempts that the log has, in words; lines of calls that were never sent are none."""
        unsent = 0 if entry is None or entry.live else (entry.not_sent or 0) + (entry.skipped or 0)
        is_told = 0 < unsent <= lines
        return f"{count(lines - unsent)} attempts, {count(unsent)} calls not sent" if is_told else f"{count(lines)} attempts"

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as it is typed."""
        self._held = self._row() if self._held is None else self._held
        self._show()

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Moving away from the end ends following."""
        self._held, self._moves = self._row(), event.table.moves
        self._say()

    async def action_back(self) -> None:
        """Clear a filter that was typed; else back to where one came from."""
        typed = self.query_one(FilterLine).value
        if (typed and typed != self._handed) or not await self.eval_app.step_back():
            self.query_one(FilterLine).action_clear()

    def action_follow(self) -> None:
        """Follow the end, or stay where one is."""
        table = self.query_one(RowTable)
        table.follow = not table.follow
        table.grown()
        self._say()

    def action_error(self, step: int) -> None:
        """On to the next attempt that failed, within what is shown, and round its end; a long way is gone in the background."""
        row = self._row()
        if self._filtered and self.in_inspector:
            self.query_one(RowTable).action_round(step)
            if self._count() < 2:
                self.say_here("nothing else is found")
        elif row is not None:
            cursor = self.query_one(RowTable).cursor
            seek = partial(next, self._errors(row, cursor, 1 if step > 0 else -1), None)
            beside(self, seek, partial(self._at_error, cursor, step), group="error", keys_wait=False)

    def _at_error(self, cursor: int, step: int, place: int | None) -> None:
        if place is None:
            self.say_here("no error is shown")
            return
        if place == cursor:
            self.say_here("no other error is shown")
        elif (place - cursor) * step < 0:
            self.say_here("past the end: on from the top" if step > 0 else "past the top: on from the end")
        table = self.query_one(RowTable)
        table.follow = False
        table.move(place)
        self._say()

    def _errors(self, row: int, cursor: int, step: Literal[1, -1]) -> Iterator[int]:
        """Yield the places of the failed attempts that are shown, from the one after the cursor round to the cursor's own."""
        if self._view is None or self._opened is None:
            return
        worker = get_current_worker()
        if self._order is not None:
            number = self._view.count
            around = ((cursor + step * far) % number for far in range(1, number + 1))
            yield from (place for place in around if worker.is_cancelled or self._failed(place))
            return
        for error_row in self._opened.index.errors_from(row, step):
            if worker.is_cancelled:
                return
            if (place := self._view.position(error_row)) is not None:
                yield place

    def _failed(self, place: int) -> bool:
        row = self._view.row(place) if self._view else None
        return self._opened is not None and row is not None and self._opened.index.failed(row)

    def action_sort(self) -> None:
        """By latency, by cost, or as they came."""
        self._order, self._held = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)], None
        self.query_one(RowTable).follow = False
        self._show()
        self.query_one(RowTable).action_first()

    def action_reverse(self) -> None:
        """The other way round; unsorted there is no other way."""
        if self._order is None:
            self.eval_app.say("they stand as they came; , sorts by latency, then by cost")
        else:
            self._descending, self._held = not self._descending, None
            self._show()
            self.query_one(RowTable).action_first()

    def action_copy_record(self) -> None:
        """The record under the cursor, as it stands in the log."""
        row = self._row()
        if row is not None and self._opened is not None:
            self.eval_app.copy_text(self._opened.index.raw(row).decode("ascii", "backslashreplace"))

    def action_resend(self) -> None:
        """Send the call under the cursor again, changed."""
        row = self._row()
        head = self._opened.index.head(row) if row is not None and self._opened is not None else None
        if self._opened is not None and head is not None:
            self.eval_app.send_again(self._opened.path, head["attempt_id"])
        else:
            self.eval_app.say("there is no attempt under the cursor to send again", bad=True)


def cells(head: Head | None) -> Sequence[Cell]:
    """Return the cells of an attempt; a line that is no attempt says so in the first of them."""
    return [attempt_status("damaged", None)] if head is None else row_cells(COLUMNS, head)
