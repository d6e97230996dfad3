"""Part of a report about its items: how hard each is, how well it separates models, and which keys to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tui_eval.core.calls import Json
from tui_eval.core.lazy_sequence import LazySequence
from tui_eval.core.results import Cell, SampleResult, Table
from tui_eval.core.samples import plain_id
from tui_eval.core.units import Unit
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.report_parts import ReportPart
from tui_eval.evaluation.sum_cells import rounded
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.item_analysis import (
    COLUMNS,
    LEAST_MODELS,
    ItemAnalysis,
    ItemFigures,
    ModelAnswers,
    analysed_sides,
    item_analysis,
    item_row,
)

NOTE = (
    "Difficulty is the share of right answers, so that a small one is a hard item. item_rest: correlation over the models of"
    " the item with the mean over all others; interval by Fisher, the models taken for independent. The effective number is"
    " Kish's, of the variances between models: as many items, all equally telling, would tell as much. look: more than half"
    " of the models chose one other option, and the better ones more often, or all chose it; options by their letters in the"
    " set's own order."
)


@dataclass(frozen=True, slots=True)
class ChosenOptions:
    """First choices of models at each question, by their places on the board, as options in the set's own order."""

    names: Sequence[str]
    """The questions' ids."""
    keys: Mapping[int, int] | None = None
    by_model: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


class ItemPart(ReportPart):
    """The table `items`, where three models or more were scored as right or wrong."""

    def __init__(self, task: Task, board: Callable[[], Board]) -> None:
        self._board = board
        self._take_models({model.name: model.model_id for models in task.asked.values() for model in models})
        self._names: list[str] = []
        """By place on the board the id of an item's first sample; empty where none was added."""
        self._doc_ids: list[str] = []
        """By place what that sample is about."""
        self._options: Callable[[], ChosenOptions] | None = None

    def _take_models(self, model_ids: Mapping[str, str]) -> None:
        self._model_ids, self._has_models = dict(model_ids), len({*model_ids.values()}) >= LEAST_MODELS

    def with_options(self, options: Callable[[], ChosenOptions], model_ids: Mapping[str, str]) -> None:
        """Look at the options that models chose, too; `model_ids`: the APIs' own ids by their names on the board."""
        self._options = options
        self._take_models(model_ids)

    def add(self, row: SampleResult, unit: Unit) -> None:
        """Note what an item is called."""
        if not self._has_models:
            return
        place = self._board().items.place(unit, row.sample.groups)
        lacking = place + 1 - len(self._names)
        if lacking > 0:
            self._names += [""] * lacking
            self._doc_ids += [""] * lacking
        if not self._names[place]:
            self._names[place] = plain_id(row.sample.id.removeprefix(f"{row.sample.queue}/"))
            self._doc_ids[place] = row.sample.doc_id

    def tables(self) -> Mapping[str, Table]:
        """`items`; nothing of fewer than three models or two items."""
        if not self._has_models:
            return {}
        board = self._board()
        sides = analysed_sides(board, board.units)
        options = self._options() if self._options is not None else None
        answers = [
            ModelAnswers(
                side.model,
                self._model_ids.get(side.model, side.model),
                board.series[side].means(),
                options.by_model.get(side.model, {}) if options else {},
            )
            for side in sides
        ]
        analysis = item_analysis(answers, options.keys if options else None)
        if analysis is None:
            return {}
        about = {"stage": sides[0].stage, "name": sides[0].metric}
        names = [(name, name) for name in options.names] if options else [*map(self._item_name, range(len(board.items)))]
        return {"items": item_table(analysis, names, options.keys if options else None, board.units.item, about)}

    def _item_name(self, place: int) -> tuple[str, str]:
        if place < len(self._names) and self._names[place]:
            return self._names[place], self._doc_ids[place]
        return plain_id(self._board().items.units[place].clusters[-1]), ""


def item_table(
    analysis: ItemAnalysis,
    names: Sequence[tuple[str, str]],
    keys: Mapping[int, int] | None,
    noun: str,
    about: Mapping[str, Json],
) -> Table:
    """Make the table of items, those to look at first, then the hardest.

    `names`: by place what an item is called, and the `doc_id` of its samples; `noun`: items in a word; `about`: which scores
    of an item were analysed.
    """
    ordered = analysis.ordered
    often = Counter(doc_id for _, doc_id in names)

    def row(n: int) -> tuple[Cell, ...]:
        item = ordered[n]
        key = None if keys is None else keys.get(item.place)
        return _cells(item, names[item.place][0], key)

    def rests_on(n: int) -> Mapping[str, Json] | None:
        doc_id = names[ordered[n].place][1]
        return {"doc_id": doc_id, **about} if often[doc_id] == 1 and doc_id else None

    title = f"{noun.capitalize()}s: difficulty, item-rest correlation, and which to look at"
    note = " ".join([*analysis.sentences(noun), NOTE])
    return Table(title, COLUMNS, LazySequence(len(ordered), row), note, ("item",), LazySequence(len(ordered), rests_on))


def _cells(item: ItemFigures, name: str, key: int | None) -> tuple[Cell, ...]:
    values, (low, high) = item_row(item, name, key), item.interval or (None, None)
    cells = {
        "share_right": Cell(values["share_right"], item.n_models, formula="mean over the models of right / answers"),
        "item_rest": Cell(
            values["item_rest"], item.n_models, rounded(low), rounded(high), "Pearson's r with the mean over all other items"
        ),
    }
    return tuple(cells.get(column, Cell(value)) for column, value in values.items())
