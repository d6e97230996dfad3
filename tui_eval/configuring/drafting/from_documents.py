"""A run that makes a set of questions about files: the kind of evaluation that does, and its table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.set_store import free_name
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace, path_from


def config_about(workspace: Workspace, paths: Sequence[Path], kinds: Mapping[str, Kind] = KINDS) -> dict[str, Any]:
    """What a config of a run starts with that makes questions about these files; the set is called as the first is,
    or of several as their folder.

    ConfigError where no kind makes any.
    """
    makers = [kind for kind in kinds.values() if kind.offered and kind.table_of_documents is not None]
    kind, root = next(iter(makers), None), os.path.abspath(workspace.root)
    if kind is None or kind.table_of_documents is None:
        raise ConfigError("no kind of evaluation here makes questions about documents")
    found = [os.path.abspath(path) for path in paths]
    named = [path_from(workspace.root, path) for path in found]
    folder = os.path.dirname(found[0])
    name = free_name(workspace, os.path.basename(folder if len(found) > 1 and folder not in ("/", root) else found[0]))
    return {"kind": kind.name, "name": name, kind.name: dict(kind.table_of_documents(named, name))}
