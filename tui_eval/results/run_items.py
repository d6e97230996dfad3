"""Items of runs on file, analysed: read from run folders alone, of one run or of several on their common items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from string import ascii_uppercase

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import plain_id
from tui_eval.results.comparison.sides import Run, common_items, read_runs
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_samples import Mark, StoredSample
from tui_eval.results.stored_scores import split_options
from tui_eval.results.sums.board import Side
from tui_eval.results.sums.item_analysis import (
    LEAST_ITEMS,
    LEAST_MODELS,
    ItemAnalysis,
    ItemFigures,
    ModelAnswers,
    analysed_sides,
    item_analysis,
    item_row,
)
from tui_eval.runs.folder import RESULTS

_KEY = re.compile(r"\A([A-Z])\) ")
_OWN_KEY = re.compile(r" \(([A-Z]) in the benchmark's own order\)\Z")


@dataclass(frozen=True, slots=True)
class RunItems:
    """Analysed items of runs; places are those of the first run's board."""

    analysis: ItemAnalysis
    what: str
    """An item in a word."""
    metric: str
    names: Sequence[str]
    """What the first sample of each item is called."""
    digests: Sequence[str]
    """What is the same in every run and set that has the item."""
    questions: Mapping[int, str]
    """As they were asked, without options. Foreign texts."""
    keys: Mapping[int, int]
    simulated: Sequence[str]
    """Models for which the simulator answered."""

    def rows(self, look_only: bool = False) -> Iterator[dict[str, Json]]:
        """Yield what is said of each item, those to look at first, then the hardest."""
        for item in self.analysis.ordered:
            if item.doubt is not None or not look_only:
                yield item_row(item, self.names[item.place], self.keys.get(item.place))

    def reason(self, item: ItemFigures) -> str:
        """Return why an item is to be looked at; empty of others."""
        key = self.keys.get(item.place)
        return "" if item.doubt is None or key is None else item.doubt.words(key)


@dataclass(slots=True)
class _ItemLines:
    """Content of a run's lines on its items besides their scores, by place."""

    questions: dict[int, str]
    keys: dict[int, int]
    options: dict[tuple[str, int], tuple[tuple[int, int], int | None]]
    """By model and place the repeat and the call of its first answer, and the option that it chose."""

    def chosen(self, model: str) -> dict[int, int]:
        """The options that a model chose at first."""
        return {place: option for (name, place), (_, option) in self.options.items() if name == model and option is not None}


def read_items(paths: Sequence[Path]) -> RunItems:
    """Analyse the items of runs, of several their common ones.

    FolderError where a folder is no run; ConfigError where nothing can be analysed, with what it takes.
    """
    runs = read_runs(list(paths))
    first = runs[0]
    matches = [common_items(first, run)[0] for run in runs]
    common = reduce(lambda a, b: a & b, map(set[int], matches))
    sides = _sides(runs)
    lines = [_read_lines(run, own) for run, own in zip(runs, sides, strict=True)]
    keys = {place: key for place, key in lines[0].keys.items() if place in common}
    has_options = all(own.keys for own in lines)
    answers = [
        _answers(run, side, {place: match[place] for place in common}, of_run, len(runs) > 1)
        for run, own, match, of_run in zip(runs, sides, matches, lines, strict=True)
        for side in own
    ]
    analysis = item_analysis(answers, keys if has_options else None)
    if analysis is None:
        raise ConfigError(
            f"{', '.join(run.run_id for run in runs)}: {count_of(len(common), first.board.units.item)} in common, and"
            f" {count_of(len(answers), 'model')} scored as right or wrong. An analysis needs {LEAST_MODELS} models with"
            f" different ids and {LEAST_ITEMS} items. If there are further runs of the same questions, name them, too"
        )
    return RunItems(
        analysis=analysis,
        what=first.board.units.item,
        metric=next(own[0].metric for own in sides if own),
        names=[plain_id(name) for name in first.places],
        digests=[unit.item for unit in first.board.items.units],
        questions=lines[0].questions,
        keys=keys if has_options else {},
        simulated=[side.model for run, own in zip(runs, sides, strict=True) for side in own if run.sides[side].simulated],
    )


def _sides(runs: Sequence[Run]) -> list[list[Side]]:
    """By run the sides that are analysed: all of one metric."""
    sides_by_run = [analysed_sides(run.board, run.board.units) for run in runs]
    metric = next((own[0].metric for own in sides_by_run if own), "")
    return [[side for side in own if side.metric == metric] for own in sides_by_run]


def _answers(run: Run, side: Side, match: Mapping[int, int], lines: _ItemLines, is_one_of_several: bool) -> ModelAnswers:
    """Return a side's answers to the common items. `match`: by place of the first run the place of this one."""
    means, options = run.board.series[side].means(), lines.chosen(side.model)
    return ModelAnswers(
        f"{side.model} of {run.run_id}" if is_one_of_several else side.model,
        run.model_ids.get(side.model, side.model),
        {place: means[own] for place, own in match.items() if own in means},
        {place: options[own] for place, own in match.items() if own in options},
    )


def _read_lines(run: Run, sides: Sequence[Side]) -> _ItemLines:
    """Read what was asked, and which options the sides chose at first."""
    lines, of_sides = _ItemLines({}, {}, {}), {(side.stage, side.model, side.metric) for side in sides}
    for sample in StoredRun(run.path / RESULTS).samples():
        place = run.board.items.place(sample.unit, sample.groups)
        lines.questions.setdefault(place, split_options(sample.question)[0].strip())
        if _KEY.match(sample.truth or ""):
            marks = [mark for mark in sample.marks if (mark.stage, mark.model, mark.name) in of_sides]
            _add_options(lines, sample, place, marks)
    return lines


def _add_options(lines: _ItemLines, sample: StoredSample, place: int, marks: Sequence[Mark]) -> None:
    """Note the key, and what each model chose in the first of its answers."""
    key = _key(sample.truth or "")
    if key is not None:
        lines.keys.setdefault(place, key)
    for mark in marks:
        at, before = (sample.repeat, mark.call_index), lines.options.get((mark.model, place))
        if before is None or at < before[0]:
            lines.options[mark.model, place] = at, _option(mark.read)


def _key(truth: str) -> int | None:
    """The right option in the set's own order, which is told where the first prompt had another one."""
    match = _OWN_KEY.search(truth) or _KEY.match(truth)
    return _option(match[1]) if match else None


def _option(letter: str | None) -> int | None:
    return ascii_uppercase.index(letter) if letter and len(letter) == 1 and letter in ascii_uppercase else None
