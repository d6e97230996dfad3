"""Parameters that servers were found not to take: kept beside the catalogue, so that no run has to find them out again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

import tomli_w

from tui_eval.core.calls import Json, ModelSpec, Repair
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import private_folder, replace_file
from tui_eval.workspace.toml_files import small_table

DAYS = 30
"""How long something learnt is believed; servers change."""
FILE = "learned.toml"
MOST_BYTES = 1024 * 1024
"""Some thousands of entries; a longer file is none of ours."""
HEAD = "# What servers refused, found out by runs and checks. Delete what is no longer true: it is found out again.\n\n"


def learned(workspace: Workspace, models: Iterable[ModelSpec]) -> dict[str, dict[str, Repair]]:
    """By model name: what is known of the parameters its server refuses. A file that cannot be read teaches nothing."""
    entries = [entry for entry in _entries(workspace) if _is_fresh(entry)]
    repairs: dict[str, dict[str, Repair]] = {}
    for model in models:
        for entry in entries:
            if _place(entry) == _place_of(model):
                repair = Repair(entry["parameter"], entry.get("rename_to"), entry.get("lower_to"))
                repairs.setdefault(model.name, {})[repair.parameter] = repair
    return repairs


def learned_problem(workspace: Workspace) -> str:
    """Why nothing is known that was learnt before: what is wrong with the file, and the next step. Empty where nothing is."""
    try:
        small_table(workspace.models_file.with_name(FILE), workspace.root, MOST_BYTES)
    except ConfigError as error:
        return f"{error}; until then runs and checks find out again what servers refuse"
    return ""


def remember(workspace: Workspace, model: ModelSpec, repair: Repair) -> None:
    """Keep what was found out about a model. ConfigError where the file cannot be written."""
    entry: dict[str, Json] = {
        "wire": model.wire,
        "base_url": model.base_url or "",
        "model": model.model,
        "parameter": repair.parameter,
        "date": time.strftime("%Y-%m-%d"),
    }
    if repair.rename_to is not None:
        entry["rename_to"] = repair.rename_to
    if repair.lower_to is not None:
        entry["lower_to"] = repair.lower_to
    with private_folder(workspace):
        other_entries = [earlier for earlier in _entries(workspace) if _topic(earlier) != _topic(entry)]
        replace_file(
            workspace.models_file.with_name(FILE),
            HEAD + tomli_w.dumps({"learned": [*other_entries, entry]}),
            within=workspace.root,
        )


def forget(workspace: Workspace, model: ModelSpec) -> None:
    """Drop everything known about a model, so that it is found out anew."""
    if any(_place(entry) == _place_of(model) for entry in _entries(workspace)):
        with private_folder(workspace):
            remaining = [entry for entry in _entries(workspace) if _place(entry) != _place_of(model)]
            replace_file(
                workspace.models_file.with_name(FILE), HEAD + tomli_w.dumps({"learned": remaining}), within=workspace.root
            )


def _entries(workspace: Workspace) -> list[dict[str, Json]]:
    try:
        content = small_table(workspace.models_file.with_name(FILE), workspace.root, MOST_BYTES)
    except ConfigError:
        return []
    rows = content.get("learned", [])
    return [row for row in rows if isinstance(row, dict) and _is_entry(row)] if isinstance(rows, list) else []


def _is_entry(row: Mapping[str, Json]) -> bool:
    texts = all(isinstance(row.get(name), str) for name in ("wire", "base_url", "model", "parameter", "date"))
    renamed, lowered = row.get("rename_to"), row.get("lower_to")
    return texts and isinstance(renamed, str | None) and isinstance(lowered, int | None) and not isinstance(lowered, bool)


def _is_fresh(entry: Mapping[str, Json]) -> bool:
    oldest = time.strftime("%Y-%m-%d", time.localtime(time.time() - DAYS * 86_400))
    return bool(oldest <= entry["date"] <= time.strftime("%Y-%m-%d"))


def _place(entry: Mapping[str, Json]) -> tuple[str, str, str]:
    return entry["wire"], entry["base_url"], entry["model"]


def _place_of(model: ModelSpec) -> tuple[str, str, str]:
    return model.wire, model.base_url or "", model.model


def _topic(entry: Mapping[str, Json]) -> tuple[str, str, str, str]:
    return (*_place(entry), entry["parameter"])
