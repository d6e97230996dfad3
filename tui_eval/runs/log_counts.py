"""Counts of a run whose process is gone before it could write them down: how its calls ended, by its log and its intents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_eval.core.calls import WITHOUT_TEXT, Json
from tui_eval.core.money import MICRO, charged_or_unknown
from tui_eval.runs.buckets import Bucket
from tui_eval.runs.ledger import Ledger
from tui_eval.runs.reader import RunReader

BESIDE = "preflight"
"""The stage whose calls no plan has."""
COUNTS = ("ok", "no_text", "error", "timeout", "skipped", "not_sent", "lost")
COSTS = ("cost_usd", "simulated_usd")


def counts_on_file(reader: RunReader, progress: Mapping[str, Any]) -> dict[str, Json]:
    """Return what replaces the counts of a progress.json that was written before the log's last lines: `total`, `models`,
    `done`, `calls_used`, `charged_usd`. Costs are in USD.

    A call counts as its last attempt that settled it, else as its last one; `lost`: it was sent, and the log has no end of it.
    Every line of the log is read.
    """
    last, ledger, spent = dict[str, tuple[bool, str, str]](), Ledger(), dict[str, Bucket]()
    for _, head in reader.heads():
        ledger.end(head)
        spent.setdefault(head["model"], Bucket()).add(head)
        if head["stage"] == BESIDE:
            continue
        earlier = last.get(head["call_key"])
        if earlier is None or head["final"] or not earlier[0]:
            last[head["call_key"]] = bool(head["final"]), head["model"], _count_of(head)
    begun = []
    for intent in reader.intents(ledger.has_ended):
        begun.append(intent)
        key = intent.get("call_key")
        if intent.get("stage") != BESIDE and isinstance(key, str) and not last.get(key, (False, "", ""))[0]:
            last[key] = False, str(intent.get("model")), "lost"
    ledger.begin(begun)
    before = progress.get("models")
    models = {name: _emptied(tally) for name, tally in before.items()} if isinstance(before, dict) else {}
    total = _emptied(progress.get("total"))
    for _, model, count in last.values():
        for tally in (total, models.setdefault(model, _emptied(None))):
            tally[count] += 1
    for model, bucket in spent.items():
        for tally in (total, models.setdefault(model, _emptied(None))):
            tally["cost_usd"] += bucket.cost
            tally["simulated_usd"] += bucket.cost if model in ledger.pretended else 0.0
            tally["unknown_cost"] += bucket.counts["cost_unknown"]
    return {
        "total": total,
        "models": models,
        "done": len(last),
        "calls_used": ledger.calls,
        "charged_usd": charged_or_unknown(ledger.spent, total["unknown_cost"]),
        "charged_simulated_usd": ledger.simulated / MICRO,
    }


def _emptied(tally: Any) -> dict[str, Any]:
    """A tally with no call in it yet; what else it says stays."""
    return {
        **(tally if isinstance(tally, dict) else {}),
        **dict.fromkeys(COUNTS, 0),
        **dict.fromkeys(COSTS, 0.0),
        "unknown_cost": 0,
    }


def _count_of(head: Mapping[str, Any]) -> str:
    """As what a call counts that ended like this, as the live counts have it."""
    if head["status"] == "skipped_budget":
        return "skipped"
    if head["error_kind"] == "not_sent":
        return "not_sent"
    if head["error_kind"] in WITHOUT_TEXT:
        return "no_text"
    return str(head["status"])
