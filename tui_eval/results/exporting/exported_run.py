"""A run folder as exporters are told of it: of any age, live or finished, whatever lies in it; its samples one at a time."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from tui_eval.core.calls import Json
from tui_eval.core.errors import FolderError
from tui_eval.core.kinds import Metric
from tui_eval.core.money import MadeUp, how_much
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import source_of
from tui_eval.results.answers import Answer, Mark, StoredSample, item_of
from tui_eval.results.attempts import Cost, costs_apart
from tui_eval.results.read_report import list_of, number, simulated_models, table_of, whole
from tui_eval.results.sums.means import clusterings, mean_of
from tui_eval.results.sums.series import Series
from tui_eval.runs.entry import Look, look, state_of
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.opening import LONGEST_LINE
from tui_eval.runs.reader import RunReader, lines_in
from tui_eval.runs.stats_columns import stat
from tui_eval.workspace.plain_files import stream_of

Owner = tuple[str, str, int]
"""Of a score or a reply: (stage, model, call_index)."""


class Scored(NamedTuple):
    """A score and the reply that it is of; either may be lacking: a reply that nobody scored, a sample that has none."""

    mark: Mark | None
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class ExportedRun:
    """What exporters are told of a run. Its texts are foreign and as they are in the folder, but for those on one line."""

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
    """What report.json holds; empty where there is none yet."""
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

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Statistics of its attempts by stage and model; none where there is no report yet."""
        return [table_of(row) for row in list_of(self.report.get("calls_by_stage_and_model"))]

    @property
    def cost(self) -> Cost:
        """What it cost, real or simulated, whichever it is; of a run of both there are two."""
        return Cost(self.cost_usd, self.cost_unknown)

    @property
    def costs_apart(self) -> tuple[Cost, Cost]:
        """What a run of real and simulated models cost: real, and simulated."""
        if self.calls:
            return costs_apart(self.calls, self.simulated_models or ())
        pretended = self.charged_simulated_usd
        if self.cost_usd is None or pretended is None:
            return Cost(None, max(self.cost_unknown, 1)), Cost(pretended)
        return Cost(max(self.cost_usd - pretended, 0.0), self.cost_unknown), Cost(pretended)

    @property
    def made_up(self) -> MadeUp:
        """How much of it is simulated."""
        if self.simulated_models is None or not self.models:
            return "all" if self.simulated else "nothing"
        return how_much(len(self.simulated_models & self.models), len(self.models))

    def is_simulated(self, model: str | None) -> bool:
        """Whether a model is; any of the run's, where none is named."""
        if self.simulated_models is None or model is None:
            return self.simulated
        return model in self.simulated_models

    def about(self) -> dict[str, Json]:
        """What every row says of its run."""
        names = ("run_id", "name", "kind", "state", "simulated")
        return {name: getattr(self, name) for name in names}


@contextmanager
def opened_run(path: Path, models: Collection[str] = ()) -> Iterator[ExportedRun]:
    """A run folder, with these models alone where some are named. FolderError where it is none.

    What is read is what lies there now: a file that a run puts in its place, or adds to, changes nothing.
    """
    reader = RunReader(path)
    about = look(path)  # before its samples: what ends in between is told as it was
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(stream_of(path / RESULTS))
        except FileNotFoundError:
            stream = None
        except OSError as error:
            raise FolderError(f"{path / RESULTS}: cannot be read: {error.strerror or error}") from None
        yield _exported(reader, about, _Lines(stream, path / RESULTS), models)


class _Lines:
    """Where the samples of results.jsonl begin; of one that was written twice the last line counts."""

    def __init__(self, stream: BinaryIO | None, path: Path) -> None:
        self.stream = stream
        self.damaged = 0
        self.models: set[str] = set()
        self.measures: set[str] = set()
        known: dict[tuple[str, int], tuple[int, bool]] = {}
        for offset, line in () if stream is None else lines_in(stream.fileno(), path):
            item = item_of(line)
            if item is None:
                self.damaged += 1
            else:
                known[item.item_id, item.repeat] = offset, item.finished
                self.models.update(answer.model for answer in item.answers)
                self.models.update(mark.model for mark in item.marks)
                self.measures.update(mark.name for mark in item.marks)
        self.offsets = array("Q", sorted(offset for offset, _ in known.values()))
        self.finished = sum(finished for _, finished in known.values())

    def items(self, models: Collection[str]) -> Iterator[StoredSample]:
        for offset in self.offsets:
            assert self.stream is not None
            self.stream.seek(offset)
            item = item_of(self.stream.readline(LONGEST_LINE))
            if item is None:
                raise FolderError(f"{self.stream.name}: was written anew meanwhile; export again")
            item = _of_models(item, models) if models else item
            if item is not None:
                yield item


def _exported(reader: RunReader, seen: Look, lines: _Lines, models: Collection[str]) -> ExportedRun:
    manifest, progress, alive = seen
    report = reader.table("report.json")
    calls = table_of(report.get("calls"))
    planned = whole(progress.get("items")) or whole(table_of(report.get("items")).get("planned")) or 0
    state = one_line(state_of(reader.path, progress, alive), 40)
    return ExportedRun(
        run_id=one_line(reader.path.resolve().name),
        name=one_line(str(manifest.get("name") or "")),
        kind=one_line(str(manifest.get("kind") or ""), 40),
        state=state,
        simulated=True in (progress.get("simulated"), manifest.get("simulated"), report.get("simulated")),
        started_at=one_line(str(manifest.get("started_at") or ""), 40),
        report=report,
        notes=tuple(_notes(lines, state, max(planned, len(lines.offsets)), alive is not None, bool(report))),
        cost_usd=number(stat(calls, "sum_cost_usd") if calls else progress.get("charged_usd")),
        cost_unknown=whole(stat(calls, "n_cost_unknown") if calls else table_of(progress.get("total")).get("unknown_cost"))
        or 0,
        models=frozenset(lines.models),
        measures=frozenset(lines.measures),
        samples=len(lines.offsets),
        simulated_models=simulated_models(progress, report),
        charged_simulated_usd=number(progress.get("charged_simulated_usd")),
        items=lambda: lines.items(models),
    )


def _notes(lines: _Lines, state: str, planned: int, live: bool, reported: bool) -> Iterator[str]:
    if live or lines.finished < planned:
        further = "." if live else "; tui-eval resume goes on."
        yield f"The run is {state}: {lines.finished:,} of {planned:,} samples are finished{further}"
    if live and reported:
        yield "Its report is of before it was taken up again."
    if lines.damaged:
        yield f"Lines of results.jsonl that are no samples, left out: {lines.damaged:,}."


def _of_models(item: StoredSample, models: Collection[str]) -> StoredSample | None:
    """A sample with the replies and scores of some models, and what was said about these replies; None where none is left."""
    names = tuple(answer.name for answer in item.answers if answer.model in models)
    kept = [i for i, answer in enumerate(item.answers) if answer.model in models or (names and answer.speaks_of(names))]
    marks = tuple(mark for mark in item.marks if mark.model in models)
    if not kept and not marks and (item.answers or item.marks):
        return None
    primary = tuple(new for new, old in zip(count(), kept) if old in item.primary)
    return replace(item, answers=tuple(item.answers[i] for i in kept), marks=marks, primary=primary)


def owner_of(found: Mark | Answer) -> Owner:
    """Which reply a score is of, or which it is."""
    return found.stage, found.model, found.call_index


def scored(item: StoredSample) -> Iterator[Scored]:
    """Every score of a sample; then its answers without one; where there is neither, the sample alone: none goes missing."""
    by_owner = {owner_of(answer): answer for answer in reversed(item.answers)}
    marked = {owner_of(mark) for mark in item.marks}
    bare = [answer for answer in item.kept() if owner_of(answer) not in marked]
    yield from (Scored(mark, by_owner.get(owner_of(mark))) for mark in item.marks)
    yield from (Scored(None, answer) for answer in bare)
    if not item.marks and not bare:
        yield Scored(None, None)


def means(run: ExportedRun) -> list[dict[str, Json]]:
    """What the samples on file come to, for runs without a report: a row a stage, model and metric, with its n."""
    found: dict[tuple[str, str, str], tuple[Metric, Series]] = {}
    sources: dict[str, tuple[str, str]] = {}
    places: dict[str, int] = {}
    for item in run.items():
        question = item.item_id.removeprefix(f"{item.queue}/")
        place = places.setdefault(question, len(places))
        sources[question] = source_of(item.doc_id, item.groups), item.question
        for mark in item.marks:
            key = (mark.stage, mark.model, mark.name)
            found.setdefault(key, (mark.metric, Series()))[1].add(place, mark.value, mark.why)
    by_place = list(zip(*sources.values(), strict=True))
    return [_mean(key, *entry, by_place) for key, entry in found.items()]


def _mean(key: tuple[str, str, str], metric: Metric, series: Series, sources: Sequence[Sequence[str]]) -> dict[str, Json]:
    means = series.means()
    ways = clusterings(*([source[place] for place in means] for source in sources))
    score = mean_of(list(means.values()), ways, metric, None if series.single else sum(series.scored))
    counts = {"n": sum(series.scored), "n_questions": score.n, "missing": series.why.total()}
    names = dict(zip(("stage", "model", "metric"), key, strict=True))
    return {**names, "mean": score.value, "low": score.low, "high": score.high, **counts}
