"""Settings that the command line gives with --set, put into a config."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, Place
from tui_eval.workspace.toml_files import TomlFile, copied


def override(config: TomlFile, settings: Iterable[str]) -> TomlFile:
    """The config with `key.path=value` settings from the command line applied; values are TOML, else plain text."""
    content = copied(config.content)
    given: dict[Place, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or any("\ud800" <= letter <= "\udfff" for letter in setting):
            raise ConfigError(f"--set {setting}: write it as key.path=value, for example --set run.max_calls=50")
        table: Any = content
        parts: list[str | int] = [int(p) if p.isascii() and p.isdigit() else p for p in name.strip().split(".")]
        for part in parts[:-1]:
            table = _step(table, part, setting)
        _assign(table, parts[-1], _toml_value(value.strip()), setting)
        given[tuple(parts)] = setting
    return TomlFile(config.path, content, config.lines, given)


def _toml_value(text: str) -> Json:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
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
