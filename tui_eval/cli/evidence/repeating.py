"""Asking a run again, for `aa`: cost first, then the further repeat beside the run, and the figures of what was answered."""

from __future__ import annotations

import argparse
import contextlib
import io
import shlex
import sys
from pathlib import Path

from tui_eval.cli import running
from tui_eval.cli.plan_text import destination_lines
from tui_eval.cli.session_size import session_size, show_session_size
from tui_eval.cli.standard_error import narrate, tell
from tui_eval.cli.summary import usd_or_unknown
from tui_eval.configuring import preparing, reopening
from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.repeat_config import Again, asked_again, asked_of, check_askable, check_room, folder_of, uid_of
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.core.money import MICRO, usd
from tui_eval.core.plaintext import count_of, one_line, visible
from tui_eval.engine.previous_sessions import earlier_lives
from tui_eval.models.model_selection import asked_first
from tui_eval.reporting.noise import noise_of
from tui_eval.results.tables import json_text
from tui_eval.runs.entry import look, state_of
from tui_eval.runs.folder import CONFIG, check_locks
from tui_eval.runs.writing import Inside, write_file
from tui_eval.workspace.places import Workspace

FIGURES = "aa.json"
"""The figures in the folder of the run that asks again."""
ENDED = ("done", "incomplete")
STOPPED = 130


def repeat(options: argparse.Namespace, workspace: Workspace) -> int:
    """Ask a run again and print what that shows; returns the exit code."""
    if not 0 <= options.share <= 1:
        raise ConfigError(f"--share {options.share:g}: must be a share of the run, from 0 to 1")
    run = workspace.run(options.run)
    loaded = reopening.reopen(run, workspace, keys_file=options.keys_file, sends=False)
    if loaded.evaluation.repeat > 1:
        narrate(f"{run}: has {loaded.evaluation.repeat:,} repeats on file: nothing is asked")
        return _show(options, run, loaded, run)
    check_askable(run, loaded.evaluation)
    there = folder_of(run)
    check_no_link(there)
    if not options.again and _is_there(there, run):
        return _go_on(options, workspace, run, loaded, there)
    if (state := _state(run)) not in ENDED:
        raise FolderError(f"{run}: is {state}, not done; finish it first: tui-eval resume {shlex.quote(str(run))}")
    again = asked_again(run, loaded, workspace, options.share, options.keys_file, sends=not options.dry_run)
    lines = _cost(again)
    if options.dry_run:
        print(
            json_text(_plan_entry(again, there)) if options.json else visible("\n".join(lines)),
            end="" if options.json else "\n",
        )
        check_room(again)
        return 0
    say = tell if asked_first(again.new.asked_models) else narrate
    for line in lines:
        say(line)
    check_room(again)
    if not _agreed(again.new, options.yes):
        return 2
    check_locks(there, options.no_lock)
    keys = preparing.keys_of(again.loaded)
    preparing.prepare(again.loaded, there, keys.redact, sys.argv[1:], force=there.exists(), workspace=workspace)
    return _ask(options, workspace, run, loaded, there)


def _state(path: Path) -> str:
    _, progress, alive = look(path)
    return state_of(path, progress, alive)


def check_no_link(there: Path) -> None:
    """FolderError where a link stands beside the run: it leads where nobody said."""
    if there.is_symlink():
        raise FolderError(f"{there}: is a link; nothing is written through it. Move it away")


def _is_there(there: Path, run: Path) -> bool:
    """Return whether a run is there that asks this one again. FolderError if that is another one, or was never made whole."""
    if not there.exists():
        return False
    if not (there / CONFIG).is_file():
        again = f"tui-eval aa {shlex.quote(str(run))} --again"
        raise FolderError(f"{there}: was interrupted before it began, or is being made right now; {again} moves it aside")
    if asked_of(there) not in (None, uid_of(run)) or asked_of(there) is None:
        raise FolderError(
            f"{there}: repeats no run of this name that is here now; tui-eval aa {shlex.quote(str(run))} --again moves it aside"
        )
    return True


def _go_on(options: argparse.Namespace, workspace: Workspace, run: Path, loaded: Loaded, there: Path) -> int:
    """Finish a repeat that was begun before, and print its figures."""
    if _state(there) in ENDED:
        narrate(f"{there}: was asked already; --again asks anew")
        return _show(options, run, loaded, there)
    narrate(f"{there}: is {_state(there)}, and goes on")
    rest = reopening.reopen(there, workspace, keys_file=options.keys_file, sends=not options.dry_run)
    if options.dry_run:
        return show_session_size(argparse.Namespace(set=[], failed=False, json=options.json), workspace, there, rest)
    (tell if asked_first(rest.asked_models) else narrate)(_rest_words(there, rest))
    if not _agreed(rest, options.yes):
        return 2
    return _ask(options, workspace, run, loaded, there)


def _rest_words(there: Path, rest: Loaded) -> str:
    """Return the number of calls still to be asked, and their cost at most."""
    life = earlier_lives(there, rest.evaluation.repeat, taken=rest.evaluation.task.recorded)
    with life.log.recorded:
        size = session_size(rest, life, False, reopening.cap_is_derived(there, ()), costs=True)
    if not asked_first(rest.asked_models):
        return f"{count_of(size.to_ask.calls, 'call')} still to be asked (simulated); at most {size.room:,} may be sent"
    most = "at a cost that is not known" if size.to_ask.most is None else f"at most {usd(size.to_ask.most / MICRO)}"
    return f"{count_of(size.to_ask.calls, 'call')} still to be asked, {most}; at most {size.room:,} may be sent"


def _cost(again: Again) -> list[str]:
    """Return the models and calls of the repeat, their cost, and the caps that hold for it."""
    new = again.new
    plan, limits, item = new.plan, new.run, new.evaluation.kind.units.item
    real = len(asked_first(new.asked_models))
    models = count_of(len(new.asked_models), "model")
    calls = count_of(plan["total_calls"], "call")
    whom = f"to real models, about {usd_or_unknown(plan['cost_usd'])}, at most {usd_or_unknown(plan['max_cost_usd'])}"
    first = f"; +{real} for the preflight, one tiny question a model" if real else ""
    cap = "" if limits.max_cost_usd is None else f", {usd(limits.max_cost_usd)}"
    which = "all of them" if again.items == again.of else f"of {again.of:,}"
    return [
        f"{models}, {count_of(again.items, item)} ({which}): {calls} {whom if real else '(simulated)'}{first}",
        f"caps of the run, counted for this alone: {limits.max_calls:,} calls{cap}",
        *(destination_lines(new) if real else []),
    ]


def _plan_entry(again: Again, there: Path) -> dict[str, Json]:
    plan, limits = again.new.plan, again.new.run
    return {
        "folder": str(there),
        "items": again.items,
        "items_of_run": again.of,
        "plan": plan,
        "caps": {"max_calls": limits.max_calls, "max_cost_usd": limits.max_cost_usd},
        "real_models": [spec.name for spec in asked_first(again.new.asked_models)],
    }


def _agreed(loaded: Loaded, yes: bool) -> bool:
    """Return whether a person agreed to ask real models; simulated ones need none. ConfigError where nobody can be asked."""
    names = ", ".join(one_line(spec.name, 60) for spec in asked_first(loaded.asked_models))
    if yes or not names:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(f"real models would be asked ({names}), but nobody can confirm here; --yes confirms")
    print("Ask them? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    tell("nothing was sent")
    return False


def _ask(options: argparse.Namespace, workspace: Workspace, run: Path, loaded: Loaded, there: Path) -> int:
    """Bring the further repeat to its end, as any run that is taken up; then its figures, where it has come so far."""
    more = {"run": str(there), "set": [], "offline": False, "failed": False, "ask_again": False, "json": False}
    with contextlib.redirect_stdout(io.StringIO()):  # what the repeat came to by itself is in its folder
        code = running.resume(argparse.Namespace(**{**vars(options), **more, "dry_run": False}), workspace)
    if code == STOPPED or _state(there) not in ENDED:
        tell(f"no figures yet; tui-eval aa {shlex.quote(str(run))} goes on")
        return code
    return _show(options, run, loaded, there, code)


def _show(options: argparse.Namespace, run: Path, loaded: Loaded, repeats_in: Path, code: int = 0) -> int:
    """Print the figures, and keep them beside the answers that were asked again."""
    noise = noise_of(run, loaded.evaluation, repeats_in)
    if not noise.floors:
        raise FolderError(f"{repeats_in}: no sample has a score in two repeats, so noise cannot be measured")
    whole = json_text({**noise.entry(), "path": str(repeats_in)})
    if repeats_in != run and not options.dry_run:
        write_file(Inside(repeats_in) / FIGURES, json_text(noise.entry()))
    print(whole if options.json else visible(noise.text()), end="" if options.json else "\n")
    return code
