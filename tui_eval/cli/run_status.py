"""Status of runs, and requests to a live one: stop, wait, go on. Data on stdout, narration on stderr."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tui_eval.cli.standard_error import narrate, tell
from tui_eval.core.calls import Json
from tui_eval.core.money import MadeUp, told_apart, usd
from tui_eval.core.plaintext import count_of, visible
from tui_eval.results.report_head import StoredReport
from tui_eval.results.report_verdict import WITHOUT, verdict_in
from tui_eval.results.tables import aligned
from tui_eval.results.verdicts import summed_up, verdicts_of
from tui_eval.runs import steering
from tui_eval.runs.destroyed_lines import damage_words
from tui_eval.runs.entry import workers_of
from tui_eval.runs.folder import UNLOCKED
from tui_eval.runs.reader import RunReader
from tui_eval.runs.worker_entry import worker_sums
from tui_eval.workspace.places import Workspace

COUNTED = ("ok", "no_text", "error", "timeout", "skipped", "not_sent", "lost")


def execute(options: argparse.Namespace, workspace: Workspace) -> int:
    """Do what the verb says; the exit code."""
    return DONE[options.verb](options, workspace)


def status(options: argparse.Namespace, workspace: Workspace) -> int:
    """One run, or all of them; the exit code."""
    if options.run:
        path = workspace.run(options.run)
        entry = steering.status(path)
        if entry["holder"] is None:  # a live run said it when it began
            say_damage([path])
            report = StoredReport(RunReader(path))
            gates, verdict = verdicts_of(report), verdict_in(report)
            entry |= {"gates": summed_up(gates).removeprefix("gates ")} if gates else {}
            if verdict is not WITHOUT:
                entry |= {"verdict": report["verdict"], "verdict_line": verdict.line, "verdict_rest": verdict.rest}
        print(json.dumps(entry, indent=2) if options.json else visible(_text(entry)))
        return 0
    entries = [steering.status(path) for path in workspace.all_runs()]
    if options.json:
        print(json.dumps(entries, indent=2))
    elif not entries:
        narrate(f"no runs in {workspace.runs}; for a run made elsewhere (--out DIR): tui-eval status DIR")
    else:
        rows = [[str(e["run_id"]), str(e["kind"]), str(e["state"]), _progress(e), _cost(e)] for e in entries]
        print(aligned(("run", "kind", "state", "calls", "cost"), rows, (False, False, False, True, True)))
    return 0


def _progress(entry: dict[str, object]) -> str:
    total = entry.get("total")
    counts = [total.get(name) for name in ("ok", "error", "timeout")] if isinstance(total, dict) else []
    whole = [n for n in counts if isinstance(n, int)]
    without_text = total.get("no_text", 0) if isinstance(total, dict) else 0
    n_asked = sum(whole) + without_text if len(whole) == 3 else entry.get("done", 0)
    planned = entry.get("planned", entry.get("planned_calls"))
    return f"{n_asked}/{max(planned, n_asked) if isinstance(planned, int) and isinstance(n_asked, int) else planned}"


def _cost(entry: dict[str, object]) -> str:
    """For a list, where there is little room."""
    if _made_up(entry) == "some":
        return _paid(entry).replace("simulated", "sim")
    return _charged(entry) + (" sim" if entry.get("simulated") and "$" in _charged(entry) else "")


def _made_up(entry: dict[str, Any]) -> MadeUp:
    """Return the simulated share of a run; all, where one of an older version only says that some is."""
    models = entry.get("models")
    flags = [tally.get("simulated") for tally in models.values()] if isinstance(models, dict) else []
    return ("some" if False in flags and True in flags else "all") if entry.get("simulated") else "nothing"


def _paid(entry: dict[str, Any]) -> str:
    """Return the cost of a run with real and simulated models, both apart; in a word where nothing of it is known."""
    if not entry.get("charged_usd"):
        return _charged(entry)
    simulated = entry.get("charged_simulated_usd") or 0.0
    real = _charged({**entry, "charged_usd": round(entry["charged_usd"] - simulated, 6)})
    return told_apart("", real, usd(simulated), "some")


def _text(entry: dict[str, Json]) -> str:
    """One run's status, a line per fact and a line per model."""
    names = ("run_id", "kind", "name", "state", "why", "path", "started_at", "heartbeat", "items_done", "items", "in_flight")
    lines = [f"{name:<12} {entry[name]}" for name in (*names, "limit", "limit_reason") if entry.get(name) not in (None, "")]
    if workers := workers_of(entry):
        lines.append("{:<12} {}   in flight {}   credits {}".format("workers", *worker_sums(workers)))
    lines += [f"{'lock':<12} {UNLOCKED}"] if entry.get("unlocked") else []
    total, models = entry.get("total"), entry.get("models")
    if isinstance(total, dict) and isinstance(models, dict):
        usage = f"{entry.get('calls_used')} of {entry.get('max_calls')} used"
        lines.append(f"{'calls':<12} {_settled(entry.get('done'), total)}/{entry.get('planned')} ({usage})")
        lines.append(f"{'outcomes':<12} {_counts(total)}")
        if lost := total.get("lost"):
            lines.append(f"{'lost':<12} {count_of(lost, 'call was', 'calls were')} sent, reply lost (paid, cost unknown)")
        label = " (simulated)" if entry.get("simulated") else ""
        lines.append(f"{'cost':<12} " + (_paid(entry) if _made_up(entry) == "some" else _charged(entry) + label))
        lines += [f"  {name:<20} {_counts(tally)}" for name, tally in models.items() if isinstance(tally, dict)]
    for label, key in (("gates", "gates"), ("verdict", "verdict_line"), ("more", "verdict_rest")):
        wrapped = textwrap.wrap(str(entry.get(key) or ""), 66)
        lines += [f"{name:<12} {line}" for name, line in zip((label, *[""] * len(wrapped)), wrapped, strict=False)]
    return "\n".join(lines)


def _settled(n_done: Json, total: dict[str, Json]) -> Json:
    """Calls that have ended, without those beyond the plan that were not sent."""
    beyond = total.get("beyond_plan")
    return n_done - beyond if isinstance(n_done, int) and isinstance(beyond, int) else n_done


def _charged(entry: dict[str, Json]) -> str:
    """Return the cost of a run so far.

    "unknown" where no attempt's cost is known, never a zero in its place, and "-" where nothing was sent.
    """
    charged, total = entry.get("charged_usd"), entry.get("total")
    unknown = total.get("unknown_cost", 0) if isinstance(total, dict) else 0
    nothing = not isinstance(charged, int | float) or (not charged and entry.get("calls_used") == 0)
    return usd(None if nothing else charged, unknown)


def _counts(tally: dict[str, Any]) -> str:
    names = (
        "ok",
        *(["no_text"] if tally.get("no_text") else []),
        "error",
        "timeout",
        "skipped",
        "not_sent",
        *(["lost"] if tally.get("lost") else []),
    )
    return "  ".join(f"{name} {tally.get(name)}" for name in names)


def stop(options: argparse.Namespace, workspace: Workspace) -> int:
    """Ask a live run to stop."""
    path = workspace.run(options.run)
    steering.stop(path)
    return _say(f"{path}: will stop; calls in flight finish. Go on later with: tui-eval resume {path}")


def pause(options: argparse.Namespace, workspace: Workspace) -> int:
    """Ask a live run to wait."""
    path = workspace.run(options.run)
    steering.pause(path)
    return _say(f"{path}: will wait; go on with: tui-eval continue {path}")


def go_on(options: argparse.Namespace, workspace: Workspace) -> int:
    """Take a pause back."""
    path = workspace.run(options.run)
    steering.go_on(path)
    return _say(f"{path}: goes on")


def _say(text: str) -> int:
    narrate(text)
    return 0


def say_damage(paths: Iterable[Path]) -> None:
    """Name the destroyed lines of these runs' logs on standard error."""
    for path in paths:
        if numbers := RunReader(path).torn():
            tell(f"note: {path}/call_logs.jsonl: {damage_words(numbers)}")


DONE: dict[str, Callable[[argparse.Namespace, Workspace], int]] = {
    "status": status,
    "stop": stop,
    "pause": pause,
    "continue": go_on,
}
