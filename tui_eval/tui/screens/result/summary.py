"""The result in short: how every model did, with its interval, and what must be known besides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from tui_eval.core.results import Cell as Figure
from tui_eval.results.answer_search import ScoreSums
from tui_eval.results.read_report import ReportTable
from tui_eval.results.report_verdict import LIVE, UNREAD, UNREPORTED, ReportVerdict
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.tables import aligned
from tui_eval.results.verdicts import Verdict, summed_up
from tui_eval.runs.steering import RunEntry
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.report_rows import Report, is_numeric, short_cell_text, text
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.dialogs.saving import save_text
from tui_eval.tui.screens.result.basis import BasisScreen
from tui_eval.tui.screens.result.rating import ratable_metrics
from tui_eval.tui.screens.result.result_part import BEING_READ, BROKEN, SAMPLES_BEING_READ, Part, Result
from tui_eval.tui.screens.result.standing_columns import (
    FIXED,
    STANDINGS,
    WIDE_BAR,
    LatencyLine,
    Line,
    StandingLine,
    TallyLine,
    fitted_standings,
    latency_lines,
    standing_columns,
    tally_columns,
)
from tui_eval.tui.screens.result.standing_text import line_in_full, place_of
from tui_eval.tui.screens.result.text_reader import ReaderScreen
from tui_eval.tui.widgets.cells import Cell, Column, Rows, Tone, cell_text, fitted, row_cells
from tui_eval.tui.widgets.table import EMPTY, RowTable
from tui_eval.tui.widgets.text import BESIDE, Paragraph, Reading
from tui_eval.tui.widgets.verdict_text import VerdictText
from tui_eval.tui.words import count

TONES: Mapping[str, Tone] = {"PASS": "good", "FAIL": "bad", "INCONCLUSIVE": "warn"}
MEANING = (
    "no value: no reply came, or nothing in it could be read or scored. s: median latency of good replies, in seconds. "
    "Enter opens a line."
)

SIDE_BY_SIDE, LINE_WIDTH, LEAST_TABLE = 140, 78, 84
"""Columns from which on a line in full stands beside the table, the most that it takes, and the least that it leaves."""
LONGEST_VERDICT = 3_000
BY_PERSON = "P: rate a sample of the answers yourself, blind, and see how far the judge agrees with you."


class SummaryPart(Part):
    """Summary of the results, which a person reads first."""

    DEFAULT_CSS = """
    SummaryPart #list RowTable { height: 8; }
    SummaryPart #notes { margin-top: 1; }
    SummaryPart #line { display: none; border-left: solid $panel; }
    SummaryPart.-zoom #list { display: none; }
    SummaryPart.-zoom #line { border-left: none; }
    """
    BINDINGS = [
        bind("record.whole", "whole", "Read the notes", tooltip="The figures and all notes as one text"),
        bind("record.copy", "copy", "Copy", tooltip="Copy the summary as text"),
        bind("record.write", "write", "Write", tooltip="Write the summary to a file, whose path is shown"),
        bind("pane.zoom", "zoom", "Zoom", show=False, tooltip="The model under the cursor in full, alone; again: the table"),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="summary")
        self._lines: Sequence[Line] = ()
        """Those that can be opened, and looked at in full."""
        self._headline: ReportTable | None = None
        """The table that stands in place of measures where there are none."""
        self._tally = ScoreSums(result.answers)
        self._seen: object = None

    def compose(self) -> ComposeResult:
        """The verdict, the models and the notes; beside them the model under the cursor, in full."""
        yield VerdictText(id="verdict")
        with Horizontal():
            with Vertical(id="list"):
                yield RowTable(STANDINGS, id="standings")
                yield Reading(id="notes", can_focus=False)
            yield Reading(id="line")

    def jobs(self) -> Sequence[Job]:
        """Without a report, the scores so far are counted."""
        return () if self.result.report.there else (self._tally,)

    def look(self) -> None:
        """The report, or what there is in place of one."""
        entry = self.page.eval_app.entry
        state = None if entry is None else (entry.state, entry.live)
        is_rescoring = self.page.eval_app.run_actions.rescores(self.result.opened.path)
        snapshot = (
            self.result.version,
            state,
            is_rescoring,
            0 if self.result.report.there else (self._tally.looked_at, self.result.absence, self.result.answers.behind()),
            self.size,
        )
        if snapshot == self._seen:
            return
        self._seen = snapshot
        report = self.result.report
        self._headline = None if self.result.view.measures or not report.headline else report.headline[0]
        rows = range(len(self._headline.rows)) if self._headline else ()
        headline = [LatencyLine(self._headline, row) for row in rows if self._headline]
        self._lines = headline or [*lines_of(self.result.view), *latency_lines(self.result.view)]
        self.set_class(self.size.width >= SIDE_BY_SIDE and bool(self._lines), "-wide")
        self._show_table()
        self.query_one("#notes", Reading).show(self._notes(), keep_place=True)
        self.query_one(VerdictText).tell(text(self._verdict.line, LONGEST_VERDICT), "strong")
        self._show_line(keep_place=True)

    @property
    def _verdict(self) -> ReportVerdict:
        """The verdict of the report, or that there is none yet."""
        entry = self.page.eval_app.entry
        if self.result.report.there:
            return self.result.report.verdict
        return UNREAD if self.result.absence != "not written" else LIVE if entry and entry.live else UNREPORTED

    @property
    def _beside(self) -> int:
        """Columns of the pane beside the table; 0 where there is none."""
        return min(LINE_WIDTH, self.size.width - LEAST_TABLE) if self.has_class("-wide") else 0

    def _show_line(self, keep_place: bool = False) -> None:
        """Show the line under the cursor in full, where there is room or a person asked for it."""
        pane, row = self.query_one("#line", Reading), self.query_one(RowTable).cursor
        width = self.size.width if self.has_class("-zoom") else self._beside
        pane.display, pane.styles.width = bool(width), width
        if row < len(self._lines) and width:
            pane.show(line_in_full(self.result.report, self._lines[row], width - 1 - BESIDE), keep_place)

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """The pane follows the cursor."""
        self._show_line()

    def action_zoom(self) -> None:
        """The line under the cursor alone, and the keys to it; again: all."""
        if not self.leave() and self._lines:
            self.add_class("-zoom")
            self._show_line()
            self.screen.set_focus(self.query_one("#line"))

    def leave(self) -> bool:
        """Back from the line alone to the table."""
        if not self.has_class("-zoom"):
            return False
        self.remove_class("-zoom")
        self._show_line()
        self.screen.set_focus(self.query_one(RowTable))
        return True

    def begin(self) -> None:
        """Take the keys, with all of it on show."""
        if not self.leave():
            super().begin()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Open the basis of a line."""
        event.stop()
        if event.row < len(self._lines):
            table, row = place_of(self.result.report, self._lines[event.row])
            self.app.push_screen(BasisScreen(self.result.dossiers, table, row))

    def action_whole(self) -> None:
        """Everything as one text."""
        self.app.push_screen(ReaderScreen("Summary", self._everything(), "summary.txt"))

    def action_copy(self) -> None:
        """Copy it."""
        self.page.eval_app.copy_text(self._text())

    def action_write(self) -> None:
        """Write it to a file."""
        save_text(self.page, "summary.txt", self._text())

    def _show_table(self) -> None:
        table = self.query_one(RowTable)
        columns: Sequence[Column[Any]]
        lines: Sequence[object]
        if self._headline is not None:
            columns, lines = columns_of(self._headline), self._headline.rows
        elif self._lines:
            lines, room = self._lines, self.size.width - self._beside - 2
            columns = fitted_standings(self.result.view.measures, lines, room, self.app.size.width)
        else:
            sums = sorted(dict(self._tally.sums).items(), key=lambda entry: entry[0]) if not self.result.report.there else []
            several = len({(name, tally.metric) for (*_, name), tally in sums}) > 1
            marked = several or not all(is_binary(tally.metric) for _, tally in sums)
            by_variant = len({variant for (_, _, variant, _), _ in sums}) > 1
            columns = tally_columns(marked, self.result.variant if by_variant else "")
            lines = [TallyLine(*key, tally) for key, tally in sums]
        if columns != table.columns:
            table.fixed = FIXED if self._lines and not self._headline else 1
            table.set_columns(columns)
        table.can_open = bool(self._lines)
        height = max(min(len(lines) + 1, self.size.height // 2), 2) if lines else 0
        table.display = bool(height)
        table.styles.height = height
        table.show(Rows(lambda: len(lines), lambda row: row_cells(columns, lines[row])) if height else EMPTY)

    def _notes(self) -> list[Paragraph]:
        report = self.result.report
        if not report.there:
            return self._no_report()
        rest = text(report.verdict.rest, LONGEST_VERDICT) if report.verdict.rest else ""
        lines: list[Paragraph] = [(rest, ""), ("", "")] if rest else []
        lines += [*gate_lines(report.gates), *self._marks_lines()]
        lines += [(words, "warn" if bad else "") for words, bad in report.sentences()]
        notes = [line for table in report.headline for line in table.note.split("\n") if line.strip()]
        lines += [(safe(line), "") for line in said_once(notes)]
        if self.result.view.measures:
            lines.append((MEANING, "dim"))
        if ratable_metrics(self.result):
            lines.append((BY_PERSON, "dim"))
        titles = {report.tables[standing.table].title for _, standing in lines_of(report)}
        for table in (report_table for report_table in report.headline[1:] if report_table.title not in titles):
            lines += [("", ""), (safe_line(table.title), "strong"), *((line, "") for line in plain_lines(table))]
        return lines

    def _marks_lines(self) -> list[Paragraph]:
        """Say that a person's marks are not in the tables yet, and which key counts them; empty where they are."""
        marks, is_rescoring = self.result.marks, self.page.eval_app.run_actions.rescores(self.result.opened.path)
        if is_rescoring:
            return [(f"The tables are being derived again, with {marks.in_words} of a person …", "accent"), ("", "")]
        if not marks.waiting:
            return []
        words = f"{marks.in_words} of a person on file; these tables are older. C counts them in; nothing is sent."
        return [(words, "warn"), ("", "")]

    def _no_report(self) -> list[Paragraph]:
        entry = self.page.eval_app.entry
        items = self.result.answers.count
        state = "its state is not known" if entry is None else f"it is {safe_line(entry.state)}"
        absence = self.result.absence
        if absence == "being read":
            return [(BEING_READ, "dim")]
        if absence == "broken" and entry is not None and not entry.live:
            again = f"tui-eval rescore {safe_line(self.result.opened.run_id)}"
            return self._marks_lines() or [(BROKEN, "warn"), (f"So does {again}", "")]
        lines: list[Paragraph] = [(f"This run has no report yet: {state}.", "strong")]
        if entry is not None and entry.live:
            lines.append(("Its tables come when it ends. 3 shows how it goes on, L every call.", ""))
        else:
            lines.append(("r takes it up again: what is answered is not asked again. L shows every call there was.", ""))
        lines += calls_so_far(entry)
        lines.append((self._samples_so_far(items), ""))
        if entry is not None and entry.simulated:
            words = "Some of its models are simulated." if entry.made_up == "some" else "Simulated: no model was asked."
            lines.append((words, "warn"))
        return lines

    def _samples_so_far(self, items: int) -> str:
        if self.result.answers.behind() and not items:
            return SAMPLES_BEING_READ
        if not items:
            return "No sample is finished so far: one is when all its calls are, those of judges included."
        return f"{count(items)} finished samples are on file so far: Answers shows them; above is how they were scored."

    def _everything(self) -> list[Paragraph]:
        verdict: Paragraph = (text(self._verdict.line, LONGEST_VERDICT), "strong")
        lines: list[Paragraph] = [(line, "") for line in summary_lines(self.result.view)]
        return [verdict, ("", ""), *lines, ("", ""), *self._notes()]

    def _text(self) -> str:
        return "\n".join(words for words, _ in self._everything())


def said_once(lines: Iterable[str]) -> list[str]:
    """Lines without what one before them began with, sentence by sentence."""
    distinct: dict[str, list[str]] = {}
    for line in lines:
        sentences = line.removesuffix(".").split(". ")
        alike = (
            sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(sentences, earlier, strict=False)))
            for earlier in distinct.values()
        )
        rest = ". ".join(sentences[max(alike, default=0) :])
        if rest:
            distinct[rest + "." * line.endswith(".")] = sentences
    return list(distinct)


def calls_so_far(entry: RunEntry | None) -> list[Paragraph]:
    """Describe how many calls of each model have ended, of those that are planned; empty where that is not known."""
    parts = []
    for name, tally in () if entry is None else entry.models.items():
        planned, ok, no_text, error, late = (
            int(tally.get(status) or 0) for status in ("planned", "ok", "no_text", "error", "timeout")
        )
        ended = ok + no_text + error + late
        of = f" of {count(planned)}" if planned >= ended else f" ({count(planned)} planned)"
        failed = f", {count(error + late)} failed" if error + late else ""
        parts.append(f"{safe_line(name, 40)} {count(ended)}{of}{failed}")
    return [(f"Calls that have ended: {'; '.join(parts)}.", "")] if parts else []


def gate_lines(gates: Sequence[Verdict]) -> list[Paragraph]:
    """The gates, those that do not hold first, each with its verdict in a word."""
    if not gates:
        return []
    rows: list[Paragraph] = [(safe_line(summed_up(gates)), "strong" if all(gate.passed for gate in gates) else "bad")]
    for gate in sorted(gates, key=lambda gate: (gate.passed, gate.outcome == "PASS")):
        who = f" of {gate.who}" if gate.who else ""
        why = f"; {gate.text}" if gate.text else ""
        line = f"{gate.outcome} {gate.title}{who}: {gate.found}, wanted {gate.wanted}{why}"
        rows.append((safe_line(line), TONES[gate.outcome]))
    return [*rows, ("", "")]


def lines_of(report: Report) -> list[StandingLine]:
    """Return every line of its measures."""
    return [StandingLine(measure, standing) for measure in report.measures for standing in measure.standings]


def summary_lines(report: Report) -> Iterable[str]:
    """The models as lines of text, for a file."""
    standings = lines_of(report)
    if not standings:
        return []
    lines: list[Line] = [*standings, *latency_lines(report)]
    columns = standing_columns(report.measures, WIDE_BAR)
    rows = [row_cells(columns, line) for line in lines]
    every = [[column.title for column in columns], *([*map(cell_text, row)] for row in rows)]
    wide = [max(len(row[i]) for row in every) for i in range(len(columns))]
    return ["  ".join(fitted(cell, w, c.right) for cell, w, c in zip(row, wide, columns, strict=True)) for row in every]


def plain_lines(table: ReportTable) -> list[str]:
    """A short table as lines of text."""
    rows = [
        [short_cell_text(name, figure, table.marked) for name, figure in zip(table.columns, row, strict=True)]
        for row in table.rows[:50]
    ]
    right = [place > 0 for place in range(len(table.columns))]
    return safe(aligned([safe_line(name, 40) for name in table.columns], rows, right)).split("\n") if table.columns else []


def columns_of(table: ReportTable) -> list[Column[Sequence[Figure]]]:
    """Return a report's table as columns as wide as what stands in them."""
    columns = []
    for place, name in enumerate(table.columns):
        texts = [short_cell_text(name, row[place], table.marked) for row in table.rows[:100]]
        title = safe_line(name.replace("_", " "), 28)
        width = max(len(title), min(max(map(len, texts), default=0), 32), 3)
        cell = partial(_cell, place, name, table.marked)
        columns.append(Column(title, width, cell, right=is_numeric(table, place)))
    return columns


def _cell(place: int, name: str, marked: bool, row: Sequence[Figure]) -> Cell:
    figure = row[place]
    words = safe_line(short_cell_text(name, figure)) if isinstance(figure.value, str) else short_cell_text(name, figure, marked)
    return (words, "dim") if figure.value is None else words
