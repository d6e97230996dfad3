"""Rows of plain values held as JSON text, in a fraction of the memory: each is parsed when it is looked at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.lazy_sequence import LazySequence

_encode = json_encoder()


class PackedRows(LazySequence[dict[str, Any]]):
    """A list of rows that grows: of texts, numbers, booleans, None, and lists and tables of these by text keys."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        super().__init__(0, lambda place: json.loads(self._texts[place]))

    def append(self, row: Mapping[str, Json]) -> None:
        """Add a row at the end. ValueError for what JSON cannot say (NaN), TypeError for what is no JSON."""
        self._texts.append(_encode(row))
        self._n += 1
