"""A grid of scores by one metric: questions, turns, runs, or these together down, models across; Enter opens a cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Any

from textual.app import ComposeResult

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of
from tui_eval.results.score_grid import Degraded, GridCell, GridColumn, GridRow, ScoreGrid, metric_of
from tui_eval.results.sums.metrics import is_binary, passes, scale_of, threshold_of
from tui_eval.results.sums.series import NO_CLAIMS
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.report_rows import ACCURACY
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.result.cell_walk import CellWalk
from tui_eval.tui.screens.result.result_part import SAMPLES_BEING_READ, Part, Result
from tui_eval.tui.screens.result.sample import SampleScreen
from tui_eval.tui.widgets.cells import Cell, Column, GeneratedRows, Tone, row_cells
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.table import RowTable

DEGRADED, FAILED, MISSING, NOT_ASKED = "~", "!", "–", "·"
LEGEND = f"{FAILED} no answer   {MISSING} no mark   {NOT_ASKED} not judged"
LEGEND_OF_TURNS = f"{DEGRADED} degraded: after a turn that failed   {LEGEND}"


def cell_text(cells: Sequence[GridCell], metric: Metric, degraded: int) -> tuple[str, Tone]:
    """The mark, or the mean of a conversation's; `degraded`: how many of them were asked without an earlier turn."""
    if not cells:
        return NOT_ASKED, "dim"
    if len(cells) > 1:
        return _of_several(cells, metric, degraded)
    cell, sign = cells[0], f" {DEGRADED}" if degraded else ""
    if cell.value is not None:
        return _value_text(cell.value, metric) + sign, _tone(metric, cell.value)
    if not cell.answered:
        return FAILED + sign, "bad"
    return f"{MISSING} {safe_line(cell.why, 12)}".rstrip() + sign if cell.why == NO_CLAIMS else MISSING + sign, "warn"


def _of_several(cells: Sequence[GridCell], metric: Metric, degraded: int) -> tuple[str, Tone]:
    values = [cell.value for cell in cells if cell.value is not None]
    failed = sum(not cell.answered for cell in cells)
    signs = ((DEGRADED, degraded), (FAILED, failed), (MISSING, len(cells) - failed - len(values)))
    counts = "".join(f" {sign}{n}" for sign, n in signs if n)
    if not values:
        return counts.strip(), "bad"
    mean = fmean(values)
    return f"{mean:.2f}{counts}", _tone(metric, mean)


def _value_text(value: float, metric: Metric) -> str:
    if is_binary(metric) and value in (0, 1):
        return "✓" if value else "✗"
    return f"{value:g}" if metric.high > 1 and value == int(value) else f"{value:.2f}"


def _tone(metric: Metric, value: float) -> Tone:
    return "bad" if passes(metric, value) is False else ""


EVALUATION = "evaluation.json"
NOTHING = "No answer is scored yet. The grid fills as samples end."
SHORT, ROOMY = 8, 100
"""Letters that what a key does may have on the line of keys, where the screen has fewer columns than that."""
LEAST, WIDE = 8, 14
"""Columns of a cell of one score, and of a conversation's."""
TURNS, RUNS, ANSWERS = ("turn", "conversation"), ("run", "file"), ("answer", "question")
"""What a row is, alone and together with others."""


class GridTable(RowTable):
    """A table with a cursor on a cell; the keys for sideways move it, and columns come into sight as it does."""

    def __init__(self, **options: Any) -> None:
        super().__init__((), **options)
        self.chosen = 0
        """Which column after the fixed ones."""

    def action_sideways(self, by: int) -> None:
        """Another column."""
        many = len(self.columns) - self.fixed
        if many < 1:
            return
        self.chosen = max(0, min(self.chosen + by, many - 1))
        self.skipped = min(self.skipped, self.chosen)
        while not self._widths(self.size.width - 2)[self.fixed + self.chosen] and self.skipped < self.chosen:
            self.skipped += 1
        self.redraw()
        self.post_message(self.Moved(self, self.cursor))


class _LostValue:
    """Degraded turns, read anew with each report."""

    def __init__(self, result: Result) -> None:
        self._result = result
        self.degraded = Degraded({})
        self.version = -1

    def behind(self) -> bool:
        """Return whether there is another report."""
        return self.version != self._result.version

    def advance(self, seconds: float) -> bool:
        """Read it."""
        version = self._result.version
        self.degraded = Degraded(self._result.opened.table(EVALUATION))
        self.version = version
        return False


class GridPart(Part):
    """The grid of the metric that is chosen, of several the first."""

    BINDINGS = [
        bind(
            "grid.turns",
            "turns",
            "Other rows",
            tooltip="A row for each turn or run, or for each conversation or file with its mean",
        ),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="grid-part")
        self._grid = ScoreGrid(result.answers, None)
        self._metric: str | None = None
        self._lost = _LostValue(result)
        self._whole = False
        self._rows: Sequence[GridRow] = ()
        self._columns: Sequence[GridColumn] = ()
        self._names: Sequence[str] = ()
        """Of the columns, with the stage where there are several."""
        self._table_columns: Sequence[Column[int]] = ()
        """Those of the table, whose rows are places among `_rows`."""
        self._seen: object = None
        self._several = False
        """Whether a document has more than one question."""
        self._variants = 0
        """Versions of what is asked; one alone counts as none."""

    def compose(self) -> ComposeResult:
        """Yield the line on the grid, the grid, and the legend of its signs."""
        yield Lines(id="grid-about")
        yield GridTable(id="grid", empty=SAMPLES_BEING_READ)
        yield Lines(id="grid-legend")

    def begin(self) -> None:
        """The keys go to the grid."""
        self.query_one(GridTable).focus()

    def jobs(self) -> Sequence[Job]:
        """The scores, and what they are about."""
        return (self._grid, self._lost, self.result.turns) if self._grid.has_turns else (self._grid,)

    def look(self) -> None:
        """The scores found so far."""
        measures = self.result.view.measures
        name = measures[0].metric.name if measures else ACCURACY
        metric = None if name == ACCURACY else name  # there is one, which has another name in the scores
        if metric != self._metric:
            self._metric, self._grid = metric, ScoreGrid(self.result.answers, metric)
        is_reading = self.result.answers.behind() or self._grid.behind()
        self.query_one(GridTable).empty = SAMPLES_BEING_READ if is_reading else NOTHING
        read = (self._grid.looked_at, self.result.answers.generation, self._lost.version, self.result.turns.behind())
        state = (metric, self.result.version, self._whole, is_reading, *read)
        if state != self._seen:
            self._seen = state
            self._show()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """The sample of a cell, at the model's answer."""
        event.stop()
        walk = CellWalk(self._grid, self._rows, self._columns, self._heading, self._walked)
        if walk.at(event.row, self.query_one(GridTable).chosen):
            self.app.push_screen(SampleScreen(self.result.answers, lambda place: walk.row, 0, walk))
        else:
            self.page.eval_app.say("this was not asked, or is not scored yet")

    def _heading(self, place: int, at: int) -> Sequence[Cell]:
        """Say the score of a cell, and whose it is."""
        text, tone = self._cell_text(at, place)
        return (text, tone), (f"  {self._names[at]}", "strong")

    def _walked(self, place: int, at: int) -> None:
        """The cursor goes along with who walks from cell to cell above."""
        table = self.query_one(GridTable)
        table.move(place)
        table.action_sideways(at - table.chosen)

    def action_turns(self) -> None:
        """Turns, or whole conversations; runs, or files."""
        if not self._grid.has_turns:
            files = self._nouns() is RUNS
            message = "each file was worked on once" if files else "each question has one answer of each model here"
            self.page.eval_app.say(message)
            return
        self._whole = not self._whole
        self.query_one(GridTable).move(0)
        self.look()

    def _show(self) -> None:
        grid, table = self._grid, self.query_one(GridTable)
        self._columns = list(grid.columns)
        self._rows = list(grid.rows) if self._whole else [turn for turns in grid.rows.values() for turn in turns]
        variants = {row.variant for row in grid.rows}
        self._variants = len(variants) if len(variants) > 1 else 0
        self._several = len({(row.doc_id, row.repeat) for row in grid.rows}) < len(grid.rows)
        table.chosen = max(0, min(table.chosen, len(self._columns) - 1))
        several = len({column.stage for column in self._columns}) > 1
        self._names = names = [safe_line(f"{c.stage} {c.model}" if several else c.model, 24) for c in self._columns]
        least = WIDE if self._whole else LEAST
        nouns = self._nouns()
        noun = nouns[self._whole] if grid.has_turns else "file" if nouns is RUNS else "question"
        self._table_columns = [
            Column(noun, 16, self._name_cell, share=1, middle=True),
            Column("", 20, lambda place: (self._question(self._rows[place]), "dim"), share=3, above=99),
            *(Column(f" {name}", max(len(name) + 1, least), partial(self._score, at)) for at, name in enumerate(names)),
        ]
        if self._table_columns != list(table.columns):
            table.fixed = 2
            table.set_columns(self._table_columns)
        table.show(GeneratedRows(lambda: len(self._rows), lambda place: row_cells(self._table_columns, place)))
        self._say_about(noun)
        self.query_one("#grid-legend", Lines).say(
            ((LEGEND_OF_TURNS if nouns is TURNS else LEGEND) if grid.columns else "", "dim")
        )

    def _say_about(self, noun: str) -> None:
        """The metric, and how many rows there are; `noun`: what a row is."""
        if not self._grid.columns:
            self.query_one("#grid-about", Lines).say(("", "strong"), ("", "dim"))
            return
        metric = metric_of(self._grid)
        scale = "right or wrong" if is_binary(metric) else scale_of(metric)
        passing = "" if is_binary(metric) or metric.threshold is None else f", {threshold_of(metric)} passes"
        each = count_of(len({row.doc_id for row in self._rows}), noun)
        rows = (
            f"{each} x {count_of(self._variants, self.result.variant)}" if self._variants else count_of(len(self._rows), noun)
        )
        rest = f"   {rows} · ← → model · Enter opens"
        self.query_one("#grid-about", Lines).say((f"{safe_line(metric.name, 30)}, {scale}{passing}", "strong"), (rest, "dim"))

    @property
    def other_rows(self) -> str | bool:
        """Label of the key that makes other rows, in a word or two; False where it makes none."""
        words = f"By {self._nouns()[not self._whole]}"
        return self._grid.has_turns and (words if len(words) <= SHORT or self.size.width >= ROOMY else "Together")

    def _nouns(self) -> tuple[str, str]:
        """Return the nouns for rows: a file's runs and a question's answers are no turns of a conversation."""
        if self.result.sources.there:
            return RUNS
        return TURNS if self.result.turns.behind() or self.result.turns.any else ANSWERS

    def _name_cell(self, place: int) -> Cell:
        row = self._rows[place]
        return _name(row, self._row_name(row), "run " if self._nouns() is RUNS else "")

    def _score(self, at: int, place: int) -> Cell:
        """Say the score of a model (its place among them) in a row; in brackets where the cursor is."""
        (text, tone), table = self._cell_text(at, place), self.query_one(GridTable)
        return f"[{text}]" if (place, at) == (table.cursor, table.chosen) else f" {text}", tone

    def _cell_text(self, at: int, place: int) -> tuple[str, Tone]:
        row, column = self._rows[place], self._columns[at]
        cells = self._grid.of(row, column)
        lost = sum(self._lost.degraded.holds(row, column, cell) for cell in cells)
        return cell_text(cells, metric_of(self._grid), lost)

    def _row_name(self, row: GridRow) -> str:
        """Return the name of a row's document; where several questions are about it, the question by its id; and
        the version of what is asked, where there are several."""
        sample = self.result.answers.sample(self._grid.first.get(row._replace(turn=None), -1))
        if sample is None or not self._several or self._variants:
            return " · ".join(filter(None, [row.doc_id, row.variant if self._variants else ""]))
        return sample.item_id.removeprefix(f"{sample.queue}/") if sample.queue else sample.item_id

    def _question(self, row: GridRow) -> str:
        has_texts = self._grid.has_turns and not self.result.turns.behind()
        asked_turn = self.result.turns.turn(row.doc_id, row.turn or 0) if has_texts else None
        if asked_turn is not None:
            return safe_line(asked_turn.turn.question, 200)
        sample = self.result.answers.sample(self._grid.first.get(row._replace(turn=None), -1))
        return safe_line(sample.question if sample else None, 200)


def _name(row: GridRow, name: str, noun: str) -> str:
    repeat = f" · repeat {row.repeat + 1}" if row.repeat else ""
    turn = f" · {noun}{row.turn + 1}" if row.turn is not None else ""
    return safe_line(name, 80) + repeat + turn
