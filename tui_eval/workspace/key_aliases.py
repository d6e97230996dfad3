"""Input-only aliases of config keys: names of other programs, mapped to the keys of this one before validation.

Files that the program writes have its own keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui_eval.core.calls import Json
from tui_eval.core.errors import Place

ALIASES: Final[Mapping[tuple[str, ...], str]] = {
    ("models", "*", "provider"): "wire",
    ("run", "epochs"): "repeat",
    ("panel", "target"): "truths",
    ("panel", "targets"): "truths",
    ("panel", "targets_file"): "truths_file",
    ("panel", "questions", "*", "target"): "truth",
    ("attack", "*", "target"): "truth",
}
"""The path of an alias, with * for the place in a list, and the key that it stands for in the same table."""


class BothGivenError(ValueError):
    """A key and its alias in one table; `place` is that of the alias."""

    def __init__(self, place: Place, key: str) -> None:
        super().__init__(f"is another name of {key!r}, which is set there, too: leave out one of {place[-1]} and {key}")
        self.place = place


def canonical(place: Place) -> Place:
    """Return the place with the program's own key in place of an alias."""
    key = ALIASES.get(tuple("*" if isinstance(part, int) else part for part in place))
    return place if key is None else (*place[:-1], key)


def without_aliases(content: dict[str, Json]) -> bool:
    """Rename every alias in the content of a config, in place; return whether there was any.

    BothGivenError where a table has a key and its alias.
    """
    has_aliases = False
    for path, key in ALIASES.items():
        for place, table in _tables(content, path[:-1]):
            if path[-1] in table:
                if key in table:
                    raise BothGivenError((*place, path[-1]), key)
                table[key], has_aliases = table.pop(path[-1]), True
    return has_aliases


def _tables(value: Any, path: tuple[str, ...], place: Place = ()) -> list[tuple[Place, dict[str, Json]]]:
    """Find the tables at a path, with their places."""
    if not path:
        return [(place, value)] if isinstance(value, dict) else []
    if path[0] == "*":
        entries = enumerate(value) if isinstance(value, list) else ()
        return [table for number, entry in entries for table in _tables(entry, path[1:], (*place, number))]
    inner = value.get(path[0]) if isinstance(value, dict) else None
    return _tables(inner, path[1:], (*place, path[0]))
