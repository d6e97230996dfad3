"""What each command does and prints: data on stdout, narration on stderr."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from tui_eval import session
from tui_eval.catalogue import has_key
from tui_eval.engine.run import Ended, run
from tui_eval.engine.send import Keys
from tui_eval.errors import FolderError, StorageError, TuiEvalError
from tui_eval.loading import Loaded, check_caps, load
from tui_eval.narration import stderr_narrator
from tui_eval.plaintext import one_line, visible
from tui_eval.store.report import aligned
from tui_eval.summary import plan_text, result_text, status_text
from tui_eval.workspace import Workspace

USAGE, INCOMPLETE, BUG, STOPPED = 2, 3, 70, 130


def execute(options: argparse.Namespace) -> int:
    """Do what was asked; returns the exit code. Mistakes a person can mend end with one message and no traceback."""
    os.umask(0o077)
    try:
        return _dispatch(options, Workspace(options.workspace))
    except StorageError as error:
        print(f"error: {visible(str(error))}", file=sys.stderr)
        return INCOMPLETE
    except TuiEvalError as error:
        print(f"error: {visible(str(error))}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("interrupted; what was answered is on file. --resume goes on, --rescore rebuilds reports", file=sys.stderr)
        return STOPPED
    except Exception:
        traceback.print_exc()
        print("this is a bug of tui-eval; what was answered is on file, and --resume goes on", file=sys.stderr)
        return BUG


def _dispatch(options: argparse.Namespace, workspace: Workspace) -> int:
    if options.run is not None:
        return _run(options, workspace)
    if options.resume is not None:
        return _resume(options, workspace)
    if options.rescore is not None:
        return _rescore(options, workspace)
    if options.status is not None:
        return _status(options, workspace)
    return _wish(options, workspace)


def _run(options: argparse.Namespace, workspace: Workspace) -> int:
    config = workspace.config(options.run)
    loaded = load(
        config,
        workspace,
        settings=options.set,
        models=_words(options.models),
        only=_words(options.only),
        repeat=options.repeat,
        keys_file=options.keys_file,
        sends=not (options.dry_run or options.offline),
    )
    if options.dry_run:
        print(plan_text(loaded))
    check_caps(loaded)
    if options.dry_run:
        return 0
    source = _replayed(config) if options.offline else None
    keys = _keys(loaded)
    path = options.out or workspace.runs / workspace.new_run_id(loaded.evaluation.name)
    session.prepare(loaded, path, keys.redact, sys.argv[1:], force=options.force)
    return _engine(path, loaded, keys, offline=source)


def _replayed(config: Path) -> Path:
    if not (config.parent / "call_logs.jsonl").is_file():
        raise FolderError(
            f"--offline: {config.parent} holds no call_logs.jsonl to answer from; give a run folder's config.toml"
        )
    return config.parent


def _resume(options: argparse.Namespace, workspace: Workspace) -> int:
    path = workspace.run(options.resume)
    loaded = session.reopen(path, workspace, options.set, options.keys_file, sends=not options.offline)
    if options.set:
        session.change_limits(path, loaded, options.set)
    return _engine(path, loaded, _keys(loaded), failed=options.failed, offline=path if options.offline else None)


def _engine(path: Path, loaded: Loaded, keys: Keys, failed: bool = False, offline: Path | None = None) -> int:
    """Run it, show it, print what came of it."""
    narrator = stderr_narrator()
    narrator.say(f"run folder: {path}" + ("   (simulated models)" if _simulated(loaded) else ""))
    ended = asyncio.run(run(path, loaded, keys, narrator.tick, narrator.say, reopen_failed=failed, offline=offline))
    narrator.leave()
    print(visible(result_text(path, loaded, ended.outcome)), flush=True)
    for line in _closing_lines(path, ended):
        narrator.say(line)
    return ended.exit_code


def _closing_lines(path: Path, ended: Ended) -> list[str]:
    """What a person should know at the end, and the next step."""
    lines = []
    if ended.simulator_requests is not None:
        lines.append(f"the simulator counted {ended.simulator_requests} requests")
    if ended.exit_code == STOPPED:
        lines.append(f"stopped: {ended.stopped}. Finish it with: tui-eval --resume {path}")
    elif ended.exit_code == INCOMPLETE:
        total = ended.progress.total
        lost = f"{total.error} error, {total.timeout} timeout, {total.skipped} over budget, {total.not_sent} not sent"
        why = f" ({ended.stopped})" if ended.stopped else ""
        lines.append(
            f"incomplete{why}: {lost}. Try the rest with: tui-eval --resume {path}" + (" --failed" if total.error else "")
        )
    return lines


def _rescore(options: argparse.Namespace, workspace: Workspace) -> int:
    path = workspace.run(options.rescore)
    outcome, loaded, out = session.rescore(path, workspace, options.set)
    print(f"reports rebuilt in {out}; nothing was sent", file=sys.stderr)
    print(visible(result_text(out, loaded, outcome)))
    return 0


def _status(options: argparse.Namespace, workspace: Workspace) -> int:
    if options.status:
        entry = session.status(workspace.run(options.status))
        print(json.dumps(entry, indent=2) if options.json else status_text(entry))
        return 0
    entries = [session.status(path) for path in workspace.all_runs()]
    if options.json:
        print(json.dumps(entries, indent=2))
    elif not entries:
        print(f"no runs in {workspace.runs}", file=sys.stderr)
    else:
        rows = [[str(e["run_id"]), str(e["kind"]), str(e["state"]), _done(e), _cost(e)] for e in entries]
        print(aligned(("run", "kind", "state", "calls", "cost"), rows, (False, False, False, True, True)))
    return 0


def _done(entry: dict[str, object]) -> str:
    return f"{entry.get('done', 0)}/{entry.get('planned', entry.get('planned_calls'))}"


def _cost(entry: dict[str, object]) -> str:
    cost = entry.get("charged_usd")
    return "-" if cost is None else f"${cost:.4f}" + (" sim" if entry.get("simulated") else "")


def _wish(options: argparse.Namespace, workspace: Workspace) -> int:
    if options.stop is not None:
        path = workspace.run(options.stop)
        session.stop(path)
        print(f"{path}: will stop; calls in flight finish. Go on later with --resume {path}", file=sys.stderr)
    elif options.pause is not None:
        path = workspace.run(options.pause)
        session.pause(path)
        print(f"{path}: will wait; go on with --continue {path}", file=sys.stderr)
    else:
        path = workspace.run(getattr(options, "continue"))
        session.go_on(path)
        print(f"{path}: goes on", file=sys.stderr)
    return 0


def _keys(loaded: Loaded) -> Keys:
    names = [spec.api_key_env for spec in loaded.evaluation.models.values() if spec.api_key_env]
    return Keys([name for name in names if has_key(name, loaded.key_files)], loaded.key_files)


def _simulated(loaded: Loaded) -> bool:
    return any(spec.wire == "simulator" for spec in loaded.evaluation.models.values())


def _words(text: str) -> Sequence[str]:
    return [one_line(word.strip()) for word in text.split(",") if word.strip()]
