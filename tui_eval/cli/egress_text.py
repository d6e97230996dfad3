"""Egress at the command line: the table of what leaves, and the question before something leaves for the first time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from tui_eval.cli.standard_error import is_terminal, tell
from tui_eval.configuring.egress import ALLOWED, SIMULATED, Egress, EgressError, trust_of, words_of
from tui_eval.configuring.first_look import first_look
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.results.tables import aligned
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import Permit

MOST_FILES = 20
"""Files of the folder that are named; how many more there are is said (--json names all)."""
ANSWERS = "y trusts this, s looks without sending anything, n leaves"


def egress_text(egress: Egress) -> str:
    """The table as a person reads it."""
    if not egress.hosts:
        nothing = ["nothing leaves this machine: its models are simulated, or its answers are on file"]
        return "\n".join([*nothing, *_elsewhere(egress)])
    rows = [
        [
            f"proxy {host.host}" if host.is_proxy else host.host,
            ", ".join(host.keys) or "-",
            one_line(", ".join(host.models), 60),
        ]
        for host in egress.hosts
    ]
    lines = [aligned(("host", "values of", "models"), rows, (False, False, False)), ""]
    lines.append(f"files of its folder: {len(egress.files):,}")
    lines += [f"  {one_line(name, 200)}" for name in egress.files[:MOST_FILES]]
    if len(egress.files) > MOST_FILES:
        lines.append(f"  and {len(egress.files) - MOST_FILES:,} more (--json names all)")
    lines += _elsewhere(egress)
    lines += [f"plug-in: {one_line(name, 80)}" for name in egress.plug_ins]
    return "\n".join([*lines, *(["", f"hash: {egress.hash}"] if egress.is_complete else [])])


def _elsewhere(egress: Egress) -> list[str]:
    lines = [f"file from elsewhere: {one_line(file.real, 200)} ({one_line(file.key, 100)})" for file in egress.outside]
    lines += [f"file from elsewhere, now in the run: {one_line(path, 200)}" for path in egress.once_outside]
    unknown = egress.not_looked_through
    return lines + [
        f"not looked through before a yes: {one_line(file.real, 200)} ({one_line(file.key, 100)})" for file in unknown
    ]


def next_step(egress: Egress) -> str:
    """Return the option that allows the table where nobody can be asked."""
    return f"to allow just this where nobody can be asked: --allow-egress {egress.hash}, or {ALLOWED}={egress.hash}"


def ask(error: EgressError, workspace: Workspace, stdin: TextIO) -> str:
    """Show what would leave for the first time, and ask: `y`, `s`, or `n` for anything else. A yes is put on record.

    Of a folder that is not the person's own, all that it brings is shown, and the yes makes it theirs.
    """
    trust = trust_of(error.config, workspace)
    records = trust.records[: len(trust.folders)]  # a run folder has one more, and is never trusted as a whole
    of_others = [folder for folder, record in zip(trust.folders, records, strict=True) if not record.own]
    for folder in of_others:
        lines = (f"  {line}" for line in first_look(Workspace(folder)).lines())
        tell("\n".join([f"{folder.absolute()} was not made here. It contains:", *lines]))
    requests = (f"  {one_line(words_of(each, error.egress), 1000)}" for each in error.permits)
    tell("\n".join([_heading(error.permits), *requests, f"{ANSWERS} [y/s/N]"]))
    answer = stdin.readline().strip().lower()[:1]
    if answer == "y":
        try:
            trust.allow(error.permits, own=bool(of_others))
        except ConfigError as problem:
            tell(str(problem))
    return answer if answer in ("y", "s") else "n"


def _heading(permits: Sequence[Permit]) -> str:
    if all(each.sort == "plug-in" for each in permits):
        return "It would be run for the first time:"
    sent = any(each.host != SIMULATED or each.sort != "file" for each in permits)
    return "It would be sent for the first time:" if sent else "It would be looked through for the first time:"


def can_ask() -> bool:
    """Return whether a person sits before a terminal."""
    return sys.stdin.isatty() and is_terminal()
