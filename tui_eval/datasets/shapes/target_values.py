"""Right answers of a sample as texts, and the columns in which it brings rules of its own."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping

from tui_eval.core.calls import Json
from tui_eval.datasets.field_values import is_blank, list_in_cell, with_numbers
from tui_eval.reading.json_paths import NOWHERE, at_path

OWN, OWN_ONLY = OWN_RULES = ("scorers", "only_scorers")
"""The columns in which a sample brings rules, beside those of the config or instead of them."""


def as_text(value: Json) -> str:
    """A value of JSON as text: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def targets_at(fields: Mapping[str, Json], name: str | None, cells: bool, columns: Container[str]) -> tuple[str, ...] | None:
    """The right answers in a column, or at a path into one; None where none is known. `cells`: they stand in a table, where a
    list of them is written as ["one", "two"]. `columns`: of the set, whose names are no paths even where one is missing."""
    value = None if name is None else fields.get(name) if name in columns else at_path(fields, name)
    if value is NOWHERE or is_blank(value):
        return None
    if cells and isinstance(value, str) and (value.startswith('["') or value == "[]"):
        value = list_in_cell(value, str(name))
    return tuple(as_text(_whole(each)) for each in (value if isinstance(value, list) else [value]) if not is_blank(each))


def _whole(value: Json) -> Json:
    """A target: of an object the numbers as such, of a number alone its digits as the file has them."""
    return with_numbers(value) if isinstance(value, (dict, list)) else value
