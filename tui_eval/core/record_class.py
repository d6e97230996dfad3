"""Decorator of the records that a run makes by the thousand: frozen for the type checker, and in tests that ask for it.

A frozen dataclass sets each field by a call of `object.__setattr__`, which costs several times a plain assignment. A run of
10,000 calls makes some 100,000 records of up to 40 fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)
FROZEN = False
"""Whether records of classes decorated from now on refuse to be changed at run time, too; tests set it early."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Class) -> Class:
    """Make a class a dataclass with slots, equality and a hash, whose fields nobody sets after it was made."""
    make: Callable[[Any], Any] = dataclass(frozen=FROZEN, slots=True, unsafe_hash=not FROZEN)
    return make(cls)  # type: ignore[no-any-return]
