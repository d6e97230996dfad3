"""Sums as words: shares in percent, differences in points, p values, ranks, numbers of things."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of
from tui_eval.core.units import Units
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.sums.ranks import Rank


def percent(share: float | None, digits: int = 1) -> str:
    """78.2 %, or a dash where nothing is known."""
    return "-" if share is None else f"{100 * share:.{digits}f} %"


def span(low: float | None, high: float | None) -> str:
    """An interval in percent: [74.4, 81.6], or a dash."""
    return "-" if low is None or high is None else f"[{100 * low:.1f}, {100 * high:.1f}]"


def in_unit(value: float | None, metric: Metric) -> str:
    """A mean score in its own unit: in percent where it is right or wrong."""
    return percent(value) if is_binary(metric) else decimal(value, 2)


def points(value: float | None, share: bool = True, sign: bool = True) -> str:
    """A difference in points of a hundred, or in the scores' own unit; a dash where it is not known."""
    if value is None:
        return "-"
    return f"{100 * value:{'+' if sign else ''}.1f}" if share else f"{value:{'+' if sign else ''}.2f}"


def decimal(value: float | None, digits: int) -> str:
    """A number with so many places, never -0, or a dash."""
    return "-" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def p_value(p: float | None) -> str:
    """A p to three places, or a dash; one that these would show as 0 is smaller than the least that they show."""
    return "<0.001" if p is not None and p < 0.0005 else decimal(p, 3)


def clusters(n: int, units: Units) -> str:
    """4 documents; where several levels could be meant, 4 clusters."""
    return count_of(n, units.levels[0] if len(units.levels) == 1 else "cluster")


def rank(ranks: Rank | None) -> str:
    """1, or 2-5 where several ranks are open."""
    if ranks is None:
        return "-"
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]}-{ranks[1]}"


def short(name: str, most: int) -> str:
    """A name cut in the middle: names differ at their ends."""
    return name if len(name) <= most else f"{name[: most - 6]}…{name[-5:]}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names in a sentence: the first ones, and how many more there are; empty of none."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
