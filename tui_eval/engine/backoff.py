"""Pause before asking again: what the server says, else a growing one."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from tui_eval.core.kinds import Backoff

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


def pause_s(tries: int, backoff: Backoff) -> float:
    """Pause after the n-th failed attempt (n from 1).

    "linear": min(2 s, 0.25 s x n), as spec 003 §10.3 has it. "exponential": 0.5 s doubled each time, at most 8 s, with
    jitter so that calls that failed together do not come back together.
    """
    if backoff == "linear":
        return min(2.0, 0.25 * tries)
    return float(min(8.0, FIRST_PAUSE_S * 2 ** min(tries - 1, 10)) * (0.5 + random.random() / 2))


def refusal_pause_s(refusals: int) -> float:
    """Pause of a call that was refused with 429 for the n-th time (n from 1) while others were accepted.

    0.25 to 0.5 s, since the endpoint's limit keeps the pace; from the ninth on doubled each time, at most 8 s: it may be
    the call that is refused, and not the pace.
    """
    return float(min(8.0, FIRST_PAUSE_S * 2 ** min(max(refusals - 8, 0), 10)) * (0.5 + random.random() / 2))


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _until(text: str, now: float) -> float | None:
    try:
        when = parsedate_to_datetime(text)
        return max((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now, 0.0)
    except (ValueError, OverflowError, TypeError, OSError):
        return None
