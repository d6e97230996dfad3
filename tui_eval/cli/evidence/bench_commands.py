"""Verb `bench`: every scorer on a run's stored replies, side by side and beside persons' ratings."""

from __future__ import annotations

import argparse

from tui_eval.cli import options as add
from tui_eval.cli.verb import Options, Verb
from tui_eval.workspace.places import Workspace

MORE = """\
It tries the run's scorers, and every rule that needs no option, on each stored
reply with a target. Nothing is sent, and no file of the run is changed.
shuffled: how often it accepts replies with the target of another sample.
differs: from the scorer that the run's verdict speaks of."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    add.run(parser)
    add.json(parser)


def _execute(options: Options, workspace: Workspace) -> int:
    from tui_eval.core.plaintext import visible, visible_json  # only here: --help reads no runs
    from tui_eval.reporting.scorer_bench import bench_entry, bench_text, read_bench
    from tui_eval.results.tables import json_text

    bench = read_bench(workspace.run(options.run), workspace)
    if options.json:
        print(visible_json(json_text(bench_entry(bench, {}))), end="")
    else:
        print(visible(bench_text(bench, {})))
    return 0


VERBS = (Verb("bench", "RUN", "compare scorers on the stored replies of a run", _arguments, _execute, MORE, listed=False),)
