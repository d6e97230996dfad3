"""The scores of a run by one metric as a grid: a row for each question or turn, a column for each model that was scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tui_eval.core.kinds import Metric
from tui_eval.results.stored_run import RowScan, StoredRun
from tui_eval.results.stored_samples import StoredSample
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG


class GridRow(NamedTuple):
    """Question, or turn, that was asked of every model alike."""

    doc_id: str
    q_index: int
    repeat: int
    turn: int | None
    """The place of a turn, from 0; None of all turns of a conversation together, and where there is no more than one answer."""
    variant: str = ""
    """Which version of what is asked it is, such as a prompt; empty where there is one."""


class GridColumn(NamedTuple):
    """Who was scored."""

    stage: str
    model: str


@dataclass(frozen=True, slots=True)
class GridCell:
    """One score."""

    row: int
    """Of its sample in results.jsonl."""
    turn: int
    """The place of its answer, from 0."""
    value: float | None
    answered: bool
    """Whether the answer that was to be scored is there."""
    why: str
    """Why there is no value, or no point."""
    read: str = ""
    """What was read of the answer, where it is a sign or two, such as a letter."""
    refused: bool = False
    """Whether the model declined to answer."""


SHORT_READING, LONGEST_QUESTION = 2, 200
"""Characters of a reading that a cell keeps, and of a question."""
REFUSED = ("refused", "refusal")


@dataclass(slots=True)
class RowTally:
    """Scores of a row, added up as they are found."""

    n: int = 0
    """Scores with a value."""
    right: int = 0
    """Those that pass, where the metric has a threshold; of what is right or wrong the right ones."""
    total: float = 0.0
    least: float = 0.0
    most: float = 0.0
    readings: set[str] = field(default_factory=set)

    def add(self, value: float, is_right: bool, read: str) -> None:
        """Add a score."""
        self.least = min(self.least, value) if self.n else value
        self.most = max(self.most, value) if self.n else value
        self.n, self.right, self.total = self.n + 1, self.right + is_right, self.total + value
        self.readings.add(read)

    @property
    def mean(self) -> float | None:
        """The mean score; None where there is none."""
        return self.total / self.n if self.n else None

    @property
    def differs(self) -> bool:
        """Return whether the models differ: in their scores, or in what was read of their answers."""
        return self.least != self.most or len(self.readings) > 1


class ScoreGrid(RowScan):
    """Filled line by line while the screen shows it."""

    def __init__(self, stored: StoredRun, metric: str | None) -> None:
        """`metric`: None = the first one that is met."""
        self._wanted = metric
        super().__init__(stored)

    def begin(self) -> None:
        """Empty the grid."""
        self.metric: Metric | None = None
        self.rows: dict[GridRow, list[GridRow]] = {}
        """Every question, or conversation, with the rows of its turns; in the order of the file."""
        self.columns: dict[GridColumn, None] = {}
        self.cells: dict[tuple[GridRow, GridColumn], list[GridCell]] = {}
        """Of an answer to several questions all its scores."""
        self.first: dict[GridRow, int] = {}
        """A sample of each question, by its row in the file."""
        self.category: dict[GridRow, str] = {}
        """What each question belongs to by the first of its groupings; empty where it has none."""
        self.titles: dict[GridRow, tuple[str, str]] = {}
        """Of each question the item that asked it first, without the name of its queue, and how the question begins."""
        self._tallies: dict[GridRow, RowTally] = {}

    @property
    def has_turns(self) -> bool:
        """Return whether any question has several answers of a model, as conversations have."""
        return any(turns[0].turn is not None for turns in self.rows.values())

    def of(self, row: GridRow, column: GridColumn) -> list[GridCell]:
        """The scores of a cell: those of all turns where the row is a conversation."""
        return [cell for grid_row in self.rows.get(row, [row]) for cell in self.cells.get((grid_row, column), ())]

    def tally(self, row: GridRow) -> RowTally:
        """The scores of a row added up: those of all turns where it is a conversation."""
        return self._tallies.get(row) or _joined(self._tallies, self.rows.get(row, [row]))

    def differs(self, sample: StoredSample) -> bool:
        """Return whether the models differ in what a sample was asked."""
        whole = _row_of(sample)
        return any(self.tally(turn).differs for turn in self.rows.get(whole, ()))

    def add(self, row: int, sample: StoredSample) -> None:
        """Add the scores of a sample by the metric."""
        marks = [mark for mark in sample.marks if self._is_wanted(mark.name)]
        if not marks:
            return
        whole = _row_of(sample)
        several = len({mark.call_index for mark in sample.marks}) > 1
        turns = self.rows.setdefault(whole, [])
        if whole not in self.first:
            self.first[whole] = row
            item = sample.item_id.removeprefix(f"{sample.queue}/") if sample.queue else sample.item_id
            self.titles[whole] = item, sample.question[:LONGEST_QUESTION]
            self.category[whole] = ", ".join(next(iter(sample.groups.values()), ()))
        for mark in marks:
            self.metric = self.metric or mark.metric
            answer = sample.answer_of(mark)
            place = whole._replace(turn=mark.call_index) if several or (turns and turns[0].turn is not None) else whole
            if place not in turns:
                turns.append(place)
            column = GridColumn(mark.stage, mark.model)
            self.columns.setdefault(column)
            answered = answer is not None and bool(answer.text)
            read = mark.read if mark.read and len(mark.read) <= SHORT_READING and mark.read.isalnum() else ""
            refused = mark.why in REFUSED or (answer is not None and answer.status in REFUSED)
            cell = GridCell(row, mark.call_index, mark.value, answered, mark.why, read, refused)
            self.cells.setdefault((place, column), []).append(cell)
            if mark.value is not None:
                self._tallies.setdefault(place, RowTally()).add(mark.value, mark.passes is True, read)

    def _is_wanted(self, name: str) -> bool:
        if self._wanted is None:
            self._wanted = name
        return name == self._wanted


def _row_of(sample: StoredSample) -> GridRow:
    return GridRow(sample.doc_id or sample.item_id, sample.q_index, sample.repeat, None, sample.unit.variant)


def _joined(tallies: Mapping[GridRow, RowTally], rows: Sequence[GridRow]) -> RowTally:
    whole = RowTally()
    for tally in (tallies[row] for row in rows if row in tallies):
        whole.least = min(whole.least, tally.least) if whole.n else tally.least
        whole.most = max(whole.most, tally.most) if whole.n else tally.most
        whole.n, whole.right, whole.total = whole.n + tally.n, whole.right + tally.right, whole.total + tally.total
        whole.readings |= tally.readings
    return whole


def metric_of(grid: ScoreGrid) -> Metric:
    """The metric of its scores; right or wrong where there is none."""
    return grid.metric or RIGHT_OR_WRONG


class Degraded:
    """Turns that were asked without an earlier one that had failed, as evaluation.json of a run tells it."""

    def __init__(self, evaluation: Mapping[str, object]) -> None:
        results = evaluation.get("results")
        self._turns = {
            (entry.get("model"), entry.get("conversation"), entry.get("repeat"), entry.get("turn"))
            for entry in (results if isinstance(results, list) else [])
            if isinstance(entry, dict) and entry.get("degraded") is True and type(entry.get("turn")) is int
            and all(isinstance(entry.get(name), str) for name in ("model", "conversation"))
        }  # fmt: skip

    def holds(self, row: GridRow, column: GridColumn, cell: GridCell) -> bool:
        """Return whether the answer of a cell is one of these."""
        return (column.model, row.doc_id, row.repeat, cell.turn + 1) in self._turns
