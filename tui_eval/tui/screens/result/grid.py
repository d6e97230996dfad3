"""A grid of scores by one metric: questions, turns, runs, or these together down, models across; Enter opens a cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from textual.app import ComposeResult

from tui_eval.core.plaintext import count_of, folded
from tui_eval.results.score_grid import Degraded, GridCell, GridColumn, GridRow, RowTally, metric_of
from tui_eval.results.sums.metrics import is_binary, passes, scale_of, threshold_of
from tui_eval.tui.background.slices import Job
from tui_eval.tui.item_chart import ITEMS
from tui_eval.tui.keymap import bind
from tui_eval.tui.report_rows import Report
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.result.grid_cells import Signs, cell_text, key_words, signs_of
from tui_eval.tui.screens.result.result_part import SAMPLES_BEING_READ, Part, Result
from tui_eval.tui.screens.result.sample_inspecting import SampleInspecting, SamplePlace
from tui_eval.tui.widgets.cells import Cell, Column, Rows, Tone, row_cells
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.inspector import Dossier, Inspector, Section, Split
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.list_view import ListView
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.words import count

FLAG = "⚑"
Only = Literal["", "differing", "none right"]
ONLY: Mapping[Only, str] = {"": "", "differing": "where models differ", "none right": "that none got right"}
LONGEST_TITLE, MANY = 18, 1_000
"""Columns that rows are named in where their names begin alike; so many rows that none is folded."""
EVALUATION = "evaluation.json"
NOTHING = "No answer is scored yet. The grid fills as samples end."
SHORT, ROOMY = 8, 100
"""Letters that what a key does may have on the line of keys, where the screen has fewer columns than that."""
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


class GridPart(Part, SampleInspecting, SortableList[GridRow]):
    """The grid of the metric that is chosen, of several the first, and beside it the answer of the cell under the cursor."""

    BINDINGS = [
        bind("filter", "filter", "Filter", tooltip=FILTERING),
        bind("list.sort", "sort", "Sort", tooltip="Sort by question, difficulty, disagreement, category, or as they came"),
        bind("list.differing", "differing", "Which", tooltip="Rows in which models differ; that none got right; all"),
        bind(
            "grid.turns",
            "turns",
            "Other rows",
            tooltip="A row for each turn or run, or for each conversation or file with its mean",
        ),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="grid-part")
        self.dossiers = result.dossiers
        self._grid = result.grid
        self._lost = _LostValue(result)
        self._whole = False
        self._only: Only = ""
        """Which rows are shown: all, those in which models differ, or those that none got right."""
        self._is_reading = True
        self._every: Sequence[GridRow] = ()
        self._columns: Sequence[GridColumn] = ()
        self._table_columns: Sequence[Column[int]] = ()
        """Those of the table, whose rows are places among `listed`."""
        self._flagged: frozenset[str] = frozenset()
        """Documents of the items to look at, by the report."""
        self._folded: Mapping[str, str] = {}
        """Names of rows where they begin alike, by their whole names."""
        self._seen: object = None
        self._several = False
        """Whether a document has more than one question."""
        self._variants = 0
        """Versions of what is asked; one alone counts as none."""
        self.view = ListView(self._fields())

    def compose(self) -> ComposeResult:
        """Yield the line on the grid, the grid, its inspector, the filter, and the key to its signs."""
        yield Lines(id="grid-about")
        with Split():
            yield GridTable(id="grid", empty=SAMPLES_BEING_READ)
            yield Inspector()
        yield FilterLine(self.view.help_words(), id="filter")
        yield Lines(id="grid-legend")

    def jobs(self) -> Sequence[Job]:
        """The scores, and what they are about."""
        shared = (self._grid, self.result.dossiers.questions)
        return (*shared, self._lost, self.result.turns) if self._grid.has_turns else shared

    def look(self) -> None:
        """The scores found so far."""
        self._grid = self.result.grid
        is_reading = self.result.answers.behind() or self._grid.behind()
        read = (self._grid.looked_at, self.result.answers.generation, self._lost.version, self.result.turns.behind())
        state = (id(self._grid), self.result.version, self._whole, is_reading, *read)
        if state != self._seen:
            self._seen = state
            self._flagged = flagged(self.result.report)
            self._is_reading = is_reading
            self._show()
        self.inspect_again((state, self.current, self.result.dossiers.settled))

    # the list

    def entries(self) -> Sequence[GridRow]:
        """All rows there are."""
        return self._every

    def show_list(self) -> None:
        """Draw the rows that are asked for; the cursor stays on its own, and the inspector follows."""
        self._show()
        self.inspect()

    def none_found(self) -> str:
        """Say that no row is as the filter asks, or that the models differ in none."""
        if not self._only:
            return super().none_found()
        also = f" and matches {safe_line(self.view.text, 60)}" if self.view.text else ""
        return f"There is no row {ONLY[self._only]}{also}; ! shows other rows"

    def action_differing(self) -> None:
        """Only rows in which the models differ, only those that none got right, or all."""
        has_right = metric_of(self._grid).threshold is not None or is_binary(metric_of(self._grid))
        choices = [only for only in ONLY if has_right or only != "none right"]
        self._only = choices[(choices.index(self._only) + 1) % len(choices)]
        self.show_list()

    def action_sort(self) -> None:
        """By the next column, from its first row."""
        super().action_sort()
        self.query_one(GridTable).action_first()

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

    # the inspector

    def place(self) -> SamplePlace | None:
        """The cell under the cursor."""
        cell = self._cell_at(self.query_one(GridTable).cursor, self.query_one(GridTable).chosen)
        if cell is None:
            return None
        row, column, first = cell
        sample = self.result.answers.sample(first.row)
        named = "" if sample is not None and sample.queue == column.model else f"  {self._model_name(column)}"
        verdict = (self._cell_text(row, column), named)
        return SamplePlace(first.row, (column.stage, column.model, first.turn), self.inspected_list.where, verdict)

    def dossier(self, whole: bool) -> Dossier | None:
        """Say what is on file of the cell; that there is nothing, where it was not asked."""
        table = self.query_one(GridTable)
        if not self.listed or self.place() is not None:
            return super().dossier(whole) if self.listed else None
        at = min(table.chosen, len(self._columns) - 1)
        sign = cell_text((), metric_of(self._grid), 0, self._signs)
        heading = (sign, f"  {self._model_name(self._columns[at])}" if self._columns else "")
        return Dossier(heading, (Section("WHY", "this was not asked, or is not scored yet", "dim"),))

    def walk_model(self, by: int) -> None:
        """Go to the next model of the row that has a score."""
        table = self.query_one(GridTable)
        way = range(table.chosen + by, len(self._columns) if by > 0 else -1, by)
        at = next((at for at in way if self._cell_at(table.cursor, at) is not None), None)
        if at is None:
            self.page.say_here("that was the last one" if by > 0 else "that was the first one")
        else:
            table.action_sideways(at - table.chosen)

    def action_find(self, by: int) -> None:
        """On to the next cell that is wrong or has no value, row by row and round the end."""
        table, many = self.query_one(GridTable), len(self._columns)
        number = len(self.listed) * many
        here = table.cursor * many + table.chosen
        around = ((here + by * far) % number for far in range(1, number))
        place = next((place for place in around if self._is_amiss(*divmod(place, many))), None)
        if place is None:
            self.page.say_here("nothing else is wrong")
            return
        table.move(place // many)
        table.action_sideways(place % many - table.chosen)

    def _cell_at(self, place: int, at: int) -> tuple[GridRow, GridColumn, GridCell] | None:
        if not (place < len(self.listed) and at < len(self._columns)):
            return None
        row, column = self.listed[place], self._columns[at]
        cells = self._grid.of(row, column)
        return (row, column, cells[0]) if cells else None

    def _is_amiss(self, place: int, at: int) -> bool:
        cells = self._grid.of(self.listed[place], self._columns[at])
        return any(cell.value is None or passes(metric_of(self._grid), cell.value) is False for cell in cells)

    # drawing

    def _show(self) -> None:
        grid, table = self._grid, self.query_one(GridTable)
        at = self.current
        self._columns = self._in_order(grid.columns)
        self._every = list(grid.rows) if self._whole else [turn for turns in grid.rows.values() for turn in turns]
        variants = {row.variant for row in grid.rows}
        self._variants = len(variants) if len(variants) > 1 else 0
        self._several = len({(row.doc_id, row.repeat) for row in grid.rows}) < len(grid.rows)
        self.listed = self.view.chosen([row for row in self._every if self._is_wanted(grid.tally(row))])
        self._folded = folded([self._row_title(row) for row in self._every], LONGEST_TITLE) if len(self._every) < MANY else {}
        table.chosen = max(0, min(table.chosen, len(self._columns) - 1))
        found = self.none_found() if self._every else NOTHING
        table.empty = SAMPLES_BEING_READ if self._is_reading else found
        self._draw_columns(table)
        place = self.listed.index(at) if at in self.listed else table.cursor
        table.show(Rows(lambda: len(self.listed), lambda place: row_cells(self._table_columns, place)), place)
        self._say_about()
        self._say_legend()

    def _in_order(self, columns: Iterable[GridColumn]) -> list[GridColumn]:
        """Return the columns stage by stage, in each by the letters of the models."""
        found = list(columns)
        letters = self.page.eval_app.settings.letters(column.model for column in found)
        stages = list(dict.fromkeys(column.stage for column in found))
        return sorted(found, key=lambda each: (stages.index(each.stage), len(letters[each.model]), letters[each.model]))

    def _say_legend(self) -> None:
        """The letters of the models and the key to the signs; the key first where there is no room for all models."""
        columns, grid = self._columns, self._grid
        letters = self.page.eval_app.settings.letters(column.model for column in columns)
        key = key_words(metric_of(grid), self._signs, grid.has_turns and self._nouns() is TURNS) if columns else ""
        signs: Piece = (f"{key}{f'  {FLAG} look at its key' * bool(self._flagged)}   ", "dim")
        names = "  ".join(f"{letters[model]} {safe_line(model, 24)}" for model in dict.fromkeys(c.model for c in columns))
        pieces = (f"{names}   ", signs) if len(names) < self.page.size.width - 2 else (signs, names)
        self.query_one("#grid-legend", Lines).say(*pieces)

    def _draw_columns(self, table: GridTable) -> None:
        letters = self.page.eval_app.settings.letters(column.model for column in self._columns)
        titles = [f" {letters[column.model]}" for column in self._columns]
        self._table_columns = [
            Column(self._noun(), 16, self._title_cell, share=1),
            Column(
                "right" if is_binary(metric_of(self._grid)) else "mean",
                8,
                lambda place: (self._right(self.listed[place]), "dim"),
            ),
            *(Column(title, 3, partial(self._score, at), gap=0) for at, title in enumerate(titles)),
        ]
        if self._table_columns != list(table.columns):
            table.fixed = 2
            table.set_columns(self._table_columns)

    def _say_about(self) -> None:
        """The metric, whose column the cursor is in, and how many rows there are and how they stand."""
        about, metric = self.query_one("#grid-about", Lines), metric_of(self._grid)
        if not self._grid.columns:
            about.say(("", "strong"), ("", "dim"))
            return
        scale = "" if is_binary(metric) else f", {scale_of(metric)}"
        passing = "" if is_binary(metric) or metric.threshold is None else f", {threshold_of(metric)} passes"
        each = count_of(len({row.doc_id for row in self._every}), self._noun())
        every = (
            f"{each} x {count_of(self._variants, self.result.variant)}"
            if self._variants
            else count_of(len(self._every), self._noun())
        )
        rows = f"{count(len(self.listed))} of {every}" if len(self.listed) < len(self._every) else every
        rows += f" {ONLY[self._only]}" if self._only else ""
        order = f", {self.view.order_words()}" if self.view.order else ""
        chosen = self._columns[self.query_one(GridTable).chosen]
        letter = self.page.eval_app.settings.letters([chosen.model])[chosen.model]
        about.say(
            (f"{safe_line(metric.name, 30)}{scale}{passing}", "strong"),
            (f"   {letter} {self._model_name(chosen)}", "accent"), (f"   {rows}{order}", "dim"),
        )  # fmt: skip

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Another cell."""
        self._say_about()

    @property
    def other_rows(self) -> str | bool:
        """Label of the key that makes other rows, in a word or two; False where it makes none."""
        words = f"By {self._nouns()[not self._whole]}"
        return self._grid.has_turns and (words if len(words) <= SHORT or self.size.width >= ROOMY else "Together")

    @property
    def _signs(self) -> Signs:
        return signs_of(self.page.eval_app.settings.is_ascii)

    def _nouns(self) -> tuple[str, str]:
        """Return the nouns for rows: a file's runs and a question's answers are no turns of a conversation."""
        if self.result.sources.there:
            return RUNS
        return TURNS if self.result.turns.behind() or self.result.turns.any else ANSWERS

    def _noun(self) -> str:
        """Return the noun for a row."""
        return self._nouns()[self._whole] if self._grid.has_turns else "file" if self._nouns() is RUNS else "question"

    def _model_name(self, column: GridColumn) -> str:
        """Return whose column it is, with the stage where there are several."""
        several = len({each.stage for each in self._columns}) > 1
        return safe_line(f"{column.stage} {column.model}" if several else column.model, 40)

    def _fields(self) -> Sequence[Column[GridRow]]:
        """The columns by which rows are looked for and sorted."""
        return (
            Column("question", 0, lambda row: f"{self._row_title(row)} {self._question(row)}", value=self._row_title),
            Column("right", 0, self._right, value=self._right_value, is_lowest_first=True),
            Column("disagreement", 0, lambda row: f"{self._spread(row):.2f}", value=self._spread),
            Column("category", 0, lambda row: safe_line(self._grid.category.get(row._replace(turn=None), ""), 60)),
        )

    def _right_value(self, row: GridRow) -> float | None:
        """Return how many are right, or the mean, as the column says it."""
        tally = self._grid.tally(row)
        return tally.right if tally.n and is_binary(metric_of(self._grid)) else tally.mean

    def _is_wanted(self, tally: RowTally) -> bool:
        return not self._only or (tally.differs if self._only == "differing" else tally.n > 0 and not tally.right)

    def _spread(self, row: GridRow) -> float:
        """Return the spread of the scores, as a part of the metric's scale, or of how many models are right and wrong."""
        tally, metric = self._grid.tally(row), metric_of(self._grid)
        if is_binary(metric):
            return min(tally.right, tally.n - tally.right) / tally.n if tally.n else 0.0
        return (tally.most - tally.least) / (metric.high - metric.low or 1.0)

    def _right(self, row: GridRow) -> str:
        """Say how many are right, or the mean, of how many that have a value."""
        tally = self._grid.tally(row)
        words = f"{tally.right} of {tally.n}" if is_binary(metric_of(self._grid)) else f"{tally.mean or 0:.2f}"
        return words if tally.n else "-"

    def _title_cell(self, place: int) -> Cell:
        row = self.listed[place]
        flag = f"{FLAG} " if row.doc_id in self._flagged else ""
        title = self._row_title(row)
        return f"{flag}{self._folded.get(title, title)}  {self._question(row)}", "warn" if flag else ""

    def _row_title(self, row: GridRow) -> str:
        return _name(row, self._row_name(row), "run " if self._nouns() is RUNS else "")

    def _score(self, at: int, place: int) -> Cell:
        """Say the score of a model (its place among them) in a row; in brackets where the cursor is."""
        (text, tone), table = self._cell_text(self.listed[place], self._columns[at]), self.query_one(GridTable)
        if (place, at) == (table.cursor, table.chosen):
            return f"[{text}]"[:3], tone
        closes = (place, at - 1) == (table.cursor, table.chosen) and len(
            self._cell_text(self.listed[place], self._columns[at - 1])[0]
        ) > 1
        return f"{']' if closes else ' '}{text}", tone

    def _cell_text(self, row: GridRow, column: GridColumn) -> tuple[str, Tone]:
        cells = self._grid.of(row, column)
        lost = sum(self._lost.degraded.holds(row, column, cell) for cell in cells)
        return cell_text(cells, metric_of(self._grid), lost, self._signs)

    def _row_name(self, row: GridRow) -> str:
        """Return the name of a row's document; where several questions are about it, the question by its id; and
        the version of what is asked, where there are several."""
        if not self._several or self._variants:
            return " · ".join(filter(None, [row.doc_id, row.variant if self._variants else ""]))
        return self._grid.titles[row._replace(turn=None)][0]

    def _question(self, row: GridRow) -> str:
        has_texts = self._grid.has_turns and not self.result.turns.behind()
        asked_turn = self.result.turns.turn(row.doc_id, row.turn or 0) if has_texts else None
        if asked_turn is not None:
            return safe_line(asked_turn.turn.question, 200)
        return safe_line(self._grid.titles[row._replace(turn=None)][1], 200)


def flagged(report: Report) -> frozenset[str]:
    """Return the documents of the items to look at, by the report's table of items."""
    table = report.tables.get(ITEMS)
    rows = [table.values(row) for row in range(len(table.rows))] if table is not None else []
    return frozenset(str(row["item"].value) for row in rows if "look" in row and "item" in row and row["look"].value == "yes")


def _name(row: GridRow, name: str, noun: str) -> str:
    repeat = f" · repeat {row.repeat + 1}" if row.repeat else ""
    turn = f" · {noun}{row.turn + 1}" if row.turn is not None else ""
    return safe_line(name, 80) + repeat + turn
