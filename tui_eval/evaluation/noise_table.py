"""The part of a report on noise: by how much two builds of one model differ by chance alone, wherever there are repeats."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from tui_eval.core.plaintext import count_of
from tui_eval.core.results import Cell, Table
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.report_parts import ReportPart
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, table_of
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.noise_floor import NoiseFloor, noise_floor
from tui_eval.results.sums.noise_sentences import say_noise

NOISE_FLOOR = "noise_floor"
COLUMNS = ("n_items", "n_builds", "changed", "floor", "floor_low", "floor_high")
FORMULA = "1.96 · √(2 · variance within items / items)"


class NoiseTable(ReportPart):
    """The noise floor of every side that answered an item in two repeats or more."""

    def __init__(self, task: Task, judged: Collection[str], board: Callable[[], Board]) -> None:
        self._ids = {model.name: model.model_id for models in task.asked.values() for model in models}
        self._shuffles = bool(getattr(task.config, "shuffle", False))
        self._judged, self._board = frozenset(judged), board

    def tables(self) -> Mapping[str, Table]:
        """One table; none without repeats."""
        board = self._board()
        floors = {
            side: floor
            for side, series in board.series.items()
            if series.repeated and (floor := noise_floor(series, board.metric(side))) is not None
        }
        if not floors:
            return {}
        variant = (board.units.variant,) if board.variants else ()
        keys = ("stage", "model", *variant, "model_id", "metric")
        rows = [self._row(board, side, floor) for side, floor in floors.items()]
        return {NOISE_FLOOR: table_of("Noise floor", rows, (*keys, *COLUMNS), self._note(board, floors), keys)}

    def _row(self, board: Board, side: Side, floor: NoiseFloor) -> Cells:
        variant = {board.units.variant: side.variant} if board.variants else {}
        value, low, high = floor.floor(floor.items)
        rests_on = {"stage": side.stage, "model": side.model, "name": side.metric}
        return {
            RESTS_ON: {**rests_on, **({"variant": side.variant} if variant else {})},
            "stage": side.stage,
            "model": side.model,
            **variant,
            "model_id": self._ids.get(side.model, side.model),
            "metric": side.metric,
            "n_items": floor.items,
            "n_builds": floor.builds,
            "changed": Cell(
                floor.changed / floor.items, floor.items, formula="share of items whose score is not always the same"
            ),
            "floor": Cell(rounded(value), floor.items, low, high, FORMULA) if floor.known else None,
            "floor_low": rounded(low),
            "floor_high": rounded(high),
        }

    def _note(self, board: Board, floors: Mapping[Side, NoiseFloor]) -> str:
        units, few = board.units, any(not floor.known for floor in floors.values())
        sizes = {floor.items for floor in floors.values()}
        n = count_of(max(sizes), units.item) if len(sizes) == 1 else f"these {units.item}s"
        sentences = [
            f"{say_noise('floor', n=f'{n}, asked once each,')}; interval: Gaffke, 95 %, of the variance within {units.item}s."
        ]
        sentences += ["Empty: too little changed for a figure; floor_high is what it lies below."] if few else []
        sentences.append(f"{_as_sentence(say_noise('oftener', item=units.item))}.")
        if any(side.metric in self._judged for side in floors):
            sentences.append(f"{_as_sentence(say_noise('of_both'))}.")
        if self._shuffles:
            sentences.append(f"{_as_sentence(say_noise('upper_bound'))}.")
        sentences.append(f"{_as_sentence(say_noise('no_drift'))}.")
        return " ".join(sentences)


def _as_sentence(words: str) -> str:
    return words[0].upper() + words[1:]
