"""Tables within tables, such as a config's: looked into by path, and changed by copies that share what stays."""

from __future__ import annotations

from tui_eval.core.calls import Json
from tui_eval.core.errors import Place


def same(one: Json, other: Json) -> bool:
    """Whether two values are the same in TOML, where 1, 1.0 and true are three."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return one is other or (len(one) == len(other) and all(map(same, one, other)))
    return bool(one == other)


def is_in(found: Json, part: str | int) -> bool:
    """Whether a table has this key, or a list this entry."""
    if isinstance(part, int):
        return isinstance(found, list) and 0 <= part < len(found)
    return isinstance(found, dict) and part in found


def changed_at(found: Json, place: Place, value: Json) -> Json:
    """A copy of a table or list in which `value` stands at a place. IndexError for an entry that a list does not have."""
    if not place:
        return value
    part, *rest = place
    if isinstance(part, int):
        entries = list(found) if isinstance(found, list) else []
        entries[part] = changed_at(entries[part], tuple(rest), value)
        return entries
    table = found if isinstance(found, dict) else {}
    return {**table, part: changed_at(table.get(part), tuple(rest), value)}


def without(found: Json, place: Place) -> Json:
    """A copy of a table or list in which nothing stands at a place."""
    part, *rest = place
    if rest:
        return changed_at(found, (part,), without(found[part], tuple(rest)))
    if isinstance(part, int):
        return [*found[:part], *found[part + 1 :]]
    return {key: value for key, value in found.items() if key != part}
