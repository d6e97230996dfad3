"""Settings that the command line gives with --set, put into a config."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, Place
from tui_eval.workspace.key_aliases import canonical
from tui_eval.workspace.toml_files import TomlFile, copied, toml_of

_INDEX = re.compile(r"(?<=[^.\s])\[([0-9]+)\](?=[.\[]|\s*$)")
"""A place in a list as errors write it: the [0] of models[0].name."""


def override(config: TomlFile, settings: Iterable[str]) -> TomlFile:
    """The config with `key.path=value` settings from the command line applied; values are TOML, else plain text."""
    content = copied(config.content)
    origins = dict(config.given)
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or any("\ud800" <= letter <= "\udfff" for letter in setting):
            raise ConfigError(f"--set {setting}: write it as key.path=value, for example --set run.max_calls=50")
        places = _put(content, canonical(path_of(name)), _toml_value(value.strip()), setting)
        origins |= dict.fromkeys(places, f"--set {name.strip()}")
    return replace(config, content=content, given=origins)


def path_of(name: str) -> Place:
    """The path of a key as a person writes it, models.0.name, or as errors do, models[0].name."""
    words = _INDEX.sub(r".\1", name.strip()).split(".")
    return tuple(int(word) if word.isascii() and word.isdigit() else word for word in words)


def _put(content: dict[str, Json], path: Place, value: Json, setting: str) -> list[Place]:
    """Put a value into a config; where it stands, and the tables that were made on the way there."""
    table: Any = content
    place: Place = ()
    new_tables: list[Place] = []
    for part in path[:-1]:
        place += (str(part) if isinstance(table, dict) else part,)
        if isinstance(table, dict) and place[-1] not in table:
            new_tables.append(place)
        table = _step(table, part, setting)
    last = str(path[-1]) if isinstance(table, dict) else path[-1]
    _assign(table, path[-1], value, setting)
    return [*new_tables, (*place, last)]


def _toml_value(text: str) -> Json:
    try:
        return toml_of(f"value = {text}")["value"]
    except ValueError:
        return text


def _step(table: Any, part: str | int, setting: str) -> Any:
    if isinstance(part, int) and isinstance(table, list) and part < len(table):
        return table[part]
    if isinstance(table, dict):
        return table.setdefault(str(part), {})
    raise ConfigError(f"--set {setting}: the config has no {part!r} there")


def _assign(table: Any, part: str | int, value: Json, setting: str) -> None:
    if isinstance(part, int) and isinstance(table, list) and part < len(table):
        table[part] = value
    elif isinstance(table, dict):
        table[str(part)] = value
    else:
        raise ConfigError(f"--set {setting}: the config has no {part!r} there")
