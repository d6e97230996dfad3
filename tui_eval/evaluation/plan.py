"""Plan of a run: exact calls, from one driven sample of each shape; tokens and cost, from a sample of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tui_eval.core.calls import Call, Json, ModelSpec, Reply, Usage
from tui_eval.core.money import MICRO, cost_usd, worst_case
from tui_eval.evaluation import sample_results
from tui_eval.evaluation.drivers import as_example, driven
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.sample_queues import Samples

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_ATTACHMENT = 1_000
"""Assumed in estimates; what an image or a page really counts differs by provider and size."""
SAMPLE, FEWEST = 40, 3
"""Samples of a queue that an estimate rests on: so many as a rule, and never fewer while there are any."""
SAMPLED_CALLS = 120
"""Calls that are enough for an estimate, over all queues: where a sample takes many, or queues are many, fewer samples do."""


_Asked = tuple[str, str]
"""(stage, model)."""


@dataclass(slots=True)
class _CallEstimate:
    """Estimate for the calls of one stage and model, so far as they were sampled."""

    calls: int = 0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    cost: float = 0.0
    most: float = 0.0
    priced: bool = True
    bounded: bool = True
    attached: set[str] = field(default_factory=set)
    """MIME types of what is sent beside the text."""


def planned(
    kind: Kind, task: Task, samples: Samples, models: Mapping[str, ModelSpec], repeat: int, every: bool
) -> dict[str, Json]:
    """The plan. `every`: whether all samples are looked at, as where not every model can be sent what goes with them.

    Token counts assume four characters a token. `cost_usd` is the estimate, `max_cost_usd` what it is if every reply
    uses its whole token limit; both None where a price (or a limit) is not known. `recorded`, where it is there: the replies by
    stage and model that are taken from an earlier run, in no other figure. `broken`, where it is there: samples whose
    evaluation raised; they are planned as far as it went.
    """
    n = sum(len(queue) for queue in samples.values() if not (len(queue) and queue[0].checks_judge))
    broken: list[str] = []
    calls, up_to = _call_counts(kind, task, samples, repeat, broken)
    every_key = sorted(calls, key=lambda key: kind.stage_names.index(key[0]))
    keys = [key for key in every_key if key[0] not in task.recorded]
    recorded = [
        {"stage": stage, "model": model, "calls": calls[stage, model]} for stage, model in every_key if stage in task.recorded
    ]
    calls_a_sample = sum(calls[key] for key in keys) // max(n * repeat, 1)
    sample_count = max(min(SAMPLE, SAMPLED_CALLS // max(calls_a_sample * len(samples), 1)), FEWEST)
    estimates = _estimated(kind, task, samples, models, 0 if every else sample_count)
    stages = [_stage(*key, calls[key], up_to[key], estimates[key]) for key in keys]
    score = sum(calls[key] for key in keys if kind.role(key[0]) == "judge")
    base = sum(calls[key] for key in keys) - score
    return {
        "items": n * repeat,
        "repeat": repeat,
        "factors": dict(sample_results.labels(kind, task, samples)),
        "base_calls": base,
        "score_calls": score,
        "total_calls": base + score,
        "up_to_more": sum(up_to[key] for key in keys),
        "prompt_tokens": sum(stage["prompt_tokens"] for stage in stages),
        "completion_tokens": sum(stage["completion_tokens"] for stage in stages),
        "cost_usd": _total(stages, "cost_usd"),
        "max_cost_usd": _total(stages, "max_cost_usd"),
        "stages": stages,
        **({"recorded": recorded} if recorded else {}),
        **({"broken": broken} if broken else {}),
    }


def models_asked(plan: Mapping[str, Json]) -> frozenset[str]:
    """The models that a plan has calls for: --only, or replies that are taken from elsewhere, may leave some without any."""
    return frozenset(stage["model"] for stage in plan["stages"])


def _call_counts(
    kind: Kind, task: Task, samples: Samples, repeat: int, broken: list[str]
) -> tuple[Counter[_Asked], Counter[_Asked]]:
    """Planned calls by stage and model, and how many more may be needed: those of one sample of each shape, for all of it.

    `broken`: takes up what raised.
    """
    calls: Counter[_Asked] = Counter()
    more: Counter[_Asked] = Counter()
    for queue in samples.values():
        for n, first in queue.shapes().values():
            row = driven(kind, task, queue[first], as_example)
            if row.error:
                broken.append(f"{row.sample.id}: {row.error}")
            for reply in row.replies:
                call = reply.call
                calls[call.stage, call.model] += n * repeat
                more[call.stage, call.model] += n * repeat * call.up_to
    return calls, more


def _estimated(
    kind: Kind, task: Task, samples: Samples, models: Mapping[str, ModelSpec], sample_count: int
) -> dict[_Asked, _CallEstimate]:
    """About so many samples of every queue, spread evenly over it; 0 = all."""
    estimates: dict[_Asked, _CallEstimate] = defaultdict(_CallEstimate)

    def answer(call: Call) -> Reply:
        _take(estimates[call.stage, call.model], call, models[call.model])
        return as_example(call)

    for queue in samples.values():
        step = max(len(queue) // sample_count, 1) if sample_count else 1
        for place in range(0, len(queue), step):
            driven(kind, task, queue[place], answer)
    return estimates


def _take(estimate: _CallEstimate, call: Call, model: ModelSpec) -> None:
    attached = [attachment.mime for message in call.messages for attachment in message.attachments]
    estimate.attached.update(attached)
    prompt = sum(len(message.content) for message in call.messages) // CHARACTERS_PER_TOKEN + 8
    prompt += TOKENS_PER_ATTACHMENT * len(attached)
    completion = max(len(call.example_text) // CHARACTERS_PER_TOKEN, 1)
    if call.max_output_tokens is not None:
        completion = min(completion, call.max_output_tokens)
    estimate.calls += 1
    estimate.prompt_tokens += prompt
    estimate.completion_tokens += completion
    cost = cost_usd(Usage(prompt_tokens=prompt, completion_tokens=completion), model.price)
    most = worst_case(call, model.price)
    estimate.priced &= cost is not None
    estimate.bounded &= most is not None
    estimate.cost += cost or 0.0
    estimate.most += (most or 0) / MICRO


def _stage(stage: str, model: str, calls: int, up_to: int, estimate: _CallEstimate) -> dict[str, Json]:
    scale = calls / estimate.calls if estimate.calls else 0.0
    return {
        "stage": stage,
        "model": model,
        "calls": calls,
        "up_to_more": up_to,
        "prompt_tokens": round(estimate.prompt_tokens * scale),
        "completion_tokens": round(estimate.completion_tokens * scale),
        "cost_usd": round(estimate.cost * scale, 6) if estimate.priced else None,
        "max_cost_usd": round(estimate.most * scale, 6) if estimate.bounded else None,
        **({"attached": sorted(estimate.attached)} if estimate.attached else {}),
    }


def _total(stages: Sequence[Mapping[str, Json]], name: str) -> float | None:
    values = [stage[name] for stage in stages]
    return None if any(value is None for value in values) else round(sum(values), 6)
