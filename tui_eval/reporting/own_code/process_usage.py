"""Memory and number of the processes of one group, as the system tells it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

_PROCESSES = "/proc"


class GroupUsage(NamedTuple):
    """Usage of a process group. Nothing where the system has no /proc."""

    memory: int = 0
    """Bytes that lie in memory."""
    processes: int = 0


def usage_of(group: int) -> GroupUsage:
    """Return what the processes of a group use."""
    memory = count = 0
    with suppress(OSError):
        for name in os.listdir(_PROCESSES):
            if name.isdecimal() and (pages := _pages(name, group)) is not None:
                memory += pages
                count += 1
    return GroupUsage(memory * os.sysconf("SC_PAGE_SIZE"), count)


def _pages(process: str, group: int) -> int | None:
    """The pages of a process in memory; None of one that has ended, or is of another group."""
    try:
        with open(f"{_PROCESSES}/{process}/stat", "rb") as stream:
            fields = stream.read(4096).rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[21]) if len(fields) > 21 and int(fields[2]) == group else None
