"""Decorator of the records that a run makes by the thousand: frozen for the type checker, and in tests that ask for it.

A frozen dataclass sets each field by a call of `object.__setattr__`, which costs several times a plain assignment. A run of
10,000 calls makes some 100,000 records of up to 40 fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)
Record = TypeVar("Record")
FROZEN = False
"""Whether records of classes decorated from now on refuse to be changed at run time, too; tests set it early."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Class) -> Class:
    """Make a class a dataclass with slots, equality and a hash, whose fields nobody sets after it was made."""
    make: Callable[[Any], Any] = dataclass(frozen=FROZEN, slots=True, unsafe_hash=not FROZEN)
    return make(cls)  # type: ignore[no-any-return]


def changed(original: Record, **changes: Any) -> Record:
    """Return a copy with these fields changed, as `dataclasses.replace` does, which takes four times as long: it looks at each
    field anew. For records of two fields or more that are all given when they are made. KeyError for what is no field."""
    cls: Any = type(original)
    places, values_of = _fields_of(cls)
    values = list(values_of(original))
    for name, value in changes.items():
        values[places[name]] = value
    copy: Record = cls(*values)
    return copy


@lru_cache(maxsize=64)
def _fields_of(cls: type[Any]) -> tuple[dict[str, int], Callable[[Any], tuple[Any, ...]]]:
    """(by name the place of each field, what takes all of them from a record)."""
    names = [each.name for each in fields(cls)]
    return {name: place for place, name in enumerate(names)}, attrgetter(*names)
