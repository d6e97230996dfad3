"""Pairs of one run's sides, each of whose questions is right or wrong and stands alone: counted by bits, a bit a question."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from tui_eval.results.comparison.pairs import Left, Pair, Standing, clusterings_of, compared, pair_of
from tui_eval.results.comparison.sides import Run, Side
from tui_eval.results.sums.differences import difference_of_counts
from tui_eval.results.sums.means import Estimate, mean_of
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG, is_binary


class Bits(NamedTuple):
    """Of one side, a bit for every question of its run."""

    asked: int
    scored: int
    right: int


def bits_of(sides: Sequence[Side]) -> dict[Side, Bits]:
    """The sides that can be counted: right or wrong alone, no means of several answers, no questions that share a document."""
    runs = {side.run: {key: place for place, key in enumerate(side.run.questions)} for side in sides if _apart(side.run)}
    return {
        side: Bits(*(_bits(keys, runs[side.run]) for keys in (side.items, side.scores, _right(side))))
        for side in sides
        if side.run in runs and not side.several and is_binary(side.metric) and {0, 1}.issuperset(side.scores.values())
    }


def _apart(run: Run) -> bool:
    """Whether each of its questions is evidence of its own."""
    return all(isinstance(way, range) for way in clusterings_of(run, list(run.questions)))


def _right(side: Side) -> list[bytes]:
    return [key for key, value in side.scores.items() if value]


def _bits(keys: Collection[bytes], places: Mapping[bytes, int]) -> int:
    found = bytearray(b"0" * len(places))
    for key in keys:
        found[-1 - places[key]] = ord("1")
    return int(found or b"0", 2)


def counted(one: Standing, other: Standing, bits: Mapping[Side, Bits]) -> Pair:
    """What `pairs.compared` says of two sides, by counting where that can be done."""
    a, b = bits.get(one.side), bits.get(other.side)
    if a is None or b is None or one.side.run is not other.side.run:
        return compared(one, other)
    common, both = a.scored & b.scored, a.asked & b.asked
    n = common.bit_count()
    if n < 2:
        return compared(one, other)
    found = difference_of_counts(n, (a.right & ~b.right & common).bit_count(), (b.right & ~a.right & common).bit_count())
    left = Left(
        only_a=(a.asked & ~both).bit_count(),
        only_b=(b.asked & ~both).bit_count(),
        changed=0,
        missing_a=(both & ~a.scored).bit_count(),
        missing_b=(both & ~b.scored).bit_count(),
    )
    score_a, score_b = (_share((side.right & common).bit_count(), n) for side in (a, b))
    return pair_of(one, other, score_a, score_b, found, left)


@lru_cache(maxsize=4096)
def _share(right: int, n: int) -> Estimate:
    return mean_of([1.0] * right + [0.0] * (n - right), [range(n)], RIGHT_OR_WRONG)
