"""Processes of one group and what these have started, with their memory, as the system tells it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

_PROCESSES = "/proc"


class GroupUsage(NamedTuple):
    """Usage of a process group with all that its members have started. Nothing where the system has no /proc."""

    memory: int = 0
    """Bytes that lie in memory."""
    processes: tuple[int, ...] = ()
    """Their numbers."""


class _Process(NamedTuple):
    number: int
    parent: int
    group: int
    pages: int


def usage_of(group: int) -> GroupUsage:
    """Return what the processes of a group use, and those that have left it while the one that started them is still there."""
    members: dict[int, int] = {}
    rest = list(_running())
    while found := [each for each in rest if each.group == group or each.parent in members]:
        members |= {each.number: each.pages for each in found}
        rest = [each for each in rest if each.number not in members]
    return GroupUsage(sum(members.values()) * os.sysconf("SC_PAGE_SIZE"), tuple(members))


def _running() -> Iterator[_Process]:
    """Every process that has not ended since it was listed."""
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(_PROCESSES)
    for name in filter(str.isdecimal, names):
        with suppress(OSError), open(f"{_PROCESSES}/{name}/stat", "rb") as stream:
            fields = stream.read(4096).rpartition(b")")[2].split()
            if len(fields) > 21:
                yield _Process(int(name), int(fields[1]), int(fields[2]), int(fields[21]))
