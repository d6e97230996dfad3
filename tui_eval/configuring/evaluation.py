"""An evaluation and its parts, and its samples driven by what a log holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.configuring.gate_checks import Gates
from tui_eval.core.calls import Call, ModelSpec, Reply
from tui_eval.core.input_sources import InputFile
from tui_eval.core.kinds import Flow
from tui_eval.core.reports import Reporter
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.evaluation import drivers
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.sample_queues import Samples, repeated
from tui_eval.evaluation.score_report import report_of
from tui_eval.runs.reader import Recorded

SPARED = 100
"""Samples that may be driven in vain, besides as many as the log speaks of."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation is made of, once its config is resolved: enough to ask it, or to report on it."""

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

    def first_calls(self, sample: Sample) -> Sequence[Call]:
        """What one sample asks before any reply is known."""
        return drivers.first_calls(self.kind, self.task, sample)

    def reporter(self) -> Reporter:
        """What adds up its rows."""
        return report_of(self.kind, self.task)


def latest(rows: Sequence[SampleResult], newer: Sequence[SampleResult]) -> list[SampleResult]:
    """The rows, those of samples that went on replaced by newer ones."""
    found = {row.sample.id: row for row in newer}
    return [found.get(row.sample.id, row) for row in rows]


def samples_on_file(evaluation: Evaluation, recorded: Recorded) -> Iterator[Sample]:
    """Every sample, in order, as the latest wave asks it that a log knows of."""
    gone_on = (
        {} if evaluation.kind.further is None else {row.sample.id: row.sample for row in RowsFromLog(evaluation, recorded)}
    )
    return (gone_on.get(sample.id, sample) for sample in evaluation.samples())


class RowsFromLog:
    """The samples that a log speaks of, in order, each flow driven by what it holds; what was not asked is counted.

    A sample that the log does not mention is driven as well, for its flow may have raised, or asked nothing; where that turns
    out in vain more often than not, the rest is only counted, so that it takes no longer than what was asked.
    """

    def __init__(self, evaluation: Evaluation, recorded: Recorded) -> None:
        self._evaluation, self._recorded = evaluation, recorded
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
        listed = in_vain = 0
        for sample in self._evaluation.samples():
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

    def _not_asked(self, sample: Sample) -> None:
        self.not_asked += not sample.checks_judge
        self.checks_not_asked += sample.checks_judge

    def _looked_up(self, key: str, call: Call) -> Reply | None:
        reply = self._recorded.reply(key, call)
        self._on_file += reply is not None
        return reply
