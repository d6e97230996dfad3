"""Models and prices that other tools keep as JSON: a registry, a price table, or one file for each model; only read here.

Which of the three a file is, is told by what it holds, not by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from tui_eval.core.calls import Json, Price
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.models.catalogue import refuse_keys
from tui_eval.workspace.model_settings import ModelTable, PriceTable
from tui_eval.workspace.plain_files import ANYWHERE, check_depth, read_file, unreadable
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.validation import nearest, validate

MAX_JSON_BYTES = 16 * 1024 * 1024
PROVIDER_WIRES = {
    "openai": "openai",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic",
    "claude": "anthropic",
    "azure": "azure",
    "azure-openai": "azure",
    "azure-ai": "foundry",
    "foundry": "foundry",
    "gemini": "gemini",
    "google": "gemini",
    "google-ai": "gemini",
    "google-genai": "gemini",
    "openrouter": "openrouter",
    "ollama": "ollama",
}
"""What a file calls a provider, and the wire that is spoken there."""
SHAPES = (
    'a registry ({"models": [{"provider": ..., "model_id": ...}]}), prices ({"pricing": {"openai": {...}}}) '
    'or a model ({"id": ..., "provider": ..., "model": ...})'
)


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model in such a file."""

    settings: Mapping[str, Json]
    """As a [[models]] table has them, its name included."""
    place: str
    """File and entry, for messages."""


@dataclass(frozen=True, slots=True)
class FoundPrice:
    """A price in such a file."""

    wire: str
    model: str
    price: PriceTable


@dataclass(slots=True)
class RegistryContents:
    """Content of the files between them."""

    models: list[FoundModel] = field(default_factory=list)
    prices: list[FoundPrice] = field(default_factory=list)
    """Those of models that none of the files has."""
    notes: list[str] = field(default_factory=list)
    """What was left out, and why."""


def read_model_files(paths: Sequence[Path]) -> RegistryContents:
    """Everything in some files, and in the JSON files of some folders. ConfigError that names file and entry."""
    result = RegistryContents()
    for path in _files(paths, result.notes):
        document = _json(path)
        is_known = False
        if isinstance(document.get("models"), list):
            result.models += _registry(path, document, result.notes)
            is_known = True
        if isinstance(document.get("pricing"), dict) and not {"provider", "model"} & set(document):
            result.prices += _price_table(path, document, result.notes)
            is_known = True
        if not is_known and isinstance(document.get("provider"), str) and isinstance(document.get("model"), str):
            result.models.append(_model_file(path, document, result.notes))
            is_known = True
        if not is_known:
            raise ConfigError(f"{path}: neither {SHAPES}")
    result.models = _with_own_names(result.models)
    return _merged(result)


def _files(paths: Sequence[Path], notes: list[str]) -> Iterable[Path]:
    for path in paths:
        if not path.exists():
            raise ConfigError(f"{path}: there is no such file or folder")
        inside = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not inside:
            raise ConfigError(f"{path}: no .json file in this folder")
        for file in inside:
            if file.name.startswith("_"):
                notes.append(f"{file}: left out, since its name marks it as a template")
            else:
                yield file


def _json(path: Path) -> dict[str, Json]:
    def refused(word: str) -> NoReturn:
        raise ValueError(f"{word} is not a number of JSON")

    try:
        data = read_file(path, MAX_JSON_BYTES, ANYWHERE)
        check_depth(data)
        document = json.loads(data.decode("utf-8-sig"), parse_constant=refused)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}:{error.lineno}: not valid JSON: {error.msg} (column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid JSON: {error}") from None
    except OSError as error:
        raise ConfigError(unreadable(path, error)) from None
    if not isinstance(document, dict):
        raise ConfigError(f"{path}: neither {SHAPES}")
    return document


# ------------------------------------------------------------------------------------------------------------- a registry

_REGISTRY_KEYS = ("provider", "model_id", "name", "enabled", "status", "max_tokens_override")


def _registry(path: Path, document: Mapping[str, Json], notes: list[str]) -> list[FoundModel]:
    models = []
    for i, entry in enumerate(document["models"]):
        if not isinstance(entry, dict):
            raise ConfigError(f"{path}: models[{i}]: must be an object")
        model = entry.get("model_id")
        if not isinstance(model, str) or not model:
            raise ConfigError(f"{path}: models[{i}].model_id: must be the id that the API knows the model by")
        place = f"{path}: models[{i}] ({one_line(model, 80)})"
        _note_unknown(place, entry, _REGISTRY_KEYS, notes)
        settings = {
            "name": model,
            "display_name": _display_name(entry.get("name"), model),
            "wire": _wire(entry.get("provider"), place),
            "model": model,
            "enabled": entry.get("enabled"),
            "status": entry.get("status"),
            "max_output_tokens": entry.get("max_tokens_override"),
        }
        models.append(_sound(settings, place))
    return models


def _display_name(name: Json, model: str) -> Json:
    """Return the name that people call a model by; nothing where that is its id."""
    return None if name in ("", model) else name


def _with_own_names(models: Sequence[FoundModel]) -> list[FoundModel]:
    """Models of one id at several providers get the provider's wire behind their names."""
    wires: dict[str, set[str]] = {}
    for model in models:
        wires.setdefault(model.settings["name"], set()).add(model.settings["wire"])
    return [
        model
        if len(wires[model.settings["name"]]) == 1 or model.settings["name"] != model.settings["model"]
        else FoundModel({**model.settings, "name": f"{model.settings['name']} ({model.settings['wire']})"}, model.place)
        for model in models
    ]


# ---------------------------------------------------------------------------------------------------------- a price table


def _price_table(path: Path, document: Mapping[str, Json], notes: list[str]) -> list[FoundPrice]:
    prices = []
    date = _date(document)
    for provider, models in document["pricing"].items():
        if not isinstance(models, dict):
            raise ConfigError(f"{path}: pricing.{provider}: must be an object of prices by model id")
        for model, entry in models.items():
            place = f"{path}: pricing.{one_line(provider, 40)}.{one_line(model, 80)}"
            price = _price(entry, place, path.name, date, notes)
            prices.append(FoundPrice(_wire(provider, place), model, PriceTable(**price)))
    return prices


def prices_by_id(document: Json, place: str) -> tuple[dict[str, Price], list[str]]:
    """The prices of a table {"pricing": {provider: {model id: {...}}}}, by ids; and what a person should know of them.

    Of an id at several providers the last price counts, and where they differ that is said. ConfigError, naming `place` and the
    entry.
    """
    pricing = document.get("pricing") if isinstance(document, dict) else None
    if not isinstance(pricing, dict):
        raise ConfigError(f'{place}: no price table; a JSON object {{"pricing": {{"openai": {{...}}}}}} was expected')
    prices: dict[str, Price] = {}
    providers: dict[str, list[str]] = {}
    differ: dict[str, None] = {}
    for provider, models in pricing.items():
        if not isinstance(models, dict):
            raise ConfigError(f"{place}: pricing.{provider}: must be an object of prices by model id")
        for model, entry in models.items():
            where = f"{place}: pricing.{one_line(provider, 40)}.{one_line(model, 80)}"
            price = PriceTable(**_price(entry, where, place, "", [])).price()
            if prices.get(model, price) != price:
                differ[model] = None
            prices[model] = price
            providers.setdefault(model, []).append(one_line(provider, 40))
    return prices, [_several_prices(place, model, providers[model]) for model in differ]


def _several_prices(place: str, model: str, providers: Sequence[str]) -> str:
    message = f"{one_line(model, 80)} has a price each at {' and '.join(providers)}: that of {providers[-1]} counts"
    return f"{place}: {message}; remove the others from the file if that is wrong"


def _date(document: Mapping[str, Json]) -> str:
    metadata = document.get("metadata")
    updated = metadata.get("updated") if isinstance(metadata, dict) else None
    return updated if isinstance(updated, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", updated) else ""


_PRICE_KEYS = {
    "input_per_1m": "input",
    "output_per_1m": "output",
    "cached_input_per_1m": "cached_input",
    "cache_write_per_1m": "cache_write",
    "source": "source",
}


def _price(entry: Json, place: str, source: str, date: str, notes: list[str]) -> dict[str, Json]:
    """A price as a price table has it."""
    if not isinstance(entry, dict):
        raise ConfigError(f"{place}: must be an object with input_per_1m and output_per_1m")
    currency = entry.get("currency", "USD")
    if currency != "USD":
        raise ConfigError(f"{place}: currency {currency!r}: prices must be in USD; convert them first")
    _note_unknown(place, entry, (*_PRICE_KEYS, "currency"), notes)
    for key in ("input_per_1m", "output_per_1m"):
        if key not in entry:
            raise ConfigError(f"{place}: {key}: is missing")
    prices = {ours: entry[theirs] for theirs, ours in _PRICE_KEYS.items() if entry.get(theirs) is not None}
    table = {"source": f"imported from {source}", **prices, **({"date": date} if date else {})}
    return _valid(PriceTable, table, place)


# ------------------------------------------------------------------------------------------------------- a model as a file

_MODEL_KEYS = ("id", "display_name", "provider", "model", "api_key_env", "params", "target_mode", "pricing", "base_url")
_PARAMS = {"temperature": "temperature", "reasoning_effort": "reasoning_effort"} | dict.fromkeys(
    ("max_tokens", "max_output_tokens", "max_completion_tokens"), "max_output_tokens"
)


TEMPLATE: Mapping[str, Json] = {
    "id": "my-model",
    "display_name": "My model",
    "provider": "openai",
    "model": "the id that the API knows it by",
    "api_key_env": "OPENAI_API_KEY",
    "params": {"temperature": 0, "reasoning_effort": None, "max_tokens": 4000},
    "target_mode": "normal",
    "pricing": {"input_per_1m": 2.5, "output_per_1m": 10.0, "source": "where and when these prices were read"},
}
"""Such a file to be filled in; null stands for what is not sent."""


def _model_file(path: Path, document: Mapping[str, Json], notes: list[str]) -> FoundModel:
    place = f"{path}: {one_line(str(document.get('id') or document['model']), 80)}"
    params = document.get("params") or {}
    if not isinstance(params, dict):
        raise ConfigError(f"{place}: params: must be an object")
    _note_unknown(place, document, _MODEL_KEYS, notes)
    wire = _wire(document["provider"], place)
    if wire == "openai" and params.get("reasoning_effort") is not None:
        wire = "openai-responses"
    settings = {
        "name": document.get("id") or document["model"],
        "wire": wire,
        "model": document["model"],
        "base_url": document.get("base_url"),
        "api_key_env": document.get("api_key_env"),
        "display_name": document.get("display_name"),
        "target_mode": document.get("target_mode"),
        **{_PARAMS[key]: value for key, value in params.items() if key in _PARAMS},
    }
    extra_params = {key: value for key, value in params.items() if key not in _PARAMS and value is not None}
    if extra_params:
        settings["extra_body"] = extra_params
        notes.append(f"{place}: sent as they are (extra_body): {', '.join(map(one_line, extra_params))}")
    if document.get("pricing") is not None:
        settings["price"] = _price(document["pricing"], f"{place}: pricing", path.name, "", notes)
    return _sound(settings, place)


# ---------------------------------------------------------------------------------------------------- what they all share


def _wire(provider: Json, place: str) -> str:
    name = provider.strip().lower().replace("_", "-").replace(" ", "-") if isinstance(provider, str) else ""
    if name not in PROVIDER_WIRES:
        raise ConfigError(
            f"{place}: provider {provider!r}: not known here{nearest(name, PROVIDER_WIRES)}. A provider that speaks another's "
            "interface: tui-eval models add NAME --set model=... --set wire=openai --set base_url=https://..."
        )
    return PROVIDER_WIRES[name]


def _sound(settings: Mapping[str, Json], place: str) -> FoundModel:
    content = {key: value for key, value in settings.items() if value is not None}
    refuse_keys(place, content)
    return FoundModel(_valid(ModelTable, content, place), place)


def _valid(model: type[ModelTable] | type[PriceTable], table: dict[str, Json], place: str) -> dict[str, Json]:
    """The table, which was found to be sound."""
    file = TomlFile(Path(), {}, {})
    try:
        validate(model, table, file, ())
    except ConfigError as error:
        raise ConfigError("\n".join(f"{place}{line[1:]}" for line in str(error).splitlines())) from None
    return table


def _note_unknown(place: str, entry: Mapping[str, Json], known_keys: Iterable[str], notes: list[str]) -> None:
    unknown = [one_line(key, 40) for key in entry if key not in known_keys]
    if unknown:
        notes.append(f"{place}: not used: {', '.join(unknown)}")


def _merged(result: RegistryContents) -> RegistryContents:
    """Each price in the models it is for; only those of models that are in no file are left."""
    models = []
    matched: set[int] = set()
    for model in result.models:
        wire = "openai" if model.settings["wire"] == "openai-responses" else model.settings["wire"]
        matching = [
            i
            for i, p in enumerate(result.prices)
            if p.model == model.settings["model"] and p.wire in (wire, model.settings["wire"])
        ]
        matched.update(matching)
        if matching and "price" not in model.settings:
            price = result.prices[matching[-1]].price.model_dump(exclude_none=True, exclude_defaults=True)
            model = FoundModel({**model.settings, "price": price}, model.place)
        models.append(model)
    return RegistryContents(models, [price for i, price in enumerate(result.prices) if i not in matched], result.notes)
