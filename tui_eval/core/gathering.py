"""Items put together by what they have in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


def gathered(pairs: Iterable[tuple[Key, Item]]) -> dict[Key, list[Item]]:
    """By key its items; keys and items in the order in which they come."""
    groups: dict[Key, list[Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups
