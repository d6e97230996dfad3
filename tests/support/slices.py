"""A share of the tests that longer suites are run in: each test belongs to one slice, whatever other tests come or go."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from zlib import crc32

import pytest

OPTION = "--slice"
_ASKED = re.compile(r"(\d+)/(\d+)")


def add_option(parser: pytest.Parser) -> None:
    """Make the option known."""
    about = "only those tests that belong to slice N of M: 0/4, 1/4, 2/4 and 3/4 are all"
    parser.addoption(OPTION, metavar="N/M", type=slice_asked, help=about)


def slice_asked(text: str) -> tuple[int, int]:
    """Which slice of how many a text names; one that is none is refused before a test is collected."""
    match = _ASKED.fullmatch(text)
    if match is None or int(match[1]) >= int(match[2]):
        raise ArgumentTypeError(f"{text!r}: two numbers are needed, the first below the second, such as 0/4")
    return int(match[1]), int(match[2])


def slice_of(node_id: str, slices: int) -> int:
    """The slice that a test belongs to: the same in every process, and at every commit that has it."""
    return crc32(node_id.encode()) % slices


def keep_slice(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of the other slices, where one is asked for."""
    if config.getoption(OPTION) is None:
        return
    wanted, slices = config.getoption(OPTION)
    others = [item for item in items if slice_of(item.nodeid, slices) != wanted]
    items[:] = [item for item in items if slice_of(item.nodeid, slices) == wanted]
    config.hook.pytest_deselected(items=others)
