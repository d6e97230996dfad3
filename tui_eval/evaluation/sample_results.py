"""A sample with its replies and scores, as every kind writes and shows it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from operator import attrgetter

from tui_eval.core.calls import Json, Reply
from tui_eval.core.results import SampleResult, SampleView, Score
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.sample_queues import Samples
from tui_eval.evaluation.scorers import SCORING

_SCORE = tuple(field.name for field in fields(Score))
_values_of = attrgetter(*_SCORE)


def sample_view(kind: Kind, task: Task, row: SampleResult) -> SampleView:
    """Return the display of a sample: the question, the truth, and the replies of the last answering stage that has any."""
    sample = row.sample
    called_stages = {reply.call.stage for reply in row.replies}
    last = next((stage.name for stage in reversed(kind.stages) if stage.role == "answer" and stage.name in called_stages), "")
    primary = tuple(n for n, reply in enumerate(row.replies) if reply.call.stage == last)
    groups = {name: tuple(dict.fromkeys(values)) for name, values in sample.groups.items() if values}
    display = kind.sample_form.display
    question, truth = (sample.question, sample.truth) if display is None else display(task, sample)
    return SampleView(question, truth, primary, groups)


def reply_json(reply: Reply) -> dict[str, Json]:
    """Return the outcome of a call, as results.json has it."""
    return {
        "call_index": reply.call.call_index,
        "text": reply.text,
        "status": reply.status,
        "why": reply.why,
        "finish_reason": reply.finish_reason,
    }


def score_json(score: Score) -> dict[str, Json]:
    """A score as files have it; there are many, and none holds anything that would have to be copied."""
    return dict(zip(_SCORE, _values_of(score), strict=True))


def own_part(row: SampleResult, scorers: Collection[str]) -> SampleResult:
    """A row with the replies and scores that are its kind's own, without those of scorers, which have these names."""
    if not scorers:
        return row
    replies = tuple(reply for reply in row.replies if reply.call.stage != SCORING)
    return replace(row, replies=replies, scores=tuple(score for score in row.scores if score.name not in scorers))


def result(kind: Kind, task: Task, row: SampleResult) -> Json:
    """A sample of results.json: in the kind's own form, with what scorers came to, else the question, its truth, every reply
    and every score."""
    if kind.sample_form.result is not None:
        names = task.scorers.names
        content = kind.sample_form.result(task, own_part(row, names))
        return {**content, "scores": [score_json(each) for each in row.scores if each.name in names]} if names else content
    sample = row.sample
    return {
        "item_id": sample.id,
        "repeat": sample.repeat,
        "question": sample.question,
        "truth": sample.truth,
        "finished": row.finished,
        "replies": [
            {"stage": r.call.stage, "model": r.call.model, "about": r.call.about, **reply_json(r)} for r in row.replies
        ],
        "scores": [score_json(score) for score in row.scores],
    }


def labels(kind: Kind, task: Task, samples: Samples) -> Mapping[str, Json]:
    """The factors that a plan shows. `samples`: those that are asked about."""
    if kind.task_form.factors is not None:
        return kind.task_form.factors(task)
    return {
        "samples": sum(map(len, samples.values())),
        "models": len({m.name for models in task.asked.values() for m in models}),
    }
