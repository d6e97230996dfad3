"""The models, files and folders that a config's tables name; found by walking the tables, never listed by hand.

A field says it where it is declared: `models: Annotated[list[str], names("model", stage="answer")]`. From that come the
models of a run and what --models leaves of them, the files that are read and where a run folder keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, Field

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile, Source
from tui_eval.core.kinds import Role
from tui_eval.workspace.validation import nearest

What = Literal["model", "file", "files", "folder", "run"]
RECORDED = "answers"
"""The role of a file of answers that were made elsewhere: where a config names one, nobody is asked."""
FILES = ("file", "files", "folder")
BESIDE = " beside"
"""How the role of a file ends that was read along with another."""
MAX_BYTES = 256 * 1024 * 1024
Table = TypeVar("Table", bound=BaseModel)


def names(
    reference_type: What,
    *,
    stage: str = "",
    role: str = "",
    place: str = "lists",
    most: int | str = MAX_BYTES,
    as_text: bool | str = False,
    others_as_is: bool = False,
    asked_about: bool = False,
    shown_by: str = "",
    shipped: str = "",
    inside: tuple[str, ...] = (),
    beside: str = "",
    unless: str = "",
    stays: bool = False,
    attaches: bool | str = False,
) -> Any:
    """A field that names something.

    `stage`: of a model, in which stage it is asked; of a run, the stage whose replies are taken from it; `unless`: the key that
    may stand in a model's place, where there must be one of the two; `stays`: of a model that answers nothing that is compared,
    such as who writes the questions, so that --models leaves it. Of files: `role` is what `Inputs.of` finds them by (the
    key, where it is left out), `place` the folder of inputs/ that keeps them, `most` how many bytes one may have, or the key
    that says so; `as_text` whether what they say is wanted as text, or what of the table says so; `others_as_is`,
    `asked_about`, `shown_by`, `shipped`, `inside`, `beside` as in Source; `attaches` likewise, or what of the table says so.
    """
    files: dict[str, Any] = {"role": role, "place": place, "most": most, "as_text": as_text, "others_as_is": others_as_is}
    files |= {"asked_about": asked_about, "shipped": shipped, "inside": inside, "beside": beside, "shown_by": shown_by}
    files |= {"attaches": attaches}
    extra_by_type: dict[str, Any] = {"model": {"stage": stage, "unless": unless, "stays": stays}, "run": {"stage": stage}}
    extra = extra_by_type.get(reference_type, files)
    return Field(json_schema_extra={"names": reference_type, **extra})


def asked_in(stage: str) -> Any:
    """A table, or a list of tables, whose models are asked in a stage."""
    return Field(json_schema_extra={"stage": stage})


@dataclass(frozen=True, slots=True)
class ConfigReference:
    """A text of a config that names something."""

    what: str
    value: str
    key: str
    """Where it stands, such as `panel.documents[0]`."""
    stage: str
    extra: Mapping[str, Any]
    table: BaseModel
    """The table it stands in."""
    alone: bool
    """Whether its field holds one text, and no list of them."""


def references_in(table: BaseModel, key: str, stage: str = "") -> Iterator[ConfigReference]:
    """Everything that a table and the tables in it name, in the order of their fields."""
    for name, extra, reference_type in speaking(type(table)):
        if name in _unused(table):
            continue
        field_value, field_stage = getattr(table, name), str(extra.get("stage") or stage)
        for value, place in _each(field_value, f"{key}.{name}"):
            if isinstance(value, BaseModel):
                yield from references_in(value, place, field_stage)
            elif isinstance(value, str) and reference_type:
                field_extra = {**extra, "role": extra.get("role") or name}
                yield ConfigReference(reference_type, value, place, field_stage, field_extra, table, alone=field_value is value)


def _unused(table: BaseModel) -> Sequence[str]:
    """Keys of a table that its other keys make idle: what they name is neither read nor asked."""
    return getattr(table, "unused", ())


def _each(value: Any, key: str) -> Iterator[tuple[Any, str]]:
    if isinstance(value, list | tuple):
        yield from ((entry, f"{key}[{i}]") for i, entry in enumerate(value))
    elif value is not None:
        yield value, key


@cache
def speaking(table: type[BaseModel]) -> list[tuple[str, dict[str, Any], str]]:
    """(name, what it says of itself, what it names) of the fields that name something, or hold tables that do."""
    fields = []
    for name, field in table.model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        reference_type = str(extra.get("names", ""))
        if (
            reference_type in ("model", "run")
            or reference_type in FILES
            or any(speaking(inner) for inner in tables_in(field.annotation))
        ):
            fields.append((name, dict(extra), reference_type))
    return fields


def tables_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The tables that a field of this type may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from tables_in(part)


def models(table: BaseModel, key: str, stages: Collection[str] | None = None) -> dict[str, str]:
    """Names of the models that a config asks, each once, in order, and the key that names each first; `stages`: those that
    count, None = all."""
    keys_by_model: dict[str, str] = {}
    for entry in references_in(table, key):
        if entry.what == "model" and (stages is None or entry.stage in stages):
            keys_by_model.setdefault(entry.value, entry.key)
    return keys_by_model


def runs(table: BaseModel, key: str) -> dict[str, tuple[str, str]]:
    """By stage the run whose replies are taken in place of asking, and the key that names it."""
    return {entry.stage: (entry.value, entry.key) for entry in references_in(table, key) if entry.what == "run" and entry.value}


def check_models(table: BaseModel, key: str) -> None:
    """ConfigError where a list names a model twice: everything would be asked, and paid for, twice under one name."""
    model_places: set[tuple[str, str]] = set()
    for entry in references_in(table, key):
        place = entry.key.partition("[")[0] if not entry.alone else entry.key
        if entry.what == "model" and (place, entry.value) in model_places:
            raise ConfigError(f"{place}: {entry.value!r} is named twice; repeat = N asks everything N times")
        model_places.add((place, entry.value))


def sources(table: BaseModel, key: str, keep_hidden: bool = False) -> list[Source]:
    """The files it names, those that are kept in one place together; `keep_hidden`: as the run's hidden_text says."""
    file_sources = [
        replace(_source(entry), keep_hidden=keep_hidden) for entry in references_in(table, key) if entry.what in FILES
    ]
    return sorted(file_sources, key=lambda source: source.place)


def _source(entry: ConfigReference) -> Source:
    most = entry.extra["most"]
    limit = getattr(entry.table, most) if isinstance(most, str) else most
    as_text, attaches = entry.extra["as_text"], entry.extra["attaches"]
    return Source(
        role=entry.extra["role"],
        pattern=entry.value,
        key=entry.key,
        max_bytes=limit,
        raised_by=f"{entry.key.rpartition('.')[0]}.{most}" if isinstance(most, str) else "",
        folder=entry.what == "folder",
        place=entry.extra["place"],
        as_text=bool(getattr(entry.table, as_text) if isinstance(as_text, str) else as_text),
        others_as_is=entry.extra["others_as_is"],
        asked_about=entry.extra["asked_about"],
        shipped=entry.extra["shipped"],
        inside=tuple(entry.extra["inside"]),
        shown_by=entry.extra["shown_by"],
        beside=entry.extra["beside"],
        attaches=bool(getattr(entry.table, attaches) if isinstance(attaches, str) else attaches),
    )


def with_paths(table: Table, key: str, files_by_key: Mapping[str, Sequence[InputFile]]) -> Table:
    """The table with the files it names as they lie in a run folder. `files_by_key`: by the key that names them."""

    def change(row: BaseModel, key: str) -> BaseModel:
        update: dict[str, Any] = {}
        for name, _, reference_type in speaking(type(row)):
            value, here = getattr(row, name), f"{key}.{name}"
            if reference_type in ("file", "files") and value and name not in _unused(row):
                paths = {place: [file.path for file in files_by_key.get(place, ())] for _, place in _each(value, here)}
                many = list(dict.fromkeys(path for place in paths for path in paths[place]))
                if len(many) != 1 and not isinstance(value, list):
                    raise ConfigError(f"{here}: must name one file; it matches {len(many)}")
                update[name] = many if isinstance(value, list) else many[0]
        return row.model_copy(update=update)

    return _with_changes(table, change, key)


def with_models(table: Table, key: str, model_names: Sequence[str], role_of: Callable[[str], Role]) -> Table:
    """The table with these models only; those that judge others' answers stay, as does a field that says so (`stays`), and a
    row of a list goes with its model.

    ConfigError for a name that it does not ask, and where a key that needs a model would have none.
    """
    every = [entry for entry in references_in(table, key) if entry.what == "model"]
    cut = {entry.value for entry in every if role_of(entry.stage) != "judge" and not entry.extra.get("stays")}
    for name in model_names:
        if name not in cut and (match := next((entry for entry in every if entry.value == name), None)):
            does = "this judge" if role_of(match.stage) == "judge" else f"the model of {match.key}"
            raise ConfigError(f"--models {name}: {does} is always asked; name models that answer")
        if name not in cut:
            raise ConfigError(f"--models {name}: {key} asks no model of that name{nearest(name, cut)}")
    return _cut(table, key, "", frozenset(cut) - set(model_names), role_of)


def _cut(table: Table, key: str, stage: str, gone: frozenset[str], role_of: Callable[[str], Role]) -> Table:
    update: dict[str, Any] = {}
    for name, extra, reference_type in speaking(type(table)):
        value, field_stage = getattr(table, name), str(extra.get("stage") or stage)
        if (
            value is None
            or name in _unused(table)
            or (field_stage and role_of(field_stage) == "judge")
            or reference_type in FILES
        ):
            continue
        if extra.get("stays"):
            continue
        entries = list(_each(value, f"{key}.{name}"))
        remaining = [(entry, place) for entry, place in entries if not _is_removed(entry, reference_type, gone)]
        many = isinstance(value, list)
        if not remaining and _needs_one(table, name, many):
            model_names = [entry for entry, _ in entries if isinstance(entry, str)]
            way_out = f"; name {' or '.join(model_names)} as well" if model_names else ""
            raise ConfigError(f"--models: {key}.{name} would be left without a model{way_out}")
        new_entries = [_cut(e, place, field_stage, gone, role_of) if isinstance(e, BaseModel) else e for e, place in remaining]
        update[name] = new_entries if many else next(iter(new_entries), None)
    return table.model_copy(update=update)


def _is_removed(entry: Any, reference_type: str, gone: frozenset[str]) -> bool:
    """Return whether an entry is a model that is not wanted, or the row of one: a table that cannot do without it."""
    if isinstance(entry, BaseModel):
        needed = [
            name
            for name, _, reference_type in speaking(type(entry))
            if reference_type == "model" and _needs_one(entry, name, many=False)
        ]
        return any(getattr(entry, name) in gone for name in needed if isinstance(getattr(entry, name), str))
    return reference_type == "model" and entry in gone


def _needs_one(table: BaseModel, name: str, many: bool) -> bool:
    """Return whether a field cannot do without: a list that may not be empty, or a value that may not be left out."""
    field = type(table).model_fields[name]
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    if unless := extra.get("unless"):
        return not getattr(table, str(unless))
    return any(getattr(entry, "min_length", 0) for entry in field.metadata) if many else field.is_required()


def rewritten(table: Table, change: Callable[[BaseModel], BaseModel]) -> Table:
    """The table with each of its tables that names something changed, and itself."""
    return _with_changes(table, lambda row, _: change(row), "")


def _with_changes(table: Table, change: Callable[[BaseModel, str], BaseModel], key: str) -> Table:
    update: dict[str, Any] = {}
    for name, _, reference_type in speaking(type(table)):
        value = getattr(table, name)
        if reference_type or value is None or name in _unused(table):
            continue
        new = [_with_changes(e, change, place) if isinstance(e, BaseModel) else e for e, place in _each(value, f"{key}.{name}")]
        update[name] = new if isinstance(value, list) else new[0]
    changed: Any = change(table.model_copy(update=update) if update else table, key)
    result: Table = changed
    return result
