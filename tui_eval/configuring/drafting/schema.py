"""Schema of a config, field by field, made from the typed settings; and its texts that name models and paths."""

from __future__ import annotations

import ast
import glob
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tui_eval.configuring.drafting.fields import Field, Names, Sort
from tui_eval.configuring.gate_checks import GateSettings
from tui_eval.core.calls import Json
from tui_eval.core.errors import Place
from tui_eval.core.kinds import Metric
from tui_eval.evaluation.config_references import tables_in
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.scorers import SCORING, SCORING_PROMPTS, passed_beside
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.evaluation.scoring.rule import Rule
from tui_eval.evaluation.scoring.sample_scorers import metrics_by
from tui_eval.evaluation.scoring.scorer_table import ScorerSettings, row_of
from tui_eval.kinds import KINDS
from tui_eval.results.sums.metrics import is_binary, scale_of
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.run_settings import RunSettings

_SORTS: Mapping[str, Sort] = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}


@cache
def schema(kind: str) -> Field:
    """The whole config of a kind: kind, name, run, models, the kind's own table, and what its results must hold."""
    kind_entry = KINDS[kind]
    offered = [k for k in KINDS.every().values() if k.offered]
    return Field(
        "",
        "table",
        f"A run of the kind {kind}.",
        fields=(
            Field(
                "kind", "choice", "The evaluation type. " + " ".join(f"{k.name}: {k.about}." for k in offered),
                required=True, choices=tuple(dict.fromkeys([*(k.name for k in offered), kind])), example=kind,
            ),
            Field(
                "name", "text", example=kind,
                help="A name for the run: it stands in lists and in its folder's name. Empty = the name of the config file.",
            ),
            _run(kind_entry),
            Field(
                "models", "tables", fields=model_schema().fields,
                help="Models that are described in this config; those on file (.conf/models.toml) need no entry here.",
            ),
            _kind_table(kind_entry),
            *_scorers(kind_entry),
            _gate(kind_entry),
        ),
    )  # fmt: skip


@cache
def model_schema() -> Field:
    """One `[[models]]` entry, in a config or on file."""
    table = _table("models", ModelTable)
    return replace(table, help="A model: where it is asked, and how.")


def field_at(kind: str, place: tuple[str | int, ...]) -> Field | None:
    """The field that stands at a place of a config, such as ("models", 0, "name"); None where no field does."""
    if kind not in KINDS:
        return None
    current = schema(kind)
    for part in place:
        if isinstance(part, int):
            continue
        matches = [field for field in current.fields if field.key == part]
        if not matches:
            return None
        current = matches[0]
    return current


def _run(kind: Kind) -> Field:
    """[run] with the kind's own defaults."""
    table = _table("run", RunSettings)
    own = kind.defaults.table
    fields = tuple(
        replace(field, default=own[field.key], required=False) if field.key in own else field for field in table.fields
    )
    return replace(table, help="The limits of the run, and how it goes on.", fields=fields)


def _kind_table(kind: Kind) -> Field:
    """The kind's own table, with a field for each prompt it needs."""
    table = _table(kind.name, kind.Config)
    table = table if kind.names_prompts else _with_prompts(table, kind.name, kind.prompts)
    return replace(table, help=f"The inputs, models and settings of a {kind.name} run.", required=True)


def draft_schema(content: Mapping[str, Json], kind: str) -> Field:
    """The same for a config as it stands: [gate] has a threshold for each metric that its scorers make, too."""
    whole, scorers = schema(kind), content.get("scorers")
    try:
        more = _thresholds_of(kind, json.dumps(scorers, sort_keys=True))
    except (TypeError, ValueError):  # a date, or what is no list of scorers yet
        return whole
    if not more:
        return whole
    n, gate = len(KINDS[kind].metrics), whole.field("gate")
    gate = replace(gate, fields=(*gate.fields[:n], *more, *gate.fields[n:]))
    return replace(whole, fields=tuple(gate if field.key == gate.key else field for field in whole.fields))


@lru_cache(maxsize=8)
def _thresholds_of(kind: str, scorers_json: str) -> tuple[Field, ...]:
    """A field of [gate] for each metric of these scorers, beside those of the kind. ValueError where one is not sound."""
    scorers, own = json.loads(scorers_json), {metric.name for metric in KINDS[kind].metrics}
    if not isinstance(scorers, list) or not KINDS[kind].targets.stages:
        return ()
    metrics = metrics_by([row_of(each) for each in scorers], passed_beside(own))
    return tuple(_threshold(metric) for metric in metrics if metric.name not in own)


def _scorers(kind: Kind) -> Sequence[Field]:
    """`scorers`, with the rules that need no options to choose from, and [scoring], where the kind takes any."""
    if not kind.targets.stages:
        return ()
    rules = [rule for rule in RULES.every().values() if _needs_no_options(rule)]
    names, words = tuple(rule.name for rule in rules), tuple(rule.says for rule in rules)
    fields = [_with_prompts(each, SCORING, SCORING_PROMPTS) for each in _table("", ScorerSettings).fields]
    return [replace(each, choices=names, choice_words=words) if each.key == "scorers" else each for each in fields]


def _with_prompts(table: Field, folder: str, prompts: Mapping[str, Sequence[str]]) -> Field:
    """A table with a field for each of its prompts in place of one for all."""
    fields = tuple(
        replace(field, sort="table", fields=_prompts(folder, prompts)) if field.key == "prompts" else field
        for field in table.fields
    )
    return replace(table, fields=fields)


def _needs_no_options(rule: Rule) -> bool:
    try:
        row_of(rule.name)
    except ValueError:
        return False
    return True


def _gate(kind: Kind) -> Field:
    """[gate] with a field for each metric that the kind's scores measure."""
    table = _table("gate", GateSettings)
    fields = (*map(_threshold, kind.metrics), *table.fields)
    return replace(table, help="Demands on the results: a run that does not meet them ends with exit code 1.", fields=fields)


def _threshold(metric: Metric) -> Field:
    sign = ">=" if metric.better == "higher" else "<="
    passing = metric.low + 0.8 * (metric.high - metric.low) if metric.threshold is None else metric.threshold
    example = 0.8 if is_binary(metric) else passing
    words = f"The threshold for the mean of every model, {scale_of(metric)}, such as {sign} {example:g}. Empty = no threshold."
    return Field(metric.name, "text", words, example=f"{sign} {example:g}")


def _prompts(folder: str, prompts: Mapping[str, Sequence[str]]) -> tuple[Field, ...]:
    return tuple(Field(name, "text", _prompt_help(folder, name, slots), names="prompt") for name, slots in prompts.items())


def _prompt_help(folder: str, name: str, slots: Sequence[str]) -> str:
    slots_text = ", ".join("{" + slot + "}" for slot in slots)
    must = f", with {slots_text} in it" if slots_text else ""
    return f'A text, or {{ file = "path" }}{must}. Empty = prompts/{folder}/{name}.md of the workspace, else the shipped one.'


# ------------------------------------------------------------------------------------------------ typed settings to fields


def _table(key: str, model: type[Any]) -> Field:
    """A table of typed settings, by the JSON schema that pydantic writes of it."""
    whole = model.model_json_schema()
    return _table_field(key, whole, whole.get("$defs", {}), model)


def _table_field(key: str, table: Mapping[str, Json], defs: Mapping[str, Json], model: type[Any]) -> Field:
    help_of = {name: entry.get("description", "") for name, entry in table["properties"].items()} | dict(_docstrings(model))
    required = table.get("required", ())
    fields = tuple(
        replace(
            _field(name, entry, defs, model), help=help_of.get(name, ""), required=name in required, example=_example(entry)
        )
        for name, entry in table["properties"].items()
    )
    return Field(key, "table", fields=fields)


def _field(key: str, entry: Mapping[str, Json], defs: Mapping[str, Json], model: type[Any]) -> Field:
    """One field. TypeError for a type that no form knows how to show."""
    alone = [option for option in entry.get("anyOf", ()) if option.get("type") != "null"]
    merged = {**entry, **alone[0]} if len(alone) == 1 else entry
    names: Names = merged.get("names", "")
    default = merged.get("default")
    if "$ref" in merged:
        return replace(_referred(key, merged, defs, model), holds=default is not None)
    if "enum" in merged:
        return Field(key, "choice", default=default, choices=tuple(merged["enum"]), names=names)
    if merged.get("type") == "array":
        list_field = _list(key, merged["items"], defs, model)
        return replace(list_field, default=default or None, names=names)
    if merged.get("type") == "object" and "properties" not in merged:
        return Field(key, "free", default=default or None, names=names)
    if merged.get("type") not in _SORTS:
        raise TypeError(f"{model.__name__}.{key}: no form knows how to show {dict(entry)}")
    least, above = merged.get("minimum", merged.get("const")), "exclusiveMinimum" in merged
    return Field(
        key,
        _SORTS[merged["type"]],
        default=default,
        least=merged["exclusiveMinimum"] if above else least,
        most=merged.get("maximum", merged.get("const")),
        above=above,
        names=names,
    )


def _example(entry: Mapping[str, Json]) -> Json:
    return next((part["examples"][0] for part in (entry, *entry.get("anyOf", ())) if part.get("examples")), None)


def _list(key: str, entry: Mapping[str, Json], defs: Mapping[str, Json], model: type[Any]) -> Field:
    """A list of texts, of tables, or of both."""
    if entry.get("type") == "string":
        return Field(key, "texts")
    if "$ref" in entry:
        return replace(_referred(key, entry, defs, model), sort="tables")
    tables = [option for option in entry.get("oneOf", ()) if "$ref" in option]
    if len(tables) == 1 and {"type": "string"} in entry["oneOf"] and len(entry["oneOf"]) == 2:
        return replace(_referred(key, tables[0], defs, model), sort="texts")
    raise TypeError(f"{model.__name__}.{key}: no form knows how to show a list of {dict(entry)}")


def _referred(key: str, entry: Mapping[str, Json], defs: Mapping[str, Json], model: type[Any]) -> Field:
    name = entry["$ref"].rpartition("/")[2]
    tables = (table for field in model.model_fields.values() for table in tables_in(field.annotation))
    return _table_field(key, defs[name], defs, next(table for table in tables if table.__name__ == name))


def _docstrings(model: type[Any]) -> Mapping[str, str]:
    """The docstring under each field of a settings class, its bases' included.

    Read here and not by pydantic as the classes are made: that would cost every command 20 ms.
    """
    texts: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            texts |= _module_docstrings(base.__module__).get(base.__name__, {})
    return {
        model.model_fields[name].alias or name if name in model.model_fields else name: text for name, text in texts.items()
    }


@cache
def _module_docstrings(module: str) -> Mapping[str, Mapping[str, str]]:
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except OSError:  # a plug-in that comes without its source
        return {}
    return {node.name: _field_docstrings(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _field_docstrings(node: ast.ClassDef) -> dict[str, str]:
    docstrings = {}
    for field, after in zip(node.body, node.body[1:], strict=False):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            docstrings[field.target.id] = " ".join(str(after.value.value).split())
    return docstrings


Change = Callable[[str, Names], str]
PATHS = ("file", "folder", "files", "run")


def models_named(content: dict[str, Json], kind: str) -> Iterator[tuple[Place, str]]:
    """Every text that names a model the run asks: its place, and the name."""
    if kind in KINDS:
        yield from _models_named(schema(kind).field(kind), content.get(kind), (kind,))


def _models_named(field: Field, value: Json, place: Place) -> Iterator[tuple[Place, str]]:
    if field.names == "model":
        entries = [(place, value)] if field.sort == "text" else [((*place, i), entry) for i, entry in _numbered(value)]
        yield from ((where, name) for where, name in entries if isinstance(name, str))
    elif field.sort == "table" and isinstance(value, dict):
        for inner in field.fields:
            yield from _models_named(inner, value.get(inner.key), (*place, inner.key))
    elif field.sort == "tables":
        for i, entry in _numbered(value):
            yield from _models_named(_each(field), entry, (*place, i))


def _numbered(value: Json) -> Iterator[tuple[int, Json]]:
    return enumerate(value if isinstance(value, list) else [])


def rebased(content: dict[str, Json], kind: str, old: Path, new: Path) -> dict[str, Json]:
    """A config whose relative paths held from one folder, so that they mean the same from another.

    What lies inside the new folder stays relative; what does not becomes absolute.
    """
    old, new = _plain(old), _plain(new)
    if old == new or kind not in KINDS:
        return content
    changed: dict[str, Json] = _mapped(schema(kind), content, partial(_moved, old, new))
    return changed


def _plain(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _moved(old: Path, new: Path, path: str, names: Names) -> str:
    if not path.strip() or "\0" in path or Path(path).is_absolute():
        return path
    if Path(path).name == path and not (old / path).exists() and not set("*?[") & set(path):  # a run's id, or what is shipped
        return path
    if any(sign in path for sign in "*?[") and not (old / path).exists():  # a pattern
        return os.path.join(glob.escape(str(_seen_from(new, old))), path)
    return str(_seen_from(new, Path(os.path.normpath(old / path))))


def _seen_from(folder: Path, path: Path) -> Path:
    return path.relative_to(folder) if path.is_relative_to(folder) else path


def _mapped(field: Field, value: Json, change: Change) -> Json:
    """A value with every path in it changed; what is not as the field says is left alone."""
    if field.names in PATHS and field.sort in ("text", "texts"):
        return _changed(value, change, field.names)
    if field.names == "prompt" and isinstance(value, dict):
        return {key: _changed(inner, change, field.names) if key == "file" else inner for key, inner in value.items()}
    if field.sort == "table" and isinstance(value, dict):
        by_key = {inner.key: inner for inner in field.fields}
        return {key: _mapped(by_key[key], inner, change) if key in by_key else inner for key, inner in value.items()}
    if field.sort == "tables" and isinstance(value, list):
        return [_mapped(_each(field), entry, change) for entry in value]
    return value


def _each(field: Field) -> Field:
    return Field(field.key, "table", fields=field.fields)


def _changed(value: Json, change: Change, names: Names) -> Json:
    if isinstance(value, str):
        return change(value, names)
    return [_changed(entry, change, names) for entry in value] if isinstance(value, list) else value
