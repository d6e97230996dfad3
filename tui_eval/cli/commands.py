"""What the commands do that send nothing: plan, re-score, show, stop, pause. Data on stdout, narration on stderr."""

from __future__ import annotations

import argparse
import getpass
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tui_eval.cli.summary import gates_line, headline_text, plan_text, result_text, status_cost, status_text
from tui_eval.cli.trial_text import trial_json, trial_text
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line, visible
from tui_eval.results.comparison import report as compare_report
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.results.tables import aligned
from tui_eval.results.verdicts import gate_code
from tui_eval.runs import steering
from tui_eval.session import rescoring
from tui_eval.session.derive import Outcome
from tui_eval.session.importing import import_answers
from tui_eval.session.leaderboard import merge
from tui_eval.session.loading import Loaded, check_caps, load
from tui_eval.workspace.key_files import has_key, store_key
from tui_eval.workspace.places import Workspace


def execute(options: argparse.Namespace) -> int:
    """Do what was asked; returns the exit code."""
    workspace = Workspace(options.workspace)
    if options.run is not None:
        return _plan(options, workspace)
    if options.rescore is not None:
        return _rescore(options, workspace)
    if options.leaderboard is not None:
        return _leaderboard(options, workspace)
    if options.compare is not None:
        return _compare(options, workspace)
    if options.import_answers is not None:
        return _import(options, workspace)
    if options.store_key is not None:
        return _store_key(options, workspace)
    if options.status is not None:
        return _status(options, workspace)
    return _wish(options, workspace)


def load_config(options: argparse.Namespace, workspace: Workspace, config: Path, sends: bool) -> Loaded:
    """The config of a --run, with what the command line says about it."""
    return load(
        config,
        workspace,
        settings=options.set,
        models=_words(options.models),
        only=_words(options.only),
        repeat=options.repeat,
        keys_file=options.keys_file,
        sends=sends,
    )


def _plan(options: argparse.Namespace, workspace: Workspace) -> int:
    loaded = load_config(options, workspace, workspace.config(options.run), sends=False)
    print(visible(plan_text(loaded)))
    for note in loaded.warnings:
        print(f"note: {visible(note)}", file=sys.stderr)
    check_caps(loaded)
    return 0


def _rescore(options: argparse.Namespace, workspace: Workspace) -> int:
    path = workspace.run(options.rescore)
    for note in rescoring.plugin_notes(path):
        print(f"note: {visible(note)}", file=sys.stderr)
    if options.dry_run:
        trial = rescoring.try_rescore(path, workspace, options.set)
        print(json.dumps(trial_json(trial)) if options.json else visible(trial_text(trial)))
        print("nothing was written, nothing was sent; without --dry-run it is kept in rescored/ of the run", file=sys.stderr)
        return 0
    outcome, loaded, out = rescoring.rescore(path, workspace, options.set)
    print(f"reports rebuilt in {out}; nothing was sent", file=sys.stderr)
    if options.json:
        changed = None if outcome.changes is None else len(outcome.changes.rows)
        kept = {name: outcome.report[name] for name in ("items", "gates") if name in outcome.report}
        print(json.dumps({"path": str(out), "changed": changed, **kept}, indent=2))
    else:
        print(visible(result_text(out, loaded, outcome)))
    return _gated(outcome)


def _gated(outcome: Outcome) -> int:
    """The exit code that the gates come to; which of them do not hold is said."""
    code = gate_code(outcome.report)
    if code:
        print(visible(gates_line(outcome.report)), file=sys.stderr)
    return code


def _leaderboard(options: argparse.Namespace, workspace: Workspace) -> int:
    if options.out is None:
        raise ConfigError("--leaderboard: say where it is to be, for example --out leaderboards/mine")
    tables = merge([workspace.run(name) for name in options.leaderboard], options.out, workspace, options.set)
    print(visible(headline_text(tables)))
    print(f"\nleaderboard.md, analysis.md, questions.csv and the tables are in {options.out}", file=sys.stderr)
    return 0


def _compare(options: argparse.Namespace, workspace: Workspace) -> int:
    paths = [workspace.run(name) for name in options.compare]
    comparison = compare_runs(paths, _words(options.models), metric=options.metric)
    out = compare_report.write(comparison, options.out or compare_report.new_folder(workspace), options.flips)
    if options.json:
        with (out / compare_report.WHOLE).open(encoding="utf-8") as whole:
            shutil.copyfileobj(whole, sys.stdout)
        print()
    else:
        print(visible(compare_report.text(comparison, options.flips)))
    print(f"\ncompare.md, compare.csv, flips.csv, ranks.csv and compare.json are in {visible(str(out))}", file=sys.stderr)
    return 0


def _import(options: argparse.Namespace, workspace: Workspace) -> int:
    if options.dataset is None:
        raise ConfigError("--import-answers: give the benchmark that was answered, too: --dataset BENCH")
    out = options.out or workspace.runs / workspace.new_run_id(options.import_answers.stem)
    outcome, loaded = import_answers(
        options.import_answers, options.dataset, out, workspace, options.set, sys.argv[1:], options.force
    )
    print(visible(result_text(out, loaded, outcome)))
    return _gated(outcome)


def _store_key(options: argparse.Namespace, workspace: Workspace) -> int:
    """The key is typed unseen on a terminal, or comes down a pipe; it is never printed."""
    name = options.store_key
    value = getpass.getpass(f"{name}: ") if sys.stdin.isatty() else sys.stdin.read(100_000)
    file = options.keys_file or workspace.env_file
    before = has_key(name, [file], environment=False)
    store_key(name, value.strip().removeprefix("export ").removeprefix(f"{name}=").strip("\"'"), file)
    replaced = ", in place of the one that was there" if before else ""
    print(f"{name} is in {file}, readable by you alone{replaced}; it is not shown again", file=sys.stderr)
    return 0


def _status(options: argparse.Namespace, workspace: Workspace) -> int:
    if options.status:
        entry = steering.status(workspace.run(options.status))
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


def _wish(options: argparse.Namespace, workspace: Workspace) -> int:
    if options.stop is not None:
        path = workspace.run(options.stop)
        steering.stop(path)
        print(f"{path}: will stop; calls in flight finish. Go on later with --resume {path}", file=sys.stderr)
    elif options.pause is not None:
        path = workspace.run(options.pause)
        steering.pause(path)
        print(f"{path}: will wait; go on with --continue {path}", file=sys.stderr)
    else:
        path = workspace.run(getattr(options, "continue"))
        steering.go_on(path)
        print(f"{path}: goes on", file=sys.stderr)
    return 0


def _words(text: str) -> Sequence[str]:
    return [one_line(word.strip()) for word in text.split(",") if word.strip()]
