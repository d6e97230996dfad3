"""Which ranks are open to each of several sides, by which pairs are told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tui_eval.results.sums.differences import Owner, Pair

Rank = tuple[int, int]
"""The best and the worst that are open."""


def by_pairs(owners: Sequence[Owner], won: Iterable[tuple[Owner, Owner]]) -> list[Rank]:
    """By which pairs are told apart, each as (the better, the worse): the one rule of every table and screen.

    It separates sides that are equal in no more than one board of twenty, however many there are (Holm, METHOD.md 2.4).
    """
    pairs = list(won)
    behind, ahead = Counter(better for better, _ in pairs), Counter(worse for _, worse in pairs)
    return [(1 + ahead[owner], len(owners) - behind[owner]) for owner in owners]


def won_by(pairs: Iterable[Pair[Owner]], better: str = "higher") -> list[tuple[Owner, Owner]]:
    """Of the pairs that are told apart the better one and the worse."""
    apart = [pair for pair in pairs if pair.significant]
    return [(p.a, p.b) if ((p.found.value or 0.0) > 0) == (better == "higher") else (p.b, p.a) for p in apart]
