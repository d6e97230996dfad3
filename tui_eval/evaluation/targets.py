"""Targets of a kind: which of its replies are held against an expected answer, so that a config can have them scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui_eval.core.calls import Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.samples import Sample
from tui_eval.evaluation.expected import Expected

if TYPE_CHECKING:
    from tui_eval.evaluation.scoring.rule import ScorerRow

Place = tuple[str, str, int]
"""(stage, model, call_index) under which a score stands."""


@dataclass(frozen=True, slots=True)
class TargetedAnswer:
    """One answer that scorers hold against what is expected of it."""

    reply: Reply
    """The text that is scored, and the call under which its scores stand."""
    expected: Expected
    why: str = ""
    """Why there is no answer, though its reply came: its scores are missing. Empty = the reply is the answer."""
    also: tuple[Place, ...] = ()
    """Where the same scores stand besides, such as under the model whose text was answered from."""
    scorers: tuple[ScorerRow, ...] | None = None
    """Its sample's own scorers; None = those of the config."""
    question: str | None = None
    """What it answers, for a model that scores it; None = its sample's question."""


def has_target(task: Any, sample: Sample) -> bool:
    """Return whether a sample of which its kind says nothing else has a target."""
    return sample.truth is not None or sample.answer is not None


@dataclass(frozen=True, slots=True)
class Targets:
    """A kind's declaration of the replies that are held against targets. Without stages it takes no scorers."""

    stages: tuple[str, ...] = ()
    """The stages whose replies are answers to a sample that has a target."""
    answers: Callable[[Any, Sample, Sequence[Reply]], Iterable[TargetedAnswer]] | None = None
    """Of a task, a sample and all its replies, in order: the answers to score. None = each reply of `stages` is one, with what
    its sample expects."""
    has_target: Callable[[Any, Sample], bool] = has_target
    """Whether a target of a sample is known, or will be made in the run."""
    where: str = ""
    """The keys that bring targets, for errors; empty where every sample has one."""
    own_metrics: Callable[[Any], tuple[Metric, ...]] | None = None
    """Of a task, the kind's own metrics that it measures beside scorers; None = all."""
    sides: Callable[[Any], Iterable[tuple[str, ...]]] | None = None
    """Of a task, who is in the tables of the scorers whatever happens: (stage, model), or these with a variant. None = every
    model of `stages`."""

    def answers_in(self, task: Any, sample: Sample, replies: Sequence[Reply]) -> Iterable[TargetedAnswer]:
        """The answers to score."""
        if self.answers is not None:
            return self.answers(task, sample, replies)
        expected, stages = Expected.of(sample), self.stages
        return [TargetedAnswer(reply, expected) for reply in replies if reply.call.stage in stages]

    def sides_of(self, task: Any) -> list[tuple[str, ...]]:
        """Who is in the tables of the scorers whatever happens."""
        if self.sides is not None:
            return [*self.sides(task)]
        return [(stage, model.name) for stage in self.stages for model in task.asked.get(stage, ())]


NO_TARGETS = Targets()
