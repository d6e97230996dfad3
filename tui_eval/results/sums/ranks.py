"""Which ranks are open to each of several models: by their intervals, or by which pairs are told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tui_eval.results.sums.differences import Owner, Pair
from tui_eval.statistics.paired import rank_ranges

Rank = tuple[int, int]
"""The best and the worst that are open."""


def by_intervals(intervals: Sequence[tuple[float, float] | None]) -> list[Rank | None]:
    """By intervals that do not overlap (METHOD.md 2.5), which needs no common questions; None where there is no interval."""
    ranges = iter(rank_ranges([interval for interval in intervals if interval is not None]))
    return [None if interval is None else next(ranges) for interval in intervals]


def by_pairs(owners: Sequence[Owner], won: Iterable[tuple[Owner, Owner]]) -> list[Rank]:
    """By which pairs are told apart, each as (the better, the worse): the one rule of every table and screen.

    Unlike intervals that do not overlap, it separates models that are equal in no more than one board of twenty, however
    many models there are (Holm, METHOD.md 2.4).
    """
    pairs = list(won)
    behind, ahead = Counter(id(better) for better, _ in pairs), Counter(id(worse) for _, worse in pairs)
    return [(1 + ahead[id(owner)], len(owners) - behind[id(owner)]) for owner in owners]


def won_by(pairs: Iterable[Pair[Owner]]) -> list[tuple[Owner, Owner]]:
    """Of the pairs that are told apart the better one and the worse; more is better."""
    apart = [pair for pair in pairs if pair.significant]
    return [(pair.a, pair.b) if (pair.found.value or 0.0) > 0 else (pair.b, pair.a) for pair in apart]
