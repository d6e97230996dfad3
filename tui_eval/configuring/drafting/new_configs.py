"""Configs that commands write: names of models and files in them, their place, a run that generates questions."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from tui_eval.configuring.drafting.drafts import refuse_keys
from tui_eval.configuring.drafting.inline_toml import whole
from tui_eval.configuring.drafting.starting import SIMULATED_BEGIN
from tui_eval.configuring.loading import complete
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.set_store import plain_name
from tui_eval.kinds import KINDS
from tui_eval.models.catalogue import models_on_file
from tui_eval.models.chosen import guessed_wire
from tui_eval.simulator.personas import load_personas
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace, path_from
from tui_eval.workspace.plain_files import read_file
from tui_eval.workspace.private_files import write_new
from tui_eval.workspace.secret_looks import looks_secret
from tui_eval.workspace.toml_files import MAX_TOML_BYTES, TomlFile
from tui_eval.workspace.validation import nearest

WRITES = next(name for name, kind in KINDS.items() if kind.set_maker.set_name is not None)
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


def path_for(workspace: Workspace, begins: str, name: str) -> Path:
    """The file BEGINS-NAME.toml of the workspace. ConfigError for a name that no file should have."""
    if plain_name(f"{name}.") != name:
        raise ConfigError(
            f"--name {one_line(name, 60)}: use letters, digits, and - _ . between them: --name {plain_name(name)}"
        )
    return workspace.root / f"{begins}-{name}.toml"


def check_free(path: Path, content: dict[str, object]) -> None:
    """ConfigError where another config of that name is there already; one that says the same is this one."""
    if not _is_there(path, content) and os.path.lexists(path):
        raise ConfigError(f"{path.name}: is there already; tui-eval run {path.name} runs it, --name NAME makes another")


def write_config(file: TomlFile, key_files: Sequence[Path] = ()) -> bool:
    """Put it into the workspace, and tell whether that was needed: one that says the same stays as it is.

    ConfigError where another of that name is there, it cannot be written, or the value of a key would be in it.
    """
    text = whole(file.content)
    refuse_keys(file.path, text, key_files)
    check_free(file.path, dict(file.content))
    if os.path.lexists(file.path):
        return False
    try:
        write_new(file.path, text.encode("utf-8"))
    except OSError as error:
        raise ConfigError(f"{file.path}: cannot be written: {error.strerror}") from None
    return True


def _is_there(path: Path, content: dict[str, object]) -> bool:
    try:
        return read_file(path, MAX_TOML_BYTES) == whole(content).encode("utf-8")
    except OSError:
        return False


def entries_of(workspace: Workspace, names: Sequence[str]) -> dict[str, list[dict[str, str]]]:
    """The key `models` that a config needs for these names: no entry for a model on file, else one by its API's own id; a
    simulated one has its persona's name, with sim- before it or without. ConfigError for a name that is none of these."""
    on_file, personas = models_on_file(workspace), load_personas()
    found = [_entry(name, on_file, personas) for name in dict.fromkeys(names) if name not in on_file]
    return {"models": found} if found else {}


def _entry(name: str, on_file: Collection[str], personas: Collection[str]) -> dict[str, str]:
    persona = next((known for known in (name, f"{SIMULATED_BEGIN}{name}") if known in personas), None)
    if persona is None and not guessed_wire(name):
        shown = "of a name that looks like a key" if looks_secret(name) else f"named {one_line(name, 80)!r}"
        word = shlex.quote(one_line(name, 80))
        raise ConfigError(
            f"no model {shown}{nearest(name, [*on_file, *personas])}; tui-eval models list has those on file, and "
            f"tui-eval models add {'NAME' if looks_secret(name) else word} --set model=ID --set wire=WIRE puts one there"
        )
    return {"name": name, "model": persona or name, **({} if persona is None else {"wire": "simulator"})}
