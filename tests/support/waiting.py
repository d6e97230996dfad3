"""Waiting for what a test is about, never for the clock."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(met: Callable[[], object], timeout_s: float = 20.0) -> None:
    """Wait until something holds, looking often; AssertionError when it does not in time."""
    end = time.monotonic() + timeout_s
    while not met():
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout_s} s")
        time.sleep(0.005)
