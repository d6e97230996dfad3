"""Every run of the workspace, live and finished: found, opened, stopped, taken up again, thrown away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual.widget import Widget

from tui_eval.core.plaintext import count_of
from tui_eval.results.report_verdict import LIVE, UNREAD, ReportVerdict
from tui_eval.results.run_verdicts import RunVerdicts
from tui_eval.runs import steering
from tui_eval.runs.steering import RunEntry
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import ReadingOn, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.screens.live.question_progress import makes_set
from tui_eval.tui.screens.runs.run_keys import RunKeys
from tui_eval.tui.simulated_badge import spent, spent_in_short
from tui_eval.tui.states import FAILED_AGAIN, run_state
from tui_eval.tui.widgets.cells import Cell, Column, fitted_columns
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.list_view import ListView
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.verdict_text import VerdictText
from tui_eval.tui.words import count, moment


@dataclass(frozen=True, slots=True)
class RunRow:
    """Row of the list: a run, whether it is marked, and which it is of its name."""

    entry: RunEntry
    marked: bool = False
    number: int | None = None
    verdict: ReportVerdict = UNREAD

    @property
    def failed(self) -> int | None:
        """Number of its attempts that failed."""
        return None if self.entry.error is None else self.entry.error + (self.entry.timeout or 0)


def name_cell(row: RunRow) -> Cell:
    """Name a run; a sign says that it is marked, a number which of that name it is."""
    sign, number = "● " if row.marked else "", f"#{row.number} " if row.number else ""
    name = sign + number + safe_line(row.entry.name or row.entry.run_id)
    return (name, "strong") if row.marked else name


def progress_cell(row: RunRow) -> Cell:
    """Say how far a run is."""
    part = row.entry.part
    return "-" if part is None else f"{int(100 * part)} %", "accent" if row.entry.live else "dim"


def verdict_cell(row: RunRow) -> Cell:
    """Say who leads, or of how many nobody is shown to."""
    return safe_line(row.verdict.outcome, 80), "strong" if row.verdict.finding == "leader" else "dim"


COLUMNS: Sequence[Column[RunRow]] = (
    Column("state", 13, lambda row: run_state(row.entry.state)),
    Column("name", 13, name_cell, share=3, value=lambda row: safe_line(row.entry.name or row.entry.run_id)),
    Column("kind", 8, lambda row: safe_line(row.entry.kind), above=89),
    Column("verdict", 23, verdict_cell, share=2),
    Column(
        "models", 40, lambda row: (safe_line(", ".join(row.entry.models), LONGEST), "dim"), share=1, above=169, field="model"
    ),
    Column(
        "done",
        5,
        progress_cell,
        right=True,
        field="progress",
        value=lambda row: None if row.entry.part is None else 100 * row.entry.part,
    ),
    Column(
        "failed", 6, lambda row: (count(row.failed), "bad" if row.failed else "dim"), right=True, value=lambda row: row.failed
    ),
    Column("cost", 12, lambda row: spent_in_short(row.entry), right=True),
    Column("started", 11, lambda row: moment(row.entry.started_at), above=99, value=lambda row: row.entry.started_at),
    Column("run", 20, lambda row: (safe_line(row.entry.run_id), "dim"), share=4, above=110),
)
BEING_READ = "The runs of this workspace are being read …"
NO_RUNS = """No runs in this workspace yet. Three ways to begin:

  s  run an example, or set up a run: examples are simulated and cost nothing
  1  bring my models: list them, add one, look which a server has
  b  bring my documents or questions: questions are written about documents

A run that is started in another terminal appears here by itself:
  tui-eval run quickstart          a panel of simulated models; no key
  tui-eval run choice              a multiple-choice exam, likewise
  tui-eval run my-config.toml      your own"""
FINISHED = ("done", "incomplete", "aborted")
MOST_CHANGES, LONGEST_CHANGE = 3, 100
MEASURED = 200
"""Rows that columns are as wide as, the first ones."""
LONGEST = 3_000
"""Signs of a verdict."""


class RunsScreen(RunKeys, ReadingOn, SortableList[RunRow]):
    """The list of runs."""

    MODE = "results"
    BINDINGS = [
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("run.new", "app.new_run", "New run", tooltip="Set up a run: from an example, a kind, a config, an earlier run"),
        bind("run.bring", "app.bring", "Bring", tooltip="Bring my documents or questions, to the screen of datasets"),
        bind("list.mark", "mark", "Mark", tooltip="Mark the run for Compare, or take its mark away"),
        bind("run.compare", "compare", "Compare", tooltip="Compare the marked runs, or else the models of this one"),
        bind("run.watch", "show('run')", "Monitor", tooltip="Watch the run live (screen 3)"),
        bind("run.log", "show('log')", "Log", tooltip="Every call of the run (screen 6)"),
        bind("run.results", "show('result')", "Results", show=False, tooltip="What the run came to, so far or for good"),
        bind("run.review", "review", "Review", tooltip="Look through the set of questions that the run made"),
        bind("run.stop", "stop", "Stop", tooltip="Stop the run: calls in flight finish; asks first"),
        bind("run.pause", "pause", "Pause", tooltip="Pause a running run, or let a paused one go on"),
        bind(
            "run.resume", "resume", "Resume", tooltip="Finish a run that was interrupted; what is answered is not asked again"
        ),
        bind("run.resume_failed", "resume(True)", "Retry failed", tooltip=FAILED_AGAIN),
        bind("run.delete", "delete", "Delete", show=False, tooltip="Delete the run folder for good; asks first"),
        bind("run.path", "path", "Path", show=False, tooltip="Show where the run folder is, and copy it"),
        bind("record.copy", "copy", "Copy", show=False, tooltip="Copy the verdict of the run"),
        bind("back", "back", "Clear the filter", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._version = (-1, 0)
        """Of the runs, and of their verdicts."""
        self._verdicts = RunVerdicts()
        self.view = ListView(COLUMNS, lambda row: "live" if row.entry.live else "")
        self._known: frozenset[Path] = frozenset()
        """The runs that the list had when it was last seen."""
        self._back = False
        """Whether the list has just come back on show."""
        self._numbers: dict[Path, int] = {}
        self._marked: set[Path] = set()
        """The runs that are to be compared, by their folders."""
        self._changes: dict[tuple[Path, Path], list[str] | None] = {}
        """What a run has otherwise than the one of its name before it; None while it is looked for."""

    def parts(self) -> Iterable[Widget]:
        """The list, the filter, and a line that says how many are shown."""
        yield RowTable(COLUMNS, id="runs", empty=BEING_READ)
        yield FilterLine(self.view.help_words(), id="filter")
        yield VerdictText(id="verdict", least=2)
        yield Lines(id="shown")

    def on_screen_resume(self) -> None:
        """Back on show: the cursor goes to a run that began meanwhile."""
        self._back, self._version = True, (-1, 0)

    def look(self) -> None:
        """The runs as they are now."""
        board = self.eval_app.board
        self.read_on()
        before, self._version = self._version, (board.version, self._verdicts.version)
        if before == self._version:
            self._back = False
            return
        self.show_list()
        if before[0] != board.version:
            self._ask_verdicts()

    def jobs(self) -> Sequence[Job]:
        """The verdicts of the runs, those in sight first."""
        return (self._verdicts,)

    def _ask_verdicts(self, anew: bool = True) -> None:
        """Have verdicts read: first of the runs in sight. A run that goes on has none."""
        table = self.query_one(RowTable)
        visible = [row.entry for row in self.listed[table.top : table.top + table.size.height]]
        order = dict.fromkeys(entry.path for entry in (*visible, *self.eval_app.board.entries) if not entry.live)
        self._verdicts.ask(order, anew)

    def _row(self, entry: RunEntry) -> RunRow:
        verdict = LIVE if entry.live else self._verdicts.of(entry.path)
        return RunRow(entry, entry.path in self._marked, self._numbers.get(entry.path), verdict)

    def offers(self, action: str) -> bool | str:
        """Return whether a key applies to the run under the cursor, or its label."""
        return offered(action, self.chosen)

    @property
    def chosen(self) -> RunEntry | None:
        """The run under the cursor."""
        return None if self.current is None else self.current.entry

    def entries(self) -> Sequence[RunRow]:
        """All runs of the workspace."""
        return [*map(self._row, self.eval_app.board.entries)]

    async def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Open the run: a live one on the monitor, a finished one with its results."""
        entry = self.chosen
        if entry is not None:
            self.eval_app.open_run(entry.path)
            await self.eval_app.action_visit("run" if entry.live or entry.state not in FINISHED else "result")

    async def action_back(self) -> None:
        """Clear the filter."""
        self.query_one(FilterLine).action_clear()

    async def action_show(self, mode: str) -> None:
        """Open the run on another screen: the monitor, the log, its results."""
        if self.chosen is not None:
            self.eval_app.open_run(self.chosen.path)
            await self.eval_app.action_visit(mode)

    def action_mark(self) -> None:
        """Mark the run, or take its mark away."""
        if self.chosen is not None:
            self._marked ^= {self.chosen.path}
            self.show_list()

    def action_compare(self) -> None:
        """The marked runs, whether the filter shows them or not; without marks the models of the run under the cursor."""
        marked = [entry.path for entry in reversed(self.eval_app.board.entries) if entry.path in self._marked]
        paths = marked or ([] if self.chosen is None else [self.chosen.path])
        if paths:
            self.eval_app.show("compare", paths)

    def action_delete(self) -> None:
        """Throw it away, once it is confirmed."""
        entry = self.chosen
        if entry is None:
            return
        if entry.live:
            self.eval_app.say(f"{entry.run_id} is running: stop it first (x)", bad=True)
            return
        words = f"Delete {safe_line(entry.run_id, 60)} for good?"
        paid = "simulated" if entry.made_up == "all" else f"paid with {spent(entry)}"
        consequence = f"Its folder is deleted, with the replies of {count(entry.answered)} calls, {paid}."
        confirm(self.app, words, consequence, partial(self._delete, entry))

    def _delete(self, entry: RunEntry) -> None:
        """In the background: a run of many repeats has thousands of files."""
        work = partial(steering.delete, entry.path)
        beside(self, work, partial(self._deleted, entry), outlives=True, keys_wait=False)

    def _deleted(self, entry: RunEntry, done: None) -> None:
        self.eval_app.close_run(entry.path)
        self.eval_app.say(f"deleted {entry.run_id}")
        self.eval_app.board.look()

    def action_copy(self) -> None:
        """Copy the verdict."""
        if self.current is not None and self.current.verdict.line:
            name = self.current.entry.name or self.current.entry.run_id
            self.eval_app.copy_text(f"{safe_line(name)}: {safe_line(self.current.verdict.text, LONGEST)}")

    def show_list(self) -> None:
        """Draw the runs that are asked for; the cursor stays on its own."""
        every = self.eval_app.board.entries
        at, self._numbers = self._newest(every), numbers(every)
        nothing = NO_RUNS if self.eval_app.board.version else BEING_READ
        self.list_entries("" if every else nothing, lambda row: row.entry.path, at)
        table, rows, width = self.query_one(RowTable), self.listed[:MEASURED], self.size.width
        if rows and (columns := fitted_columns(self.view.marked_columns(), rows, width - 2, width)) != table.columns:
            table.set_columns(columns)
        self._say()

    def _say(self) -> None:
        """Say how many runs there are, which are marked, and the changes of the one under the cursor from that before it."""
        every = self.eval_app.board.entries
        self.query_one(VerdictText).tell("" if self.current is None else safe_line(self.current.verdict.line, LONGEST))
        live = sum(entry.live for entry in every)
        all_runs = count_of(len(every), "run")
        total = f"{len(self.listed)} of {all_runs}" if self.view.text else all_runs if self.eval_app.board.version else "-"
        marked = sum(entry.path in self._marked for entry in every)
        marks = f", {marked} marked (●): c compares {'them' if marked > 1 else 'its models'}, Space takes a mark away"
        changed = "" if marked else self._changed()
        self.query_one("#shown", Lines).say((total + (f", {live} live" if live else ""), "dim"), marks if marked else changed)

    def _changed(self) -> str:
        """The latter in words, as soon as it is known."""
        entry = self.chosen
        before = None if entry is None else one_before(entry, self.eval_app.board.entries, self._numbers)
        if entry is None or before is None:
            return ""
        pair = (before.path, entry.path)
        if pair not in self._changes:
            self._changes[pair] = None
            beside(self, partial(_found_changes, pair), partial(self._take_changes, pair), keys_wait=False)
        changes, number = self._changes[pair], self._numbers[before.path]
        if changes is None:
            return ""
        more = f" and {len(changes) - MOST_CHANGES} more" if len(changes) > MOST_CHANGES else ""
        text = f"since #{number}: {', '.join(changes[:MOST_CHANGES])}{more}" if changes else f"is set up as #{number} is"
        return f"; #{number + 1} {text}"

    def _take_changes(self, pair: tuple[Path, Path], changes: list[str]) -> None:
        self._changes[pair] = changes
        self._say()

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Another run is under the cursor."""
        self._say()
        if self._verdicts.behind():
            self._ask_verdicts(anew=False)

    def _newest(self, every: Sequence[RunEntry]) -> Path | None:
        """A run that began since the list was last seen: the one set up here, else the newest; None where there is none.

        While the list is looked at, the cursor stays: the next key may be one that throws a run away.
        """
        board = self.eval_app.board
        new_run = board.begun if any(entry.path == board.begun for entry in every) else None
        if new_run is not None:
            board.begun = None
        previous, self._known = self._known, frozenset(entry.path for entry in every)
        if new_run is None and self._back and previous and every and every[0].path not in previous:
            new_run = every[0].path
        self._back = False
        return new_run


def _found_changes(pair: tuple[Path, Path]) -> list[str]:
    """In the background: a config may be long."""
    from tui_eval.results.comparison.run_differences import changes  # only here: the list is painted without it

    return [safe_line(change, LONGEST_CHANGE) for change in changes(*pair)]


def numbers(entries: Sequence[RunEntry]) -> dict[Path, int]:
    """Runs of one name by their order in time, from 1; `entries` are the newest first. A name of its own has no number."""
    names = Counter(entry.name for entry in entries)
    remaining, by_path = Counter(names), {}
    for entry in entries:
        if names[entry.name] > 1:
            by_path[entry.path] = remaining[entry.name]
            remaining[entry.name] -= 1
    return by_path


def one_before(entry: RunEntry, entries: Iterable[RunEntry], numbers: Mapping[Path, int]) -> RunEntry | None:
    """The run of the same name before this one."""
    number = numbers.get(entry.path, 0) - 1
    return next((run for run in entries if run.name == entry.name and numbers.get(run.path) == number), None)


def offered(action: str, entry: RunEntry | None) -> bool | str:
    """Return whether an action makes sense for a run as it stands, or its label: the key that paused lets it go on."""
    if action == "app.bring":
        return entry is None
    if action == "review":
        return makes_set(entry)
    if entry is None:
        return action not in (
            "stop",
            "pause",
            "resume",
            "resume(True)",
            "open",
            "show('run')",
            "show('log')",
            "show('result')",
            "delete",
            "path",
            "copy",
            "compare",
            "mark",
        )
    if action in ("stop", "pause"):
        return "Go on" if entry.live and action == "pause" and entry.state == "paused" else entry.live
    if action == "resume(True)":
        return not entry.live and bool((entry.error or 0) + (entry.timeout or 0) + entry.no_text)
    if action == "resume" and entry.state == "starting":
        return False
    return action != "resume" or not steering.nothing_to_resume(entry, failed=False)
