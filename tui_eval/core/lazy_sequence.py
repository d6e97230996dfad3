"""Sequences whose entries are made when they are looked at: what is long need not be held to be written, more than once."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar, overload

from tui_eval.core.calls import Json
from tui_eval.core.json_encoding import json_encoder

T = TypeVar("T")
_encode = json_encoder()


class LazySequence(Sequence[T]):
    """So many entries, each made by its place, as often as it is asked for."""

    def __init__(self, n: int, make: Callable[[int], T]) -> None:
        self._n, self._make = n, make

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        selection = range(self._n)[place]
        return self._make(selection) if isinstance(selection, int) else [self._make(i) for i in selection]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[T]:
        return map(self._make, range(self._n))


class LazyMapping(Mapping[str, T]):
    """So many names, the value of each made as often as it is asked for."""

    def __init__(self, names: Collection[str], make: Callable[[str], T]) -> None:
        self._names, self._make = names, make

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)


class PackedRows(LazySequence[dict[str, Any]]):
    """A list of rows that grows, held as JSON text in a fraction of the memory.

    Rows are of texts, numbers, booleans, None, and lists and tables of these by text keys.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        super().__init__(0, lambda place: json.loads(self._texts[place]))

    def append(self, row: Mapping[str, Json]) -> None:
        """Add a row at the end. ValueError for what JSON cannot say (NaN), TypeError for what is no JSON."""
        self._texts.append(_encode(row))
        self._n += 1
