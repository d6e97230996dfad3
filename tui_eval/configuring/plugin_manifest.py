"""Plug-ins that a run uses: written into its manifest, and held against it when the run is taken up again or re-scored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plugins import Registry
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.kinds import KINDS
from tui_eval.providers import WIRES

if TYPE_CHECKING:
    from tui_eval.evaluation.scoring.rule import ScorerRow

_REGISTRIES: Mapping[str, Registry[Any]] = {registry.group: registry for registry in (KINDS, WIRES, RULES)}
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*")
"""What stands behind `pip install`; a manifest may be anybody's."""


def registered_names(kind: str, wires: Iterable[str], scorers: Iterable[ScorerRow]) -> list[tuple[Registry[Any], str]]:
    """The names that a run has of registries, each of which a package may bring."""
    return [(KINDS, kind), *((WIRES, wire) for wire in wires), *((RULES, row.use) for row in scorers)]


def plugins_of(evaluation: Evaluation) -> list[dict[str, Json]]:
    """List what a run takes from packages of others, and from which; empty where all of it is ours."""
    wires = [each.wire for each in evaluation.models.values()]
    registered = registered_names(evaluation.kind.name, wires, evaluation.task.scorers.every)
    packages = {(registry.group, name): registry.package(name) for registry, name in registered}
    return [
        {"group": group, "name": name, **asdict(package)} for (group, name), package in packages.items() if package is not None
    ]


def as_written(evaluation: Evaluation) -> dict[str, Json]:
    """The same as an entry of the manifest or the report; no entry where there are none, so that those stay what they are."""
    plugins = plugins_of(evaluation)
    return {"plugins": plugins} if plugins else {}


def check_there(path: Path, manifest: Mapping[str, Json]) -> None:
    """Raise ConfigError where a plug-in that the run was made with cannot be used now."""
    for entry in _entries(manifest):
        registry = _REGISTRIES.get(entry["group"])
        if registry is None or entry["name"] in registry:
            continue
        requirement = f"{entry['distribution']}=={entry['version']}"
        how = f"if you know that package: pip install {requirement}" if _REQUIREMENT.fullmatch(requirement) else "install it"
        missing = f", which is not installed{registry.unknown()}; {how}"
        problem = registry.problem(entry["name"])
        subject = f"{path}: was made with the {registry.what} {entry['name']!r} of the package {_package(entry)}"
        raise ConfigError(f"{subject}{f': {problem}' if problem else missing}")


def differences(manifest: Mapping[str, Json]) -> list[str]:
    """List the plug-ins that are not those that the run was prepared with, a sentence each."""
    sentences = []
    for entry in _entries(manifest):
        registry, name = _REGISTRIES.get(entry["group"]), entry["name"]
        if registry is None or name not in registry:
            continue
        package = registry.package(name)
        if package is None or not asdict(package).items() <= entry.items():
            files = ", with other files (its RECORD differs)" if str(package) == _package(entry) else ""
            now = f"the {registry.what} {name!r} is that of {package or 'tui-eval itself'}{files}"
            sentences.append(f"{now}; the run was prepared with {_package(entry)}")
    return sentences


def _package(entry: Mapping[str, str]) -> str:
    return f"{entry['distribution']} {entry['version']}"


def _entries(manifest: Mapping[str, Json]) -> Iterator[dict[str, str]]:
    """The plug-ins in a manifest; what is none is left out."""
    entries = manifest.get("plugins")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            yield {key: str(entry.get(key)) for key in ("group", "name", "distribution", "version", "record_sha256")}
