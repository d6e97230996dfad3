"""Which of many cases belong to the quick suite: the others show the same once more, and are run in CI (`-m soak`)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest
from samples import ALL_SAMPLES, ALL_TABLES

SOAK = pytest.mark.soak


def quick_first(cases: Iterable[Any], quick: int = 1) -> list[Any]:
    """Values of one parameter; those after the first so many are marked."""
    return [case if at < quick else pytest.param(case, marks=SOAK) for at, case in enumerate(cases)]


def quick_first_rows(rows: Iterable[tuple[Any, ...]], quick: int = 1) -> list[Any]:
    """Rows of several parameters, likewise."""
    return [row if at < quick else pytest.param(*row, marks=SOAK) for at, row in enumerate(rows)]


def quick_first_of_each(cases: Iterable[Any], of: Callable[[Any], Hashable]) -> list[Any]:
    """Values of one parameter; of those that `of` says the same of, all but the first are marked."""
    seen: set[Hashable] = set()
    marked = []
    for case in cases:
        marked.append(pytest.param(case, marks=SOAK) if of(case) in seen else case)
        seen.add(of(case))
    return marked


_WIDEST = {(kind, max(tables, key=lambda name: len(tables[name]))) for kind, tables in ALL_TABLES.items()}

WIDEST_SAMPLES = [row if row in _WIDEST else pytest.param(*row, marks=SOAK) for row in ALL_SAMPLES]
"""Every sample as (kind, name), for laws that take long: quick is the one of each kind that sets most."""
_OF_EACH_MAKE = {row for row in _WIDEST if row[0] in ("panel", "choice", "pipeline", "grounded")}
FEW_SAMPLES = [row if row in _OF_EACH_MAKE else pytest.param(*row, marks=SOAK) for row in ALL_SAMPLES]
"""The same for laws that take longer still: quick are four kinds, which differ in all that is shared."""
WIDEST_LOADED = pytest.mark.parametrize(
    "loaded",
    [row if row in _WIDEST else pytest.param(row, marks=SOAK) for row in ALL_SAMPLES],
    ids=[name for _, name in ALL_SAMPLES],
    indirect=True,
)
"""What the fixture `loaded` makes of the widest of each kind."""
FEW_LOADED = pytest.mark.parametrize(
    "loaded",
    [row if row in _OF_EACH_MAKE else pytest.param(row, marks=SOAK) for row in ALL_SAMPLES],
    ids=[name for _, name in ALL_SAMPLES],
    indirect=True,
)
"""And of the few."""
