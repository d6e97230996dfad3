"""The verbs that ask models: run and resume. Data on stdout, narration on stderr."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui_eval.cli.egress_text import can_ask
from tui_eval.cli.named_config import load_config
from tui_eval.cli.narration import stderr_narrator
from tui_eval.cli.next_step import closing_lines, words_of_command
from tui_eval.cli.plan_text import destination_line
from tui_eval.cli.session_size import session_size, show_session_size
from tui_eval.cli.standard_error import narrate, tell
from tui_eval.cli.summary import outcome_json, result_text, told_gates
from tui_eval.configuring import preparing, reopening
from tui_eval.configuring.generated_sets import check_set, keep_set
from tui_eval.configuring.loading import Loaded, check_bounded, check_caps
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, CrashError, FolderError, StorageError, TuiEvalError
from tui_eval.core.plaintext import visible
from tui_eval.engine.previous_sessions import EarlierLives, earlier_lives
from tui_eval.engine.replaying import ToAsk
from tui_eval.engine.run import Crew, RunEnd, RunOptions, run
from tui_eval.models.catalogue import names_on_file
from tui_eval.models.learned import learned, learned_problem, remember
from tui_eval.providers import WIRES
from tui_eval.results.tables import json_text
from tui_eval.runs.destroyed_lines import damage_words
from tui_eval.runs.folder import LOG, check_locks
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.keys import Keys
from tui_eval.workspace.memory_limits import lacks_memory, memory_words
from tui_eval.workspace.places import Workspace

if TYPE_CHECKING:
    from tui_eval.cluster.asked_by_workers import Workers


def run_config(options: argparse.Namespace, workspace: Workspace) -> int:
    """Run a config; returns the exit code."""
    with _workers(options) as workers:
        with contextlib.nullcontext() if workers is None else workers.reading():
            loaded = load_config(options, workspace, sends=not options.offline)
        return _run_loaded(options, workspace, loaded, workers)


def _run_loaded(options: argparse.Namespace, workspace: Workspace, loaded: Loaded, workers: Workers | None) -> int:
    config = loaded.file.path
    _check_code(loaded, workspace)
    check_caps(loaded)
    check_set(loaded, workspace)
    if _imported(loaded) and not options.offline:
        raise ConfigError(f"{config}: its answers were imported: there is nothing to ask; make such a run by: tui-eval import")
    source = _replayed(config) if options.offline else None
    keys = preparing.keys_of(loaded)
    path = options.out or workspace.runs / workspace.new_run_id(preparing.slug_of(loaded))
    check_locks(path, options.no_lock)
    _begin(workers, loaded)
    preparing.prepare(loaded, path, keys.redact, sys.argv[1:], force=options.force, workspace=workspace)
    return _engine(options, workspace, path, loaded, keys, source, workers=workers)


def _check_code(loaded: Loaded, workspace: Workspace) -> None:
    """Raise EgressError where own scorers would run for the first time, and a person can be asked: before anything is sent."""
    scorers = loaded.evaluation.task.scorers
    if not scorers.code_refused or not can_ask():
        return
    from tui_eval.configuring.own_code.own_scorers import refused_code  # only for those whose code is run

    problem = refused_code(scorers.by_code, loaded.file, workspace, loaded.egress)
    if problem is not None:
        raise problem


def _replayed(config: Path) -> Path:
    if not (config.parent / "call_logs.jsonl").is_file():
        raise FolderError(
            f"--offline: {config.parent} holds no call_logs.jsonl to answer from; give a run folder's config.toml"
        )
    return config.parent


def resume(options: argparse.Namespace, workspace: Workspace) -> int:
    """Finish a run; returns the exit code."""
    path = workspace.run(options.run)
    sends = not options.offline and not options.dry_run
    loaded = reopening.reopen(path, workspace, options.set, options.keys_file, sends=sends)
    check_bounded(loaded)
    _check_code(loaded, workspace)
    check_locks(path, options.no_lock)
    if _imported(loaded):
        narrate(f"{path}: imported answers, nothing was sent; tui-eval rescore {path} rebuilds the reports")
        return told_gates([path])
    if options.dry_run:
        return show_session_size(options, workspace, path, loaded)
    earlier = None if options.offline or options.ask_again else _undamaged(path, loaded)
    if options.set:
        reopening.change_limits(path, loaded, options.set)
    to_ask = None
    if options.failed and not options.offline and reopening.cap_is_derived(path, options.set):
        loaded, to_ask = _with_session_cap(path, loaded, earlier)
    offline, keys = path if options.offline else None, preparing.keys_of(loaded)
    with _workers(options) as workers:
        _begin(workers, loaded)
        return _engine(options, workspace, path, loaded, keys, offline, earlier, to_ask, workers)


def _with_session_cap(path: Path, loaded: Loaded, earlier: EarlierLives | None) -> tuple[Loaded, ToAsk | None]:
    """Return the evaluation with the cap on calls that holds for this session, where nobody set one, and what is to be asked in
    it; and print both.
    """
    life = earlier or earlier_lives(path, loaded.evaluation.repeat, taken=loaded.evaluation.task.recorded)
    if life.recorded is None:
        return loaded, None
    size = session_size(loaded, life, failed=True, derived=True)
    narrate(
        f"at most {size.room:,} calls in this session, {size.cap:,} in all: up to {size.up_to:,} are still to be asked "
        "(run.max_calls sets another limit)"
    )
    return replace(loaded, run=loaded.run.model_copy(update={"max_calls": size.cap})), size.to_ask


def _undamaged(path: Path, loaded: Loaded) -> EarlierLives:
    """Return the earlier sessions of the log.

    FolderError where calls would be paid for again whose lines in it are destroyed, unless a person says yes.
    """
    earlier = earlier_lives(path, loaded.evaluation.repeat, taken=loaded.evaluation.task.recorded)
    damaged = earlier.log.damaged
    if not damaged or not RunReader(path).would_ask_again(damaged):
        return earlier
    message = damage_words(damaged)
    if sys.stdin.isatty() and sys.stderr.isatty():
        print(f"{path}: {message}. Ask these calls again, and pay for them again? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return earlier
    earlier.log.recorded.close()
    raise FolderError(
        f"{path / LOG}: {message}. Put a sound copy in its place, or ask and pay for these calls again: "
        f"tui-eval resume {path} --ask-again"
    )


def _engine(
    options: argparse.Namespace,
    workspace: Workspace,
    path: Path,
    loaded: Loaded,
    keys: Keys,
    offline: Path | None,
    earlier: EarlierLives | None = None,
    to_ask: ToAsk | None = None,
    workers: Workers | None = None,
) -> int:
    """Run it, show it, print what came of it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a closed terminal does not end a run that costs money
    repairs = learned(workspace, loaded.evaluation.models.values())
    narrator = stderr_narrator()
    narrator.say(f"run folder: {path}" + _simulated(loaded))
    for destination in loaded.destinations if offline is None else ():
        (narrator.tell if destination.keys else narrator.say)(destination_line(destination))
    if offline is None and (problem := learned_problem(workspace)):
        narrator.say(f"note: {problem}")
    going = RunOptions(
        on_tick=narrator.tick,
        narrate=narrator.say,
        warn=narrator.tell,
        reopen_failed=options.failed,
        offline=offline,
        cache=workspace.cache,
        check_first=not options.no_preflight,
        known=repairs,
        on_learned=lambda model, repair: remember(workspace, model, repair),
        earlier=earlier,
        unlocked=options.no_lock,
        to_ask=to_ask,
    )
    if workers is not None:
        going = replace(going, crew=_crew(workers, loaded, keys))
    keys.leave(names_on_file(workspace))
    with crashes_without_keys(keys, f"tui-eval resume {path}"):
        ended = asyncio.run(run(path, loaded, keys, going))
    if ended.simulator_requests is not None:
        narrator.say(f"the simulator counted {ended.simulator_requests} requests in this run")
    narrator.close()
    new_set = None if ended.outcome is None else keep_set(path, loaded.evaluation, workspace)
    exit_code = 3 if new_set is not None and not new_set.questions and ended.exit_code in (0, 1) else ended.exit_code
    with contextlib.suppress(OSError):  # a terminal that is gone: what was found out lies in the folder
        if options.json:
            print(json_text(_ended_json(path, ended)), end="", flush=True)
        elif not ended.progress.refused:
            print(visible(result_text(path, loaded, ended.outcome)), flush=True)
        say = tell if exit_code else narrate
        if new_set is not None:
            say(new_set.words)
        for line in closing_lines(path, loaded, ended, words_of_command(options, workspace)):
            say(line)
    return exit_code


def _begin(workers: Workers | None, loaded: Loaded) -> None:
    """Have the workers there before anything is written. ConfigError where they cannot be had, or cannot ask this run."""
    if workers is None:
        return
    if loaded.run.mode == "batch":
        raise ConfigError('--cluster: does not go with run.mode = "batch": batches are made by one process')
    workers.begin(narrate)


def _crew(workers: Workers, loaded: Loaded, keys: Keys) -> Crew:
    """Return the workers as those who ask this run's calls, with the keys that it needs."""
    urls = [spec.base_url or "" for spec in loaded.evaluation.models.values()]
    return workers.crew(keys.variables([*urls, loaded.run.proxy or ""]))


@contextlib.contextmanager
def _workers(options: argparse.Namespace) -> Iterator[Workers | None]:
    """The workers that `--cluster` names; None where nothing names any. ConfigError where they cannot be had."""
    if not getattr(options, "cluster", ""):  # verbs that make runs on their own way have no such option
        if getattr(options, "workers", ""):
            raise ConfigError("--workers: says how many of those that --cluster names; name them, such as --cluster local:4")
        yield None
        return
    if options.offline:
        raise ConfigError("--cluster: does not go with --offline: there is nothing that workers could ask")
    with contextlib.ExitStack() as stack:
        try:
            from tui_eval.cluster.asked_by_workers import workers_of

            workers = stack.enter_context(workers_of(options.cluster, options.insecure_cluster, options.workers))
        except ImportError as error:
            raise ConfigError(f"--cluster: {error}; install it: pip install 'tui-eval[cluster]'") from None
        yield workers


def _ended_json(path: Path, ended: RunEnd) -> dict[str, Json]:
    """Return the end of a run, for programs."""
    how = {"path": str(path), "exit_code": ended.exit_code, "stopped": ended.stopped, "refused": dict(ended.progress.refused)}
    return how if ended.outcome is None else {**how, **outcome_json(ended.outcome)}


@contextlib.contextmanager
def crashes_without_keys(keys: Keys, again: str) -> Iterator[None]:
    """Whatever is raised inside ends as a CrashError whose traceback shows no key; a lack of memory as a StorageError.

    `again`: the command that goes on.
    """
    try:
        yield
    except (TuiEvalError, KeyboardInterrupt):
        raise
    except Exception as error:
        if lacks_memory(error):
            raise StorageError(memory_words(f"no answer is lost; {again} continues")) from None
        raise CrashError(keys.redact(traceback.format_exc())) from None


def _imported(loaded: Loaded) -> bool:
    return all(WIRES[spec.wire].recorded for spec in loaded.evaluation.models.values())


def _simulated(loaded: Loaded) -> str:
    """Return a note on simulated models, with their names where others are real."""
    specs = loaded.evaluation.models
    names = [name for name, spec in specs.items() if WIRES[spec.wire].simulated]
    label = "simulated models" if len(names) == len(specs) else f"simulated: {', '.join(names)}; the others are real"
    return f"   ({label})" if names else ""
