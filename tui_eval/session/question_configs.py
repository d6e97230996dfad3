"""The config of a run that generates questions, made of a few words: written into the workspace, never over another file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomli_w

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.set_store import plain_name
from tui_eval.kinds import KINDS
from tui_eval.models.catalogue import models_on_file
from tui_eval.session.loading import complete
from tui_eval.simulator.personas import price as simulated_price
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import write_new
from tui_eval.workspace.toml_files import TomlFile, parse_toml

WRITES = next(name for name, kind in KINDS.items() if kind.makes_set is not None)
"""The kind whose runs make sets of questions."""
ANY = 10_000_000
"""Calls under which any plan fits, while it is found out how many there are."""


def generating_config(
    workspace: Workspace, documents: Sequence[str], name: str, table: dict[str, Any], settings: Sequence[str], keys: Path | None
) -> TomlFile:
    """The config KIND-NAME.toml of the workspace, which is not written yet; its cap has room for all that may be asked.

    `documents`: as they were named from the current folder; `name`: of the set, empty = as the first document; `table`: what
    else the kind's table is to hold; `settings`: KEY=VALUE besides. ConfigError for whatever a person has to mend.
    """
    name = name or plain_name(Path(documents[0]).name)
    path = workspace.root / f"{WRITES}-{name}.toml"
    if path.exists() or path.is_symlink():
        raise ConfigError(f"{path.name}: is there already; tui-eval run {path.name} runs it, --name NAME makes another")
    named = [one for one in (table["model"], _checker(table)) if one and one not in models_on_file(workspace)]
    config: dict[str, Any] = {
        "kind": WRITES,
        "name": name,
        "run": {"max_calls": ANY},
        "models": [_model(one) for one in dict.fromkeys(named)],
        WRITES: {**table, "documents": [_from(workspace, one) for one in documents], "dataset": name},
    }
    if table.get("schema_file"):
        config[WRITES]["schema_file"] = _from(workspace, table["schema_file"], shipped=True)
    file = parse_toml(path, tomli_w.dumps(config))
    plan = complete(override(file, settings), workspace, keys_file=keys, sends=False).plan
    config["run"]["max_calls"] = plan["total_calls"] + plan["up_to_more"]
    return parse_toml(path, tomli_w.dumps(config))


def write_config(file: TomlFile) -> None:
    """Put it into the workspace. ConfigError where a file of that name came to be meanwhile, or it cannot be written."""
    try:
        write_new(file.path, tomli_w.dumps(dict(file.content)).encode("utf-8"))
    except OSError as error:
        raise ConfigError(f"{file.path}: cannot be written: {error.strerror}") from None


def _model(model_id: str) -> dict[str, str]:
    """A model that is not on file, by its API's own id; a simulated one by its name."""
    return {"name": model_id, "model": model_id, **({"wire": "simulator"} if simulated_price(model_id) else {})}


def _checker(table: dict[str, Any]) -> str:
    check = table.get("check")
    return str(check.get("model") or "") if isinstance(check, dict) else ""


def _from(workspace: Workspace, named: str, shipped: bool = False) -> str:
    """A path as the config names it: from the workspace where it lies within it. A bare name that is no file may be shipped."""
    if shipped and os.path.basename(named) == named and not os.path.exists(named):
        return named
    path, root = os.path.abspath(named), os.path.abspath(workspace.root)
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path
