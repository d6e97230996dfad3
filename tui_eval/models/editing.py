"""A model on file while a person changes it: what is wrong with it, field by field, and what has to be written then."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, Place
from tui_eval.models.catalogue import add_model, catalogue_text, edit_model, model_tables, refuse_keys
from tui_eval.models.destinations import say_yes_to
from tui_eval.models.model_selection import wire_problem
from tui_eval.providers import WIRES
from tui_eval.workspace.keys import KnownKeys
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import private_folder, replace_file
from tui_eval.workspace.toml_files import TomlFile, parse_toml, read_toml
from tui_eval.workspace.validation import no_such, unknown_key, validate

TABLES = ("price", "limits")
"""Tables of a model whose keys are changed one by one."""
NO_KEYS_HERE = (
    "this looks like a key: keys are not kept here, and it was discarded. K in the list of models stores a key; this field "
    "takes the name of its variable (api_key_env). Esc continues"
)


def wire_choices() -> list[tuple[str, str]]:
    """The interfaces that a model can be asked through, each with what is to be known of it."""
    choices = []
    for name, wire in WIRES.every().items():
        where = "simulated models, no key" if wire.simulated else wire.base_url or "the address of your resource (base_url)"
        if not wire.recorded:
            choices.append((name, f"{where}  {wire.key_env or ''}".rstrip()))
    return choices


def content_of(table: ModelTable) -> dict[str, Json]:
    """Return the content on file of a model, key by key; nothing that holds by itself."""
    content: dict[str, Json] = table.model_dump(exclude_unset=True)
    return {key: value for key, value in content.items() if value is not None}


def name_problem(name: str, other_names: Collection[str]) -> str:
    """Return the problem of a model's name; empty where there is none."""
    if name in other_names:
        return f"a model named {name!r} already exists; choose another name"
    if not name.strip():
        return "give it a name"
    if not name.isprintable() or name != name.strip() or "," in name:
        return "use visible characters, no comma and no blank at an end"
    return "" if len(name) <= 200 else "use at most 200 characters"


def looks_like_key(place: Place, value: Json) -> bool:
    """Return whether a value is, or holds, what may be a key: that is neither shown nor kept."""
    table: Any = value
    for part in reversed(place):
        table = {str(part): table}
    try:
        refuse_keys("", table)
    except ConfigError as error:
        return "keys are not kept here" in str(error) or "password or key" in str(error)
    return False


def checked(content: Mapping[str, Json], other_names: Collection[str]) -> tuple[ModelTable | None, dict[Place, str]]:
    """A model as it is filled in, and what is wrong with it by field. None where no model comes of it.

    `other_names`: names of other models.
    """
    file = TomlFile(Path("the form"), {}, {})
    problems = _text_problems(content, other_names)
    try:
        table = validate(ModelTable, dict(content), file, ())
    except ConfigError as error:
        return None, {**dict(error.problems), **problems}
    wrong = wire_problem(table)
    if wrong and table.model:
        problems.setdefault(("wire",), wrong)
    return table, problems


def _text_problems(content: Mapping[str, Json], other_names: Collection[str]) -> dict[Place, str]:
    """Return the problems that the types do not tell: a name that is taken, a value like a key, an address that is none."""
    problems: dict[Place, str] = {}
    name = content.get("name")
    if isinstance(name, str) and name_problem(name, other_names):
        problems["name",] = name_problem(name, other_names)
    wire = content.get("wire")
    if isinstance(wire, str) and wire and wire not in WIRES:
        problems["wire",] = no_such(wire, WIRES)
    for key, value in content.items():
        if looks_like_key((key,), value):
            problems[key,] = NO_KEYS_HERE
            continue
        try:
            refuse_keys("", {key: value})
        except ConfigError as error:
            problems[key,] = str(error).removeprefix(": ").removeprefix(f"{key} ")
    return problems


def keep(workspace: Workspace, before: ModelTable | None, after: Mapping[str, Json]) -> ModelTable:
    """Put a model on file as it was filled in; what is not another than before is not touched.

    ConfigError where it cannot be written, or is not sound.
    """
    name = after.get("name")
    if not isinstance(name, str):
        raise ConfigError("name: give it a name")
    settings, unset = changes({} if before is None else content_of(before), after)
    if before is None:
        table = add_model(workspace, name, {key: value for key, value in settings.items() if key != "name"}, wire_problem)
    else:
        table = edit_model(workspace, before.name, settings, unset, wire_problem)
    say_yes_to(workspace, table, settings)
    return table


def changes(before: Mapping[str, Json], after: Mapping[str, Json]) -> tuple[dict[str, Json], list[str]]:
    """(what has to be set by dotted key, which dotted keys have to go) to make the one of the other."""
    old, new = _dotted(before), _dotted(after)
    return {key: value for key, value in new.items() if key not in old or old[key] != value}, [
        key for key in old if key not in new
    ]


def _dotted(content: Mapping[str, Json]) -> dict[str, Json]:
    dotted: dict[str, Json] = {}
    for key, value in content.items():
        if key in TABLES and isinstance(value, Mapping):
            dotted |= {f"{key}.{inner}": setting for inner, setting in value.items() if setting is not None}
        elif value is not None:
            dotted[key] = value
    return dotted


# ------------------------------------------------------------------------------------------------- the file as it is written


def file_text(workspace: Workspace) -> str:
    """The text of the models on file. ConfigError where it cannot be read."""
    return catalogue_text(workspace)


def file_problem(workspace: Workspace, text: str) -> str:
    """Return the problem of a text that is to be the file of models; empty where there is none."""
    try:
        _check_file(parse_toml(workspace.models_file, text))
    except ConfigError as error:
        return str(error)
    return ""


def keep_file(workspace: Workspace, text: str, before: str) -> None:
    """Put a text in the place of the file of models. ConfigError where it is not sound, or no longer what it was `before`."""
    path = workspace.models_file
    with private_folder(workspace):
        if file_text(workspace) != before:
            raise ConfigError(f"{path}: was changed meanwhile by another program; nothing was written")
        if KnownKeys([workspace.env_file]).redact(text) != text:
            raise ConfigError(f"{path}: would hold the value of one of your keys; name its variable (api_key_env) instead")
        replace_file(path, text, lambda new_file: _check_file(read_toml(new_file)), workspace.root)


def _check_file(file: TomlFile) -> None:
    for key in file.content:
        if key != "models":
            raise unknown_key(file, (key,), ["models"])
    for number, table in enumerate(model_tables(file)):
        refuse_keys(file.where(("models", number)), file.content["models"][number])
        if table.wire and table.wire not in WIRES:
            raise file.error(("models", number, "wire"), no_such(table.wire, WIRES))
