"""A run folder as exporters are told of it: of any age, live or finished, whatever lies in it; its samples one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from tui_eval.core.calls import Json
from tui_eval.core.errors import FolderError
from tui_eval.core.gathering import gathered
from tui_eval.core.money import MadeUp, how_much
from tui_eval.core.plaintext import one_line
from tui_eval.core.units import QUESTIONS, Units, units_of
from tui_eval.results.attempts import Cost, costs_apart
from tui_eval.results.read_report import by_older_sums, list_of, number, simulated_models, table_of, whole
from tui_eval.results.report_head import StoredReport
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_samples import Mark, StoredReply, StoredSample, owner_of
from tui_eval.results.sums.board import Board, Side
from tui_eval.runs.entry import Look, look, state_of
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.person_marks import person_marks
from tui_eval.runs.reader import RunReader
from tui_eval.runs.stats_columns import stat

RatedAnswer = tuple[str, str, int, int, str, str]
"""Stage (empty in older files), id of the sample, repeat, turn from 1, model, metric."""


class ScoredReply(NamedTuple):
    """A score and the reply that it is of; either may be lacking: a reply that nobody scored, a sample that has none."""

    mark: Mark | None
    answer: StoredReply | None


@dataclass(frozen=True, slots=True)
class ExportedRun:
    """Run as exporters get it. Its texts are foreign and as they are in the folder, but for those on one line."""

    run_id: str
    name: str
    """As its config calls it; runs of the same config share it."""
    kind: str
    state: str
    simulated: bool
    """Whether any of its models is simulated."""
    started_at: str
    """ISO 8601 in UTC; empty where the run does not say."""
    report: Mapping[str, Any]
    """What report.json holds; empty where there is none yet. Only its `tables` are read when they are asked for."""
    notes: tuple[str, ...]
    """What must be known besides, in sentences: what is not finished, what could not be read."""
    cost_usd: float | None
    cost_unknown: int
    """Calls whose cost is not in it, since nobody knows it."""
    models: frozenset[str]
    """Models with replies or scores."""
    measures: frozenset[str]
    """Names of its scores."""
    samples: int
    """How many samples it has on file, repeats counted one by one."""
    items: Callable[[], Iterator[StoredSample]]
    """Its samples, read as they are asked for; the same ones whenever they are. FolderError where the file was changed."""
    simulated_models: frozenset[str] | None = None
    """Which of its models are simulated; None where it does not tell them apart."""
    charged_simulated_usd: float | None = None
    """What was charged for these so far; None where it does not say."""

    units: Units = QUESTIONS
    """What its numbers are about."""
    ratings: Mapping[RatedAnswer, Sequence[int]] = field(default_factory=dict)
    """What persons said of its answers, by answer and metric: all their marks, of claims 1 or 0 for each."""

    def rated(self, item: StoredSample, mark: Mark) -> dict[str, Json]:
        """Return the number of persons' marks of a score's answer, and their mean; nothing where there is none."""
        places = (item.item_id, item.repeat, mark.call_index + 1, mark.model, mark.name)
        marks = [*self.ratings.get((mark.stage, *places), ()), *self.ratings.get(("", *places), ())]
        return {"person_marks": len(marks), "person_mark": fmean(marks)} if marks else {}

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Statistics of its attempts by stage and model; none where there is no report yet."""
        return [table_of(row) for row in list_of(self.report.get("calls_by_stage_and_model"))]

    @property
    def cost(self) -> Cost:
        """Cost of the run, real or simulated, whichever it is; a run of both has two."""
        return Cost(self.cost_usd, self.cost_unknown)

    @property
    def costs_apart(self) -> tuple[Cost, Cost]:
        """Cost of a run of real and simulated models: real, and simulated."""
        if self.calls:
            return costs_apart(self.calls, self.simulated_models or ())
        pretended = self.charged_simulated_usd
        if self.cost_usd is None or pretended is None:
            return Cost(None, max(self.cost_unknown, 1)), Cost(pretended)
        return Cost(max(self.cost_usd - pretended, 0.0), self.cost_unknown), Cost(pretended)

    @property
    def made_up(self) -> MadeUp:
        """Extent to which it is simulated."""
        if self.simulated_models is None or not self.models:
            return "all" if self.simulated else "nothing"
        return how_much(len(self.simulated_models & self.models), len(self.models))

    def is_simulated(self, model: str | None) -> bool:
        """Return whether a model is simulated; any of the run's, where none is named."""
        if self.simulated_models is None or model is None:
            return self.simulated
        return model in self.simulated_models

    def about(self) -> dict[str, Json]:
        """Return the cells on the run that every row has."""
        names = ("run_id", "name", "kind", "state", "simulated")
        return {name: getattr(self, name) for name in names}


@contextmanager
def opened_run(path: Path, models: Collection[str] = ()) -> Iterator[ExportedRun]:
    """A run folder, with these models alone where some are named. FolderError where it is none.

    What is read is what lies there now: a file that a run puts in its place, or adds to, changes nothing.
    """
    reader = RunReader(path)
    about = look(path)  # before its samples: what ends in between is told as it was
    yield _exported(reader, about, StoredRun(path / RESULTS), models)


def _exported(reader: RunReader, status: Look, stored: StoredRun, models: Collection[str]) -> ExportedRun:
    manifest, progress, alive = status
    report = StoredReport(reader)
    calls = table_of(report.get("calls"))
    planned = whole(progress.get("items")) or whole(table_of(report.get("items")).get("planned")) or 0
    state = one_line(state_of(reader.path, progress, alive), 40)
    model_names, measures, ends = set[str](), set[str](), Counter[bool]()
    for sample in stored.samples():
        model_names.update(answer.model for answer in sample.answers)
        model_names.update(mark.model for mark in sample.marks)
        measures.update(mark.name for mark in sample.marks)
        ends[sample.finished] += 1
    planned = max(planned, ends.total())
    return ExportedRun(
        run_id=one_line(reader.path.resolve().name),
        name=one_line(str(manifest.get("name") or "")),
        kind=one_line(str(manifest.get("kind") or ""), 40),
        state=state,
        simulated=True in (progress.get("simulated"), manifest.get("simulated"), report.get("simulated")),
        started_at=one_line(str(manifest.get("started_at") or ""), 40),
        report=report,
        notes=tuple(_notes(state, ends[True], planned, stored.damaged, alive is not None, report)),
        cost_usd=number(stat(calls, "sum_cost_usd") if calls else progress.get("charged_usd")),
        cost_unknown=whole(stat(calls, "n_cost_unknown") if calls else table_of(progress.get("total")).get("unknown_cost"))
        or 0,
        models=frozenset(model_names),
        measures=frozenset(measures),
        samples=ends.total(),
        simulated_models=simulated_models(progress, report),
        charged_simulated_usd=number(progress.get("charged_simulated_usd")),
        units=units_of(report.get("units") or manifest.get("units")),
        ratings=_ratings(reader.path),
        items=lambda: _of_models(stored.samples(), models) if models else stored.samples(),
    )


def _ratings(path: Path) -> dict[RatedAnswer, list[int]]:
    """Return the marks of persons; nothing where the file of their marks cannot be read."""
    try:
        marks = person_marks(path)
    except FolderError:
        return {}
    ratings = ((key[:6], mark.mark) for key, mark in marks.items() if mark.mark is not None)
    return gathered(ratings)


def _notes(state: str, finished: int, planned: int, damaged: int, live: bool, report: Mapping[str, Any]) -> Iterator[str]:
    if live or finished < planned:
        further = "." if live else "; tui-eval resume goes on."
        yield f"The run is {state}: {finished:,} of {planned:,} samples are finished{further}"
    if live and report:
        yield "Its report is from before it was resumed."
    elif by_older_sums(report):
        yield "Its report's means, intervals and tests are made by older sums: tui-eval rescore makes them anew."
    if damaged:
        yield f"Lines of results.jsonl that are no samples, left out: {damaged:,}."


def _of_models(samples: Iterator[StoredSample], models: Collection[str]) -> Iterator[StoredSample]:
    """Samples with the replies and scores of some models, and what was said about these replies; without those left empty."""
    for item in samples:
        names = tuple(answer.name for answer in item.answers if answer.model in models)
        places = [i for i, answer in enumerate(item.answers) if answer.model in models or (names and answer.speaks_of(names))]
        marks = tuple(mark for mark in item.marks if mark.model in models)
        primary = tuple(new for new, old in zip(count(), places) if old in item.primary)
        if places or marks or not (item.answers or item.marks):
            yield replace(item, answers=tuple(item.answers[i] for i in places), marks=marks, primary=primary)


def scored(item: StoredSample) -> Iterator[ScoredReply]:
    """Every score of a sample; then its answers without one; where there is neither, the sample alone: none goes missing."""
    by_owner = {owner_of(answer): answer for answer in reversed(item.answers)}
    marked = {owner_of(mark) for mark in item.marks}
    bare = [answer for answer in item.kept() if owner_of(answer) not in marked]
    yield from (ScoredReply(mark, by_owner.get(owner_of(mark))) for mark in item.marks)
    yield from (ScoredReply(None, answer) for answer in bare)
    if not item.marks and not bare:
        yield ScoredReply(None, None)


def means(run: ExportedRun) -> list[dict[str, Json]]:
    """Return the means of the samples on file, for runs without a report: a row a stage, model and metric, with its n."""
    board = Board.empty(run.units, ())
    for item in run.items():
        board.metrics |= {mark.name: mark.metric for mark in item.marks}
        board.add(item.unit, item.groups, item.repeat, item.marks)
    return [_mean(board, side) for side in board.series]


def _mean(board: Board, side: Side) -> dict[str, Json]:
    estimate = board.estimate(side)
    row: dict[str, Json] = {"stage": side.stage, "model": side.model}
    if board.variants:
        row |= {board.units.variant or "variant": side.variant} | row
    row["metric"] = side.metric
    figures = {"mean": estimate.value, "low": estimate.low, "high": estimate.high, "n_items": estimate.n}
    return {**row, **figures, "n": estimate.scored, "missing": estimate.missing}
