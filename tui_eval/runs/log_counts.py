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
BEYOND = " again"
"""How `about` ends in records of calls beyond the plan."""
COUNTS = ("ok", "no_text", "error", "timeout", "skipped", "not_sent", "lost", "extra")
UNSENT = ("skipped", "not_sent", "lost")
COSTS = ("cost_usd", "simulated_usd")


def counts_on_file(reader: RunReader, progress: Mapping[str, Any]) -> dict[str, Json]:
    """Return what replaces the counts of a progress.json that was written before the log's last lines: `total`, `models`,
    `done`, `calls_used`, `charged_usd`. Costs are in USD.

    A call counts as its last attempt that settled it, else as its last one; `lost`: it was sent, and the log has no end of it.
    Every line of the log is read.
    """
    last, ledger, spent = dict[str, tuple[bool, str, str, bool]](), Ledger(), dict[str, Bucket]()
    for _, head in reader.heads():
        ledger.end(head)
        spent.setdefault(head["model"], Bucket()).add(head)
        if head["stage"] == BESIDE:
            continue
        earlier = last.get(head["call_key"])
        if earlier is None or head["final"] or not earlier[0]:
            how = tallied_as(head["status"], head["error_kind"])
            last[head["call_key"]] = bool(head["final"]), head["model"], how, is_beyond_plan(head)
    begun = []
    for intent in reader.intents(ledger.has_ended):
        begun.append(intent)
        key = intent.get("call_key")
        if intent.get("stage") != BESIDE and isinstance(key, str) and not last.get(key, (False,))[0]:
            last[key] = False, str(intent.get("model")), "lost", False
    ledger.begin(begun, reader.grants())
    before = progress.get("models")
    models = {name: _emptied(tally) for name, tally in before.items()} if isinstance(before, dict) else {}
    total = _emptied(progress.get("total"))
    for _, model, count, beyond in last.values():
        for tally in (total, models.setdefault(model, _emptied(None))):
            tally[count] += 1
            tally["extra"] += beyond and count not in UNSENT
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


def is_beyond_plan(head: Mapping[str, Any]) -> bool:
    """Return whether an attempt was made for a call beyond the plan, such as a reminder."""
    return str(head["about"]).endswith(BEYOND)


def tallied_as(status: str, error_kind: str | None) -> str:
    """Return the count of a tally that a call goes into which ended like this."""
    if status == "skipped_budget":
        return "skipped"
    if error_kind == "not_sent":
        return "not_sent"
    return "no_text" if error_kind in WITHOUT_TEXT else status
