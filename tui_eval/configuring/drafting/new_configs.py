"""New configs: what one begins with by what kinds offer, one made of a few words, its models and files, and its place."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, get_origin

from pydantic import BaseModel

from tui_eval.configuring.drafting.drafts import Draft, refuse_keys
from tui_eval.configuring.drafting.from_columns import ColumnChoices, begun_by_columns
from tui_eval.configuring.drafting.inline_toml import whole
from tui_eval.configuring.drafting.own_files import config_of_files, own_files
from tui_eval.configuring.drafting.starting import SIMULATED_BEGIN
from tui_eval.configuring.loading import complete
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, Place
from tui_eval.core.kinds import ReadingRules
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.set_list import FOLDER, is_table, name_of, paths_of, read_set, selected_of, selected_rows_of, set_named
from tui_eval.datasets.set_store import free_name, plain_name
from tui_eval.evaluation.config_references import speaking, tables_in
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.models.catalogue import models_on_file
from tui_eval.models.listing import listed_models
from tui_eval.models.model_selection import guessed_wire
from tui_eval.simulator.personas import load_personas
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace, path_from, shipped
from tui_eval.workspace.plain_files import read_file
from tui_eval.workspace.private_files import write_new
from tui_eval.workspace.secret_looks import looks_secret
from tui_eval.workspace.toml_files import MAX_TOML_BYTES, TomlFile, read_toml
from tui_eval.workspace.validation import nearest

WRITES = next(name for name, kind in KINDS.items() if kind.set_maker.set_name is not None)
"""The kind whose runs make sets of questions."""
SCORERS = "scorers"
"""The key of what scores replies."""
MOST_TOLD = 4
"""Keys in which another config differs, of which a message speaks."""
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
        **entries_of(workspace, [model_name for model_name in (table["model"], _checker(table)) if model_name]),
        WRITES: {**table, "documents": [_from(workspace, document) for document in documents], "dataset": name},
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


def _from(workspace: Workspace, path: str, shipped: bool = False) -> str:
    """A path as the config names it. A bare name that is no file may be shipped."""
    if shipped and os.path.basename(path) == path and not os.path.exists(path):
        return path
    return path_from(workspace.root, path)


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
        unused_name = next(name for n in count(2) if not os.path.lexists(path.with_stem(name := f"{path.stem}-{n}")))
        unused_name = unused_name.removeprefix(f"{content.get('kind')}-")
        raise ConfigError(
            f"{path.name}: already exists{_told_otherwise(path, content)}; tui-eval run {path.name} runs it, "
            f"--name {unused_name} makes another"
        )


def _told_otherwise(path: Path, content: Mapping[str, object]) -> str:
    """In which keys a config on file says something else; empty where that cannot be told."""
    try:
        there = read_toml(path).content
    except (ConfigError, OSError):
        return ""
    pairs: list[tuple[str, object, object]] = []
    for key in dict.fromkeys((*content, *there)):
        new, old = content.get(key), there.get(key)
        if isinstance(new, dict) and isinstance(old, dict):
            pairs += [(f"{key}.{name}", new.get(name), old.get(name)) for name in dict.fromkeys((*new, *old))]
        else:
            pairs.append((key, new, old))
    keys = [one_line(key, 40) for key, new, old in pairs if new != old]
    more = f" and {len(keys) - MOST_TOLD} more" if len(keys) > MOST_TOLD else ""
    return f" and differs in {', '.join(keys[:MOST_TOLD])}{more}" if keys else ""


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
    entries = [_entry(name, on_file, personas) for name in dict.fromkeys(names) if name not in on_file]
    return {"models": entries} if entries else {}


def _entry(name: str, on_file: Collection[str], personas: Collection[str]) -> dict[str, str]:
    persona = next((candidate for candidate in (name, f"{SIMULATED_BEGIN}{name}") if candidate in personas), None)
    if persona is None and not guessed_wire(name):
        description = "with a name that looks like a key" if looks_secret(name) else f"named {one_line(name, 80)!r}"
        word = shlex.quote(one_line(name, 80))
        raise ConfigError(
            f"no model {description}{nearest(name, [*on_file, *personas])}; tui-eval models list shows those on file, "
            f"tui-eval models add {'NAME' if looks_secret(name) else word} --set model=ID --set wire=WIRE adds one"
        )
    return {"name": name, "model": persona or name, **({} if persona is None else {"wire": "simulator"})}


def rules_by_kind(also: str = "") -> Mapping[str, ReadingRules]:
    """The rules of each of our kinds that has any, and of one more if a plug-in brings it, by the kind's name."""
    kinds = {**KINDS, also: KINDS[also]} if also in KINDS else KINDS
    return {kind.name: kind.rules for kind in kinds.values() if kind.rules is not None}


def config_about(workspace: Workspace, paths: Sequence[Path], kinds: Mapping[str, Kind] = KINDS) -> dict[str, Any]:
    """Return the start of a config of a run that makes questions about these files; the set is called as the first is,
    or of several as their folder.

    ConfigError where no kind makes any.
    """
    makers = [kind for kind in kinds.values() if kind.offered and kind.set_maker.from_documents is not None]
    kind, root = next(iter(makers), None), os.path.abspath(workspace.root)
    if kind is None or kind.set_maker.from_documents is None:
        raise ConfigError("no kind of evaluation here makes questions about documents")
    files = [os.path.abspath(path) for path in paths]
    config_paths = [path_from(workspace.root, path) for path in files]
    folder = os.path.dirname(files[0])
    name = free_name(workspace, os.path.basename(folder if len(files) > 1 and folder not in ("/", root) else files[0]))
    return {"kind": kind.name, "name": name, kind.name: dict(kind.set_maker.from_documents(config_paths, name))}


def kind_for(has: frozenset[str], kinds: Mapping[str, Kind] = KINDS) -> Kind | None:
    """Of the kinds that can ask a set, by what it has, the one that makes the most of it; None where none can."""
    offered = [(kind, kind.starts) for kind in kinds.values() if kind.offered and kind.starts.from_set]
    able = [
        (len((starts.needs | starts.uses) & has), kind)
        for kind, starts in offered
        if starts.needs is not None and starts.needs <= has
    ]
    return max(able, key=lambda each: each[0])[1] if able else None


def as_config(workspace: Workspace, path: Path, kinds: Mapping[str, Kind] = KINDS) -> dict[str, Any]:
    """Return the start of a config of a run with a set's selected questions. ConfigError where there can be none."""
    try:
        selected = selected_of(workspace, path)
        ruled = selected_rows_of(workspace, path).selected.has & {"truth"} if "columns" in selected.has else frozenset()
        kind = kind_for(selected.has | ruled, kinds)  # rules of a sample's own hold replies against something, too
    except ConfigError:  # a table may have any columns, where a kind takes such
        kind = next((kind for kind in kinds.values() if kind.offered and kind.starts.columns and is_table(path)), None)
        if kind is None:
            raise
    if kind is None or kind.starts.from_set is None:
        raise ConfigError(f"{one_line(path.name, 60)}: no kind of evaluation asks such questions")
    if kind.starts.columns is not None:
        return _of_columns(workspace, kind, path, ColumnChoices())[0]
    return {"kind": kind.name, kind.name: dict(kind.starts.from_set(selected))}


def with_only_model(workspace: Workspace, config: dict[str, Any]) -> dict[str, Any]:
    """The config with the one model on file that can be asked, where it lacks models that answer and no others; where there are
    several, or none, it stays as it is."""
    able = [each.name for each in listed_models(workspace).entries if each.enabled and each.key_is_set is not False]
    kind = KINDS.get(str(config["kind"]))
    if kind is None or len(able) != 1:
        return config
    form: type[BaseModel] = kind.Config
    table, naming_fields = config[kind.name], {name: extra for name, extra, reference in speaking(form) if reference == "model"}
    lacking = [name for name, field in form.model_fields.items() if field.is_required() and not table.get(name)]
    if len(lacking) != 1 or lacking[0] not in naming_fields or get_origin(form.model_fields[lacking[0]].annotation) is not list:
        return config
    judges = kind.role(str(naming_fields[lacking[0]]["stage"])) == "judge"
    return config if judges else {**config, kind.name: {**table, lacking[0]: able}}


def _of_columns(workspace: Workspace, kind: Kind, path: Path, hints: ColumnChoices) -> tuple[dict[str, Any], str]:
    """Return the start of a config that asks a set with any columns, and what was chosen by these."""
    assert kind.starts.from_set is not None
    assert kind.starts.columns is not None
    rows = selected_rows_of(workspace, path)
    try:
        begun = begun_by_columns(kind.starts.columns, rows, hints)
    except ConfigError as error:
        raise ConfigError(f"{one_line(path.name, 60)}: {error}") from None
    table = {**kind.starts.from_set(rows.selected), **begun.table}
    scored: dict[str, Json] = {SCORERS: [*begun.scorers]}
    own = SCORERS in kind.Config.model_fields  # else they stand beside the kind's table
    return {"kind": kind.name, kind.name: {**table, **(scored if own else {})}, **({} if own else scored)}, begun.words


def fill_by_columns(workspace: Workspace, draft: Draft) -> str:
    """Fill in what the columns of a draft's set tell, where its prompts are empty yet, and return it in words; empty where
    there is nothing to fill in. ConfigError for what is not certain."""
    kind = KINDS.get(draft.kind)
    if kind is None or kind.starts.columns is None:
        return ""
    columns, word = kind.starts.columns, draft.get((kind.name, kind.starts.set_keys[0]))
    if draft.get((kind.name, columns.prompts)) or not isinstance(word, str):
        return ""
    beside = draft.folder / word
    path = beside if os.path.lexists(beside) else set_named(workspace, word)
    if path is None:
        return ""
    config, words = _of_columns(workspace, kind, path, ColumnChoices(target=str(draft.get((kind.name, columns.target)) or "")))
    places: dict[Place, Json] = {(key,): value for key, value in config.items() if key not in ("kind", kind.name)}
    places |= {(kind.name, key): value for key, value in config[kind.name].items() if key not in kind.starts.set_keys}
    for place, value in places.items():
        if not draft.get(place):
            draft.set(place, value)
    return words


@dataclass(frozen=True, slots=True)
class ShortConfig:
    """A config that was made of a few words."""

    file: TomlFile
    left_out: tuple[str, ...]
    """Of each file that is left out why."""
    chosen: str
    """What was chosen by the columns of a set; empty where nothing was."""


def short_config(
    workspace: Workspace,
    kind: Kind,
    sources: Sequence[str],
    models: Sequence[str],
    judges: Sequence[str],
    name: str,
    settings: Sequence[str],
    hints: ColumnChoices,
) -> ShortConfig:
    """The config KIND-NAME.toml of the workspace, which is not written yet.

    `sources`: a set by its name or path, or files and folders; `name`: of the config and its run, empty = as the set or the
    folder; `settings`: KEY=VALUE besides; `hints`: what was said of the columns. ConfigError for whatever a person has to mend.
    """
    left_out: tuple[str, ...] = ()
    if kind.starts.short_form == "SET":
        begun, choice_words = _of_set(workspace, kind, sources, hints)
    else:
        (begun, left_out), choice_words = _of_files(workspace, kind, sources), ""
    name = name or plain_name(f"{begun['name']}.")
    begun[kind.name] = filled(kind, begun[kind.name], models, judges)
    rest = {key: value for key, value in begun.items() if key not in ("kind", "name")}
    content = {"kind": kind.name, "name": name, **entries_of(workspace, [*models, *judges]), **rest}
    file = override(TomlFile(path_for(workspace, kind.name, name), content, {}, by_words=True), settings)
    first: dict[str, Json] = {
        key: file.content[key] for key in ("kind", "name", "run") if key in file.content
    }  # as a person would write it
    return ShortConfig(replace(file, content={**first, **file.content}), left_out, choice_words)


def _of_set(workspace: Workspace, kind: Kind, sources: Sequence[str], hints: ColumnChoices) -> tuple[dict[str, Any], str]:
    assert kind.starts.from_set is not None
    if len(sources) > 1:
        raise ConfigError(f"{' '.join(sources[:3])}: one set at a time; each makes a run of its own")
    path = set_meant(workspace, sources[0])
    if kind.starts.columns is not None:
        _check_suits(kind, selected_rows_of(workspace, path).selected.has | _options_in(path), sources[0], hints)
        config, words = _of_columns(workspace, kind, path, hints)
        return {"name": name_of(path), **config}, words
    needs = kind.starts.needs or frozenset()
    if "turns" in needs and not read_set(path).lettered:  # each question is a conversation of one turn
        config_path = f"{FOLDER}/{path.name}" if set_named(workspace, sources[0]) else path_from(workspace.root, path)
        return {"name": name_of(path), kind.name: {kind.starts.set_keys[0]: config_path}}, ""
    selected = selected_of(workspace, path)
    lacking = sorted(needs - selected.has)
    if lacking:
        other_kind = kind_for(selected.has)
        no = " and no ".join(lacking)
        raise ConfigError(f"{one_line(sources[0], 80)}: has no {no}, which {kind.name} asks{_instead(other_kind, sources[0])}")
    return {"name": name_of(path), kind.name: dict(kind.starts.from_set(selected))}, ""


def _options_in(path: Path) -> frozenset[str]:
    """ "options" of a file of lettered questions, which may have no header; else nothing."""
    try:
        return read_set(path).has & {"options"}
    except ConfigError:
        return frozenset()


def _check_suits(kind: Kind, has: frozenset[str], word: str, hints: ColumnChoices) -> None:
    """ConfigError where another kind needs what a set has and this one makes nothing of, unless a person wrote the prompts."""
    other_kind = kind_for(has | (kind.starts.needs or frozenset()))
    more = sorted((other_kind.starts.needs or frozenset()) - (kind.starts.needs or frozenset())) if other_kind else []
    if more and not hints.prompts:
        here = "; --prompt 'TEXT' asks them here all the same, with columns in braces"
        raise ConfigError(f"{one_line(word, 80)}: has {' and '.join(more)}{_instead(other_kind, word)}{here}")


def _instead(other_kind: Kind | None, word: str) -> str:
    """Name the kind that asks such a set, and the command that runs it."""
    if other_kind is None:
        return ""
    run = (
        f"tui-eval {other_kind.name} {shlex.quote(one_line(word, 4096))} --models A,B"
        if other_kind.starts.short_form
        else f"tui-eval config {other_kind.name}"
    )
    return f"; {other_kind.name} asks such questions: {run}"


def set_meant(workspace: Workspace, word: str) -> Path:
    """A set of the workspace by its name, or any by its path. ConfigError, with the nearest, where there is none."""
    set_path = set_named(workspace, word)
    if set_path is not None:
        return set_path
    if os.path.exists(word):
        return Path(word)
    example = shipped("examples").parent / word
    if word.startswith("examples/") and example.is_file():  # as pages name it, whatever folder a person is in
        return example
    suggestion = nearest(word, [name_of(path) for path in paths_of(workspace)])
    raise ConfigError(
        f"{one_line(word, 80)}: neither a dataset nor a file{suggestion}; tui-eval datasets list shows them all, "
        "tui-eval datasets import FILE imports one, tui-eval datasets generate FILE writes one"
    )


def _of_files(workspace: Workspace, kind: Kind, sources: Sequence[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    paths = list(map(Path, sources))
    for path in paths:
        if not path.exists():
            raise ConfigError(f"{one_line(str(path), 80)}: there is no such file or folder")
    own = own_files(paths, kind)
    return config_of_files(workspace, own.files, kind), own.left_out


# ------------------------------------------------------------------------------------------------------ who answers, who judges


@dataclass(frozen=True, slots=True)
class _ModelsToAsk:
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
    return _filled(kind.Config, table, _ModelsToAsk(kind, models, judges))


def _filled(form: type[BaseModel], table: Mapping[str, Json], models: _ModelsToAsk) -> dict[str, Json]:
    filled_table = dict(table)
    rest: Sequence[str] = ()
    for name, extra, reference in speaking(form):
        field, present = form.model_fields[name], table.get(name)
        inner = next(tables_in(field.annotation), None)
        if reference == "model" and not present:
            filled_table |= (model_names := _model_names(form, name, extra, models, rest))
            rest = models.of(extra)[1:] if isinstance(model_names.get(name), str) else ()
        elif inner is not None and isinstance(present, dict | None) and (field.is_required() or present is not None):
            stage = str(extra.get("stage") or models.stage)
            filled_table[name] = _filled(inner, present or {}, replace(models, stage=stage))
    return filled_table


def _model_names(
    form: type[BaseModel], name: str, extra: Mapping[str, Any], models: _ModelsToAsk, rest: Sequence[str]
) -> dict[str, Json]:
    """Return the models for a field that names some; `rest`: those for whom the field before it, of one model, had no place."""
    field = form.model_fields[name]
    several = get_origin(field.annotation) is list
    if field.is_required() or extra.get("unless"):
        names = models.of(extra)
        return {name: list(names) if several else names[0]}
    return {name: list(rest)} if several and rest else {}
