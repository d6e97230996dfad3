"""Which ranks are open to each of several models: by their intervals, or by which pairs are told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tui_eval.results.sums.differences import Owner, Pair
from tui_eval.statistics.paired import rank_ranges

Rank = tuple[int, int]
"""The best and the worst that are open."""


def by_intervals(intervals: Sequence[tuple[float, float] | None]) -> list[Rank | None]:
    """By intervals that do not overlap (METHOD.md 2.5), which needs no common questions; None where there is no interval."""
    ranges = iter(rank_ranges([interval for interval in intervals if interval is not None]))
    return [None if interval is None else next(ranges) for interval in intervals]


def by_pairs(owners: Sequence[Owner], pairs: Sequence[Pair[Owner]]) -> list[Rank]:
    """By which pairs are told apart; more is better."""
    apart = [(pair, (pair.found.value or 0.0) > 0) for pair in pairs if pair.significant]
    better = Counter(id(pair.b if a_leads else pair.a) for pair, a_leads in apart)
    worse = Counter(id(pair.a if a_leads else pair.b) for pair, a_leads in apart)
    return [(1 + better[id(owner)], len(owners) - worse[id(owner)]) for owner in owners]
