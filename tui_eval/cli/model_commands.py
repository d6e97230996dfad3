"""The verbs about models: list, add, edit, copy, switch, delete, import. Data on stdout, narration on stderr."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tui_eval.cli.standard_error import narrate, tell
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import visible
from tui_eval.models.catalogue import (
    add_model,
    copy_model,
    delete_model,
    edit_model,
    models_on_file,
    put_models,
    set_enabled,
)
from tui_eval.models.destinations import say_yes_to
from tui_eval.models.listing import Advice, ModelEntry, entry_of, sentences
from tui_eval.models.model_selection import assumed_wire, guessed_wire, wire_problem, with_defaults
from tui_eval.models.prices import SAME_PRICES, Prices, prices_file, read_prices
from tui_eval.models.registries import TEMPLATE, FoundModel, FoundPrice, RegistryContents, read_model_files
from tui_eval.providers import WIRES
from tui_eval.results.tables import aligned
from tui_eval.workspace.key_files import check_key_files, has_key, keys_in
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.overrides import override, path_of
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import private_folder, replace_file
from tui_eval.workspace.toml_files import TomlFile, toml_document, toml_text
from tui_eval.workspace.trust import Permit, file_permitted, permit, trust_host

_MISSING = re.compile(r": (?P<key>model|\w+\.[\w.]+): is missing$", re.MULTILINE)
_NO_PRICE = re.compile(r"(?<=: price: )must be a table, such as \{ KEY = VALUE \}")
_PRICE_KEYS = "needs two values (USD per million tokens): --set price.input=... --set price.output=..."
COLUMNS = ("name", "wire", "model", "key", "in $/M", "out $/M", "state")


def execute(options: argparse.Namespace, workspace: Workspace) -> int:
    """Do what was asked; returns the exit code."""
    return DONE[options.verb](options, workspace)


def _add(options: argparse.Namespace, workspace: Workspace) -> int:
    with _next_steps():
        settings = _settings(options.set)
        table = add_model(workspace, options.name, settings, wire_problem)
    say_yes_to(workspace, table, settings)
    return _say_more(table, "added to", options, workspace)


def _change(options: argparse.Namespace, workspace: Workspace) -> int:
    settings = _settings(options.set)
    if not settings and not options.unset:
        raise ConfigError("models edit: say what to change: --set KEY=VALUE or --unset KEY")
    before = models_on_file(workspace).get(options.name)
    with _next_steps():
        table = edit_model(workspace, options.name, settings, options.unset, wire_problem)
    say_yes_to(workspace, table, settings)
    _say_more(table, "changed in", options, workspace)
    if before is not None:
        _say_changes(before[0], table)
    return 0


def _copy(options: argparse.Namespace, workspace: Workspace) -> int:
    copy_model(workspace, options.name, options.new)
    return _say(f"{options.new}: a copy of {options.name}, in {workspace.models_file}")


def _enable(options: argparse.Namespace, workspace: Workspace) -> int:
    set_enabled(workspace, options.name, True)
    return _say(f"{options.name}: enabled in {workspace.models_file}")


def _disable(options: argparse.Namespace, workspace: Workspace) -> int:
    set_enabled(workspace, options.name, False)
    return _say(f"{options.name}: disabled in {workspace.models_file}; a run that names it is refused")


def _delete(options: argparse.Namespace, workspace: Workspace) -> int:
    delete_model(workspace, options.name)
    return _say(f"{options.name}: deleted from {workspace.models_file}")


def _trust(options: argparse.Namespace, workspace: Workspace) -> int:
    if not options.host:
        walks = [file_permitted(path) for path in options.file]
        if options.key or not (options.plug_in or walks):
            raise ConfigError("models trust: name a host, such as api.example.com, a folder (--file) or a plug-in (--plug-in)")
        permits = [*(Permit("plug-in", name, "") for name in options.plug_in), *(Permit("file", path, "") for path in walks)]
        permit(workspace.root, permits)
        words = [
            *(f"{name}: may be used here" for name in options.plug_in),
            *(f"{path}: may be looked through" for path in walks),
        ]
        return _say(f"{'; '.join(words)}; {workspace.trust_file} lists what may")
    permit(workspace.root, [Permit("plug-in", name, "") for name in options.plug_in])
    host = trust_host(workspace, options.host, options.key, options.file)
    contents = [*options.key, *map(str, options.file)] or ["prompts and documents"]
    return _say(f"{host}: may be sent {' and '.join(contents)}; {workspace.trust_file} lists what may go where")


@contextmanager
def _next_steps() -> Iterator[None]:
    """Extend a ConfigError on a model's settings by the option to give where a key of a table is missing, or all of it."""
    try:
        yield
    except ConfigError as error:
        message = _MISSING.sub(lambda match: f"{match[0]}; give it, too: --set {_example(match['key'])}", str(error))
        raise ConfigError(_NO_PRICE.sub(_PRICE_KEYS, message), error.problems, error.file) from None


def _example(key: str) -> str:
    """A setting to fill in."""
    return "model=ID, the provider's id of it" if key == "model" else f"{key}=..."


def _settings(assignments: Sequence[str]) -> dict[str, Json]:
    """KEY=VALUE settings by key."""
    settings: dict[str, Json] = {}
    for setting in assignments:
        value: Json = override(TomlFile(Path(), {}, {}), [setting]).content
        path = [str(part) for part in path_of(setting.partition("=")[0])]
        for part in path:
            value = value[part]
        settings[".".join(path)] = value
    return settings


def _say(text: str) -> int:
    narrate(text)
    return 0


# ------------------------------------------------------------------------------------------------------- what is to be said


def _say_more(table: ModelTable, action: str, options: argparse.Namespace, workspace: Workspace) -> int:
    """Say a model's details for a run: its wire, its key, its price."""
    _say(f"{table.name}: {action} {workspace.models_file}")
    entry = entry_of(table, workspace, keys_in(_key_files(options, workspace)))
    for topic, sentence in sentences(entry, _advice(entry)):
        if topic != "where" or entry.needs_address:
            _say(f"  {topic:<5}  {sentence}")
    return 0


def _advice(entry: ModelEntry) -> Advice:
    """The commands that mend a model."""
    return Advice(
        wire=_edit(entry.name, "wire=..."),
        where=_edit(entry.name, "base_url=https://..."),
        key=f"tui-eval keys set {entry.key}",
        no_key=_edit(entry.name, "api_key_env=NAME"),
        price=_edit(entry.name, "price.input=... --set price.output=..."),
    )


def _say_changes(before: ModelTable, after: ModelTable) -> None:
    """Say the old and the new value of each changed setting."""
    old, new = before.model_dump(), after.model_dump()
    changed = {name: (old[name], new[name]) for name in new if old[name] != new[name]}
    for name, values in changed.items():
        was, now = ("not set" if value is None else json.dumps(value) for value in values)
        _say(f"  {name}: {was} -> {now}")
    if not changed:
        _say("  nothing has changed")


def _edit(name: str, setting: str) -> str:
    return f"tui-eval models edit {shlex.quote(name)} --set {setting}"


def _filled(table: ModelTable, workspace: Workspace) -> ModelTable:
    """A model as a run would have it."""
    return with_defaults(table.model_copy(update={"wire": assumed_wire(table)}), workspace)


def _key_files(options: argparse.Namespace, workspace: Workspace) -> list[Path]:
    files = [path for path in (options.keys_file, workspace.env_file) if path is not None]
    check_key_files(files)
    return files


# ------------------------------------------------------------------------------------------------------------------ the list


def _list(options: argparse.Namespace, workspace: Workspace) -> int:
    keys = keys_in(_key_files(options, workspace))
    tables = [table for table, _ in models_on_file(workspace).values()]
    entries = [_entry(entry_of(table, workspace, keys), table) for table in tables]
    if options.json:
        print(json.dumps(entries, indent=2, ensure_ascii=True))
    elif not entries:
        _say(f"no models in {workspace.models_file}; put one there: tui-eval models add NAME --set model=gpt-5-mini")
    else:
        numeric = tuple(column in ("in $/M", "out $/M") for column in COLUMNS)
        print(aligned(COLUMNS, [_row(entry) for entry in entries], numeric))
        print(visible("\n".join(["", *_places(entries), *_missing_keys(entries), *_price_dates(entries)])))
    return 0


def _places(entries: Sequence[Mapping[str, Json]]) -> list[str]:
    """Return a note on each model that is asked at another address than its wire's own."""
    return [f"{entry['name']} is asked at {entry['where']}" for entry in entries if entry["base_url"]]


def _missing_keys(entries: Sequence[Mapping[str, Json]]) -> list[str]:
    missing = sorted({entry["key"] for entry in entries if entry["key"] and not entry["key_is_set"]})
    return [f"not set: {name}; to store it: tui-eval keys set {name}" for name in missing]


def _price_dates(entries: Sequence[Mapping[str, Json]]) -> list[str]:
    """Return a note on the age of the oldest price."""
    dates = [entry["price"]["date"] for entry in entries if entry["price"] and entry["price"]["date"]]
    return [f"prices are in USD per million tokens, as of {min(dates)} or later"] if dates else []


def _entry(entry: ModelEntry, table: ModelTable) -> dict[str, Json]:
    """A model as tui-eval models list --json has it. Whether its key is set, never the key."""
    return {
        "name": entry.name,
        "wire": entry.wire,
        "wire_problem": entry.wire_problem,
        "model": entry.model,
        "base_url": table.base_url,
        "where": entry.where or None,
        "simulated": entry.simulated,
        "key": entry.key or None,
        "key_is_set": entry.key_is_set,
        "price": entry.price.model_dump() if entry.price else None,
        "status": table.status,
        "enabled": table.enabled,
    }


def _row(entry: Mapping[str, Json]) -> list[str]:
    price = entry["price"] or {}
    key = ("set" if entry["key_is_set"] else "NOT SET") if entry["key"] else "-"
    figures = [f"{price[side]:g}" if price else "-" for side in ("input", "output")]
    wire = (
        f"{entry['wire'] or '?'} ({'not known' if entry['wire'] else 'not told by the id'})"
        if entry["wire_problem"]
        else entry["wire"]
    )
    state = entry["status"] if entry["enabled"] else "disabled"
    return [entry["name"], wire, entry["model"], key, *figures, state + (" (simulated)" if entry["simulated"] else "")]


# ---------------------------------------------------------------------------------------------------------------- the import


def _import(options: argparse.Namespace, workspace: Workspace) -> int:
    imported = read_model_files(options.files)
    _prices_on_file(workspace)
    before = {name: table for name, (table, _) in models_on_file(workspace).items()}
    settings = _by_name(imported.models, before, workspace)
    after = put_models(workspace, settings, wire_problem) if settings else {}
    for note in imported.notes:
        tell(note)
    for name, table in after.items():
        status = "added" if name not in before else "as it was" if table == before[name] else "updated"
        _say(f"{name}: {status} ({table.wire}, {table.model})")
        if table.base_url is None and WIRES[table.wire].base_url is None:
            tell(f"  {table.wire} needs the address of your resource: {_edit(name, 'base_url=https://...')}")
    keys = sorted({full.api_key_env for full in (_filled(table, workspace) for table in after.values()) if full.api_key_env})
    for key in keys:
        if not has_key(key, _key_files(options, workspace)):
            tell(f"{key} is not set: tui-eval keys set {key}")
    _import_prices(imported, workspace)
    return 0


def _template(options: argparse.Namespace, workspace: Workspace) -> int:
    """A model file as others keep them, to be filled in: its name begins with _, so that an import leaves it out."""
    path: Path = options.file or workspace.root / "models" / "_template.json"
    if os.path.lexists(path):
        raise ConfigError(f"{path}: already exists, and is not overwritten; name another file: tui-eval models template FILE")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(TEMPLATE, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
    return _say(f"{path}: written; fill in a copy under another name, then: tui-eval models import {path.parent}")


def _by_name(
    models: Sequence[FoundModel], before: Mapping[str, ModelTable], workspace: Workspace
) -> dict[str, Mapping[str, Json]]:
    """The settings to put on file by model name. ConfigError where a name already means another model, but for the models that
    came with the program and nobody has written down: they give way.
    """
    settings: dict[str, Mapping[str, Json]] = {}
    before = before if os.path.lexists(workspace.models_file) else {}
    places = {name: f"{workspace.models_file}: {name}" for name in before}
    ids = {name: _priced_id(table.wire or guessed_wire(table.model), table.model) for name, table in before.items()}
    for model in models:
        name = model.settings["name"]
        this = _priced_id(model.settings["wire"], model.settings["model"])
        if ids.setdefault(name, this) != this:
            raise ConfigError(
                f"{model.place} and {places[name]} are different models with one name: {this[1]!r} ({this[0]}) and "
                f"{ids[name][1]!r} ({ids[name][0]}). Rename one (tui-eval models edit {shlex.quote(name)} --set name=...)"
            )
        places.setdefault(name, model.place)
        settings[name] = {**settings.get(name, {}), **model.settings}
    return settings


def _priced_id(wire: str, model: str) -> tuple[str, str]:
    return SAME_PRICES.get(wire, wire), model


def _import_prices(imported: RegistryContents, workspace: Workspace) -> None:
    """Put the prices of models that are not among those imported into the user's own price list."""
    if not imported.prices:
        return
    path = prices_file(workspace)
    fresh = {(price.wire, price.model): price for price in imported.prices}
    with private_folder(workspace):
        before = _prices_on_file(workspace)
        changed = {key: price for key, price in fresh.items() if before.get(key) != price.price}
        if changed:
            prices = {**before, **{key: price.price for key, price in changed.items()}}
            text = _price_text(path, changed.values(), workspace)
            replace_file(path, text, lambda candidate: _check_prices(candidate, path, prices), workspace.root)
    for key, price in fresh.items():
        _say(f"price of {price.model} ({price.wire}): {'put into' if key in changed else 'is already in'} {path}")


def _prices_on_file(workspace: Workspace) -> Prices:
    path = prices_file(workspace)
    return read_prices(path, workspace.root) if os.path.lexists(path) else {}


def _check_prices(candidate: Path, path: Path, expected: Prices) -> None:
    """Raise ConfigError unless the new price list says what it was meant to say."""
    if read_prices(candidate) != expected:
        raise ConfigError(f"{path}: cannot be changed by the program as it is written; edit it by hand")


def _price_text(path: Path, prices: Iterable[FoundPrice], workspace: Workspace) -> str:
    """The user's price list with some prices put in; what it had of the same models gives way."""
    import tomlkit  # only here: commands that change no prices need not wait for it

    document = toml_document(toml_text(path, workspace.root) if os.path.lexists(path) else "")
    if "prices" not in document:
        document["prices"] = tomlkit.aot()
    for price in prices:
        entries = document["prices"]
        figures = price.price.model_dump(exclude_defaults=True)
        entry = next((e for e in entries if (e["wire"], e["model"]) == (price.wire, price.model)), None)
        if entry is None:
            entry = tomlkit.table() if isinstance(entries, tomlkit.items.AoT) else tomlkit.inline_table()
            entry.update({"wire": price.wire, "model": price.model, **figures})
            entries.append(entry)
        else:
            for key in [key for key in entry if key not in ("wire", "model", *figures)]:
                del entry[key]
            entry.update(figures)
    return tomlkit.dumps(document)


DONE: dict[str, Callable[[argparse.Namespace, Workspace], int]] = {
    "models list": _list,
    "models add": _add,
    "models edit": _change,
    "models copy": _copy,
    "models enable": _enable,
    "models disable": _disable,
    "models delete": _delete,
    "models import": _import,
    "models template": _template,
    "models trust": _trust,
}
