"""Ranks that are open to each of several sides, by which pairs differ significantly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tui_eval.core.gathering import Key
from tui_eval.results.sums.differences import Owner, Pair

Rank = tuple[int, int]
"""The best and the worst that are open."""


def by_pairs(owners: Sequence[Owner], won: Iterable[tuple[Owner, Owner]]) -> list[Rank]:
    """By which pairs differ significantly, each as (the better, the worse): the one rule of every table and screen.

    It separates sides that are equal in no more than one board of twenty, however many there are (Holm, METHOD.md 2.4).
    """
    pairs = list(won)
    behind, ahead = Counter(better for better, _ in pairs), Counter(worse for _, worse in pairs)
    return [(1 + ahead[owner], len(owners) - behind[owner]) for owner in owners]


def open_ranks(
    groups: Mapping[Key, Sequence[Owner]], tested: Mapping[Key, int], won: Iterable[tuple[Owner, Owner]]
) -> dict[Owner, Rank]:
    """The same inside each group whose every two members were tested; none of others.

    `tested`: how many pairs of a group were; `won`: the better and the worse of all significant pairs.
    """
    ranks, pairs = dict[Owner, Rank](), list(won)
    for key, members in groups.items():
        if tested.get(key) == math.comb(len(members), 2) > 0:
            own = set(members)
            ranks |= dict(zip(members, by_pairs(members, [pair for pair in pairs if own.issuperset(pair)]), strict=True))
    return ranks


def won_by(pairs: Iterable[Pair[Owner]], better: str = "higher") -> list[tuple[Owner, Owner]]:
    """Of the significant pairs the better one and the worse."""
    apart = [pair for pair in pairs if pair.significant]
    return [(p.a, p.b) if ((p.found.value or 0.0) > 0) == (better == "higher") else (p.b, p.a) for p in apart]
