"""Which models a user has on file, and whether the keys they need exist; the values of keys are never read here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dotenv import dotenv_values

from tui_eval.config import ModelTable, TomlFile, read_toml, validate
from tui_eval.workspace import Workspace


def models_on_file(workspace: Workspace) -> dict[str, tuple[ModelTable, TomlFile]]:
    """The models of .conf/models.toml by name, with the file they stand in; empty where there is none."""
    if not workspace.models_file.is_file():
        return {}
    file = read_toml(workspace.models_file)
    entries = file.content.get("models", [])
    tables = [validate(ModelTable, entry, file, ("models", i)) for i, entry in enumerate(entries)]
    return {table.name: (table, file) for table in tables}


def has_key(name: str, files: Sequence[Path]) -> bool:
    """Whether a key variable is set and not empty, in the environment or in one of the files."""
    return bool(os.environ.get(name)) or any(bool(dotenv_values(path).get(name)) for path in files if path.is_file())
