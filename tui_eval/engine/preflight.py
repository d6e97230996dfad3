"""One tiny question to each model before a run: a model that cannot answer is found before anything is paid for."""

from __future__ import annotations

import asyncio

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Message, ModelSpec, Reply
from tui_eval.core.key import call_key
from tui_eval.core.samples import Sample
from tui_eval.engine.ask import ask
from tui_eval.engine.calling import PREFLIGHT, RunContext
from tui_eval.models.model_selection import asked_first

QUESTION = (Message("user", "Reply with the word OK."),)
MAX_TOKENS = 256
"""Enough for a model that thinks first, and for next to no money."""
CANNOT = frozenset({"transient", "permanent", "protocol", "internal"})
"""What speaks against starting. Refused, cut or empty replies come from a model that answers, and a rate limit passes."""


def tiny_call(model: ModelSpec, about: str, timeout_s: float, like: Call | None = None) -> Call:
    """A question that costs next to nothing, with the parameters of a call such as the model's others will be."""
    return Call(
        PREFLIGHT,
        PREFLIGHT,
        model.name,
        QUESTION,
        about=about,
        temperature=model.temperature if like is None else like.temperature,
        max_output_tokens=MAX_TOKENS,
        timeout_s=timeout_s,
        example="OK",
    )


async def preflight(context: RunContext, loaded: Loaded) -> dict[str, str]:
    """Ask each model of the plan once, on the run's budget and log; the names of those that cannot answer, and why.

    Only calls that the plan leaves over are used: where there are none, models go unasked, and that is said. A model whose
    calls are all in the cache is not asked.
    """
    evaluation = loaded.evaluation
    models = [model for model in asked_first(loaded.asked_models) if not _is_cached(context, evaluation, model)]
    first = _first_calls(evaluation)
    budget = context.budget
    spare = max(budget.max_calls - budget.calls_used - budget.kept - budget.promised, 0)
    budget.kept += len(models[:spare])
    limits = {model.name: _shortest_s(evaluation, model, context.run.timeout_s) for model in models[:spare]}
    questions = (_ask_tiny(context, model, first.get(model.name), limits[model.name]) for model in models[:spare])
    replies = await asyncio.gather(*questions)
    skipped = [reply.call.model for reply in replies if reply.status == "skipped_budget"]
    skipped += [model.name for model in models[spare:]]
    if skipped:
        context.breaker.warn(f"no preflight of {', '.join(skipped)}: what the budget has is needed for the plan")
    return {reply.call.model: reply.error_message or "" for reply in replies if _cannot(reply)}


def _first_calls(evaluation: Evaluation) -> dict[str, Call]:
    """One planned call of each model, as far as the first sample of every queue asks them."""
    calls: dict[str, Call] = {}

    def answer(call: Call) -> Reply:
        calls.setdefault(call.model, call)
        return Reply(call, "ok", text=call.example_text)

    for queue in evaluation.queues.values():
        if queue:
            evaluation.driven(queue[0], answer)
    return calls


def _is_cached(context: RunContext, evaluation: Evaluation, model: ModelSpec) -> bool:
    """Return whether the cache has every call to the model that a sample begins with."""
    if context.cache is None:
        return False
    place, calls = context.sender.place(model), 0
    own_queue = model.name if model.name in evaluation.queues else None
    for sample in evaluation.samples(own_queue):
        for call in next(evaluation.flow(sample)):
            calls += call.model == model.name
            if call.model == model.name and context.cache.get(call_key(call, model), place) is None:
                return False
    return calls > 0


def _shortest_s(evaluation: Evaluation, model: ModelSpec, usual_s: float) -> float:
    """The shortest time that any stage of the plan gives the model: one that needs longer would answer in vain there."""
    rows = (row for rows in evaluation.task.asked.values() for row in rows)
    return min((row.timeout_s for row in rows if row.name == model.name), default=model.timeout_s or usual_s)


async def _ask_tiny(context: RunContext, model: ModelSpec, like: Call | None, timeout_s: float) -> Reply:
    return await ask(context, tiny_call(model, context.life, timeout_s, like), Sample(PREFLIGHT), model)


def _cannot(reply: Reply) -> bool:
    return reply.status == "timeout" or reply.error_kind in CANNOT
