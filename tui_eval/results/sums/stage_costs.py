"""Tokens and cost by model and stage, with totals and averages: of every attempt, those that failed with usage included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tui_eval.core.calls import Price, Usage
from tui_eval.core.money import cost_usd


def stage_costs(rows: Sequence[Mapping[str, Any]], prices: Mapping[str, Price]) -> dict[str, Any]:
    """Of rows of statistics by stage and model (`sum_prompt_tokens`, ...). `prices`: by API id; they win over what was charged.

    `n_tokens_unknown` of a row: calls of which a count of tokens is missing, so that no price says what they cost.
    A cost that is not known is None, and so is every sum that it would be part of; `n_cost_unknown` says of how many attempts.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        model_id = str(row["model_id"])
        found.setdefault(model_id, {})[str(row["stage"])] = _entry(row, prices.get(model_id))
    entries = [entry for stages in found.values() for entry in stages.values()]
    for stages in found.values():
        stages["total"] = _sum([*stages.values()])
    return {"models": found, "total": _sum(entries), "currency": "USD"}


def _entry(row: Mapping[str, Any], price: Price | None) -> dict[str, Any]:
    calls, unknown = int(row["attempts_total"]), int(row.get("n_cost_unknown") or 0)
    charged = row.get("sum_cost_usd") if not unknown else None
    uncounted = int(row.get("n_tokens_unknown") or 0)
    usage = Usage(
        prompt_tokens=row.get("sum_prompt_tokens"),
        completion_tokens=row.get("sum_completion_tokens"),
        total_tokens=row.get("sum_total_tokens"),
        cached_tokens=row.get("sum_cached_tokens"),
    )
    return _averaged({
        "calls": calls,
        "input_tokens": row.get("sum_prompt_tokens"),
        "output_tokens": row.get("sum_completion_tokens"),
        "cached_tokens": row.get("sum_cached_tokens"),
        "reasoning_tokens": row.get("sum_reasoning_tokens"),
        "cost_usd": charged if price is None else None if uncounted else cost_usd(usage, price),
        "n_cost_unknown": unknown if price is None else uncounted,
        **({"priced_by": "pricing file"} if price is not None else {}),
    })  # fmt: skip


def _sum(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    def added(name: str) -> Any:
        values = [entry[name] for entry in entries if entry[name] is not None]
        return sum(values) if values else None

    costs = [entry["cost_usd"] for entry in entries if entry["calls"]]
    names = ("calls", "input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
    return _averaged({
        **{name: added(name) for name in names},
        "cost_usd": None if None in costs else sum(costs),
        "n_cost_unknown": sum(entry["n_cost_unknown"] for entry in entries),
    })  # fmt: skip


def _averaged(entry: dict[str, Any]) -> dict[str, Any]:
    """With the cost rounded to a millionth of a cent, and what a call came to on average."""
    cost, calls = entry["cost_usd"], entry["calls"]
    entry["cost_usd"] = None if cost is None else round(cost, 8)
    entry["average"] = round(cost / calls, 8) if cost is not None and calls else None
    return entry
