"""The longer tests, run in slices: a few commits in a row run all of them, and none is left out for good."""

from __future__ import annotations

from argparse import ArgumentTypeError
from types import SimpleNamespace
from typing import Any

import pytest
from slices import keep_slice, slice_asked, slice_of


def sliced(asked: str | None, names: list[str]) -> tuple[list[str], list[str]]:
    """Which of the tests of these names are run and which are said to be left out, where a slice is asked for."""
    left_out: list[Any] = []
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in names]
    hook = SimpleNamespace(pytest_deselected=lambda items: left_out.extend(items))
    option = asked and slice_asked(asked)
    keep_slice(SimpleNamespace(getoption=lambda _: option, hook=hook), items)  # type: ignore[arg-type]
    return [item.nodeid for item in items], [item.nodeid for item in left_out]


NAMES = [f"tests/laws/test_a.py::test_it[{n}]" for n in range(400)]


@pytest.mark.parametrize("slices", [1, 2, 4, 7])
def test_each_test_is_in_one_slice(slices: int) -> None:
    """All slices together are all tests, each once and in their order; what is not run is said to be left out."""
    parts = [sliced(f"{n}/{slices}", NAMES) for n in range(slices)]

    assert sorted(name for run, _ in parts for name in run) == sorted(NAMES)
    assert all(sorted((*run, *left_out)) == sorted(NAMES) for run, left_out in parts)
    assert all(run == [name for name in NAMES if name in set(run)] for run, _ in parts)
    assert all(len(run) > len(NAMES) / slices / 2 for run, _ in parts)


def test_a_test_stays_in_its_slice() -> None:
    """Whichever others there are, and in every process: what a commit adds moves nothing to a slice that was just run."""
    whole = set(sliced("1/4", NAMES)[0])

    assert set(sliced("1/4", NAMES[::3])[0]) == whole & set(NAMES[::3])
    assert [slice_of(f"a::{n}", 4) for n in range(8)] == [1, 3, 1, 3, 0, 2, 0, 2]


def test_without_a_slice_all_are_run() -> None:
    assert sliced(None, NAMES) == (NAMES, [])


@pytest.mark.parametrize("asked", ["", "4/4", "1", "1/0", "0/0", "-1/4", "a/b", "1/4/4"])
def test_what_is_no_slice_is_refused(asked: str) -> None:
    """A slice that nobody has would run nothing, or something else than was meant."""
    with pytest.raises(ArgumentTypeError, match="such as 0/4"):
        slice_asked(asked)
