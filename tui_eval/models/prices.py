"""Prices of models where nobody said: the user's own price list, then the shipped one. Never a guess from a similar id."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.providers import WIRES
from tui_eval.workspace.model_settings import PriceTable
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.plain_files import ANYWHERE, unreadable
from tui_eval.workspace.toml_files import read_toml
from tui_eval.workspace.validation import no_such, unknown_key, validate

SAME_PRICES = {"openai-responses": "openai"}
"""Wires that lead to the same models at the same prices as another."""

Prices = Mapping[tuple[str, str], PriceTable]
"""By wire and model id."""


def price_of(workspace: Workspace, wire: str, model_id: str) -> PriceTable | None:
    """Return a model's price at its wire's own address, by its exact id; None where no list has it, or it is simulated.

    ConfigError where the user's own list is damaged.
    """
    if wire not in WIRES or WIRES[wire].simulated or WIRES[wire].recorded:
        return None
    wires = (wire, SAME_PRICES[wire]) if wire in SAME_PRICES else (wire,)
    for path, within in ((prices_file(workspace), workspace.root), (shipped("prices") / "prices.toml", shipped("prices"))):
        prices = _prices(path, within)
        for name in wires:
            if (name, model_id) in prices:
                return prices[name, model_id]
    return None


def today() -> str:
    """The day, in UTC, as price lists write it: YYYY-MM-DD."""
    return time.strftime("%Y-%m-%d", time.gmtime())


def prices_file(workspace: Workspace) -> Path:
    """The user's own price list."""
    return workspace.models_file.with_name("prices.toml")


def _prices(path: Path, within: Path) -> Prices:
    try:
        state = path.lstat()
        of_target = path.stat()
    except FileNotFoundError:
        if os.path.lexists(path):
            raise ConfigError(f"{path}: is a link that points nowhere; delete it") from None
        return {}
    except OSError as error:
        raise ConfigError(unreadable(path, error)) from None
    return _read(path, within, (state.st_mtime_ns, state.st_ino, of_target.st_mtime_ns, of_target.st_size, of_target.st_ino))


@lru_cache(maxsize=8)
def _read(path: Path, within: Path, state: tuple[int, ...]) -> Prices:
    """The prices in a file. The file's state is asked for so that it is read once, and again when it was changed."""
    return read_prices(path, within)


def read_prices(path: Path, within: Path = ANYWHERE) -> Prices:
    """The prices in a file. ConfigError for a mistake in it. `within`: the folder that no link may lead out of."""
    file = read_toml(path, within)
    for key in file.content:
        if key != "prices":
            raise unknown_key(file, (key,), ["prices"])
    entries = file.content.get("prices", [])
    if not isinstance(entries, list):
        raise file.error(("prices",), "must be a list of tables: [[prices]]")
    prices: dict[tuple[str, str], PriceTable] = {}
    for i, entry in enumerate(entries):
        wire, model = _whose(entry)
        if not wire or not model:
            raise file.error(("prices", i), 'must say whose price it is: wire = "openai", model = "the id"')
        if wire not in WIRES:
            raise file.error(("prices", i, "wire"), no_such(wire, WIRES))
        if (wire, model) in prices:
            raise file.error(("prices", i), f"a second price of {model!r} at {wire}")
        figures = {key: value for key, value in entry.items() if key not in ("wire", "model")}
        prices[wire, model] = validate(PriceTable, figures, file, ("prices", i))
    return prices


def _whose(entry: Json) -> tuple[str, str]:
    if not isinstance(entry, dict):
        return "", ""
    wire, model = entry.get("wire"), entry.get("model")
    return (wire, model) if isinstance(wire, str) and isinstance(model, str) else ("", "")
