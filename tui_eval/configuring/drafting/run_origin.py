"""Config file that a run was started from, as far as its manifest and the workspace tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tui_eval.core.errors import TuiEvalError
from tui_eval.runs.folder import MANIFEST
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml

MOST_CONFIGS = 300
"""Files that are looked at for one of the run's name."""


def config_of_run(path: Path, workspace: Workspace) -> Path | None:
    """Return the config file of the workspace that names the kind and the name of a run; None where none or several do.

    A file that the command line of the run names is preferred. Files outside of the workspace's folder are not looked at.
    """
    manifest = RunReader(path).table(MANIFEST)
    words = manifest.get("command_line")
    named = [workspace.root / word for word in words if _is_config(word)] if isinstance(words, list) else []
    identity = (manifest.get("kind"), manifest.get("name"))
    for configs in (named, [*_configs(workspace.root)]):
        matching = {config.resolve() for config in configs if _identity(config, workspace.root) == identity}
        if len(matching) == 1:
            return matching.pop()
    return None


def _is_config(word: object) -> bool:
    return isinstance(word, str) and word.endswith(".toml")


def _configs(root: Path) -> Iterator[Path]:
    """The configs of a workspace, the first ones by name."""
    try:
        yield from sorted(root.glob("*.toml"))[:MOST_CONFIGS]
    except OSError:
        return


def _identity(config: Path, root: Path) -> tuple[object, object] | None:
    """Return kind and name of a config within a workspace; None where it is none."""
    try:
        if not config.resolve().is_relative_to(root.resolve()):
            return None
        content = read_toml(config, root.absolute()).content
    except (TuiEvalError, OSError):
        return None
    return content.get("kind"), content.get("name", config.stem)
