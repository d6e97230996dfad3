"""Files with prices as spec 000 has them, read for a run's costs."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.calls import Price
from tui_eval.evaluation.inputs import Inputs, json_of
from tui_eval.models.registries import prices_by_id


def prices_of(inputs: Inputs, role: str) -> tuple[Mapping[str, Price], list[str]]:
    """Prices by API id, of the files of a role; and what a person should know of them.

    ConfigError, naming file and key, for what is no price table, or in another currency than USD.
    """
    found: dict[str, Price] = {}
    notes: list[str] = []
    for file in inputs.of(role):
        key = inputs.keys[role]
        prices, told = prices_by_id(json_of(file, key), f"{key}: {file.name}")
        found |= prices
        notes += told
    return found, notes
