"""How long to wait before asking again: what the server says, else a growing pause."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

LONGEST_WAIT_S = 120.0
"""A server that wants longer than this gets no second attempt."""
FIRST_PAUSE_S = 0.5


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds the server asks to wait (`now`: wall clock, Unix seconds); None where it says nothing or nonsense."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    return seconds if seconds is not None else _until(value, now)


def pause_s(tries: int, cap_s: float, linear: bool) -> float:
    """Pause after the n-th failed attempt (n from 1): spec 003's min(2 s, 0.25 s x n), or 0.5 s doubled, jittered, capped."""
    if linear:
        return min(cap_s, 0.25 * tries)
    return float(min(cap_s, FIRST_PAUSE_S * 2 ** (tries - 1)) * (0.5 + random.random() / 2))


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _until(text: str, now: float) -> float | None:
    try:
        return max(parsedate_to_datetime(text).timestamp() - now, 0.0)
    except (ValueError, OverflowError, TypeError, OSError):
        return None
