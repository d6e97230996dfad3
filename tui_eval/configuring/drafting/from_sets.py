"""A run with the selected questions of a set on file: the kind of evaluation that can ask them, and its table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.set_list import selected_of
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace


def kind_for(has: frozenset[str], kinds: Mapping[str, Kind] = KINDS) -> Kind | None:
    """Of the kinds that can ask a set, by what it has, the one that makes the most of it; None where none can."""
    able = [kind for kind in kinds.values() if kind.offered and kind.table_of and kind.needs is not None and kind.needs <= has]
    return max(able, key=lambda kind: len(kind.needs or ()), default=None)


def as_config(workspace: Workspace, path: Path, kinds: Mapping[str, Kind] = KINDS) -> dict[str, Any]:
    """What a config of a run with a set's selected questions starts with. ConfigError where there can be none."""
    selected = selected_of(workspace, path)
    kind = kind_for(selected.has, kinds)
    if kind is None or kind.table_of is None:
        raise ConfigError(f"{one_line(path.name, 60)}: no kind of evaluation asks such questions")
    return {"kind": kind.name, kind.name: dict(kind.table_of(selected))}
