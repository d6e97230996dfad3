"""A lack of memory told apart from a bug, however it shows, and what is said of it: the limit, where there is one."""

from __future__ import annotations

import errno
import resource

_THREADS = "can't start new thread"
_LIBRARIES = ("failed to map segment", "cannot allocate memory", "cannot apply additional memory protection")
"""What the loader says where there is no room for a library."""
_MEGABYTE = 1_000_000
_LIMITS = (("RLIMIT_AS", "ulimit -v"), ("RLIMIT_DATA", "ulimit -d"))
_DEEPEST = 50
"""Errors behind an error that are looked at."""


def lacks_memory(error: BaseException | None) -> bool:
    """Whether it is for lack of memory that something went wrong: an error itself, one that led to it, or one of a group."""
    open_ones, seen = [error], 0
    while open_ones and seen < _DEEPEST:
        one, seen = open_ones.pop(), seen + 1
        if one is None:
            continue
        if isinstance(one, MemoryError) or (isinstance(one, OSError) and one.errno == errno.ENOMEM):
            return True
        if isinstance(one, RuntimeError) and _THREADS in str(one):
            return True
        if isinstance(one, ImportError) and any(words in str(one).lower() for words in _LIBRARIES):
            return True
        if isinstance(one, BaseExceptionGroup):
            open_ones += one.exceptions
        open_ones += [one.__cause__, one.__context__]
    return False


def memory_words(goes_on: str) -> str:
    """A sentence on a lack of memory: the limit of this process with its name, if it has one, and what a person can do.

    `goes_on`: what of the work is kept, and how it is taken up again.
    """
    for name, command in _LIMITS:
        soft, _ = resource.getrlimit(getattr(resource, name))
        if soft != resource.RLIM_INFINITY:
            most = f"{soft / _MEGABYTE:,.0f} MB ({command})"
            return f"the memory that this process may use, {most}, did not suffice; {goes_on}. Allow more of it first"
    return f"the memory of this machine did not suffice; {goes_on}. End something else first, or use a machine with more"
