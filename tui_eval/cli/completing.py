"""Completion for shells: a script that knows every verb and option, and asks us for runs, configs and models."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import shtab

from tui_eval.cli.manual.doc_pages import page_names
from tui_eval.cli.verb import Verb, add_common
from tui_eval.core.gathering import gathered
from tui_eval.datasets.set_list import name_of, paths_of
from tui_eval.models.catalogue import models_on_file
from tui_eval.workspace.places import Workspace, examples

ASKED = "tui-eval completion --words {} 2>/dev/null"
BY_METAVAR = {
    "RUN": shtab.cmd(ASKED.format("runs")),
    "CONFIG": shtab.cmd(ASKED.format("configs")),
    "NAME": shtab.cmd(ASKED.format("models")),
    "SET": shtab.cmd(ASKED.format("sets")),
    "PAGE": shtab.cmd(ASKED.format("pages")),
    "FILE": shtab.FILE,
    "ANSWERS": shtab.FILE,
    "BENCH": shtab.FILE,
    "DIR": shtab.DIRECTORY,
    "FOLDER": shtab.DIRECTORY,
}
"""What stands in the place of an argument, by what its help calls it."""
ALONE = ("datasets", "keys")
"""Groups whose NAME is no model."""


def script(shell: str, verbs_by_name: Mapping[str, Verb]) -> str:
    """The completion script of a shell, for these verbs."""
    parser = argparse.ArgumentParser(prog="tui-eval", add_help=False)
    verbs = parser.add_subparsers()
    members = gathered((group, last) for group, _, last in (name.rpartition(" ") for name in verbs_by_name))
    groups = {
        name: verbs.add_parser(name, help=", ".join(verb_names), add_help=False).add_subparsers()
        for name, verb_names in members.items()
        if name
    }
    for verb in verbs_by_name.values():
        group, _, last = verb.name.rpartition(" ")
        _fill((groups[group] if group else verbs).add_parser(last, help=verb.about, add_help=False), verb)
    return shtab.complete(parser, shell=shell)


def _fill(parser: argparse.ArgumentParser, verb: Verb) -> None:
    verb.arguments(parser)
    add_common(parser)
    for action in parser._actions:
        completion = BY_METAVAR.get(str(action.metavar))
        if completion is not None and not (action.metavar == "NAME" and verb.name.startswith(ALONE)):
            action.complete = completion  # type: ignore[attr-defined]


def words(kind: str, workspace: Workspace) -> list[str]:
    """Ids of runs, names of configs (examples and files here), of sets of questions, of pages, or of models on file."""
    if kind == "runs":
        return [path.name for path in workspace.all_runs()]
    if kind == "configs":
        return [*examples(), *sorted(path.name for path in workspace.root.glob("*.toml"))]
    if kind == "sets":
        return [name_of(path) for path in paths_of(workspace)]
    if kind == "pages":
        return page_names()
    return list(models_on_file(workspace))
