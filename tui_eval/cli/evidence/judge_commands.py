"""Verbs `judge certify` and `judge list`: certificates of judges, by persons' marks."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tui_eval.cli import options as add
from tui_eval.cli.verb import Options, Verb
from tui_eval.core.plaintext import visible, visible_json
from tui_eval.workspace.places import Workspace

CERTIFY = """\
A certificate says how often the judge is right, so that later runs can correct
its rates. There is one for each metric of yes and no, or of claims, that
persons rated in the run (P in its results in the app). It needs 20 yes and 20
no labels, drawn by the app. Certificates are written to certificates/. If none
could be written, the exit code is 1 and the reasons are printed."""
LIST = """\
The newest certificate comes first. A certificate is void if its judge, prompt,
metric or data set changed since. A part outside this workspace, such as a judge
of a config alone, is compared in the run that uses it. That run's report prints
the rate and the corrected rate."""


def _certify_arguments(parser: argparse.ArgumentParser) -> None:
    add.run(parser)
    parser.add_argument("--metric", metavar="NAME", default="", help="only this metric")
    parser.add_argument("--judge", metavar="NAME", default="", help="only this judge, of several")
    add.json(parser)


def _certify_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.reporting.certifying import certify

    outcomes = certify(workspace.run(options.run), workspace, options.metric, options.judge)
    if options.json:
        _print_json({"certificates": [outcome.entry for outcome in outcomes]})
    else:
        _print([visible(line) for outcome in outcomes for line in outcome.lines])
    return 0 if any(outcome.certificate for outcome in outcomes) else 1


def _list_it(options: Options, workspace: Workspace) -> int:
    from tui_eval.reporting.certifying import listed, listed_lines
    from tui_eval.results.certificate_files import certificate_json

    if options.json:
        entries: list[dict[str, Any]] = []
        for listing in listed(workspace):
            whole = certificate_json(listing.stored.certificate) if listing.stored.certificate else None
            entries.append({"file": listing.stored.path.name, "state": listing.state, "why": listing.why, "certificate": whole})
        _print_json({"certificates": entries})
        return 0
    hint = "no certificates here: tui-eval judge certify RUN makes them from human ratings"
    _print([visible(line) for line in listed_lines(workspace)] or [hint])
    return 0


def _print(lines: list[str]) -> None:
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    print("\n".join(lines))


def _print_json(value: Any) -> None:
    from tui_eval.results.tables import json_text

    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    print(visible_json(json_text(value)), end="")


VERBS: tuple[Verb, ...] = (
    Verb("judge certify", "RUN", "certify a judge by persons' ratings", _certify_arguments, _certify_it, CERTIFY),
    Verb("judge list", "", "list judge certificates and their validity", add.json, _list_it, LIST),
)
