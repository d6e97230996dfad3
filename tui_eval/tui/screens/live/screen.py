"""The live screen of one run: how far it is, what it costs, how fast it is, which models lag, what fails and why."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from textual.widget import Widget
from textual.worker import Worker

from tui_eval.runs.entry import RunEntry
from tui_eval.runs.folder import CONFIG
from tui_eval.tui.keymap import bind
from tui_eval.tui.open_run import OpenedRun
from tui_eval.tui.page import Place
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.help import Help
from tui_eval.tui.screens.live import live_lines, question_progress
from tui_eval.tui.screens.live.log_figures import (
    CAUSE_COLUMNS,
    MOST_LINES,
    STAGE_COLUMNS,
    LogSnapshot,
    Window,
    brief,
    cause_cells,
    planned_lines,
    query_of_cause,
    query_of_line,
    rare_causes,
    stage_cells,
    take,
)
from tui_eval.tui.screens.runs.screen import BEING_READ, NO_RUNS, offered
from tui_eval.tui.states import FAILED_AGAIN
from tui_eval.tui.widgets.cells import Cell, ListedRows
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.table import RowTable

Row = TypeVar("Row")
PLAN = "plan.json"
LOG_BEING_READ = " the log is being read …"
NEARLY_READ = 0.99
"""A log that grows is always a little ahead of what was read of it; only more than that is said."""
TALL = 38
"""Rows of a terminal from which on the parts stand apart."""
LINES = ("title", "progress", "counters", "money", "times", "note", "pace", "latency", "stages-head")
SPACED = ("progress", "counters", "pace", "stages-head", "causes-head")
FIXED = 14
"""Rows that are neither table's: the lines above, the note's second one, the title of the failures, and the frame's three."""
MOST_MADE = 4
"""Documents in sight whose questions are counted."""
TAKE_EVERY_S = 1.0
REST = 20
"""Figures are taken again only after this many times as long as taking them took, so that a huge log costs 5 % at most."""


class LiveScreen(Place):
    """The monitor of the open run, live or ended."""

    MODE = "run"
    AUTO_FOCUS = "#stages"
    """Also where a table of questions stands above it when the screen is laid out."""
    CSS = """
    LiveScreen #nothing { height: 1fr; display: none; padding: 1; }
    LiveScreen.-nothing .run { display: none; }
    LiveScreen.-nothing #nothing { display: block; }
    LiveScreen #note { height: 2; }
    LiveScreen #stages { height: 3; }
    LiveScreen #made { display: none; height: 2; }
    LiveScreen.-made #made { display: block; }
    LiveScreen.-tall .spaced { margin-top: 1; }
    """
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]
    BINDINGS = [
        bind("run.stop", "stop", "Stop", tooltip="Stop the run: calls in flight finish; asks first"),
        bind("run.pause", "pause", "Pause", tooltip="Pause the run, or let a paused one go on"),
        bind(
            "run.resume", "resume", "Resume", tooltip="Finish a run that was interrupted; what is answered is not asked again"
        ),
        bind("run.resume_failed", "resume(True)", "Retry failed", tooltip=FAILED_AGAIN),
        bind("run.log", "app.visit('log')", "Log", tooltip="Every call of the run (screen 6)"),
        bind("run.results", "results", "Results", tooltip="What the run came to so far"),
        bind("run.review", "review", "Review", tooltip="Look through the set of questions that the run made"),
        bind("run.bring", "app.bring", "Bring", tooltip="Bring my documents or questions, to the screen of datasets"),
        bind(
            "record.whole",
            "whole",
            "Whole note",
            show=False,
            tooltip="Say in full why the limit was lowered, or why the run ended",
        ),
        bind("back", "back", "Back", show=False, tooltip="Back to where one came from"),
        bind("pane.next", "app.focus_next", "Next part", show=False),
        bind("pane.previous", "app.focus_previous", "Part before", show=False),
        bind("app.leave", "leave", "Quit", tooltip="Back to where one came from, else quit; runs go on by themselves"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._of: OpenedRun | None = None
        self._taken = LogSnapshot()
        self._worker: Worker[LogSnapshot] | None = None
        self._version = -1
        self._next_take = 0.0
        self._points = 0
        self._shown: LogSnapshot | None = None
        """What stands in the tables."""
        self._made: Sequence[Sequence[Cell]] = ()

    async def action_back(self) -> None:
        """Back to where one came from."""
        await self.eval_app.step_back()

    def offers(self, action: str) -> bool | str:
        """Return whether a key applies to the run as it stands, or its label."""
        return offered(action, self.eval_app.entry)

    def parts(self) -> Iterable[Widget]:
        """Lines of figures, a table of stages and models, a table of failures."""
        yield Lines(id="nothing")
        for name in LINES:
            if name == "stages-head":
                yield RowTable(question_progress.COLUMNS, id="made").add_class("run")
            yield Lines(id=name, classes="run spaced" if name in SPACED else "run")
        stages, causes = (
            RowTable(STAGE_COLUMNS, id="stages", empty=LOG_BEING_READ),
            RowTable(CAUSE_COLUMNS, id="causes", header=False),
        )
        yield stages.add_class("run")
        yield Lines(id="causes-head", classes="run spaced")
        yield causes.add_class("run")

    def look(self) -> None:
        """The run as it is now."""
        if self.eval_app.opened is None:
            self.eval_app.open_first()
        opened, entry = self.eval_app.opened, self.eval_app.entry
        nothing = self._why_nothing(opened, entry)
        self.set_class(bool(nothing), "-nothing")
        if not nothing and self.focused is None:
            self.query_one("#stages", RowTable).focus()
        if nothing:
            self.query_one("#nothing", Lines).say(nothing)
        if opened is None or entry is None:
            return
        now = time.time()
        self._keep_taking(opened, entry, now)
        self._say_lines(entry, now)
        self._show_made(opened)
        self._show_tables()

    def joined(self, latest: RunEntry | None) -> RunEntry | None:
        """Return the run as of the moment that the figures of its log are of."""
        if self.eval_app.opened is not self._of:
            self._of, self._taken, self._worker = self.eval_app.opened, LogSnapshot(), None
            self._version, self._next_take = -1, 0.0
        if self._worker is not None and self._worker.is_finished:
            self._taken, self._worker = self._worker.result or self._taken, None
        return self._taken.joined(latest)

    # what is shown

    def _why_nothing(self, opened: OpenedRun | None, entry: RunEntry | None) -> str:
        if opened is None:
            return NO_RUNS if self.eval_app.board.version else BEING_READ
        if entry is not None:
            return ""
        name = safe_line(opened.run_id, 60)
        if (opened.path / CONFIG).is_file():
            return f"{name}: its folder is being read"
        return (
            f"The run folder {name} is gone: it was deleted or moved.\n\nIt is shown again if it comes back. 4 lists the runs."
        )

    def _say_lines(self, entry: RunEntry, now: float) -> None:
        room = self._room
        lines = {
            "title": live_lines.title(entry, room),
            "progress": live_lines.progress(entry, room),
            "counters": live_lines.counters(entry, room),
            "money": live_lines.money(entry, self._taken, room),
            "times": live_lines.times(entry, self._taken, now, room),
            "note": live_lines.note(entry, now, room, self.eval_app.board.since(entry.path)),
            "pace": live_lines.pace(entry, self._taken, now, room),
            "latency": live_lines.latencies(self._taken, room),
        }
        for name, pieces in lines.items():
            self.query_one(f"#{name}", Lines).say(*pieces)

    def _show_made(self, opened: OpenedRun) -> None:
        """Show the progress of a run that makes questions, by document."""
        rows = question_progress.made_rows(opened.table(question_progress.PROGRESS))
        self.set_class(bool(rows), "-made")
        if rows != self._made:
            self._made = rows
            table = self.query_one("#made", RowTable)
            table.show(ListedRows(rows), table.cursor)
            table.styles.height = min(len(rows), MOST_MADE) + 1

    def _show_tables(self) -> None:
        stages, causes = self.query_one("#stages", RowTable), self.query_one("#causes", RowTable)
        figures, before = self._taken, self._shown
        if figures is not before:
            self._shown = figures
            place = _place(before.lines if before else (), stages.cursor, figures.lines, lambda line: (line.stage, line.model))
            stages.show(ListedRows([stage_cells(line) for line in figures.lines]), place)
            place = _place(
                before.causes if before else (), causes.cursor, figures.causes, lambda c: (c.kind, c.model, c.message)
            )
            is_read = figures.window is not None and (figures.read is None or figures.read >= NEARLY_READ)
            stages.empty = " nothing was sent yet" if is_read else LOG_BEING_READ
            causes.empty = " no attempt has failed" if is_read else LOG_BEING_READ
            causes.show(ListedRows(_cause_rows(figures)), place)
        self._share_rows(stages, causes)
        self._say_headings(stages, causes)

    def _share_rows(self, stages: RowTable, causes: RowTable) -> None:
        """As many rows for stages and models as they have, but some for the failures; laid out anew only when that changes."""
        free = self.size.height - FIXED - (len(SPACED) if self.size.height >= TALL else 0)
        free -= min(len(self._made), MOST_MADE) + 1 if self._made else 0
        for_causes = max(min(causes.rows.count(), free * 2 // 5), 1)
        height = max(min(max(stages.rows.count(), 1) + 1, free - for_causes), 2)
        if stages.styles.height is None or stages.styles.height.value != height:
            stages.styles.height = height

    def _say_headings(self, stages: RowTable, causes: RowTable) -> None:
        figures, room = self._taken, self._room
        more = "" if figures.read is None or figures.read >= NEARLY_READ else f", log read to {int(100 * figures.read)} %"
        more += f": more than {MOST_LINES} pairs, see the log" if figures.too_many else ""
        right = live_lines.shown_of(stages.top, stages.size.height - 1, len(figures.lines))
        self.query_one("#stages-head", Lines).say(*live_lines.heading(f"attempts by stage and model{more}", right, room))
        failed = (
            f": {brief(figures.failed)} in {len(figures.causes)} group{'s' * (len(figures.causes) != 1)}"
            if figures.failed
            else ""
        )
        right = live_lines.shown_of(causes.top, causes.size.height, causes.rows.count())
        self.query_one("#causes-head", Lines).say(*live_lines.heading(f"failed attempts by cause{failed}", right, room))

    @property
    def _room(self) -> int:
        return max(self.size.width - 2, 1)

    # the log's figures, taken in a thread

    def _keep_taking(self, opened: OpenedRun, entry: RunEntry, now: float) -> None:
        """Take figures in a thread, when it is time."""
        if self._worker is not None:
            return
        version, points = opened.follower.version, live_lines.points(self._room)
        stale = entry.live or version != self._version or points != self._points or entry is not opened.latest
        if stale and time.monotonic() >= self._next_take:
            self._version, self._points = version, points
            self._begin(opened, Window.of(points, live_lines.spanned_s(entry, now), entry.live, now))

    def _begin(self, opened: OpenedRun, window: Window) -> None:
        def work() -> LogSnapshot:
            begun = time.monotonic()
            plan = planned_lines(opened.table(PLAN))
            figures = take(opened.follower.index, plan, window, lambda: opened.latest)
            self._next_take = time.monotonic() + max(TAKE_EVERY_S, REST * (time.monotonic() - begun))
            return figures

        self._next_take = time.monotonic() + TAKE_EVERY_S
        self._worker = self.run_worker(work, thread=True, exit_on_error=False, group="figures")

    # what keys do

    def _with_entry(self, deed: Callable[[RunEntry], None]) -> None:
        entry = self.eval_app.entry
        if entry is None:
            self.eval_app.say("no run is open", bad=True)
        else:
            deed(entry)

    def action_stop(self) -> None:
        """Stop the run, once it is confirmed."""
        self._with_entry(self.eval_app.run_actions.stop)

    def action_pause(self) -> None:
        """Pause it, or let it go on."""
        self._with_entry(self.eval_app.run_actions.pause)

    def action_resume(self, failed: bool = False) -> None:
        """Take it up again in a process of its own."""
        self._with_entry(lambda entry: self.eval_app.run_actions.resume(entry, failed))

    def action_whole(self) -> None:
        """Say the notes in full."""
        self._with_entry(self._show_notes)

    def _show_notes(self, entry: RunEntry) -> None:
        notes = live_lines.notes(entry, time.time(), self.eval_app.board.since(entry.path))
        self.app.push_screen(Help("What there is to say of the run", [*notes] or [("-", "")]))

    async def action_review(self) -> None:
        """The questions that the run made."""
        if self.eval_app.entry is not None:
            await self.eval_app.review(self.eval_app.entry.path)

    async def action_results(self) -> None:
        """Open the results of the run."""
        if self.eval_app.opened is None:
            self.eval_app.say("no run is open", bad=True)
        else:
            await self.eval_app.action_visit("result")

    async def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """The attempts behind a line."""
        figures = self._shown or LogSnapshot()
        if event.table.id == "made":
            await self.action_review()
            return
        if event.table.id == "stages" and event.row < len(figures.lines):
            self.eval_app.log_query = query_of_line(figures.lines[event.row])
        elif event.row < len(figures.causes):
            self.eval_app.log_query = query_of_cause(figures.causes[event.row])
        else:
            self.eval_app.log_query = "status:failed"
        await self.eval_app.action_visit("log")


def _cause_rows(figures: LogSnapshot) -> list[Sequence[Cell]]:
    rare_rows = [rare_causes(figures.other_failures)] if figures.other_failures else []
    return [cause_cells(cause) for cause in (*figures.causes, *rare_rows)]


def _place(before: Sequence[Row], cursor: int, after: Sequence[Row], key: Callable[[Row], object]) -> int | None:
    """Return the new place of the row under the cursor, so that the cursor stays on it; None where it is gone."""
    if cursor >= len(before):
        return None
    return next((place for place, row in enumerate(after) if key(row) == key(before[cursor])), None)
