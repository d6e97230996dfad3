"""Flows with scorers behind them: a sample is asked as its kind does, then its answers are scored."""

from __future__ import annotations

from tui_eval.core.calls import Reply
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.scoring.by_model.model_scorer import marks_by_models
from tui_eval.evaluation.scoring.own_code.code_jobs import marks_by_code
from tui_eval.evaluation.scoring.sample_scorers import NO_MARKS, scores_of
from tui_eval.evaluation.targets import Targets


def scored(flow: Flow, task: Task, targets: Targets, sample: Sample) -> Flow:
    """A sample's flow, whose answers are then scored."""
    replies: list[Reply] = []
    try:
        calls = next(flow)
        while True:
            new_replies = yield calls
            replies += new_replies
            calls = flow.send(new_replies)
    except StopIteration as end:
        own = end.value
    answers = targets.answers_in(task, sample, replies)
    marks = NO_MARKS
    if task.scorers.asking:
        answers = [*answers]
        marks = yield from marks_by_models(task.scorers, sample, answers)
    if task.scorers.by_code:
        answers = [*answers]
        marks = {**marks, **marks_by_code(task.scorers, sample, answers)}
    scores = scores_of(task.scorers, answers, marks)
    return [*own, *scores] if isinstance(own, list) else own
