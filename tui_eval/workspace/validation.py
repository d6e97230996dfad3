"""A TOML table as typed settings, or a list of everything that is wrong with it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, Place
from tui_eval.core.plugins import Registry
from tui_eval.workspace.secret_looks import looks_secret
from tui_eval.workspace.toml_files import TomlFile

Model = TypeVar("Model", bound=BaseModel)
_PATTERNS = {
    "api_key_env": "must be the name of a variable, such as OPENAI_API_KEY; tui-eval keys set NAME stores the key",
    "organization_env": "must be the name of a variable, such as OPENAI_ORG_ID",
    "api_version": "must be letters, digits, points and hyphens, such as 2024-10-21",
    "date": "must be a date, such as 2026-01-31",
}
"""What fields that hold a pattern want, in words."""


class Strict(BaseModel):
    """A table of which every key is known and every type is meant."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def written_out(table: BaseModel) -> dict[str, Json]:
    """All keys of a table with what holds where it is silent. A key for which nothing holds is left out, but for a temperature:
    null says that none is sent."""
    found: dict[str, Json] = _without_nothing(table.model_dump())
    return found


def _without_nothing(value: Json) -> Json:
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if inner is not None or key == "temperature"}
        return {key: _without_nothing(inner) for key, inner in kept.items()}
    return [_without_nothing(entry) for entry in value] if isinstance(value, list) else value


def validate(model: type[Model], table: Json, config: TomlFile, place: Place) -> Model:
    """A table as its typed settings; ConfigError that lists everything wrong with it."""
    if not isinstance(table, dict):
        raise config.error(place, "must be a table")
    try:
        return model.model_validate(table)
    except ValidationError as error:
        found = [_problem(model, config, place, detail) for detail in error.errors(include_url=False)]
        messages = dict.fromkeys(map(str, found))
        problems = dict.fromkeys(problem for one in found for problem in one.problems)
        raise ConfigError("\n".join(messages), [*problems], config.path) from None


def unknown_key(config: TomlFile, place: Place, known: Iterable[str]) -> ConfigError:
    """The error for a key nobody knows, with the nearest spelling of one that exists."""
    return config.error(place, "unknown key" + nearest(str(place[-1]), known))


def nearest(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'x'?" or, where nothing is near, the list of what is known."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known are {', '.join(names)}" if names else ""


def no_such(name: str, known: Registry[Any]) -> str:
    """Why a registry has nothing of a name: what is wrong with the plug-in of that name, or what is near."""
    missing = f"no {known.what} {name!r}{nearest(name, known.names())}{known.unknown()}"
    return known.problem(name) or missing


def _problem(model: type[BaseModel], config: TomlFile, place: Place, detail: Any) -> ConfigError:
    inner: Place = tuple(part for part in detail["loc"] if not (isinstance(part, str) and set(part) & set("[<")))
    full = place + inner
    if detail["type"] == "extra_forbidden":
        return unknown_key(config, full, _keys_at(model, inner[:-1]))
    if detail["type"] == "missing":
        return config.error(full, "is missing")
    if detail["type"] in ("too_short", "too_long"):
        return config.error(full, _too_few_or_many(detail["ctx"]))
    message = (
        str(detail["msg"])
        .replace("a valid list", 'a list, such as ["..."]')
        .removeprefix("Value error, ")
        .removeprefix("Input should be ")
    )
    found = detail.get("input")
    shown = f", not {found!r}" if isinstance(found, str | int | float | bool) and not looks_secret(str(found)) else ""
    if detail["type"] == "string_pattern_mismatch" and inner and inner[-1] in _PATTERNS:
        return config.error(full, _PATTERNS[str(inner[-1])] + shown)
    return config.error(full, f"must be {message}{shown}" if "Value error" not in detail["msg"] else message)


def _too_few_or_many(context: Any) -> str:
    """What is wrong with the length of a list, in words."""
    least, n = context.get("min_length"), context["actual_length"]
    wanted = f"takes at most {context.get('max_length')}" if least is None else f"needs at least {least}"
    return f"{wanted}; there {'is' if n == 1 else 'are'} {n or 'none'}"


def _keys_at(model: type[BaseModel], inner: Place) -> list[str]:
    """The keys of the table that `inner` leads to, found by walking the field annotations."""
    current: Any = model
    for part in inner:
        if isinstance(part, str) and part in getattr(current, "model_fields", {}):
            current = _model_in(current.model_fields[part].annotation)
    return list(getattr(current, "model_fields", {}))


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        found = _model_in(part)
        if found is not None:
            return found
    return None
