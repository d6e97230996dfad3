"""Counters and budget of a run at its start: what is planned, and what earlier sessions came to and used."""

from __future__ import annotations

import time
from pathlib import Path

from tui_eval.configuring.loading import Loaded
from tui_eval.core.money import Budget
from tui_eval.engine.calling import PREFLIGHT, RunContext
from tui_eval.engine.previous_sessions import EarlierLives, settled_before
from tui_eval.engine.progress import Progress, Tally
from tui_eval.providers import WIRES
from tui_eval.runs.entry import worked_before


def count_earlier(context: RunContext, life: EarlierLives) -> None:
    """Count what earlier lives used of the budget, and what they came to."""
    context.budget.restore(life.ledger.calls, life.ledger.spent)
    context.progress.charged_simulated = life.ledger.simulated
    context.progress.lived_before(life.log.buckets, settled_before(life.log, context.reopen_failed))


def count_anew(context: RunContext, loaded: Loaded, life: EarlierLives) -> None:
    """Count everything from the log as it is now: records of earlier lives came to it before this one asked anything."""
    life.read_on()
    kept = context.budget.kept
    context.budget, context.progress = budget_of(loaded), new_progress(context.folder.path, loaded)
    context.budget.kept = min(kept, max(loaded.plan["total_calls"] - life.begun, 0))
    context.recorded = life.recorded
    count_earlier(context, life)


def budget_of(loaded: Loaded) -> Budget:
    """Return the budget of a run, none of it used."""
    return Budget(loaded.run.max_calls or 1, loaded.run.max_cost_usd)


def new_progress(path: Path, loaded: Loaded) -> Progress:
    """Return the progress of a run that has not begun: what is planned, by model."""
    recorded = loaded.plan.get("recorded", ())
    progress = Progress(
        run_id=path.name,
        planned=loaded.plan["total_calls"] + sum(entry["calls"] for entry in recorded),
        max_calls=loaded.run.max_calls or 1,
        started=time.monotonic(),
        items=loaded.plan["items"],
        limit=loaded.run.max_concurrency,
        beside=frozenset({PREFLIGHT}),
        worked_before_s=worked_before(path),
    )
    for name, spec in loaded.evaluation.models.items():
        calls = sum(stage["calls"] for stage in (*loaded.plan["stages"], *recorded) if stage["model"] == name)
        progress.models[name] = Tally(planned=calls)
        if WIRES[spec.wire].simulated:
            progress.made_up(name)
    return progress
