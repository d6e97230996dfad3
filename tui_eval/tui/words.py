"""Figures as words and little pictures: amounts, times, shares, bars and sparklines. What is not known is "-"."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime

from tui_eval.core.money import usd as usd

EIGHTHS = " ▏▎▍▌▋▊▉█"
LEVELS = "▁▂▃▄▅▆▇█"


def count(value: int | None) -> str:
    """A number of things, thousands apart."""
    return "-" if value is None else f"{value:,}"


def share(value: float | None) -> str:
    """A share of 1 as per cent."""
    return "-" if value is None else f"{100 * value:.1f} %"


def seconds(milliseconds: float | None) -> str:
    """A latency in seconds, two digits after the point."""
    return "-" if milliseconds is None else f"{milliseconds / 1000:,.2f}"


def span(s: float | None) -> str:
    """A time that passes: 0:07, 12:30, 3:05:00, 4 days."""
    if s is None:
        return "-"
    whole = int(s)
    if whole >= 3 * 86_400:
        return f"{whole // 86_400} days"
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def size(n: int) -> str:
    """A number of bytes."""
    amount = float(n)
    for unit in ("B", "kB", "MB"):
        if round(amount, 1) < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def moment(text: str | None) -> str:
    """A time stamp in the reader's own time: 11-21 10:36. What is no time stamp is shown as "-"."""
    when = instant(text)
    return "-" if when is None else time.strftime("%m-%d %H:%M", time.localtime(when))


def clock(text: str | None) -> str:
    """A time stamp's time of day with tenths, in the reader's own time."""
    when = instant(text)
    return "-" if when is None else time.strftime("%H:%M:%S", time.localtime(when)) + f".{int(when * 10) % 10}"


def instant(text: str | None) -> float | None:
    """Seconds since the epoch of an ISO 8601 time stamp, or None."""
    try:
        return datetime.fromisoformat(text).timestamp() if text else None
    except (ValueError, TypeError, OverflowError, OSError):
        return None


def bar(part: float | None, width: int) -> str:
    """A share of 1 as a bar of `width` columns, to an eighth of a column."""
    if part is None or width <= 0:
        return " " * max(width, 0)
    eighths = round(min(max(part, 0.0), 1.0) * width * 8)
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (EIGHTHS[rest] if rest else "")).ljust(width)


def interval_bar(value: float | None, low: float | None, high: float | None, width: int) -> str:
    """A share of 1 with its interval on a line: ├──●───┤; only the point where no interval is known."""
    line = [" "] * max(width, 0)
    if value is None or width < 3:
        return "".join(line)

    def place(x: float) -> int:
        return round(min(max(x, 0.0), 1.0) * (width - 1))

    if low is not None and high is not None:
        for x in range(place(low), place(high) + 1):
            line[x] = "─"
        line[place(low)], line[place(high)] = "├", "┤"
    line[place(value)] = "●"
    return "".join(line)


def sparkline(values: Sequence[float | None]) -> str:
    """A level for each value, the greatest at the top; a dot where there is none."""
    top = max((value for value in values if value is not None), default=0)
    return "".join("·" if value is None else LEVELS[min(int(8 * value / top), 7)] if top > 0 else LEVELS[0] for value in values)
