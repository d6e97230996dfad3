"""The cap on calls beside the plan: what it is where nobody set one, and what finds a place below it."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.calls import Json


def usual_cap(plan: Mapping[str, Json], real_models: int) -> int:
    """The cap on calls where nobody set one: one and a half times the plan with what may follow, rounded up.

    On top come two calls for each real model: the question that it is asked beforehand, and one more where its server does
    not take a parameter as it is.
    """
    most = int(plan["total_calls"]) + int(plan["up_to_more"])
    return max(most + (most + 1) // 2, 1) + 2 * real_models


def session_cap(calls_used: int, to_ask: int, real_models: int) -> int:
    """Return the cap on calls of a session that asks failed calls again, where nobody set one: what earlier sessions used, and
    one and a half times what is to be asked, rounded up; on top two calls for each real model, as for a new run.
    """
    return calls_used + to_ask + (to_ask + 1) // 2 + 2 * real_models


def enough_calls(calls_used: int, to_ask: int, strangers: int) -> int:
    """Return a cap on calls that has just room for what is to be asked; and for two more of each real model (`strangers`) that
    has not answered yet.
    """
    return calls_used + to_ask + 2 * strangers


def left_over(plan: Mapping[str, Json], cap: int | None, real_models: int) -> int | None:
    """Return how many of the calls that may follow planned ones find a place below the cap; None where all do.

    Before them come the questions that real models are asked beforehand, as far as there is room for these.
    """
    more = int(plan["up_to_more"])
    spare = more if cap is None else max(cap - int(plan["total_calls"]) - real_models, 0)
    return None if spare >= more else spare
