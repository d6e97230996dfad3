"""What an evaluation is made of, and its samples driven by what a log holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.core.calls import Call, ModelSpec, Reply
from tui_eval.core.kinds import Flow, InputFile, Reporter
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.kinds.shared import drive
from tui_eval.kinds.shared.inputs import Task
from tui_eval.kinds.shared.kind import Kind
from tui_eval.kinds.shared.queues import Samples, repeated
from tui_eval.kinds.shared.score_report import report_of
from tui_eval.runs.reader import Recorded
from tui_eval.session.gate_checks import Gates


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

    @property
    def config(self) -> Any:
        """The kind's own table, filled in."""
        return self.task.config

    def samples(self, queue: str | None = None) -> Iterator[Sample]:
        """Everything that is asked about (or what one queue asks), once per repeat."""
        return repeated(self.queues, self.repeat, queue)

    def flow(self, sample: Sample) -> Flow:
        """One sample's evaluation, not begun."""
        return self.kind.flow(self.task, sample)

    def driven(self, sample: Sample, answer: Callable[[Call], Reply]) -> SampleResult:
        """One sample's evaluation, driven by a function that answers calls."""
        return drive.driven(self.kind, self.task, sample, answer)

    def reporter(self) -> Reporter:
        """What adds up its rows."""
        return report_of(self.kind, self.task)


def rows_from_log(evaluation: Evaluation, recorded: Recorded) -> Iterator[SampleResult]:
    """Every sample in order, its flow driven by what the log holds."""
    answer = drive.recorded_answers(evaluation.models, recorded.reply)
    for sample in evaluation.samples():
        yield evaluation.driven(sample, answer)
