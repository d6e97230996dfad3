"""The size of a check of models on file: requests to real servers, what they cost at most, and where they go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tui_eval.core.money import IMAGE_TOKENS, MICRO, dearest_price
from tui_eval.models.chosen import with_defaults
from tui_eval.models.destinations import Destination, destinations
from tui_eval.models.listing import ModelEntry
from tui_eval.workspace.places import Workspace

USUAL_QUESTIONS = 3
"""The tiny question alone, with a JSON schema, with an image."""
MOST_QUESTIONS = 14
"""The first one again without each of four parameters that a server refuses, and each once more where a connection was lost."""
QUESTION_TOKENS = 400
"""More than a question without an image comes to."""
REPLY_TOKENS = 256
WITH_IMAGE = 2
"""How many of the questions have an image at most."""


@dataclass(frozen=True, slots=True)
class CheckSize:
    """What a check would send to models that are not simulated."""

    models: tuple[str, ...]
    max_cost_usd: float | None
    """None = not known of every model."""
    goes: tuple[Destination, ...]


def check_size(entries: Iterable[ModelEntry], workspace: Workspace) -> CheckSize:
    """Of these models on file those that are real; what has a mistake is asked nothing.

    ConfigError where the user's price list cannot be read.
    """
    real = [entry for entry in entries if entry.table is not None and entry.wire and not entry.simulated]
    costs = [_most(entry) for entry in real]
    tables = [
        with_defaults(entry.table.model_copy(update={"wire": entry.wire}), workspace)
        for entry in real
        if entry.table is not None and not entry.needs_address and not entry.wire_problem
    ]
    cost = None if None in costs else sum(filter(None, costs))
    return CheckSize(tuple(entry.name for entry in real), cost, tuple(destinations(tables, [workspace.env_file])))


def _most(entry: ModelEntry) -> float | None:
    if entry.price is None:
        return None
    price = dearest_price(entry.price.price())
    limit = (entry.table.max_output_tokens if entry.table is not None else None) or REPLY_TOKENS
    prompts = MOST_QUESTIONS * QUESTION_TOKENS + WITH_IMAGE * IMAGE_TOKENS
    return (prompts * max(price.input, price.cache_write or 0.0) + MOST_QUESTIONS * limit * price.output) / MICRO
