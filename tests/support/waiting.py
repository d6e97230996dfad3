"""Waiting for what a test is about, never for the clock: a limit is for what never comes, not for what comes late."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 120.0
"""Long enough for a machine that is slow and stands still for seconds now and then."""


def until(met: Callable[[], object], timeout_s: float = PATIENCE_S) -> None:
    """Wait until something holds, looking often; AssertionError when it does not in time."""
    end = time.monotonic() + timeout_s
    while not met():
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout_s} s")
        time.sleep(0.005)
