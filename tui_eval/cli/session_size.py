"""The size of a session that takes a run up again: calls, models, the cap on them, and what they cost at most."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from tui_eval.cli.standard_error import tell
from tui_eval.configuring import reopening
from tui_eval.configuring.caps import session_cap
from tui_eval.configuring.egress import EgressQuestion
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Json
from tui_eval.core.money import MICRO, usd
from tui_eval.core.plaintext import count_of, one_line, visible
from tui_eval.engine.previous_sessions import EarlierLives, earlier_lives
from tui_eval.engine.replaying import ToAsk, still_to_ask
from tui_eval.models.model_selection import asked_first
from tui_eval.results.tables import json_text
from tui_eval.runs.destroyed_lines import damage_words
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.places import Workspace


@dataclass(frozen=True, slots=True)
class SessionSize:
    """Calls still to be asked of a run, and the cap on calls that holds while it is."""

    to_ask: ToAsk
    used: int
    """Attempts of earlier sessions that were sent, or may have been."""
    cap: int
    """On the calls of all sessions together."""

    @property
    def up_to(self) -> int:
        """Number of calls still to be asked, with all that may follow."""
        return self.to_ask.calls + self.to_ask.may_follow

    @property
    def room(self) -> int:
        """Number of calls that may be sent in this session, retries included."""
        return max(self.cap - self.used, 0)


def session_size(loaded: Loaded, life: EarlierLives, failed: bool, derived: bool, costs: bool = False) -> SessionSize:
    """Count what a session would ask. `failed`: whether failed calls are asked again; `derived`: whether nobody set the run's
    cap on calls, so that such a session makes a new one; `costs`: whether the most that the calls cost is wanted.

    Every sample that the log mentions is driven by it, with `costs` every one that there is.
    """
    again = loaded.run.max_output_tokens_again if costs else None
    to_ask = still_to_ask(loaded.evaluation, life.log.recorded, failed, again, costs)
    n_used, cap = life.ledger.calls, loaded.run.max_calls or 0
    if failed and derived and life.recorded is not None:
        cap = session_cap(n_used, to_ask.calls + to_ask.may_follow, len(asked_first(loaded.asked_models)))
    return SessionSize(to_ask, n_used, cap)


def show_session_size(options: argparse.Namespace, workspace: Workspace, path: Path, loaded: Loaded) -> int:
    """Print what a resume with these options would do and cost; nothing is written, nothing is sent. Returns the exit code."""
    life = earlier_lives(path, loaded.evaluation.repeat, taken=loaded.evaluation.task.recorded)
    with life.log.recorded:
        derived = reopening.cap_is_derived(path, options.set)
        size = session_size(loaded, life, options.failed, derived, costs=True)
        question = EgressQuestion.of(loaded.egress, loaded.file, workspace)
        entry = _size_json(path, loaded, life, size) | {"egress": question.entry()}
    if options.json:
        print(json_text(entry), end="")
    else:
        print(visible("\n".join(_lines(entry))))
    for words in question.words:
        tell(f"note: for the first time: {words}")
    return 0


def _size_json(path: Path, loaded: Loaded, life: EarlierLives, size: SessionSize) -> dict[str, Json]:
    real = {spec.name for spec in asked_first(loaded.evaluation.models)}
    models = [_of_model(name, size.to_ask, name in real) for name in loaded.asked_models]
    real_models = [model for model in models if model["real"]]
    most = [model["max_cost_usd"] for model in real_models]
    cap_usd = loaded.run.max_cost_usd
    damaged = life.log.damaged if life.log.damaged and RunReader(path).would_ask_again(life.log.damaged) else []
    return {
        "run": path.name,
        "calls": sum(model["calls"] for model in real_models),
        "simulated_calls": sum(model["calls"] for model in models if not model["real"]),
        "may_follow": size.to_ask.may_follow,
        "in_batches": _in_batches(path),
        "used": size.used,
        "room": size.room,
        "cap": size.cap,
        "max_cost_usd": None if None in most else sum(most),
        "left_usd": None if cap_usd is None else max(cap_usd - life.ledger.spent / MICRO, 0.0),
        "models": models,
        "damaged": damage_words(damaged) if damaged else "",
    }


def _of_model(name: str, to_ask: ToAsk, real: bool) -> dict[str, Json]:
    most = to_ask.most_of_model.get(name, 0)
    return {"name": name, "real": real, "calls": to_ask.of_model[name], "max_cost_usd": None if most is None else most / MICRO}


def _in_batches(path: Path) -> int:
    """Return the number of calls in batches of earlier sessions that were not fetched yet: these are fetched, and not asked."""
    sizes = [event.get("calls") for event in RunReader(path).batches().values() if event.get("state") == "submitted"]
    return sum(calls for calls in sizes if type(calls) is int)


def _lines(entry: dict[str, Json]) -> list[str]:
    """The same for a person."""
    cost = "cost unknown" if entry["max_cost_usd"] is None else f"at most {usd(entry['max_cost_usd'])} if each is sent once"
    budget = "" if entry["left_usd"] is None else f"; the cap on cost leaves {usd(entry['left_usd'])}"
    lines = [
        f"{entry['run']}: {count_of(entry['calls'], 'call')} to real models still to be asked, {cost}{budget}",
        f"at most {entry['room']:,} calls in this session, {entry['cap']:,} in all",
    ]
    if entry["simulated_calls"]:
        lines.append(f"{count_of(entry['simulated_calls'], 'call')} to simulated models")
    if entry["in_batches"]:
        lines.append(f"{count_of(entry['in_batches'], 'call')} of them were handed over in batches, and are fetched")
    if entry["damaged"]:
        lines.append(f"destroyed: {entry['damaged']}; with --ask-again these calls are paid for again")
    lines += [
        f"{one_line(model['name'], 80)}: {count_of(model['calls'], 'call')}" for model in entry["models"] if model["calls"]
    ]
    return [*lines, "nothing was sent"]
