"""The models of a prepared run that are real, by its config alone: those that are paid, or run on somebody's server."""

from __future__ import annotations

from pathlib import Path

from tui_eval.configuring.loading import used_models
from tui_eval.models.catalogue import model_tables
from tui_eval.providers import WIRES
from tui_eval.runs.folder import CONFIG
from tui_eval.workspace.toml_files import read_toml


def real_models(path: Path) -> list[str]:
    """Names of the models of a run folder that its config does not have as simulated or imported ones. ConfigError where it
    cannot be read.

    What the folder's other files say of that is left aside: anybody may have written them.
    """
    file = read_toml(path / CONFIG)
    pretended = {table.name for table in model_tables(file) if table.wire in WIRES and _is_pretended(table.wire)}
    return [name for name in used_models(file) if name not in pretended]


def _is_pretended(wire: str) -> bool:
    return WIRES[wire].simulated or WIRES[wire].recorded
