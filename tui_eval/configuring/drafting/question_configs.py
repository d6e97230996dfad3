"""The config of a run that generates questions, made of a few words: written into the workspace, never over another file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tui_eval.configuring.drafting.new_configs import check_free, entries_of, path_for
from tui_eval.configuring.loading import complete
from tui_eval.datasets.set_store import plain_name
from tui_eval.kinds import KINDS
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace, path_from
from tui_eval.workspace.toml_files import TomlFile

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
    path = path_for(workspace, WRITES, name)
    config: dict[str, Any] = {
        "kind": WRITES,
        "name": name,
        "run": {"max_calls": ANY},
        **entries_of(workspace, [one for one in (table["model"], _checker(table)) if one]),
        WRITES: {**table, "documents": [_from(workspace, one) for one in documents], "dataset": name},
    }
    if table.get("schema_file"):
        config[WRITES]["schema_file"] = _from(workspace, table["schema_file"], shipped=True)
    file = override(TomlFile(path, config, {}, by_words=True), settings)
    plan = complete(file, workspace, keys_file=keys, sends=False).plan
    run = file.content["run"]
    if run["max_calls"] == ANY:
        run["max_calls"] = plan["total_calls"] + plan["up_to_more"]
    check_free(path, file.content)
    return file


def _checker(table: dict[str, Any]) -> str:
    check = table.get("check")
    return str(check.get("model") or "") if isinstance(check, dict) else ""


def _from(workspace: Workspace, named: str, shipped: bool = False) -> str:
    """A path as the config names it. A bare name that is no file may be shipped."""
    if shipped and os.path.basename(named) == named and not os.path.exists(named):
        return named
    return path_from(workspace.root, named)
