"""A TOML table as typed settings, or a list of everything that is wrong with it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, get_origin

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
    settings: dict[str, Json] = _without_nothing(table.model_dump())
    return settings


def _without_nothing(value: Json) -> Json:
    if isinstance(value, dict):
        fields = {key: inner for key, inner in value.items() if inner is not None or key == "temperature"}
        return {key: _without_nothing(inner) for key, inner in fields.items()}
    return [_without_nothing(entry) for entry in value] if isinstance(value, list) else value


def validate(model: type[Model], table: Json, config: TomlFile, place: Place) -> Model:
    """A table as its typed settings; ConfigError that lists everything wrong with it."""
    if not isinstance(table, dict):
        raise config.error(place, "must be a table")
    try:
        return model.model_validate(table)
    except ValidationError as error:
        errors = [_problem(model, config, place, detail) for detail in error.errors(include_url=False)]
        messages = dict.fromkeys(map(str, errors))
        problems = dict.fromkeys(problem for config_error in errors for problem in config_error.problems)
        raise ConfigError("\n".join(messages), [*problems], config.path) from None


def unknown_key(config: TomlFile, place: Place, known_keys: Iterable[str]) -> ConfigError:
    """The error for a key nobody knows, with the nearest spelling of one that exists."""
    return config.error(place, _unknown(place, [*known_keys]))


def _unknown(place: Place, known_keys: list[str]) -> str:
    return "unknown key" + (_called_here(place, known_keys) or nearest(str(place[-1]), known_keys))


_HERE = {
    "accuracy": "correct",
    "max_tokens": "max_output_tokens",
    "epochs": "repeat",
    "repeats": "repeat",
    "concurrency": "max_concurrency",
}
"""Keys as other programs call them, and what the same is called in a table that has that key."""
_IN_OTHER_TABLES = {
    "epochs": "repeat = N in [run]",
    "repeats": "repeat = N in [run]",
    "temperature": "temperature = 0.0 in the [[models]] entry of the model",
    "scorers": 'scorers = ["..."] at the top of the config, above its tables, or [[scorers]]',
    "scoring": "[scoring], a table of its own beside [run]",
    "scorer": 'scorers = ["..."] at the top of the config',
    "repeat": "repeat = N in [run]",
    "concurrency": "max_concurrency = N in [run]",
}
"""The same of keys that stand in other tables here."""


_BY_TABLE = {
    ("doers", "scorer"): 'scorer = { model = "NAME" } in [panel.benchmark]',
    ("kind", "dataset"): 'dataset = "..." in the table of the kind',
    ("kind", "prompts"): "prompts in the table of the kind",
}
"""The same by a key that the table has in which they stand: of a panel, or the top of a config."""


def _called_here(place: Place, known_keys: Sequence[str]) -> str:
    """Return the name here of a key that other programs have, or where it stands; empty where its name is none of these."""
    word = str(place[-1])
    if _HERE.get(word, "") in known_keys:
        return f"; here it is called {_HERE[word]!r}"
    there = next(
        (location for (key, name), location in _BY_TABLE.items() if name == word and key in known_keys),
        _IN_OTHER_TABLES.get(word),
    )
    return f"; that is {there}" if there else ""


def nearest(word: str, known_names: Iterable[str]) -> str:
    """ "; did you mean 'x'?" or, where nothing is near, the list of what is known."""
    names = sorted(known_names)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known are {', '.join(names)}" if names else ""


def no_such(name: str, registry: Registry[Any]) -> str:
    """Why a registry has nothing of a name: what is wrong with the plug-in of that name, or what is near."""
    missing = f"no {registry.what} {name!r}{nearest(name, registry.names())}{registry.unknown()}"
    return registry.problem(name) or missing


def _problem(model: type[BaseModel], config: TomlFile, place: Place, detail: Any) -> ConfigError:
    inner, message = described(model, detail)
    return config.error(place + inner, message)


def described(model: type[BaseModel], detail: Any) -> tuple[Place, str]:
    """One of the errors of a ValidationError: the key's path within the table, and what is wrong there, in words."""
    inner: Place = tuple(part for part in detail["loc"] if not (isinstance(part, str) and set(part) & set("[<")))
    if detail["type"] == "extra_forbidden":
        return inner, _unknown(inner, [*_keys_at(model, inner[:-1])])
    if detail["type"] == "missing":
        return inner, "is missing" + ("; it is a list of tables, [[...]]" if _rows_at(model, inner) else "")
    if detail["type"] == "list_type" and _rows_at(model, inner):
        return inner, f"must be a list of tables, [[...]]{_not_this(detail.get('input'))}"
    if detail["type"] in ("too_short", "too_long"):
        return inner, _too_few_or_many(detail["ctx"])
    if detail["type"] in _SORTS:
        return inner, f"must be {_SORTS[detail['type']]}{_not_this(detail.get('input'))}"
    message = (
        str(detail["msg"])
        .replace("a valid list", 'a list, such as ["..."]')
        .removeprefix("Value error, ")
        .removeprefix("Input should be ")
    )
    suffix = _not_this(detail.get("input")) + _BESIDE.get(inner[-2:], "")
    if detail["type"] == "string_pattern_mismatch" and inner and inner[-1] in _PATTERNS:
        return inner, _PATTERNS[str(inner[-1])] + suffix
    return inner, f"must be {message}{suffix}" if "Value error" not in detail["msg"] else message


_SORTS = {
    "model_type": "a table, such as { KEY = VALUE }",
    "model_attributes_type": "a table, such as { KEY = VALUE }",
    "dict_type": "a table, such as { KEY = VALUE }",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": 'text, in quotation marks: "..."',
}
"""What a value has to be, by pydantic's name for the mistake."""


_BESIDE: dict[Place, str] = {("benchmark", "mode"): '; other rules are scorers = ["..."] at the top of the config'}
"""What a value cannot say that another key does, by the end of the place."""


def _not_this(value: Any) -> str:
    """Return what stands there instead, where it can be shown."""
    return f", not {value!r}" if isinstance(value, str | int | float | bool) and not looks_secret(str(value)) else ""


def _too_few_or_many(context: Any) -> str:
    """Describe what is wrong with the length of a list, in words."""
    least, n = context.get("min_length"), context["actual_length"]
    requirement = f"takes at most {context.get('max_length')}" if least is None else f"needs at least {least}"
    return f"{requirement}; there {'is' if n == 1 else 'are'} {n or 'none'}"


def _rows_at(model: type[BaseModel], inner: Place) -> bool:
    """Return whether a key holds a list of tables."""
    *table, key = inner
    field = getattr(_table_at(model, tuple(table)), "model_fields", {}).get(str(key))
    return field is not None and get_origin(field.annotation) is list and _model_in(field.annotation) is not None


def _keys_at(model: type[BaseModel], inner: Place) -> list[str]:
    """The keys of the table that `inner` leads to."""
    return [field.alias or name for name, field in getattr(_table_at(model, inner), "model_fields", {}).items()]


def _table_at(model: type[BaseModel], inner: Place) -> Any:
    """The table that `inner` leads to, found by walking the field annotations."""
    current: Any = model
    for part in inner:
        if isinstance(part, str) and part in getattr(current, "model_fields", {}):
            current = _model_in(current.model_fields[part].annotation)
    return current


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        model = _model_in(part)
        if model is not None:
            return model
    return None
