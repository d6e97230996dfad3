"""Where runs stand, and what a live one is asked to do: stop, wait, go on. Data on stdout, narration on stderr."""

from __future__ import annotations

import argparse
import json
import sys

from tui_eval.cli.summary import status_cost, status_text
from tui_eval.core.plaintext import visible
from tui_eval.results.tables import aligned
from tui_eval.runs import steering
from tui_eval.workspace.places import Workspace


def status(options: argparse.Namespace, workspace: Workspace) -> int:
    """One run, or all of them; the exit code."""
    if options.run:
        entry = steering.status(workspace.run(options.run))
        print(json.dumps(entry, indent=2) if options.json else visible(status_text(entry)))
        return 0
    entries = [steering.status(path) for path in workspace.all_runs()]
    if options.json:
        print(json.dumps(entries, indent=2))
    elif not entries:
        print(f"no runs in {workspace.runs}", file=sys.stderr)
    else:
        rows = [[str(e["run_id"]), str(e["kind"]), str(e["state"]), _done(e), _cost(e)] for e in entries]
        print(aligned(("run", "kind", "state", "calls", "cost"), rows, (False, False, False, True, True)))
    return 0


def _done(entry: dict[str, object]) -> str:
    total = entry.get("total")
    counts = [total.get(name) for name in ("ok", "error", "timeout")] if isinstance(total, dict) else []
    whole = [n for n in counts if isinstance(n, int)]
    asked = sum(whole) if len(whole) == 3 else entry.get("done", 0)
    planned = entry.get("planned", entry.get("planned_calls"))
    return f"{asked}/{max(planned, asked) if isinstance(planned, int) and isinstance(asked, int) else planned}"


def _cost(entry: dict[str, object]) -> str:
    return status_cost(entry) + (" sim" if entry.get("simulated") and "$" in status_cost(entry) else "")


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
    print(visible(text), file=sys.stderr)
    return 0
