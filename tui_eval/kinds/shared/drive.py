"""Driving flows without a network: for the plan with each call's example, for the reports with recorded replies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tui_eval.core.calls import Call, Json, ModelSpec, Reply, Usage, unasked
from tui_eval.core.key import call_key
from tui_eval.core.kinds import Flow, InputFile, Kind, Shape, Shapes
from tui_eval.core.money import MICRO, cost_usd, worst_case
from tui_eval.core.results import Row, Score
from tui_eval.core.samples import Sample
from tui_eval.datasets.attachments import attachment_of

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_ATTACHMENT = 1_000
"""Assumed in estimates; what an image or a page really counts differs by provider and size."""
SAMPLE, FEWEST = 40, 3
"""Items of a lane that an estimate rests on: so many as a rule, and never fewer while there are any."""
SAMPLED_CALLS = 120
"""Calls that are enough for an estimate, over all lanes: where an item takes many, or lanes are many, fewer items do."""


def all_items(kind: Kind, config: Any, files: Sequence[InputFile], repeat: int, lane: str | None = None) -> Iterator[Sample]:
    """Every item (or those of one lane), once per repeat. The repeat is part of the id: `...`, then `...#2`, `...#3`."""
    for index in range(repeat):
        for item in kind.items(config, files, lane):
            yield replace(item, id=f"{item.id}#{index + 1}", repeat=index) if index else item


def driven(kind: Kind, config: Any, item: Sample, answer: Callable[[Call], Reply]) -> Row:
    """One item's flow, driven by a function that answers calls. A flow that raises ends its own item only."""
    replies: list[Reply] = []
    try:
        scores = _drive(kind.flow(config, item), answer, replies)
        return Row(item, tuple(replies), checked(scores))
    except Exception as error:
        return Row(item, tuple(replies), (), error=f"{type(error).__name__}: {error}")


def _drive(flow: Flow, answer: Callable[[Call], Reply], replies: list[Reply]) -> object:
    try:
        calls = next(flow)
        while True:
            batch = [unasked(call) or answer(call) for call in calls]
            replies.extend(batch)
            calls = flow.send(batch)
    except StopIteration as end:
        return end.value


def checked(scores: object) -> tuple[Score, ...]:
    """What a flow returned, as scores; TypeError when it is anything else."""
    if not isinstance(scores, list):
        raise TypeError(f"the evaluation returned {type(scores).__name__}, not a list of scores")
    return tuple(scores)


def recorded_answers(models: Mapping[str, ModelSpec], lookup: Callable[[str, Call], Reply | None]) -> Callable[[Call], Reply]:
    """Answers from a log; a call that is not in it was not asked."""

    def answer(call: Call) -> Reply:
        reply = lookup(call_key(call, models[call.model]), call)
        return reply or Reply(call, "error", error_kind="not_sent", error_message="not asked", final=False)

    return answer


@dataclass(frozen=True, slots=True)
class _Count:
    """Planned calls of one stage and model; `up_to` more may be needed."""

    stage: str
    model: str
    calls: int
    up_to: int


@dataclass(slots=True)
class _Sampled:
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
    kind: Kind, config: Any, files: Sequence[InputFile], models: Mapping[str, ModelSpec], repeat: int
) -> dict[str, Json]:
    """The plan: exact calls, from one driven item of each shape; tokens and cost from flows driven on a sample of items.

    Token counts assume four characters a token. `cost_usd` is the estimate, `max_cost_usd` what it is if every reply
    uses its whole token limit; both None where a price (or a limit) is not known.
    """
    shapes = kind.shapes(config, files)
    lanes = {lane: sum(shape.n for shape in found.values()) for lane, found in shapes.items()}
    counts = _counted(kind, config, shapes, repeat)
    calls_an_item = sum(count.calls for count in counts) // max(sum(lanes.values()) * repeat, 1)
    wanted = max(min(SAMPLE, SAMPLED_CALLS // max(calls_an_item * len(lanes), 1)), FEWEST)
    sampled = _sample(kind, config, files, models, lanes, wanted)
    stages = [_stage(count, sampled[count.stage, count.model]) for count in counts]
    score = sum(count.calls for count in counts if kind.role(count.stage) == "judge")
    base = sum(count.calls for count in counts) - score
    return {
        "items": sum(lanes.values()) * repeat,
        "repeat": repeat,
        "factors": dict(kind.labels(config)),
        "base_calls": base,
        "score_calls": score,
        "total_calls": base + score,
        "up_to_more": sum(count.up_to for count in counts),
        "prompt_tokens": sum(stage["prompt_tokens"] for stage in stages),
        "completion_tokens": sum(stage["completion_tokens"] for stage in stages),
        "cost_usd": _total(stages, "cost_usd"),
        "max_cost_usd": _total(stages, "max_cost_usd"),
        "stages": stages,
    }


def walked_shapes(kind: Kind, config: Any, items: Iterable[Sample]) -> dict[str, dict[Hashable, Shape]]:
    """The shapes of some items, found by looking at each: for kinds that have few, and runs of some items only."""
    found: dict[str, dict[Hashable, Shape]] = {}
    for item in items:
        lane, shape = found.setdefault(item.lane, {}), kind.shape(config, item)
        known = lane.get(shape)
        lane[shape] = Shape(1, item) if known is None else Shape(known.n + 1, known.first)
    return found


def _counted(kind: Kind, config: Any, shapes: Shapes, repeat: int) -> list[_Count]:
    """Planned calls by stage and model, in the order of the stages: those of one item of each shape, as often as it occurs."""
    calls: Counter[tuple[str, str]] = Counter()
    more: Counter[tuple[str, str]] = Counter()
    for shape in (shape for lane in shapes.values() for shape in lane.values()):
        for reply in driven(kind, config, shape.first, lambda call: Reply(call, "ok", text=call.example)).replies:
            call = reply.call
            calls[call.stage, call.model] += shape.n * repeat
            more[call.stage, call.model] += shape.n * repeat * call.up_to
    ordered = sorted(calls, key=lambda key: kind.stage_names.index(key[0]))
    return [_Count(stage, model, calls[stage, model], more[stage, model]) for stage, model in ordered]


def _sample(
    kind: Kind,
    config: Any,
    files: Sequence[InputFile],
    models: Mapping[str, ModelSpec],
    lanes: Mapping[str, int],
    wanted: int,
) -> dict[tuple[str, str], _Sampled]:
    """About so many items of every lane, spread evenly over it; all where something is attached, as not all can be sent."""
    attached = any(attachment_of(file) for file in files)
    found: dict[tuple[str, str], _Sampled] = defaultdict(_Sampled)

    def answer(call: Call) -> Reply:
        _take(found[call.stage, call.model], call, models[call.model])
        return Reply(call, "ok", text=call.example)

    for lane, n in lanes.items():
        for item in kind.items(config, files, lane, 1 if attached else max(n // wanted, 1)):
            driven(kind, config, item, answer)
    return found


def _take(sampled: _Sampled, call: Call, model: ModelSpec) -> None:
    attached = [attachment.mime for message in call.messages for attachment in message.attachments]
    sampled.attached.update(attached)
    prompt = sum(len(message.content) for message in call.messages) // CHARACTERS_PER_TOKEN + 8
    prompt += TOKENS_PER_ATTACHMENT * len(attached)
    completion = max(len(call.example) // CHARACTERS_PER_TOKEN, 1)
    if call.max_output_tokens is not None:
        completion = min(completion, call.max_output_tokens)
    sampled.calls += 1
    sampled.prompt_tokens += prompt
    sampled.completion_tokens += completion
    cost = cost_usd(Usage(prompt_tokens=prompt, completion_tokens=completion), model.price)
    most = worst_case(call, model.price)
    sampled.priced &= cost is not None
    sampled.bounded &= most is not None
    sampled.cost += cost or 0.0
    sampled.most += (most or 0) / MICRO


def _stage(count: _Count, sampled: _Sampled) -> dict[str, Json]:
    scale = count.calls / sampled.calls if sampled.calls else 0.0
    return {
        "stage": count.stage,
        "model": count.model,
        "calls": count.calls,
        "up_to_more": count.up_to,
        "prompt_tokens": round(sampled.prompt_tokens * scale),
        "completion_tokens": round(sampled.completion_tokens * scale),
        "cost_usd": round(sampled.cost * scale, 6) if sampled.priced else None,
        "max_cost_usd": round(sampled.most * scale, 6) if sampled.bounded else None,
        **({"attached": sorted(sampled.attached)} if sampled.attached else {}),
    }


def _total(stages: Sequence[Mapping[str, Json]], name: str) -> float | None:
    values = [stage[name] for stage in stages]
    return None if any(value is None for value in values) else round(sum(values), 6)
