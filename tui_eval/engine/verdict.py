"""The verdict on an ended attempt: a text to build on or a fault, what it cost, and what the budget is charged."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Literal

from tui_eval.core.calls import ApiError, Call, Completion, ErrorKind, ModelSpec, Usage
from tui_eval.core.money import cost_usd, price_on, to_micro
from tui_eval.core.plaintext import one_line
from tui_eval.engine.backoff import LONGEST_WAIT_S, retry_after_s
from tui_eval.engine.calling import AttemptEnd
from tui_eval.engine.http.send import HttpReply
from tui_eval.models.prices import today
from tui_eval.providers import WIRES
from tui_eval.providers.advice import advice

CostSource = Literal["reported", "priced", "unknown"]


def verdict_of(call: Call, ended: AttemptEnd, model: ModelSpec | None = None) -> Completion | ApiError:
    """Judge an ended attempt: a text to build on, or a fault with its kind and, where the model is given, what to change."""
    if ended.cancelled:
        return ApiError("cancelled", "interrupted while in flight; the server may have answered and billed it")
    if ended.timed_out:
        message = (
            f"no complete reply within {call.timeout_s:g} s, our own limit; if this model needs longer, raise timeout_s "
            "(of [run], or of this model's row)"
        )
        return ApiError("transient", message)
    decoded = ended.said
    assert decoded is not None
    if isinstance(decoded, ApiError):
        return _with_advice(_with_patience(decoded, ended.answered), model)
    if decoded.text is not None and decoded.text.strip() and decoded.refusal is None:
        return decoded
    return _with_advice(_without_text(decoded), model)


def _without_text(completion: Completion) -> ApiError:
    """A reply that brought no usable text: refused, cut by the token limit before any, or just empty."""
    kind: ErrorKind = "empty"
    message = f"a reply without text (finish reason {one_line(completion.finish_reason or 'none', 40)})"
    if completion.refusal is not None:
        kind, message = "refused", f"declined: {one_line(completion.refusal)}"
    elif completion.finish_reason == "length":
        kind = "truncated"
        message = "the token limit was used up before any visible text; raise max_output_tokens"
    return ApiError(
        kind,
        message,
        retry=kind == "empty",
        usage=completion.usage,
        served_model=completion.served_model,
        finish_reason=completion.finish_reason,
        body=completion.body,
        cause="filter" if completion.refusal is not None and completion.finish_reason == "content_filter" else None,
        refusal_words=completion.refusal_words if kind == "refused" else None,
    )


def _with_advice(fault: ApiError, model: ModelSpec | None) -> ApiError:
    """The fault with one sentence on what a person can change, where there is one."""
    sentence = "" if model is None else advice(fault, model, WIRES[model.wire].base_url)
    return replace(fault, message=f"{fault.message.removesuffix('.')}; {sentence}") if sentence else fault


def _with_patience(fault: ApiError, answered: HttpReply | None) -> ApiError:
    """The fault, made final where the server wants a longer wait than anyone would sit through."""
    wait_s = wait_asked_s(answered) if fault.retry else None
    if wait_s is None or wait_s <= LONGEST_WAIT_S:
        return fault
    message = f"{fault.message} (it asks to wait {wait_s:.0f} s; more than {LONGEST_WAIT_S:.0f} s is not waited for)"
    return replace(fault, retry=False, message=message)


def wait_asked_s(answered: HttpReply | None) -> float | None:
    """Seconds that a reply asks us to wait, None where it does not."""
    return None if answered is None else retry_after_s(answered.headers, time.time())


def priced(usage: Usage, model: ModelSpec) -> tuple[Usage, CostSource]:
    """The usage with its cost: as reported, else from the model's price of today, else unknown."""
    if usage.cost_usd is not None:
        return usage, "reported"
    cost = cost_usd(usage, price_on(model.price, today()))
    return (usage, "unknown") if cost is None else (replace(usage, cost_usd=round(cost, 9)), "priced")


def charged(ended: AttemptEnd, usage: Usage, worst: int | None) -> int | None:
    """Micro-dollars charged: the cost; nothing where nothing was sent or an error came back; else the worst case."""
    if usage.total_usd is not None:
        return to_micro(usage.total_usd)
    if not ended.sent or (ended.answered is not None and ended.answered.status >= 400):
        return 0
    return worst
