"""Checks of a JSON Schema: it is one, and refers to nothing outside itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urljoin

from tui_eval.core.calls import Json

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_DATA = ("enum", "const", "default", "examples")
"""Keywords whose values are no schemas, whatever they look like."""
_BY_NAME = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
"""Keywords that hold schemas by names, which are no keywords."""
_MOST_PARTS = 20_000
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class _Resource:
    """A schema with an $id, or the whole: what "#" means within it."""

    schema: Mapping[str, Any]
    anchors: set[str] = field(default_factory=set)


def schema_problem(schema: Mapping[str, Any]) -> str:
    """Return the problem of a schema; empty where there is none. Retrieves nothing."""
    if not _is_small(schema):
        return f"has more than {_MOST_PARTS:,} parts, or is nested deeper than {_DEEPEST}"
    resources: dict[str, _Resource] = {"": _Resource(schema)}
    parts = list(_schemas(schema, "", resources))
    for base, part in parts:
        for key in _REFERENCES:
            reference = part.get(key)
            if isinstance(reference, str) and (problem := _reference_problem(base, reference, resources)):
                return problem
    return _meta_problem(schema)


def _is_small(schema: Json) -> bool:
    """Return whether there are not too many objects within a schema."""
    count = 0
    level: list[Json] = [schema]
    for _ in range(_DEEPEST):
        count += sum(isinstance(value, Mapping) for value in level)
        if count > _MOST_PARTS:
            return False
        level = [inner for value in level for inner in _inner(value)]
        if not level:
            return True
    return False


def _inner(value: Json) -> Iterator[Json]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _schemas(value: Json, base: str, resources: dict[str, _Resource]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every schema within a schema, with the $id that what it refers to is relative to; `resources` is filled on the way."""
    if isinstance(value, list):
        for each in value:
            yield from _schemas(each, base, resources)
    if not isinstance(value, Mapping):
        return
    own = value.get("$id")
    if isinstance(own, str) and not own.startswith("#"):
        base = _joined(base, own).partition("#")[0]
        resources.setdefault(base, resources[""] if value is resources[""].schema else _Resource(value))
    anchors = (value.get(key) for key in ("$anchor", "$dynamicAnchor"))
    resources[base].anchors.update(each for each in anchors if isinstance(each, str))
    if isinstance(own, str) and own.startswith("#"):  # as drafts before 2019-09 write an anchor
        resources[base].anchors.add(own[1:])
    yield base, value
    for key, inner in value.items():
        has_names = key in _BY_NAME and isinstance(inner, Mapping)
        if key not in _DATA:
            yield from _schemas([*inner.values()] if has_names else inner, base, resources)


def _joined(base: str, address: str) -> str:
    """An address relative to another one; as it is written where it is none."""
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _reference_problem(base: str, reference: str, resources: Mapping[str, _Resource]) -> str:
    """Return the problem of a reference from within the schema of an $id; empty where it leads to a place in the whole."""
    whole = f"{base}{reference}" if reference.startswith("#") else _joined(base, reference)
    address, _, place = whole.partition("#")
    if (resource := resources.get(address)) is None:
        step = "nothing is retrieved; copy it into $defs, and write #/$defs/..."
        return f"refers to {reference[:80]!r}, which lies outside it: {step}"
    if not place or place in resource.anchors:
        return ""
    value: Json = resource.schema
    for part in place.removeprefix("/").split("/") if place.startswith("/") else [place]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, Mapping) and name in value:
            value = value[name]
        else:
            return f"refers to {reference[:80]!r}, but there is nothing"
    return ""


def _meta_problem(schema: Mapping[str, Any]) -> str:
    from jsonschema import Draft202012Validator  # only here: it takes 0.2 s to load
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for

    draft = schema.get("$schema")
    validator = validator_for(schema, default=None)
    if draft is not None and validator is None:
        return f"names {str(draft)[:80]!r} as its $schema, an unsupported draft"
    try:
        (validator or Draft202012Validator).check_schema(schema)
    except SchemaError as error:
        where = "".join(f"[{part!r}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
        return f"is not a JSON Schema{f' at {where}' if where else ''}: {error.message[:200]}"
    except RecursionError:
        return "is nested too deeply"
    return ""
