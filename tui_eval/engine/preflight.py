"""One tiny question to each model before a run: a model that cannot answer is found before anything is paid for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tui_eval.engine.ask import ask
from tui_eval.engine.calling import PREFLIGHT, Asking
from tui_eval.providers import WIRES
from tui_eval.types import Call, Item, Message, ModelSpec, Reply

QUESTION = (Message("user", "Reply with the word OK."),)
MAX_TOKENS = 256
"""Enough for a model that thinks first, and for next to no money."""
CANNOT = frozenset({"transient", "permanent", "protocol"})
"""What speaks against starting. Refused, cut or empty replies come from a model that answers, and a rate limit passes."""


def tiny_call(model: ModelSpec, about: str, timeout_s: float = 60.0) -> Call:
    """A question that costs next to nothing, with the parameters the model's other calls will have."""
    return Call(
        PREFLIGHT,
        PREFLIGHT,
        model.name,
        QUESTION,
        about=about,
        temperature=model.temperature,
        max_output_tokens=MAX_TOKENS,
        timeout_s=model.timeout_s or timeout_s,
        example="OK",
    )


async def preflight(asking: Asking, models: Sequence[ModelSpec]) -> dict[str, str]:
    """Ask each model once, on the run's budget and log; the names of those that cannot answer, and why.

    Only calls that the plan leaves over are used: where there are none, models go unasked, and that is said.
    """
    wanted = [model for model in models if not WIRES[model.wire].simulated and not WIRES[model.wire].recorded]
    budget = asking.budget
    spare = max(budget.max_calls - budget.calls_used - budget.kept - budget.promised, 0)
    budget.kept += len(wanted[:spare])
    asking.progress.planned += len(wanted[:spare])
    replies = await asyncio.gather(*(_asked(asking, model) for model in wanted[:spare]))
    skipped = [reply.call.model for reply in replies if reply.status == "skipped_budget"]
    skipped += [model.name for model in wanted[spare:]]
    if skipped:
        asking.switch.narrate(f"no preflight of {', '.join(skipped)}: what the budget has is needed for the plan")
    return {reply.call.model: reply.error_message or "" for reply in replies if _cannot(reply)}


async def _asked(asking: Asking, model: ModelSpec) -> Reply:
    asking.progress.models[model.name].planned += 1
    return await ask(asking, tiny_call(model, asking.life, asking.run.timeout_s), Item(PREFLIGHT), model)


def _cannot(reply: Reply) -> bool:
    return reply.status == "timeout" or reply.error_kind in CANNOT
