"""The prompts of a kind, filled in: those that its config holds or names, the workspace's own, the shipped ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tui_eval.configuring.input_files import text_input
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.reading.prompts import check_slots
from tui_eval.workspace.places import Workspace, read_prompt
from tui_eval.workspace.plain_files import is_inside
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.validation import nearest


def kind_table(file: TomlFile, kind: Kind) -> dict[str, Json]:
    """A kind's own table. ConfigError where there is none."""
    table = file.content.get(kind.name)
    if not isinstance(table, dict):
        missing = f"the table [{kind.name}] is missing"
        raise ConfigError(f"{file.path}: {kind.name}: {missing}", [((kind.name,), missing)], file.path)
    return table


def filled_in(kind: Kind, prompts: Mapping[str, Json]) -> dict[str, Mapping[str, Json]]:
    """The key under which prompts are filled into a kind's table; none where that key names files of a person's own."""
    return {} if kind.names_prompts else {"prompts": prompts}


def filled_prompts(file: TomlFile, kind: Kind, workspace: Workspace) -> tuple[dict[str, str], list[InputFile]]:
    """Each prompt from the config (text, or { file = "..." }), else the workspace's, else the shipped one; and as files, those
    of a person's own with where they lie.
    """
    if kind.names_prompts:
        return {}, []
    given = kind_table(file, kind).get("prompts", {})
    if not isinstance(given, dict):
        raise file.error((kind.name, "prompts"), "must be a table")
    for name in given:
        if name not in kind.prompts:
            raise file.error((kind.name, "prompts", name), f"unknown prompt{nearest(name, kind.prompts)}")
    texts = {name: _prompt_text(file, kind, name, given.get(name), workspace) for name in kind.prompts}
    files = []
    for name, (text, origin) in texts.items():
        try:
            check_slots(f"{kind.name}.prompts.{name}", text, kind.prompts[name])
        except ConfigError as error:
            raise ConfigError(str(error), [((kind.name, "prompts", name), str(error))], file.path) from None
        files.append(replace(text_input("prompt", f"{name}.md", f"inputs/prompts/{name}.md", text), origin=origin))
    return {name: text for name, (text, _) in texts.items()}, files


def prompts_brought(kind: str) -> Path | None:
    """Where the prompts lie that a plug-in brings with its kind, in folders as ours; None where the kind is ours."""
    folder = KINDS.folder(kind)
    return None if folder is None else Path(folder) / "prompts"


def _prompt_text(file: TomlFile, kind: Kind, name: str, given: Json, workspace: Workspace) -> tuple[str, str]:
    """A prompt's text, and the file of a person's own that it was read from; empty where there is none."""
    if given is None or given == "":
        text, path = workspace.prompt(kind.name, name, prompts_brought(kind.name))
        return text, str(path) if workspace.root in path.parents else ""
    if isinstance(given, str):
        return given.strip(), ""
    if isinstance(given, dict) and set(given) == {"file"} and isinstance(given["file"], str):
        try:
            root = os.path.abspath(file.path.parent)
            path = Path(os.path.abspath(os.path.join(root, given["file"])))
            return read_prompt(path, within=Path(root) if is_inside(path, root) else path.parent), str(path)
        except (ConfigError, OSError) as error:
            raise file.error((kind.name, "prompts", name), str(error)) from None
    raise file.error((kind.name, "prompts", name), 'must be text, or { file = "path" }')
