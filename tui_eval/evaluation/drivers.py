"""Driving flows without a network: with recorded replies for the reports, with each call's example for the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tui_eval.core.calls import Call, ModelSpec, Reply, unasked
from tui_eval.core.key import call_key
from tui_eval.core.kinds import Flow
from tui_eval.core.results import SampleResult, Score
from tui_eval.core.samples import Sample
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_attacks import attack_flow
from tui_eval.evaluation.kind import Kind


def flow_of(kind: Kind, task: Task, sample: Sample) -> Flow:
    """One sample's flow, not begun: its kind's, with the config's scorers behind it, or that of an attack on the judges."""
    if sample.checks_judge:
        return attack_flow(task.attacks, sample)
    if not task.scorers.every:
        return kind.flow(task, sample)
    from tui_eval.evaluation.scoring.scored_flow import scored  # only here: runs without scorers load no rules

    return scored(kind.flow(task, sample), task, kind.targets, sample)


def driven(kind: Kind, task: Task, sample: Sample, answer: Callable[[Call], Reply]) -> SampleResult:
    """One sample's flow, driven by a function that answers calls. A flow that raises ends its own sample only."""
    replies: list[Reply] = []
    try:
        scores = _drive(flow_of(kind, task, sample), answer, replies)
        return SampleResult(sample, tuple(replies), checked(kind, scores))
    except MemoryError:
        raise
    except Exception as error:
        return SampleResult(sample, tuple(replies), (), error=f"{type(error).__name__}: {error}")


def first_calls(kind: Kind, task: Task, sample: Sample) -> Sequence[Call]:
    """Return the calls of a sample's flow before it knows of any reply; none where it raises, or asks nothing."""
    try:
        return [call for call in next(flow_of(kind, task, sample)) if unasked(call) is None]
    except MemoryError:
        raise
    except Exception:  # driven by what is on file, it says so itself
        return ()


def _drive(flow: Flow, answer: Callable[[Call], Reply], replies: list[Reply]) -> object:
    try:
        calls = next(flow)
        while True:
            batch = [unasked(call) or answer(call) for call in calls]
            replies.extend(batch)
            calls = flow.send(batch)
    except StopIteration as end:
        return end.value


def checked(kind: Kind, scores: object) -> tuple[Score, ...]:
    """Return the result of a flow as scores of the kind's metrics.

    TypeError when it is anything else, ValueError for a score of no metric, or off its scale: a bug of the kind.
    """
    if not isinstance(scores, list):
        raise TypeError(f"the evaluation returned {type(scores).__name__}, not a list of scores")
    metrics = {metric.name: metric for metric in kind.metrics}
    for score in scores:
        metric = metrics.get(score.name)
        if metric is None:
            raise ValueError(f"a score of {score.name!r}, which is no metric of {kind.name} ({', '.join(metrics) or 'none'})")
        if score.value is not None and not metric.holds(score.value):
            raise ValueError(f"{score.name} = {score.value:g} is off its scale, {metric.low:g} to {metric.high:g}")
    return tuple(scores)


def as_example(call: Call) -> Reply:
    """The reply that the call itself gives as a good one."""
    return Reply(call, "ok", text=call.example_text)


def recorded_answers(models: Mapping[str, ModelSpec], lookup: Callable[[str, Call], Reply | None]) -> Callable[[Call], Reply]:
    """Answers from a log; a call that is not in it was not asked."""

    def answer(call: Call) -> Reply:
        reply = lookup(call_key(call, models[call.model]), call)
        return reply or Reply(call, "error", error_kind="not_sent", error_message="not asked", final=False)

    return answer
