"""The config of a run made of a few words: a set or a folder, the models that answer, and those that judge."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_origin

from pydantic import BaseModel

from tui_eval.configuring.drafting.kind_offers import kind_for
from tui_eval.configuring.drafting.new_configs import entries_of, path_for
from tui_eval.configuring.drafting.own_files import config_of_files, own_files
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.set_list import name_of, paths_of, selected_of, set_named
from tui_eval.datasets.set_store import plain_name
from tui_eval.evaluation.config_references import speaking, tables_in
from tui_eval.evaluation.kind import Kind
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.validation import nearest


@dataclass(frozen=True, slots=True)
class ShortForm:
    """A run in a few words."""

    what: Sequence[str]
    """A set by its name or path, or files and folders."""
    models: Sequence[str]
    judges: Sequence[str]
    name: str = ""
    """Of the config and its run; empty = as the set or the folder."""
    settings: Sequence[str] = ()
    """KEY=VALUE besides."""


def short_config(workspace: Workspace, kind: Kind, form: ShortForm) -> tuple[TomlFile, tuple[str, ...]]:
    """The config KIND-NAME.toml of the workspace, which is not written yet; and of each file that is left out why.

    ConfigError for whatever a person has to mend.
    """
    begun, left_out = (
        _of_set(workspace, kind, form.what) if kind.starts.short_form == "SET" else _of_files(workspace, kind, form.what)
    )
    name = form.name or plain_name(f"{begun['name']}.")
    table = filled(kind, begun[kind.name], form.models, form.judges)
    content = {"kind": kind.name, "name": name, **entries_of(workspace, [*form.models, *form.judges]), kind.name: table}
    file = override(TomlFile(path_for(workspace, kind.name, name), content, {}, by_words=True), form.settings)
    first: dict[str, Json] = {
        key: file.content[key] for key in ("kind", "name", "run") if key in file.content
    }  # as a person would write it
    return replace(file, content={**first, **file.content}), left_out


def _of_set(workspace: Workspace, kind: Kind, what: Sequence[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    assert kind.starts.from_set is not None
    if len(what) > 1:
        raise ConfigError(f"{' '.join(what[:3])}: one set at a time; each makes a run of its own")
    path = set_meant(workspace, what[0])
    selected = selected_of(workspace, path)
    lacking = sorted((kind.starts.needs or frozenset()) - selected.has)
    if lacking:
        other = kind_for(selected.has)
        instead = f"; {other.name} asks such questions: tui-eval config {other.name}" if other else ""
        raise ConfigError(f"{one_line(what[0], 80)}: has no {' and no '.join(lacking)}, which {kind.name} asks{instead}")
    return {"name": name_of(path), kind.name: dict(kind.starts.from_set(selected))}, ()


def set_meant(workspace: Workspace, word: str) -> Path:
    """A set of the workspace by its name, or any by its path. ConfigError, with the nearest, where there is none."""
    found = set_named(workspace, word)
    if found is not None:
        return found
    if os.path.exists(word):
        return Path(word)
    known = nearest(word, [name_of(path) for path in paths_of(workspace)])
    raise ConfigError(
        f"{one_line(word, 80)}: neither a dataset nor a file{known}; tui-eval datasets list shows what there is, "
        "tui-eval datasets import FILE brings one in, tui-eval datasets generate FILE has one written"
    )


def _of_files(workspace: Workspace, kind: Kind, what: Sequence[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    paths = list(map(Path, what))
    for path in paths:
        if not path.exists():
            raise ConfigError(f"{one_line(str(path), 80)}: there is no such file or folder")
    seen = own_files(paths, kind)
    return config_of_files(workspace, seen.files, kind), seen.left_out


# ------------------------------------------------------------------------------------------------------ who answers, who judges


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who is put where a table names a model."""

    kind: Kind
    models: Sequence[str]
    judges: Sequence[str]
    stage: str = ""
    """That of the table, where its fields name none."""

    def of(self, extra: Mapping[str, Any]) -> Sequence[str]:
        """The names for a field: judges where it judges, or answers nothing that is compared."""
        stage = str(extra.get("stage") or self.stage)
        return self.judges if extra.get("stays") or self.kind.role(stage) == "judge" else self.models


def filled(kind: Kind, table: Mapping[str, Json], models: Sequence[str], judges: Sequence[str]) -> dict[str, Json]:
    """A kind's table with models wherever it needs some: those that judge where answers are judged and where nothing is
    compared, as where questions are written, the others elsewhere. Tables that it need not have stay as they are.
    """
    return _filled(kind.Config, table, _Asked(kind, models, judges))


def _filled(form: type[BaseModel], table: Mapping[str, Json], asked: _Asked) -> dict[str, Json]:
    found = dict(table)
    rest: Sequence[str] = ()
    for name, extra, what in speaking(form):
        field, present = form.model_fields[name], table.get(name)
        inner = next(tables_in(field.annotation), None)
        if what == "model" and not present:
            found |= (given := _named(form, name, extra, asked, rest))
            rest = asked.of(extra)[1:] if isinstance(given.get(name), str) else ()
        elif inner is not None and isinstance(present, dict | None) and (field.is_required() or present is not None):
            stage = str(extra.get("stage") or asked.stage)
            found[name] = _filled(inner, present or {}, replace(asked, stage=stage))
    return found


def _named(form: type[BaseModel], name: str, extra: Mapping[str, Any], asked: _Asked, rest: Sequence[str]) -> dict[str, Json]:
    """What a field that names models is given; `rest`: those for whom the field before it, of one model, had no place."""
    field = form.model_fields[name]
    several = get_origin(field.annotation) is list
    if field.is_required() or extra.get("unless"):
        names = asked.of(extra)
        return {name: list(names) if several else names[0]}
    return {name: list(rest)} if several and rest else {}
