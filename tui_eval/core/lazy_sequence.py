"""Sequences whose entries are made when they are looked at: what is long need not be held to be written, more than once."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Collection, ItemsView, Iterator, Mapping, Sequence
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
    """Names and values, each made by its place, as often as it is asked for; a name that is asked for is looked for."""

    def __init__(self, places: Collection[int], name: Callable[[int], str], make: Callable[[int], T]) -> None:
        """`name`, `make`: the name at a place, which no other has, and its value."""
        self._places, self._name, self._make = places, name, make

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return map(self._name, self._places)

    def __getitem__(self, name: str) -> T:
        for place in self._places:
            if self._name(place) == name:
                return self._make(place)
        raise KeyError(name)

    def items(self) -> LazyItems[T]:
        """Return names with their values, in order."""
        return LazyItems(self)


class LazyItems(ItemsView[str, T]):
    """Names of a mapping with their values, none of which is looked for."""

    _mapping: LazyMapping[T]

    def __iter__(self) -> Iterator[tuple[str, T]]:
        own = self._mapping
        return ((own._name(place), own._make(place)) for place in own._places)


class PackedTexts(LazySequence[str]):
    """A list of texts that grows, held as bytes one behind the other: a short one takes a fifth of what it does as a text."""

    def __init__(self) -> None:
        self._bytes, self._ends = bytearray(), array("Q", [0])
        super().__init__(0, self._text)

    def _text(self, place: int) -> str:
        return self._bytes[self._ends[place] : self._ends[place + 1]].decode("utf-8", "surrogatepass")

    def append(self, text: str) -> None:
        """Add a text at the end."""
        self._bytes += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._bytes))
        self._n += 1


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
