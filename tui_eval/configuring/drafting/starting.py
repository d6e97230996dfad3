"""The starts of a new run: a kind of evaluation, a shipped example, an earlier run; and which models it can ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, TuiEvalError
from tui_eval.core.plaintext import one_line
from tui_eval.core.plugins import untold
from tui_eval.kinds import KINDS
from tui_eval.models.listing import listed_models
from tui_eval.runs.entry import RunEntry
from tui_eval.runs.folder import CONFIG
from tui_eval.simulator.personas import load_personas
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.toml_files import read_toml, toml_text

FIRST_EXAMPLE = "quickstart"
"""Stands above the others: what somebody should take who takes the first."""
OF_JUDGES = "example judge-"
"""How the names of examples begin that look at judges."""
MOST_RUNS = 30
SIMULATED_BEGIN = "sim-"


@dataclass(frozen=True, slots=True)
class Start:
    """Something to start from."""

    name: str
    about: str
    kind: str = ""
    """A kind to begin empty with; else `path` names a config."""
    path: Path | None = None


def offered_kinds() -> Mapping[str, str]:
    """The kinds that a person sets up, and what each does."""
    return {kind.name: kind.about for kind in KINDS.every().values() if kind.offered}


def plugin_notes() -> list[str]:
    """Return the notes not told yet on kinds that packages of others bring, and that are not offered."""
    return untold(KINDS.notes())


def starts(workspace: Workspace, entries: Sequence[RunEntry]) -> list[Start]:
    """Every shipped example, every kind, every config of the workspace, its last runs (`entries`: those there are). Behind the
    kinds stand examples that look at judges, since nobody begins with these."""
    kinds = offered_kinds()
    paths = sorted(shipped("examples").glob("*.toml"), key=lambda path: (path.stem != FIRST_EXAMPLE, path.stem))
    examples = [Start(f"example {path.stem}", _first_comment(path), path=path) for path in paths]
    of_judges = [start for start in examples if start.name.startswith(OF_JUDGES)]
    menu = [start for start in examples if start not in of_judges]
    menu += [Start(f"new {kind}", about, kind=kind) for kind, about in kinds.items()]
    menu += of_judges
    menu += [Start(path.name, "a config of this workspace", path=path) for path in _configs(workspace)]
    for entry in [entry for entry in entries if entry.kind in kinds][:MOST_RUNS]:
        menu.append(Start(f"run {entry.name or entry.run_id}", f"as {entry.run_id} ({entry.state})", path=entry.path / CONFIG))
    return menu


def begun(start: Start, workspace: Workspace) -> Draft:
    """A draft of it. ConfigError where it cannot be read, or is of no kind that a form is filled in for.

    A shipped example has no file of its own to be saved into.
    """
    if start.path is None:
        return Draft.new(start.kind, workspace.root)
    draft = Draft.opened(start.path, workspace)
    kind = KINDS.get(draft.kind)
    if kind is None or not kind.offered:
        hint = "; a call of the log is sent again from the log: screen 6, e" if kind is not None else KINDS.unknown()
        message = f"kind must be one of {', '.join(offered_kinds())}{hint}"
        raise ConfigError(f"{start.path}: {KINDS.problem(draft.kind) or message}")
    if draft.folder == shipped("examples").absolute():
        return Draft(draft.content, draft.folder)
    return draft if draft.path is not None else Draft(_as_on_file(draft.content, workspace), draft.folder)


def _as_on_file(content: dict[str, Json], workspace: Workspace) -> dict[str, Json]:
    """A run's config, in which a model that its owner has disabled since is disabled, too."""
    entries = content.get("models")
    enabled = {entry.name: entry.enabled for entry in listed_models(workspace).entries if entry.table is not None}
    if not isinstance(entries, list):
        return content
    models = [
        {**entry, "enabled": False} if isinstance(entry, dict) and enabled.get(str(entry.get("name")), True) is False else entry
        for entry in entries
    ]
    return {**content, "models": models}


def _configs(workspace: Workspace) -> Iterator[Path]:
    kinds = offered_kinds()
    for path in sorted(workspace.root.glob("*.toml"))[:200]:
        try:
            if str(read_toml(path, workspace.root).content.get("kind")) in kinds:
                yield path
        except TuiEvalError:
            continue


def _first_comment(path: Path) -> str:
    """Return the first comment of an example, on itself, up to its first full stop."""
    lines = toml_text(path).splitlines()
    text = " ".join(line.lstrip("# ") for line in lines[: next((i for i, line in enumerate(lines) if line[:1] != "#"), 0)])
    return one_line(text.partition(". ")[0], 200)


# ---------------------------------------------------------------------------------------------------------------- models


@dataclass(frozen=True, slots=True)
class Offered:
    """A model that a run can ask."""

    name: str
    about: str
    whose: Literal["config", "file", "simulated"]
    entry: Mapping[str, Json] | None = None
    """The [[models]] entry that a config needs, where it has none yet."""


def offered_models(workspace: Workspace, content: Mapping[str, Any]) -> list[Offered]:
    """The models described in a config, those on file, and the simulated ones, in this order, each name once; those that lack
    their key come last.
    """
    entries = content.get("models")
    own = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    with_key = {str(entry.get("name")): _own(entry) for entry in own if entry.get("name")}
    without_key: dict[str, Offered] = {}
    for listed in listed_models(workspace).entries:
        if listed.table is not None:
            state = "" if listed.state == "available" else f", {listed.state}"
            key = f", key {listed.key} is not set" if listed.key and not listed.key_is_set else ""
            about = f"on file: {listed.wire or '?'}, {listed.model}{state}{key}"
            (without_key if key else with_key).setdefault(listed.name, Offered(listed.name, about, "file"))
    for name, persona in load_personas().items():
        short = name.removeprefix(SIMULATED_BEGIN)
        entry = {"name": short, "wire": "simulator", "model": name}
        about = f"simulated, no key: knows {persona.skill:.0%} of the examples' answers, {persona.verbosity}"
        if short not in without_key:
            with_key.setdefault(short, Offered(short, about, "simulated", entry))
    return list({**with_key, **{name: offered for name, offered in without_key.items() if name not in with_key}}.values())


def _own(entry: Mapping[str, Any]) -> Offered:
    simulated = ", simulated" if entry.get("wire") == "simulator" else ""
    return Offered(str(entry["name"]), f"in this config: {entry.get('model', '?')}{simulated}", "config")
