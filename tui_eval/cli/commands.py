"""The commands that send nothing: plan, re-score, show, stop, pause. Data on stdout, narration on stderr."""

from __future__ import annotations

import argparse
import getpass
import json
import shutil
import sys
from collections.abc import Mapping
from io import TextIOWrapper

from tui_eval.cli.egress_text import egress_text, next_step
from tui_eval.cli.named_config import load_config, words_in
from tui_eval.cli.plan_text import plan_text
from tui_eval.cli.preview_text import preview_json, preview_text
from tui_eval.cli.run_status import say_damage
from tui_eval.cli.standard_error import narrate, tell
from tui_eval.cli.summary import gates_line, headline_text, newer_lines, outcome_json, result_text
from tui_eval.configuring.egress import EgressError, egress_problem
from tui_eval.configuring.loading import Loaded, check_caps
from tui_eval.configuring.scorer_settings import settings_of
from tui_eval.configuring.stored_replies import replies_on_file
from tui_eval.core.calls import Json
from tui_eval.core.plaintext import visible
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.reporting.importing import import_answers
from tui_eval.reporting.leaderboard import merge
from tui_eval.results.comparison import files as compare_report
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.results.tables import aligned, json_text, table_cells
from tui_eval.results.verdicts import gate_code
from tui_eval.runs.steering import REBUILT
from tui_eval.workspace.key_files import has_key, store_key
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import stream_of


def plan(options: argparse.Namespace, workspace: Workspace) -> int:
    """Print the plan and the cost of a run; nothing is sent."""
    if options.egress:
        return show_egress(options, workspace)
    return show_plan(options, workspace, load_config(options, workspace, sends=False))


def show_egress(options: argparse.Namespace, workspace: Workspace) -> int:
    """Print the egress, by destination, in one table; nothing is sent, nor looked through that nobody has allowed."""
    try:
        loaded = load_config(options, workspace, sends=False)
        egress, refusal = loaded.egress, egress_problem(loaded.egress, loaded.file, workspace)
    except EgressError as error:
        egress, refusal = error.egress, error
    print(json_text(egress.entry()) if options.json else visible(egress_text(egress)), end="" if options.json else "\n")
    if refusal is not None:
        tell(f"note: a run is refused until you have said yes: {refusal}")
    if egress.hosts and egress.is_complete:
        narrate(next_step(egress))
    return 0


def show_plan(options: argparse.Namespace, workspace: Workspace, loaded: Loaded) -> int:
    """The same of a config that was read already."""
    replies = replies_on_file(loaded, workspace.cache)
    if options.json:
        caps = {"max_calls": loaded.run.max_calls, "max_cost_usd": loaded.run.max_cost_usd}
        hosts = [{"models": each.models, "host": each.host, "keys": each.keys} for each in loaded.destinations]
        on_file = {"on_file": replies.entries(), "cache_read": replies.cache_read}
        print(
            json_text(
                {"plan": loaded.plan, **on_file, "caps": caps, "asked": hosts, "notes": [*loaded.notes, *loaded.warnings]}
            ),
            end="",
        )
    else:
        print(visible(plan_text(loaded, replies)))
    refusal = egress_problem(loaded.egress, loaded.file, workspace)
    for note in (
        *loaded.notes,
        *loaded.warnings,
        *([] if refusal is None else [f"a run is refused until you have said yes: {refusal}"]),
    ):
        tell(f"note: {note}")
    check_caps(loaded)
    return 0


def rescore(options: argparse.Namespace, workspace: Workspace) -> int:
    """Reports made anew from the log."""
    path = workspace.run(options.run)
    scorers = words_in("--scorers", options.scorers)
    settings, left_out = rescoring.without_gone(
        path, workspace, [*options.set, *(settings_of(options.scorers, scorers) if scorers else ())]
    )
    for note in left_out:
        tell(f"note: {note}")
    for note in rescoring.plugin_notes(path):
        tell(f"note: {note}")
    if options.dry_run:
        preview = rescoring.try_rescore(path, workspace, settings)
        report = rescoring.try_gates(path, workspace, settings)
        print(json.dumps(preview_json(preview, report)) if options.json else visible(preview_text(preview, report)))
        narrate("nothing was written, nothing was sent; without --dry-run it is kept in rescored/ of the run")
        return _gated(report)
    outcome, loaded, out = rescoring.rescore(path, workspace, settings, narrate)
    say_damage([path])
    narrate(f"{REBUILT} {out}; nothing was sent")
    for line in newer_lines(outcome):
        narrate(line)
    if options.json:
        changed = None if outcome.changes is None else len(outcome.changes.rows)
        print(json_text({"path": str(out), "changed": changed, **outcome_json(outcome)}), end="")
    else:
        print(visible(result_text(out, loaded, outcome)))
    for line in outcome.unscored.lines():
        tell(line)
    return 3 if outcome.unscored.n else _gated(outcome.report)


def _gated(report: Mapping[str, Json]) -> int:
    """The exit code that the gates come to; which of them do not hold is said."""
    code = gate_code(report)
    if code:
        tell(gates_line(report))
    return code


def leaderboard(options: argparse.Namespace, workspace: Workspace) -> int:
    """Runs merged into one."""
    paths = [workspace.run(name) for name in options.runs]
    tables = merge(paths, options.out, workspace, options.set)
    say_damage(paths)
    if options.json:
        print(json_text({"path": str(options.out), "headline": [table_cells(table) for table in tables]}), end="")
    else:
        print(visible(headline_text(tables)))
    narrate(f"\nleaderboard.md, analysis.md, questions.csv and the tables are in {options.out}")
    return 0


def compare(options: argparse.Namespace, workspace: Workspace) -> int:
    """Runs, or the models of one, on the questions they have in common."""
    paths = [workspace.run(name) for name in options.runs]
    comparison = compare_runs(paths, words_in("--models", options.models), metric=options.metric)
    say_damage(paths)
    out = compare_report.write(comparison, options.out or compare_report.new_folder(workspace), options.flips)
    if options.json:
        with TextIOWrapper(stream_of(out / compare_report.WHOLE), encoding="utf-8") as whole:
            shutil.copyfileobj(whole, sys.stdout)
        print()
    else:
        print(visible(compare_report.text(comparison, options.flips)))
    narrate(f"\ncompare.md, compare.csv, flips.csv, ranks.csv and compare.json are in {out}")
    return 0


def import_table(options: argparse.Namespace, workspace: Workspace) -> int:
    """A run of answers made elsewhere."""
    out = options.out or workspace.runs / workspace.new_run_id(options.answers.stem)
    outcome, loaded = import_answers(options.answers, options.dataset, out, workspace, options.set, sys.argv[1:], options.force)
    for note in loaded.warnings:
        tell(f"note: {note}")
    if options.json:
        print(json_text({"path": str(out), **outcome_json(outcome)}), end="")
    else:
        print(visible(result_text(out, loaded, outcome)))
    return _gated(outcome.report)


def set_key(options: argparse.Namespace, workspace: Workspace) -> int:
    """The key is typed unseen on a terminal, or comes down a pipe; it is never printed."""
    name = options.name
    value = getpass.getpass(f"{name}: ") if sys.stdin.isatty() else sys.stdin.read(100_000)
    file = options.keys_file or workspace.env_file
    before = has_key(name, [file], environment=False)
    store_key(name, value.strip().removeprefix("export ").removeprefix(f"{name}=").strip("\"'"), file)
    replaced = ", in place of the one that was there" if before else ""
    narrate(f"{name} is in {file}, readable by you alone{replaced}; it is not shown again")
    return 0


def config(options: argparse.Namespace, workspace: Workspace) -> int:
    """A config of a kind with every key, or the kinds there are."""
    from tui_eval.configuring.config_reference import as_json, commented  # only here: settings of every kind are heavy

    if not options.kind:
        kinds = {kind.name: kind.about for kind in KINDS.every().values() if kind.offered}
        rows = [[name, about] for name, about in kinds.items()]
        print(json_text(kinds) if options.json else aligned(("kind", "what it does"), rows, (False, False)))
        narrate("tui-eval config KIND > FILE writes one to fill in")
        return 0
    print(json_text(as_json(options.kind)) if options.json else commented(options.kind), end="")
    return 0
