"""Offers of kinds to the app and to short commands: which asks a set, which makes one, which re-reads replies."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import ReadingRules
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.set_list import selected_of
from tui_eval.datasets.set_store import free_name
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace, path_from


def rules_by_kind(also: str = "") -> Mapping[str, ReadingRules]:
    """The rules of each of our kinds that has any, and of one more if a plug-in brings it, by the kind's name."""
    known = {**KINDS, also: KINDS[also]} if also in KINDS else KINDS
    return {kind.name: kind.rules for kind in known.values() if kind.rules is not None}


def config_about(workspace: Workspace, paths: Sequence[Path], kinds: Mapping[str, Kind] = KINDS) -> dict[str, Any]:
    """What a config of a run starts with that makes questions about these files; the set is called as the first is,
    or of several as their folder.

    ConfigError where no kind makes any.
    """
    makers = [kind for kind in kinds.values() if kind.offered and kind.set_maker.from_documents is not None]
    kind, root = next(iter(makers), None), os.path.abspath(workspace.root)
    if kind is None or kind.set_maker.from_documents is None:
        raise ConfigError("no kind of evaluation here makes questions about documents")
    found = [os.path.abspath(path) for path in paths]
    named = [path_from(workspace.root, path) for path in found]
    folder = os.path.dirname(found[0])
    name = free_name(workspace, os.path.basename(folder if len(found) > 1 and folder not in ("/", root) else found[0]))
    return {"kind": kind.name, "name": name, kind.name: dict(kind.set_maker.from_documents(named, name))}


def kind_for(has: frozenset[str], kinds: Mapping[str, Kind] = KINDS) -> Kind | None:
    """Of the kinds that can ask a set, by what it has, the one that makes the most of it; None where none can."""
    offered = [(kind, kind.starts) for kind in kinds.values() if kind.offered and kind.starts.from_set]
    able = [(len(starts.needs), kind) for kind, starts in offered if starts.needs is not None and starts.needs <= has]
    return max(able, key=lambda each: each[0])[1] if able else None


def as_config(workspace: Workspace, path: Path, kinds: Mapping[str, Kind] = KINDS) -> dict[str, Any]:
    """What a config of a run with a set's selected questions starts with. ConfigError where there can be none."""
    selected = selected_of(workspace, path)
    kind = kind_for(selected.has, kinds)
    if kind is None or kind.starts.from_set is None:
        raise ConfigError(f"{one_line(path.name, 60)}: no kind of evaluation asks such questions")
    return {"kind": kind.name, kind.name: dict(kind.starts.from_set(selected))}
