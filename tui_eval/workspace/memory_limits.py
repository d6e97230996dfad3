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
    """Return whether lack of memory is why something went wrong: an error itself, one that led to it, or one of a group."""
    open_ones, count = [error], 0
    while open_ones and count < _DEEPEST:
        cause, count = open_ones.pop(), count + 1
        if cause is None:
            continue
        if isinstance(cause, MemoryError) or (isinstance(cause, OSError) and cause.errno == errno.ENOMEM):
            return True
        if isinstance(cause, RuntimeError) and _THREADS in str(cause):
            return True
        if isinstance(cause, ImportError) and any(words in str(cause).lower() for words in _LIBRARIES):
            return True
        if isinstance(cause, BaseExceptionGroup):
            open_ones += cause.exceptions
        open_ones += [cause.__cause__, cause.__context__]
    return False


def memory_words(goes_on: str) -> str:
    """A sentence on a lack of memory: the limit of this process with its name, if it has one, and what a person can do.

    `goes_on`: what of the work is kept, and how it is taken up again.
    """
    for name, command in _LIMITS:
        soft, _ = resource.getrlimit(getattr(resource, name))
        if soft != resource.RLIM_INFINITY:
            most = f"{soft / _MEGABYTE:,.0f} MB ({command})"
            return f"this process ran out of the memory that it may use, {most}; {goes_on}. Allow more of it first"
    return f"this machine ran out of memory; {goes_on}. End something else first, or use a machine with more"
