"""A run's models: found by name in its config or on file, filled in, and checked before anything is sent."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tui_eval.core.calls import Json, ModelSpec
from tui_eval.core.errors import ConfigError
from tui_eval.core.money import batch_price
from tui_eval.models.catalogue import model_tables, models_on_file, refuse_keys
from tui_eval.models.destinations import check_allowed, destinations, unencrypted
from tui_eval.models.prices import price_of, today
from tui_eval.providers import WIRES
from tui_eval.providers.wire import PDF, api_version_of
from tui_eval.simulator.personas import price as simulated_price
from tui_eval.workspace.hosts import host_of, is_loopback
from tui_eval.workspace.key_files import has_key
from tui_eval.workspace.keys import address_behind
from tui_eval.workspace.model_settings import ModelTable, PriceTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.secret_looks import looks_secret
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.trust import may_be_sent_to
from tui_eval.workspace.validation import nearest, no_such

Place = tuple[ModelTable, TomlFile, int]
"""A model as configured, the file it stands in, and which of that file's models it is."""


def models_of(
    file: TomlFile, keys_by_name: Mapping[str, str], workspace: Workspace, recorded: bool = False
) -> list[ModelTable]:
    """The models that a config names, from the config or from the models on file.

    `keys_by_name`: by their names, the key that names each first; `recorded`: whether their answers were imported, and nobody
    is asked.
    """
    tables = model_tables(file)
    for i, table in enumerate(tables if "inputs" not in file.content else ()):
        if problem := wire_problem(table):  # also of a model that nothing asks
            raise file.error(("models", i, "wire"), problem)
    own = {table.name for table in tables}
    places = _places(file, workspace, with_catalogue=any(name not in own for name in keys_by_name))
    models = []
    for name, key in keys_by_name.items():
        if name not in places:
            label = "of a name that looks like a key" if looks_secret(name) else f"named {name!r}"
            raise file.located_error(f"{key}: no model {label}{nearest(name, places)}")
        table, where, i = places[name]
        if table.wire in WIRES and WIRES[table.wire].recorded and not recorded:
            raise where.error(
                ("models", i, "wire"), f"{table.wire!r} is for imported answers; such runs are made by tui-eval import"
            )
        _check_usable(table, where, i, on_file=where is not file)
        of_run = "inputs" in file.content and where is file  # a run is priced as it was; who is on file, as today
        models.append(_filled_in(places[name], None if of_run else workspace))
    return models


def models_to_check(
    file: TomlFile | None, names: Sequence[str], workspace: Workspace, key_files: Sequence[Path]
) -> list[tuple[str, ModelSpec | str]]:
    """(name, the model or why it cannot even be asked) of the models of these names, of a config or on file; none = all."""
    places = _places(file, workspace)
    models: list[tuple[str, ModelSpec | str]] = []
    for name in names or places:
        if name not in places:
            models.append((name, f"there is no model of that name{nearest(name, places)}"))
            continue
        try:
            table = _filled_in(places[name], workspace)
            check_model(table, places[name][1], workspace, key_files, sends=True)
            check_allowed(destinations([table], key_files), places[name][1], workspace)
            models.append((name, table.spec(None)))
        except ConfigError as error:
            models.append((name, str(error)))
    return models


def _places(file: TomlFile | None, workspace: Workspace, with_catalogue: bool = True) -> dict[str, Place]:
    """Every model there is by name: those of the config come before those on file (mistakes there stop only who needs them)."""
    on_file = models_on_file(workspace) if with_catalogue else {}
    places = {name: (table, where, i) for i, (name, (table, where)) in enumerate(on_file.items())}
    own = {} if file is None else {table.name: (table, file, i) for i, table in enumerate(model_tables(file))}
    return places | own


def _filled_in(place: Place, workspace: Workspace | None) -> ModelTable:
    """A model with its wire, key variable and price. ConfigError where it cannot be asked at all."""
    table, where, i = place
    problem = wire_problem(table)
    if problem:
        raise where.error(("models", i, "wire"), problem)
    table = table.model_copy(update={"wire": assumed_wire(table)})
    wire = WIRES[table.wire]
    if table.base_url is None and wire.base_url is None and not wire.simulated and not wire.recorded:
        raise where.error(("models", i), f"provider {table.wire!r} needs the base_url of your resource")
    return with_defaults(table, workspace)


def wire_problem(table: ModelTable) -> str:
    """Return the problem of a model's wire, or of leaving it to be guessed; "" where there is none."""
    if not assumed_wire(table):
        return f"is missing, and cannot be guessed from {table.model!r}; give one of {', '.join(WIRES)}"
    return no_such(table.wire, WIRES) if table.wire and table.wire not in WIRES else ""


def _check_usable(table: ModelTable, where: TomlFile, i: int, on_file: bool) -> None:
    """Raise ConfigError for a model that its owner, or its provider, has taken out of use."""
    if not table.enabled:
        command = f"tui-eval models enable {shlex.quote(table.name)}, or Space on screen 1"
        how = command if on_file else "set enabled = true there"
        raise where.error(("models", i, "enabled"), f"model {table.name!r} is disabled; to use it: {how}")
    if table.status in ("unavailable", "retired"):
        edit = f"tui-eval models edit {shlex.quote(table.name)} --set status=available"
        how = edit if on_file else 'set status = "available" there'
        raise where.error(("models", i, "status"), f"model {table.name!r} is {table.status}; if that has changed: {how}")


def with_defaults(table: ModelTable, workspace: Workspace | None) -> ModelTable:
    """A model that has its wire, with that wire's key variable and, where it has none of its own, a price.

    The price of a simulated model is a simulated one; one on this machine costs nothing; another's is that of the price lists,
    where it is asked at the wire's own address. Either is today's, and keeps the one that is known to follow. `workspace`:
    whose price list counts; None = a run that was prepared already keeps the prices it has.
    """
    wire = WIRES[table.wire]
    changes: dict[str, Any] = {}
    if table.api_key_env is None and wire.key_env is not None and (table.base_url is None or wire.base_url is None):
        changes["api_key_env"] = wire.key_env
    if wire.simulated and table.price is None:
        prices = simulated_price(table.model)
        if prices is not None:
            changes["price"] = PriceTable(input=prices[0], output=prices[1])
    elif table.price is None and workspace is not None and is_on_this_machine(table):
        changes["price"] = PriceTable(input=0, output=0, source=ON_THIS_MACHINE)
    elif table.price is None and table.base_url is None and workspace is not None:
        changes["price"] = price_of(workspace, table.wire, table.model)
    price = changes.get("price", table.price)
    if price is not None and price.on(day := today()) is not price:
        changes["price"] = price.on(day)
    return table.model_copy(update=changes)


ON_THIS_MACHINE = "a server on this machine"
"""The source of the price of a model that costs nothing."""


def is_on_this_machine(table: ModelTable) -> bool:
    """Return whether a model that has its wire is asked at this machine's own address."""
    url = table.base_url or WIRES[table.wire].base_url
    return url is not None and is_loopback(url)


def costs_nothing(tables: Sequence[ModelTable], file: TomlFile) -> list[str]:
    """Say once of all servers on this machine that they are counted as free; nothing of a run folder's config."""
    free = [table.name for table in tables if table.price is not None and table.price.source == ON_THIS_MACHINE]
    if not free or "inputs" in file.content:
        return []
    names = ", ".join(free[:3]) + (f" and {len(free) - 3} more" if len(free) > 3 else "")
    counts = "is counted as $0, as a server" if len(free) == 1 else "are counted as $0, as servers"
    return [f"{names} {counts} on this machine; if one of them calls a paid service, give it a price in [[models]]"]


DEFAULT_WIRE = "openai"
"""Of a model with an address of its own whose id tells nothing: most servers take its format."""


def assumed_wire(table: ModelTable) -> str:
    """Return a model's wire: as it is given, as its id tells, or the default for an address; empty where none is known."""
    return table.wire or guessed_wire(table.model) or (DEFAULT_WIRE if table.base_url else "")


def guessed_wire(model: str) -> str:
    """The wire that a model's id tells by how it begins; empty where it does not."""
    return next(
        (name for name, wire in WIRES.items() if model.lower().startswith(wire.prefixes)),
        "" if "/" not in model else "openrouter",
    )


def asked_first(specs: Mapping[str, ModelSpec]) -> list[ModelSpec]:
    """Of the models that are asked, those that are asked a tiny question before: behind them stands a real server."""
    return [spec for spec in specs.values() if not WIRES[spec.wire].simulated and not WIRES[spec.wire].recorded]


def seed_of(table: ModelTable, run: RunSettings) -> int | None:
    return run.seed if table.send_seed or WIRES[table.wire].simulated else None


def check_model(table: ModelTable, file: TomlFile, workspace: Workspace, key_files: Sequence[Path], sends: bool) -> list[str]:
    """Warnings about a model; ConfigError for what would make each of its calls fail."""
    _check_no_login(table, file)
    _check_api_version(table, file)
    for variable in re.findall(r"\$\{([^}]*)\}", table.base_url or "") if sends else ():
        _check_set(variable, table, "base_url", key_files)
    _check_address(table, file)
    _check_plain(table, file, key_files)
    if sends:
        _check_trusted(table, file, workspace)
    refuse_keys(f"model {table.name!r}", table.model_dump(exclude_none=True))
    if sends and table.api_key_env:
        _check_set(table.api_key_env, table, "api_key_env", key_files)
    if sends and table.organization_env:
        _check_set(table.organization_env, table, "organization_env", key_files)
    return [*unencrypted(table, key_files), *_outdated(table)]


def _check_no_login(table: ModelTable, file: TomlFile) -> None:
    if "@" in (table.base_url or "").split("?")[0]:
        raise file.error(("models",), f"{table.name}: base_url must not hold a name or password; use api_key_env")


def _check_api_version(table: ModelTable, file: TomlFile) -> None:
    """Raise ConfigError for an api_version that is given twice, or that its wire does not send."""
    if table.api_version is None:
        return
    if "api-version=" in (table.base_url or ""):
        raise file.error(("models",), f"{table.name}: api_version and base_url both name an API version; leave one out")
    if api_version_of(table.spec(None), WIRES[table.wire]) != table.api_version:
        raise file.error(("models",), f"{table.name}: provider {table.wire!r} sends no api_version there; leave it out")


def _check_address(table: ModelTable, file: TomlFile) -> None:
    """Raise ConfigError for a base_url that is no address; one with variables in it cannot be told yet."""
    url = table.base_url or ""
    if url and "${" not in url and not _is_address(url):
        raise file.error(("models",), f"{table.name}: base_url {url!r} is not an http(s) address")


def _check_plain(table: ModelTable, file: TomlFile, key_files: Sequence[Path]) -> None:
    """Raise ConfigError for an address with letters that may look like others, or a part that swallows what is put behind."""
    url = address_behind(table.base_url or "", key_files)
    if "#" in url:
        raise file.error(("models",), f"{table.name}: base_url has a #, which would swallow the path behind it; leave it out")
    if not url.isascii():
        raise file.error(("models",), f"{table.name}: base_url is not plain ASCII; write its host as xn--...")


def _check_trusted(table: ModelTable, file: TomlFile, workspace: Workspace) -> None:
    """Raise ConfigError where a wire of others would send to a host that nobody has said yes to."""
    package = WIRES.package(table.wire)
    if package is None:
        return
    url = table.base_url or WIRES[table.wire].base_url or ""
    if "${" in url:
        raise file.error(("models",), f"{table.name}: provider {table.wire!r} is of package {package}: write its address out")
    if not may_be_sent_to(workspace, url):
        host, key = host_of(url), f" and the key in {table.api_key_env}" if table.api_key_env else ""
        key_option = f" --key {table.api_key_env}" if table.api_key_env else ""
        raise file.error(
            ("models",),
            f"{table.name}: provider {table.wire!r} is of package {package}, and would send prompts{key} to {host}; if you "
            f"trust both: tui-eval models trust {shlex.quote(host)}{key_option}, or a line in {workspace.trust_file}",
        )


def _outdated(table: ModelTable) -> list[str]:
    """The warning about a model that its provider means to switch off."""
    return [f"model {table.name!r} is deprecated: look for one to take its place"] if table.status == "deprecated" else []


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _check_set(variable: str, table: ModelTable, key: str, key_files: Sequence[Path]) -> None:
    """Raise ConfigError for a variable, named by `key`, that has no value."""
    if has_key(variable, key_files):
        return
    places = " or ".join(str(path) for path in key_files)
    raise ConfigError(
        f"model {table.name!r}: {key} names the variable {variable}, which is not set; "
        f"store it with tui-eval keys set {variable}, or put it into the environment or into {places}"
    )


def limited(spec: ModelSpec, run: RunSettings) -> ModelSpec:
    """The model with its interface's own token limit where nobody set one: then plan, budget and request agree."""
    limit = WIRES[spec.wire].default_limit
    if limit is None or spec.max_output_tokens is not None or run.max_output_tokens:
        return spec
    return replace(spec, max_output_tokens=limit)


def as_priced(specs: Mapping[str, ModelSpec], run: RunSettings) -> Mapping[str, ModelSpec]:
    """The models at the price their calls will have."""
    if run.mode == "live":
        return specs
    return {n: replace(s, price=batch_price(s.price)) if WIRES[s.wire].batches else s for n, s in specs.items()}


def check_attachments(plan: Mapping[str, Json], specs: Mapping[str, ModelSpec]) -> None:
    """Raise ConfigError where a model would be sent what its interface has no place for."""
    for stage in plan["stages"]:
        model = specs[stage["model"]]
        for mime in stage.get("attached", ()):
            if mime not in WIRES[model.wire].accepts:
                way = 'in a panel send what they say (panel.documents_as = "text")'
                way = way if mime == PDF else 'in a panel send base64 text (panel.documents_as = "base64")'
                raise ConfigError(f"model {model.name!r}: provider {model.wire!r} takes no {mime}; choose another, or {way}")


def check_batches(specs: Mapping[str, ModelSpec], file: TomlFile) -> list[str]:
    """Return notes on models that no batch takes. ConfigError where there are only such."""
    alone = [spec for spec in specs.values() if WIRES[spec.wire].batches is None]
    providers = ", ".join(name for name, wire in WIRES.items() if wire.batches is not None)
    if len(alone) == len(specs):
        raise file.error(
            ("run", "mode"), f"no model of this run can be asked in batches; that goes with the providers {providers}"
        )
    return [f"model {spec.name!r}: provider {spec.wire!r} takes no batches; it is asked call by call" for spec in alone]
