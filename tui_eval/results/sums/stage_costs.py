"""Tokens and cost by model and stage, with totals and averages: of every attempt, those that failed with usage included."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tui_eval.core.calls import Price, Usage
from tui_eval.core.money import cost_usd


def stage_costs(rows: Sequence[Mapping[str, Any]], prices: Mapping[str, Price]) -> dict[str, Any]:
    """Of rows of statistics by stage and model (`sum_prompt_tokens`, ...). `prices`: by API id; they win over what was charged.

    A cost that is not known is None, and so is every sum that it would be part of; `n_cost_unknown` says of how many attempts,
    `n_tokens_unknown` how many of these tell no tokens, and `known_cost_usd` what the others came to. What was on file before
    the run (`n_cached`) was charged nothing; a price of `prices` counts its tokens, too.

    Models are called by their ids, and where several of ours share one, by name and id. Where rows say which of them are
    `simulated`, every entry does; where there are real ones, too, `total` is theirs alone, beside `total_simulated`.
    """
    models: dict[str, dict[str, Any]] = {}
    for row, name in zip(rows, _names(rows), strict=True):
        models.setdefault(name, {})[str(row["stage"])] = _entry(row, prices.get(str(row["model_id"])))
    entries = [entry for stages in models.values() for entry in stages.values()]
    for stages in models.values():
        stages["total"] = _sum([*stages.values()])
    return {"models": models, **_totals(entries), "currency": "USD"}


def _names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the name of each row's model: its id, with our name where several share it, never like a real one's."""
    of_ids: dict[str, set[tuple[str, bool]]] = {}
    for row in rows:
        of_ids.setdefault(str(row["model_id"]), set()).add(_own(row))
    return [_model_label(row, of_ids[str(row["model_id"])]) for row in rows]


def _own(row: Mapping[str, Any]) -> tuple[str, bool]:
    return str(row.get("model") or ""), row.get("simulated") is True


def _model_label(row: Mapping[str, Any], same: Collection[tuple[str, bool]]) -> str:
    (name, simulated), model_id = _own(row), str(row["model_id"])
    label = f"{name} ({model_id})" if name and len({same_name for same_name, _ in same}) > 1 else model_id
    return f"{label}, simulated" if simulated and (name, False) in same else label


def _totals(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Never real and simulated money in one sum."""
    real, simulated = ([entry for entry in entries if (entry.get("simulated") is True) == flag] for flag in (False, True))
    return {"total": _sum(real), "total_simulated": _sum(simulated)} if real and simulated else {"total": _sum(entries)}


def tokens_untold(row: Mapping[str, Any]) -> int:
    """Attempts of which no price says what they cost, since a count of their tokens is missing; a row may say so itself.

    Statistics tell how many say a total, and of how many the cost is known; at least the larger number has its tokens.
    """
    if "n_tokens_unknown" in row or "n_tokens_known" not in row:
        return int(row.get("n_tokens_unknown") or 0)
    total, cost, cached = (int(row.get(name) or 0) for name in ("n_tokens_known", "n_cost_known", "calls_cached"))
    return max(int(row["attempts_total"]) - max(total, cost + cached), 0)


def _entry(row: Mapping[str, Any], price: Price | None) -> dict[str, Any]:
    calls, untold = int(row["attempts_total"]), tokens_untold(row)
    if price is None:
        unknown, cost = int(row.get("n_cost_unknown") or 0), row.get("sum_cost_usd")
        if cost is None and not unknown:  # all were on file before, or a row says nothing at all of costs
            unknown = max(calls - int(row.get("calls_cached") or 0), 0)
            cost = 0.0 if calls and not unknown else None
    else:
        cost = cost_usd(_usage(row), price)
        unknown = calls if cost is None else untold
    return _averaged({
        "calls": calls,
        "input_tokens": row.get("sum_prompt_tokens"),
        "output_tokens": row.get("sum_completion_tokens"),
        "cached_tokens": row.get("sum_cached_tokens"),
        "reasoning_tokens": row.get("sum_reasoning_tokens"),
        "cost_usd": None if unknown else cost,
        "n_cost_unknown": unknown,
        **_told_of(cost, unknown, min(untold, unknown), int(row.get("calls_cached") or 0)),
        **({"priced_by": "pricing file"} if price is not None else {}),
        **({"simulated": row["simulated"]} if "simulated" in row else {}),
    })  # fmt: skip


def _usage(row: Mapping[str, Any]) -> Usage:
    return Usage(
        prompt_tokens=row.get("sum_prompt_tokens"),
        completion_tokens=row.get("sum_completion_tokens"),
        total_tokens=row.get("sum_total_tokens"),
        cached_tokens=row.get("sum_cached_tokens"),
    )


def _told_of(cost: float | None, unknown: int, untold: int, cached: int) -> dict[str, Any]:
    """Return the further entries on a cost; each only where there is something."""
    partly = {"known_cost_usd": round(cost, 8)} if cost is not None and unknown else {}
    return {**partly, **({"n_tokens_unknown": untold} if untold else {}), **({"n_cached": cached} if cached else {})}


def _sum(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    def added(name: str) -> Any:
        return exact_sum([entry[name] for entry in entries])

    with_calls = [entry for entry in entries if entry["calls"]]
    costs = [entry["cost_usd"] for entry in with_calls or entries]
    known_costs = [cost for entry in with_calls if (cost := entry.get("known_cost_usd", entry["cost_usd"])) is not None]
    names = ("calls", "input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
    unknown, untold, cached = (
        sum(entry.get(name, 0) for entry in entries) for name in ("n_cost_unknown", "n_tokens_unknown", "n_cached")
    )
    return _averaged({
        **{name: added(name) for name in names},
        "cost_usd": None if None in costs else exact_sum(costs) if costs else 0,
        "n_cost_unknown": unknown,
        **_told_of(exact_sum(known_costs), unknown, untold, cached),
        **({"simulated": entries[0]["simulated"]} if entries and "simulated" in entries[0] else {}),
    })  # fmt: skip


def exact_sum(values: Sequence[float | None]) -> Any:
    """Of the values that are known, whole numbers as such, others without the rounding of each step; None where none is."""
    numbers = [value for value in values if value is not None]
    if not numbers:
        return None
    return sum(numbers) if all(isinstance(value, int) for value in numbers) else math.fsum(numbers)


def _averaged(entry: dict[str, Any]) -> dict[str, Any]:
    """With the cost rounded to a millionth of a cent, and what a call came to on average."""
    cost, calls = entry["cost_usd"], entry["calls"]
    entry["cost_usd"] = None if cost is None else round(cost, 8)
    entry["average"] = round(cost / calls, 8) if cost is not None and calls else None
    return entry
