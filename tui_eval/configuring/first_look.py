"""Contents of a folder of others that take effect here, or that make something leave: what a person sees before a yes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_eval.configuring.own_code.own_scorers import code_named, rules_named
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.core.plugins import Registry
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.kinds import KINDS
from tui_eval.models.catalogue import model_tables, models_on_file
from tui_eval.models.destinations import Destination, destinations, permit_words, to_ask
from tui_eval.providers import WIRES
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import is_inside, lies_within
from tui_eval.workspace.toml_files import read_toml
from tui_eval.workspace.trust import Permit, permit, record_of

MOST_ENTRIES = 5_000
"""Files and folders that are looked at for links and code; a folder may hold millions."""
MOST_CONFIGS = 1_000
OWN_SCORERS = "own scorers, whose code is run at the end of a run"
MOST_NAMED = 6
"""Names on a line; how many more there are is said."""


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Contents that a folder brings, by its own words; nothing of it was believed or run."""

    folder: Path
    in_effect: dict[str, tuple[str, ...]]
    """Files of it that take effect in the app and in prompts, by what they are."""
    hosts: tuple[Destination, ...]
    """Where its models would be asked, on file and in its configs."""
    permits: tuple[Permit, ...]
    """What of this takes a yes."""
    links: tuple[str, ...]
    """Links out of it, with what they lead to."""
    plug_ins: tuple[str, ...]
    """Plug-ins that its configs name."""
    problems: tuple[str, ...]
    """What could not be read."""

    @property
    def brings_anything(self) -> bool:
        """Return whether there is anything to be asked about."""
        return bool(any(self.in_effect.values()) or self.permits or self.links or self.plug_ins)

    def lines(self) -> list[str]:
        """List what it brings, a line for each sort of thing."""
        permit_lines = (permit_words(each, self.hosts) for each in self.permits)
        lines = [f"needs a yes: {one_line(words, 1000)}" for words in permit_lines]
        lines += [f"{label}: {_first_names(names)}" for label, names in self.in_effect.items() if names]
        lines += [
            f"asks {one_line(host.host, 400)}, {_keys(host)}: {one_line(', '.join(host.models), 80)}" for host in self.hosts
        ]
        lines += [f"link out of the folder: {one_line(link, 200)}" for link in self.links[:MOST_NAMED]]
        if len(self.links) > MOST_NAMED:
            lines.append(f"and {len(self.links) - MOST_NAMED} more links")
        lines += [f"uses the plug-in {one_line(name, 80)}" for name in self.plug_ins]
        return [*lines, *(f"cannot be read: {one_line(problem, 300)}" for problem in self.problems[:MOST_NAMED])]

    def allow(self) -> None:
        """Put a yes on record: the folder is the person's, with all that its models need. ConfigError where home cannot be
        written.
        """
        plug_ins = [Permit("plug-in", name, "") for name in self.plug_ins]
        permit(self.folder, [*self.permits, *plug_ins], own=True)


def first_look(workspace: Workspace) -> FirstLook:
    """Find out what a folder brings. ConfigError for a mistake in the record at home."""
    problems: list[str] = []
    tables, plug_ins, own_scorers = _models(workspace, problems)
    hosts = tuple(destinations(tables, [workspace.env_file]))
    record, former = record_of(workspace.root), workspace.former_trust_file
    formerly = (os.path.relpath(former, workspace.root),) if os.path.lexists(former) else ()
    links, code = _looked_through(workspace.root)
    in_effect = {
        "prompts": _files(workspace.root / "prompts", ".md"),
        "themes": _files(workspace.root / "themes", ".toml"),
        "settings": ("keymap.toml",) if os.path.lexists(workspace.root / ".conf" / "keymap.toml") else (),
        "a list of trusted hosts, which is ignored": formerly,
        OWN_SCORERS: own_scorers,
        f"Python files, which {'only an own scorer can import' if own_scorers else 'are not run'}": code,
    }
    permits = to_ask(hosts, [record], record.own)
    return FirstLook(workspace.root, in_effect, hosts, tuple(permits), links, plug_ins, tuple(problems))


def _keys(host: Destination) -> str:
    return f"by {one_line(', '.join(host.keys), 200)}" if host.keys else "without a key"


def _first_names(names: tuple[str, ...]) -> str:
    """Names, safe to show; of many the first."""
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(one_line(name, 60) for name in names[:MOST_NAMED])}{more}"


def _models(workspace: Workspace, problems: list[str]) -> tuple[list[ModelTable], tuple[str, ...], tuple[str, ...]]:
    """The models on file and in the configs beside them; the plug-ins, and the own scorers, that those name."""
    tables: list[ModelTable] = []
    plugins: set[str] = set()
    own_scorers: set[str] = set()
    if os.path.lexists(workspace.models_file):
        try:
            tables += [table for table, _ in models_on_file(workspace).values()]
        except ConfigError as error:
            problems.append(str(error))
    for path in _configs(workspace.root):
        try:
            file = read_toml(path)
            tables += model_tables(file)
        except ConfigError as error:
            problems.append(str(error))
            continue
        own_scorers |= {f"{path.name}: {place}" for place in code_named(file.content)}
        registered: list[tuple[Registry[Any], object]] = [(KINDS, file.content.get("kind"))]
        registered += ((RULES, name) for name in rules_named(file.content))
        plugins |= {f"{each.what} {name}" for each, name in registered if isinstance(name, str) and each.package(name)}
    plugins |= {f"{WIRES.what} {table.wire}" for table in tables if table.wire and WIRES.package(table.wire) is not None}
    return [table for table in tables if table.wire in WIRES], tuple(sorted(plugins)), tuple(sorted(own_scorers))


def _configs(root: Path) -> Iterator[Path]:
    names = _files(root, ".toml")
    yield from (root / name for name in names[:MOST_CONFIGS] if lies_within(root / name, root))


def _files(folder: Path, suffix: str) -> tuple[str, ...]:
    """Files of a folder and the folders in it, by their paths from it, in order; nothing of one that is a link elsewhere."""
    paths: list[str] = []
    if not lies_within(folder, folder.parent):
        return ()
    for place, depth in ((folder, 0), *((entry, 1) for entry in _listed(folder) if entry.is_dir() and suffix == ".md")):
        names = (entry for entry in _listed(place) if entry.suffix == suffix)
        paths += [os.path.join(place.name, entry.name) if depth else entry.name for entry in names]
    return tuple(sorted(paths))


def _listed(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [folder / entry.name for _, entry in zip(range(MOST_ENTRIES), entries, strict=False)]
    except OSError:
        return []


def _looked_through(root: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Links out of a folder, and its Python files; runs are left out, from which nothing is read through a link."""
    real, links, code, count = os.path.realpath(root), [], [], 0
    for folder, names, files in os.walk(root):
        inner = Path(folder)
        names[:] = [name for name in names if name not in (".git", ".venv", "runs", "node_modules")]
        count += len(names) + len(files)
        for name in (*names, *files):
            path = inner / name
            if path.is_symlink() and not is_inside(target := os.path.realpath(path), real):
                links.append(f"{os.path.relpath(path, root)} -> {target}")
        code += [os.path.relpath(inner / name, root) for name in files if name.endswith(".py")]
        if count > MOST_ENTRIES:
            break
    return tuple(sorted(links)), tuple(sorted(code))
