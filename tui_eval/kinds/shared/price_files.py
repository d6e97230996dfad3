"""A file with prices as spec 000 has them, read for a run's costs."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tui_eval.core.calls import Price
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile
from tui_eval.kinds.shared.inputs import text_of
from tui_eval.models.registries import prices_by_id


def read_prices(file: InputFile, key: str) -> Mapping[str, Price]:
    """Prices by API id. ConfigError, naming file and key, for what is no price table, or in another currency than USD."""
    try:
        document = json.loads(text_of(file, key))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{key}: {file.name}: not JSON: {error}") from None
    return prices_by_id(document, f"{key}: {file.name}")
