"""Which texts of a config name models and which are paths, and how paths read from another folder."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tui_eval.configuring.drafting.fields import Field, Names
from tui_eval.configuring.drafting.schema import schema
from tui_eval.core.calls import Json
from tui_eval.core.errors import Place
from tui_eval.kinds import KINDS

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
        known = {inner.key: inner for inner in field.fields}
        return {key: _mapped(known[key], inner, change) if key in known else inner for key, inner in value.items()}
    if field.sort == "tables" and isinstance(value, list):
        return [_mapped(_each(field), entry, change) for entry in value]
    return value


def _each(field: Field) -> Field:
    return Field(field.key, "table", fields=field.fields)


def _changed(value: Json, change: Change, names: Names) -> Json:
    if isinstance(value, str):
        return change(value, names)
    return [_changed(entry, change, names) for entry in value] if isinstance(value, list) else value
