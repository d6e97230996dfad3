"""An evaluation and its parts, its samples driven by what a log holds, and the files that its kind makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from tui_eval.configuring.gate_checks import Gates
from tui_eval.core.calls import Call, Json, ModelSpec, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.kinds import Flow, RunStamp
from tui_eval.core.plaintext import readable
from tui_eval.core.reports import Reporter
from tui_eval.core.results import SampleResult
from tui_eval.core.row_paths import problem_of
from tui_eval.core.samples import Sample
from tui_eval.evaluation import drivers
from tui_eval.evaluation.drivers import as_example
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.kind_reports import own_report_of, report_of
from tui_eval.evaluation.sample_queues import Samples, repeated
from tui_eval.evaluation.sample_results import own_part
from tui_eval.providers import WIRES
from tui_eval.results.tables import content_text
from tui_eval.runs.reader import Recorded

SPARED = 100
"""Samples that may be driven in vain, besides as many as the log speaks of."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Parts of an evaluation, once its config is resolved: enough to ask it, or to report on it."""

    kind: Kind
    name: str
    task: Task
    queues: Samples
    """What is asked about, once: all of it, or what --only names."""
    files: Sequence[InputFile]
    models: Mapping[str, ModelSpec]
    repeat: int
    gates: Gates | None = None
    """What its results are held against; None where its config demands nothing."""
    started_at: str = ""
    """When its run was begun, ISO 8601 in UTC; empty while there is none."""
    run_id: str = ""
    """Of its run; empty while there is none."""

    @property
    def config(self) -> Any:
        """The kind's own table, filled in."""
        return self.task.config

    def samples(self, queue: str | None = None) -> Iterator[Sample]:
        """Everything that is asked about (or what one queue asks), once per repeat."""
        return repeated(self.queues, self.repeat, queue)

    def flow(self, sample: Sample) -> Flow:
        """One sample's evaluation, not begun."""
        return drivers.flow_of(self.kind, self.task, sample)

    def further(self, rows: Sequence[SampleResult]) -> list[Sample]:
        """The samples of a further wave, in order; none while any has not ended. `rows`: the latest of each, in order."""
        n = self.repeat * sum(map(len, self.queues.values()))
        if self.kind.further is None or len(rows) < n or not all(row.finished for row in rows):
            return []
        repeats = [[row for row in rows if row.sample.repeat == repeat] for repeat in range(self.repeat)]
        return [sample for mine in repeats for sample in self.kind.further(self.task, mine)]

    def driven(self, sample: Sample, answer: Callable[[Call], Reply]) -> SampleResult:
        """One sample's evaluation, driven by a function that answers calls."""
        return drivers.driven(self.kind, self.task, sample, answer)

    def reporter(self) -> Reporter:
        """Return the reporter that adds up its rows."""
        return report_of(self.kind, self.task)

    def own_reporter(self) -> Reporter:
        """Return the reporter that adds up its rows by the kind's own metrics, whatever scorers its config has."""
        return own_report_of(self.kind, self.task)

    def own_part(self, row: SampleResult) -> SampleResult:
        """A row with the scores that the kind itself made."""
        return own_part(row, self.task.scorers.names)


def latest(rows: Sequence[SampleResult], newer: Sequence[SampleResult]) -> list[SampleResult]:
    """The rows, those of samples that went on replaced by newer ones."""
    newer_by_id = {row.sample.id: row for row in newer}
    return [newer_by_id.get(row.sample.id, row) for row in rows]


def samples_on_file(evaluation: Evaluation, recorded: Recorded) -> Iterator[Sample]:
    """Every sample, in order, as the latest wave asks it that a log knows of."""
    gone_on = (
        {} if evaluation.kind.further is None else {row.sample.id: row.sample for row in RowsFromLog(evaluation, recorded)}
    )
    return (gone_on.get(sample.id, sample) for sample in evaluation.samples())


def with_stored_scores(evaluation: Evaluation, path: Path) -> Evaluation:
    """Return the evaluation with the scores that a run folder has of own scorers; itself where its config has none."""
    task, scorers = evaluation.task, evaluation.task.scorers
    if not scorers.by_code or scorers.code_scores is not None:
        return evaluation
    from tui_eval.configuring.own_code.code_scores_on_file import code_scores_in  # only for those whose code is run

    table = code_scores_in(path, evaluation.models)
    return replace(evaluation, task=replace(task, scorers=replace(scorers, code_scores=table)))


class RowsFromLog:
    """The samples that a log speaks of, in order, each flow driven by what it holds; what was not asked is counted.

    A sample that the log does not mention is driven as well, for its flow may have raised, or asked nothing; where that turns
    out in vain more often than not, the rest is only counted, so that it takes no longer than what was asked.
    """

    def __init__(self, evaluation: Evaluation, recorded: Recorded, start: int = 0) -> None:
        """`start`: the place of the first row; samples before it have ended, and are only counted. For kinds without waves."""
        self._evaluation, self._recorded, self._start = with_stored_scores(evaluation, recorded.path), recorded, start
        self.passed = 0
        """Samples so far, listed or not."""
        self.not_asked = 0
        """Those of which nothing was asked yet."""
        self.checks_not_asked = 0
        """Of the samples that find out about judges, and are in no other count, those of which nothing was asked yet."""
        self._on_file = 0

    def __iter__(self) -> Iterator[SampleResult]:
        if self._evaluation.kind.further is None:
            yield from self._first()
            return
        rows = list(self._first())
        answer = drivers.recorded_answers(self._evaluation.models, self._looked_up)
        while more := self._evaluation.further(rows):
            rows = latest(rows, [self._evaluation.driven(sample, answer) for sample in more])
        yield from rows

    def _first(self) -> Iterator[SampleResult]:
        """Every sample as it is asked without knowing of the others."""
        answer = drivers.recorded_answers(self._evaluation.models, self._looked_up)
        listed, in_vain = self._start, 0
        for sample in self._unlisted():
            self.passed += not sample.checks_judge
            if in_vain > SPARED + listed and sample.id not in self._recorded.samples:
                self._not_asked(sample)
                continue
            self._on_file = 0
            row = self._evaluation.driven(sample, answer)
            if row.replies and not self._on_file:
                self._not_asked(sample)
                in_vain += 1
                continue
            listed += 1
            yield row

    def _unlisted(self) -> Iterator[Sample]:
        """The samples from the first row on; those before it are counted, and those of a queue alone are not even made."""
        queues, start = [*self._evaluation.queues.values()], self._start
        if start and len(queues) == 1 and self._evaluation.repeat == 1:
            self.passed += 0 if queues[0][0].checks_judge else start
            return map(queues[0].__getitem__, range(start, len(queues[0])))
        samples = self._evaluation.samples()
        self.passed += sum(not sample.checks_judge for sample in islice(samples, start))
        return samples

    def _not_asked(self, sample: Sample) -> None:
        self.not_asked += not sample.checks_judge
        self.checks_not_asked += sample.checks_judge

    def _looked_up(self, key: str, call: Call) -> Reply | None:
        reply = self._recorded.reply(key, call)
        self._on_file += reply is not None
        return reply


def may_have_files(evaluation: Evaluation, row: SampleResult) -> bool:
    """Return whether files are made of a row as it is: it has ended, or its kind makes them of what has come so far."""
    return not row.sample.checks_judge and (row.finished or evaluation.kind.sample_files.partial) and not row.error


def row_files(evaluation: Evaluation, row: SampleResult) -> Mapping[str, str]:
    """By path; those of the second and further repeats lie in folders of their own. ValueError for a path that cannot be."""
    if evaluation.kind.sample_files.files is None or not may_have_files(evaluation, row):
        return {}
    files = evaluation.kind.sample_files.files(evaluation.task, evaluation.own_part(row))
    places = ((_place_of(row.sample.id, name, row.sample.repeat), content) for name, content in files.items())
    return {place: _text(place, content) for place, content in places}


class Contributions:
    """Contributions of items to the files that add up; in the order of the samples, whichever ends first."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._parts: list[dict[str, Any]] = [{} for _ in range(evaluation.repeat)]
        """Of each repeat, by sample: what it brought, None until then."""
        if evaluation.kind.sample_files.totals is not None:
            for sample in evaluation.samples():
                self._parts[sample.repeat][sample.id] = None

    def add(self, row: SampleResult) -> None:
        """Take in an item; what it brought before, it brings no more."""
        totals = self._evaluation.kind.sample_files.totals
        if totals is not None and may_have_files(self._evaluation, row):
            self._parts[row.sample.repeat][row.sample.id] = totals.part(self._evaluation.task, self._evaluation.own_part(row))

    def files(self) -> Iterator[tuple[str, str]]:
        """(path, text), those of each repeat for itself, as an item's are; a repeat to which nothing was brought has none."""
        return ((path, _text(path, content)) for path, content in self.contents())

    def contents(self) -> Iterator[tuple[str, Json]]:
        """(path, content) of the same, so that a long one can be written piece by piece."""
        totals = self._evaluation.kind.sample_files.totals
        simulated = any(WIRES[spec.wire].simulated for spec in self._evaluation.models.values())
        stamp = RunStamp(self._evaluation.name, self._evaluation.started_at, simulated)
        for repeat, parts in enumerate(self._parts if totals is not None else ()):
            added_parts = [part for part in list(parts.values()) if part is not None]
            if totals is not None and added_parts:
                files = totals.files(self._evaluation.task, added_parts, stamp)
                for name, content in files.items() if isinstance(files, Mapping) else files:
                    yield _place_of("what adds up", name, repeat), content


def _text(name: str, content: Json) -> str:
    return readable(content) if isinstance(content, str) else content_text(name, content)


def _place_of(whose: str, name: str, repeat: int) -> str:
    """Return where a file of a repeat lies. ValueError for a path that cannot be."""
    problem = problem_of(name)
    if problem:
        raise ValueError(f"{whose}: the file {name!r} {problem}")
    return f"repeats/{repeat + 1:02d}/{name}" if repeat else name


def check_row_files(evaluation: Evaluation) -> None:
    """ConfigError where two items, or one and what adds up, would write the same file: found before anything is sent, by the
    paths that the kind tells, else by the items' examples."""
    owner: dict[str, str] = {}
    for whose, paths in _paths_by_owner(evaluation):
        for name in paths:
            first = owner.setdefault(name.casefold(), whose)
            if first != whose:
                raise ConfigError(f"{evaluation.kind.name}: {first} and {whose} would both write {name}; rename one")


def _paths_by_owner(evaluation: Evaluation) -> Iterator[tuple[str, Iterable[str]]]:
    """(who writes them, the paths of files) of every item, and of what adds up."""
    form = evaluation.kind.sample_files
    if form.files is None and form.totals is None:
        return
    if form.paths is not None and (form.totals is None or form.totals.apart):
        for sample in evaluation.samples():
            if not sample.checks_judge:
                names = form.paths(evaluation.task, sample)
                yield sample.id, [_place_of(sample.id, name, sample.repeat) for name in names]
        return
    added = Contributions(evaluation)
    for sample in evaluation.samples() if form.files is not None else _one_of_each_shape(evaluation):
        row = evaluation.driven(sample, as_example)
        added.add(row)
        yield sample.id, row_files(evaluation, row)
    yield "the files that add up", (path for path, _ in added.files())


def _one_of_each_shape(evaluation: Evaluation) -> Iterator[Sample]:
    """The first sample of each shape: enough where items have no files, so that none can have the path of another."""
    for queue in evaluation.queues.values():
        for _, first in queue.shapes().values():
            yield queue[first]
