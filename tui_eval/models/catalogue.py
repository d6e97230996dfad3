"""The models a user has on file, and how that file is changed without touching what a person wrote into it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.key_aliases import without_aliases
from tui_eval.workspace.keys import KnownKeys
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.private_files import private_folder, replace_file
from tui_eval.workspace.secret_looks import looks_secret
from tui_eval.workspace.toml_files import TomlFile, dotted, read_toml, toml_document, toml_text
from tui_eval.workspace.validation import nearest, unknown_key, validate

HEAD = "# The models of this workspace: edit this file by hand, or with tui-eval models add, tui-eval models edit and so on.\n"
NOT_AS_WRITTEN = "cannot be changed by the program as it is written; edit it by hand, each model under a line [[models]]"

Check = Callable[[ModelTable], str]
"""What is wrong with a model's wire (which wires there are is not known here); "" where nothing is."""


def models_on_file(workspace: Workspace) -> dict[str, tuple[ModelTable, TomlFile]]:
    """The models of .conf/models.toml by name, with the file they stand in; where there is none yet, those that come with the
    program."""
    file = catalogue_file(workspace)
    return {table.name: (table, file) for table in _only_models(file)}


def names_on_file(workspace: Workspace) -> list[str]:
    """Return the names of models on file, here and at their providers, those with a maker also without; none where
    the file cannot be read, which whoever needs it says."""
    try:
        tables = [table for table, _ in models_on_file(workspace).values()]
    except ConfigError:
        return []
    return [word for table in tables for name in (table.name, table.model) for word in (name, *name.split("/"))]


def catalogue_file(workspace: Workspace) -> TomlFile:
    """The file of models as it stands, or as the first change will write it: with the models that come with the program."""
    path = workspace.models_file
    on_file = os.path.lexists(path)
    return read_toml(path, workspace.root) if on_file else replace(read_toml(_shipped_models()), path=path)


def catalogue_text(workspace: Workspace) -> str:
    """The same as text. ConfigError where it cannot be read."""
    path = workspace.models_file
    return toml_text(path, workspace.root) if os.path.lexists(path) else toml_text(_shipped_models())


def _shipped_models() -> Path:
    return shipped("catalogue") / "models.toml"


def _only_models(file: TomlFile) -> list[ModelTable]:
    for key in file.content:
        if key != "models":
            raise unknown_key(file, (key,), ["models"])
    return model_tables(file)


def model_tables(file: TomlFile) -> list[ModelTable]:
    """The `[[models]]` of a file. ConfigError for a mistake in one, or two of one name."""
    entries = file.content.get("models", [])
    if not isinstance(entries, list):
        raise file.error(("models",), "must be a list of tables: [[models]]")
    if any(isinstance(entry, str) for entry in entries):
        whom = 'names go in the table of the kind, such as models = ["NAME"] in [choice]'
        raise file.error(("models",), f"must be tables, [[models]] with name, wire and model; {whom}")
    tables = [validate(ModelTable, entry, file, ("models", i)) for i, entry in enumerate(entries)]
    names: set[str] = set()
    for i, table in enumerate(tables):
        if table.name in names:
            raise file.error(("models", i, "name"), f"a second model named {table.name!r}")
        names.add(table.name)
    return tables


# ------------------------------------------------------------------------------------------------------ changing the models


def add_model(workspace: Workspace, name: str, settings: Mapping[str, Json], check: Check | None = None) -> ModelTable:
    """Put a new model on file. `settings`: values by key, such as {"model": "gpt-5-mini", "price.input": 0.25}.

    ConfigError for a name that is taken, a setting that is wrong, or one that holds a key.
    """
    with _models_for_change(workspace, check) as models:
        return models.add(name, settings)


def edit_model(
    workspace: Workspace,
    name: str,
    settings: Mapping[str, Json],
    unset: Sequence[str] = (),
    check: Check | None = None,
) -> ModelTable:
    """Change a model on file: set some keys, drop others. The rest of the file stays as it is, comments included."""
    with _models_for_change(workspace, check) as models:
        return models.edit(name, settings, unset)


def put_models(
    workspace: Workspace, models: Mapping[str, Mapping[str, Json]], check: Check | None = None
) -> dict[str, ModelTable]:
    """Add or edit several models, all of them or none; returns them as they are then."""
    with _models_for_change(workspace, check) as catalogue:
        return {
            name: catalogue.edit(name, settings, ()) if name in catalogue.tables else catalogue.add(name, settings)
            for name, settings in models.items()
        }


def copy_model(workspace: Workspace, name: str, new: str) -> ModelTable:
    """Put a second model on file that differs from the first in its name alone."""
    with _models_for_change(workspace, None) as models:
        return models.copy(name, new)


def set_enabled(workspace: Workspace, name: str, enabled: bool) -> ModelTable:
    """Say whether runs may use a model."""
    return edit_model(workspace, name, {"enabled": enabled})


def delete_model(workspace: Workspace, name: str) -> None:
    """Take a model from the file."""
    with _models_for_change(workspace, None) as models:
        models.delete(name)


@dataclass(slots=True)
class _Models:
    """The models of a file while it is being changed: each with its own piece of the text, in the order of the file."""

    path: Path
    tables: dict[str, dict[str, Json]]
    """The content each model has to have in the end, by its name."""
    pieces: list[tuple[str | None, str]]
    """The whole text: (a model's name, or None for what stands between models; the text)."""
    check: Check | None

    def add(self, name: str, settings: Mapping[str, Json]) -> ModelTable:
        self._check_free(name)
        return self._append(name, "[[models]]\n", {"name": name} | dict(settings) | {"name": name}, {})

    def edit(self, name: str, settings: Mapping[str, Json], unset: Sequence[str]) -> ModelTable:
        text = self._piece(name)
        new_name = settings.get("name", name)
        if isinstance(new_name, str) and new_name != name:
            self._check_free(new_name)
        changed = _applied(self.tables[name], settings, unset, self.path)
        table = self._checked(name, changed)
        if changed != self.tables[name]:
            different = {key: value for key, value in settings.items() if _value(self.tables[name], key) != value}
            text = _edited_text(text, different, unset, self.path)
            self.pieces = [(table.name, text) if piece[0] == name else piece for piece in self.pieces]
            self.tables = {table.name if key == name else key: value for key, value in self.tables.items()}
            self.tables[table.name] = changed
        return table

    def copy(self, name: str, new: str) -> ModelTable:
        lines = self._piece(name).strip("\r\n").split("\n")
        self._check_free(new)
        start = next(i for i, line in enumerate(lines) if line.lstrip().startswith("["))
        return self._append(new, "\n".join(lines[start:]) + "\n", {"name": new}, self.tables[name])

    def delete(self, name: str) -> None:
        self._piece(name)
        self.pieces = [piece for piece in self.pieces if piece[0] != name]
        del self.tables[name]

    def text(self) -> str:
        return "".join(text for _, text in self.pieces)

    def _append(self, name: str, text: str, settings: Mapping[str, Json], before: Mapping[str, Json]) -> ModelTable:
        table = _applied(before, settings, (), self.path)
        model = self._checked(name, table)
        so_far = self.text() or HEAD
        gap = "" if so_far.endswith("\n\n") else "\n" if so_far.endswith("\n") else "\n\n"
        self.pieces += [(None, gap if self.text() else HEAD + gap), (name, _edited_text(text, settings, (), self.path))]
        self.tables[name] = table
        return model

    def _piece(self, name: str) -> str:
        if name not in self.tables:
            raise ConfigError(f"no model named {name!r} in {self.path}{nearest(name, self.tables)}")
        return next(text for owner, text in self.pieces if owner == name)

    def _check_free(self, name: str) -> None:
        if name in self.tables:
            raise ConfigError(f"a model named {name!r} already exists in {self.path}; choose another name, or edit that one")
        if not name.isprintable() or not name.strip() or name != name.strip() or "," in name:
            raise ConfigError(f"model name {name!r}: use visible characters, and no comma (--models takes several names)")

    def _checked(self, name: str, table: dict[str, Json]) -> ModelTable:
        refuse_keys(f"model {name!r}", table)
        place = TomlFile(self.path, {}, {})
        try:
            model = validate(ModelTable, table, place, ())
        except ConfigError as error:
            raise ConfigError(str(error).replace(f"{self.path}: ", f"model {name!r}: ")) from None
        problem = self.check(model) if self.check else ""
        if problem:
            raise ConfigError(f"model {name!r}: wire: {problem}")
        return model


@contextmanager
def _models_for_change(workspace: Workspace, check: Check | None) -> Iterator[_Models]:
    """The models as they are, under the lock; what was done to them is on file afterwards, unless an error was raised."""
    with private_folder(workspace):
        path = workspace.models_file
        file = catalogue_file(workspace)
        names = [table.name for table in _only_models(file)]
        entries = file.content.get("models", [])
        before = catalogue_text(workspace)
        starts = [file.lines.get(("models", i)) for i in range(len(names))]
        if None in starts or (not names and "models" in file.content):
            raise ConfigError(f"{file.where(('models',))}: {NOT_AS_WRITTEN}")
        models = _Models(path, dict(zip(names, entries, strict=True)), _pieces(before, names, [n or 0 for n in starts]), check)
        yield models
        if models.text() != before:
            if KnownKeys([workspace.env_file]).redact(models.text()) != models.text():
                raise ConfigError(f"{path}: would hold the value of one of your keys; name its variable (api_key_env) instead")
            replace_file(path, models.text(), lambda new_file: _check_written(new_file, path, models.tables), workspace.root)


def _check_written(new_file: Path, path: Path, tables: Mapping[str, Json]) -> None:
    """Raise ConfigError unless the new text says what it was meant to say."""
    try:
        file = replace(read_toml(new_file), path=path)
        _only_models(file)
    except ConfigError:
        file = TomlFile(path, {}, {})
    if file.content.get("models", []) != [*tables.values()]:
        raise ConfigError(f"{path}: {NOT_AS_WRITTEN}")


def _pieces(text: str, names: Sequence[str], starts: Sequence[int]) -> list[tuple[str | None, str]]:
    """The text cut at its models. To a model belong the comments right above it and the blank lines below it."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    firsts = [*(_first_line(lines, start - 1) for start in starts), len(lines)]
    pieces: list[tuple[str | None, str]] = [(None, "".join(lines[: firsts[0]]))]
    for name, first, start, after in zip(names, firsts[:-1], starts, firsts[1:], strict=True):
        end = _end_line(lines, start - 1, after)
        pieces += [(name, "".join(lines[first:end])), (None, "".join(lines[end:after]))]
    return [piece for piece in pieces if piece[1]]


def _first_line(lines: Sequence[str], header: int) -> int:
    while header > 0 and lines[header - 1].lstrip().startswith("#"):
        header -= 1
    return header


def _end_line(lines: Sequence[str], header: int, after: int) -> int:
    end = max(i for i in range(header, after) if lines[i].strip() and not lines[i].lstrip().startswith("#")) + 1
    while end < after and lines[end].lstrip().startswith("#"):
        end += 1
    while end < after and not lines[end].strip():
        end += 1
    return end


def _applied(table: Mapping[str, Json], settings: Mapping[str, Json], unset: Sequence[str], path: Path) -> dict[str, Json]:
    """A model's content with some keys set and others dropped."""
    changed: dict[str, Json] = _copied(table)
    for key in unset:
        inner, last = _inner(changed, key, make=False)
        if not isinstance(inner, dict) or last not in inner:
            raise ConfigError(f"--unset {key}: {path} has no such key there{nearest(key, table)}")
        _drop(changed, key.split("."))
    for key, value in settings.items():
        inner, last = _inner(changed, key, make=True)
        if not isinstance(inner, dict):
            raise ConfigError(f"{key}: {key.rpartition('.')[0]} is a value, not a table")
        inner[last] = value
    return changed


def _inner(table: Any, key: str, make: bool) -> tuple[Any, str]:
    """The table that a dotted key leads to, and the last part of the key; None where there is no such table."""
    *parts, last = key.split(".")
    for part in parts:
        if not isinstance(table, dict) or (part not in table and not make):
            return None, last
        table = table.setdefault(part, {})
    return table, last


def _drop(table: Any, parts: Sequence[str]) -> None:
    """Take a key out, and the tables around it that are empty then."""
    if len(parts) > 1:
        _drop(table[parts[0]], parts[1:])
    if len(parts) == 1 or (parts[0] in table and not table[parts[0]]):
        del table[parts[0]]


def _value(table: Mapping[str, Json], key: str) -> Json:
    """Return the value of a dotted key, None where it is not there."""
    inner, last = _inner(table, key, make=False)
    return inner.get(last) if isinstance(inner, Mapping) else None


def _edited_text(text: str, settings: Mapping[str, Json], unset: Sequence[str], path: Path) -> str:
    """The same done to the text of one [[models]] table."""
    import tomlkit  # only here: commands that change no model need not wait for it
    from tomlkit.exceptions import TOMLKitError

    try:
        document = toml_document(text)
        table: Any = document["models"][0]
        without_aliases(document)
        for key in unset:
            _drop(table, key.split("."))
        for key, value in settings.items():
            *parts, last = key.split(".")
            inner = table
            for part in parts:
                if part not in inner:
                    inner[part] = tomlkit.inline_table()
                inner = inner[part]
            inner[last] = _as_toml(value)
        return tomlkit.dumps(document)
    except (TOMLKitError, ValueError):
        raise ConfigError(f"{path}: {NOT_AS_WRITTEN}") from None


def _as_toml(value: Json) -> Any:
    import tomlkit  # only here: see _edited_text

    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update({key: _as_toml(inner) for key, inner in value.items()})
        return table
    return tomlkit.item(value)


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


# ---------------------------------------------------------------------------------------------------- what may not be in it

_SECRET_NAMES = re.compile(
    r"(x-)?(goog-)?api-?key|(proxy-)?authorization|(extra-|default-|http-)?headers?|(set-)?cookie|bearer|password|passwd|"
    r"(client-)?secret|(access-|auth-|bearer-)?token|credentials?"
)
_SECRET_QUERY = re.compile(r"(api-?|subscription-)?key|code|sig|signature|(access-|auth-)?token|secret")


def refuse_keys(whose: str, table: Mapping[str, Json]) -> None:
    """Raise ConfigError, without showing it, where a setting holds a key or is a place for one."""
    for place, value in _settings(table, ()):
        looks = isinstance(value, str) and place not in (("name",), ("model",)) and looks_secret(value)
        if looks or any(_SECRET_NAMES.fullmatch(part.lower().replace("_", "-")) for part in place):
            raise ConfigError(
                f"{whose}: {dotted(place)}: keys are not kept here. Put the key into .env with tui-eval keys set NAME, "
                "and name its variable: --set api_key_env=NAME"
            )
    _check_address(whose, table.get("base_url"))


def _check_address(whose: str, url: Json) -> None:
    if not isinstance(url, str):
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ConfigError(f"{whose}: base_url is not an http(s) address") from None
    try:
        odd_port = "${" not in url and parts.port == 0
    except ValueError:
        raise ConfigError(f"{whose}: base_url {url!r}: its port is not a number from 1 to 65535") from None
    if odd_port or ("${" not in url and not (parts.scheme in ("http", "https") and parts.netloc)):
        raise ConfigError(f"{whose}: base_url is not an http(s) address; it looks like https://host/v1")
    query = [key.lower().replace("_", "-") for key, value in parse_qsl(parts.query) if not value.startswith("${")]
    if "@" in parts.netloc or any(_SECRET_QUERY.fullmatch(key) for key in query):
        raise ConfigError(
            f"{whose}: base_url must not hold a name, password or key; put the key into .env with tui-eval keys set NAME, "
            "and name its variable: --set api_key_env=NAME"
        )


def _settings(value: Json, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Every key of a table, however deep, and its value."""
    for key, inner in value.items() if isinstance(value, dict) else [(str(i), inner) for i, inner in enumerate(value)]:
        yield (*place, key), inner
        if isinstance(inner, dict | list):
            yield from _settings(inner, (*place, key))
