"""Cache of what was made of the files read last: a config that is put together is resolved again at every change of a form."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Made = TypeVar("_Made")


class Remembered(Generic[_Made]):
    """The last few things that were made, by what they were made of: the hashes of files, which are not kept with them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[Hashable, _Made] = {}

    def __call__(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return the cached value of a key, or make it now; the least recently used is dropped. Raises what `make` does."""
        value = self._made.pop(key) if key in self._made else make()
        self._made[key] = value
        while len(self._made) > self._most:
            del self._made[next(iter(self._made))]
        return value
