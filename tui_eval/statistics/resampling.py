"""Intervals of figures that have no formula for one: whole clusters drawn again and again, always the same draws."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import shake_128
from statistics import NormalDist
from typing import Any, TypeVar

from tui_eval.statistics.clusters import degrees_of_clusters
from tui_eval.statistics.estimates import ROUNDING, student_t

DRAWS = 2_000
"""Draws of an interval (METHOD.md 1.4)."""
FEWEST = 6
"""Clusters below which there is no interval: of five the chance that all lie on one side of the middle is above 2.5 %."""
MOST_UNDEFINED = 0.05
"""Share of draws without a figure above which the others are no fair sample of what the figure could have been."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile bootstrap interval of 95 %, or why there is none."""

    low: float | None
    high: float | None
    clusters: int
    """What was drawn from, such as conversations."""
    draws: int = DRAWS
    undefined: int = 0
    """Draws in which the figure is not defined; they are left out of the percentiles."""
    why: str = ""
    """Why there is no interval; empty where there is one."""

    @property
    def direction(self) -> int:
        """1 where it lies above 0, -1 where it lies below, 0 where it leaves that open or there is none."""
        return 0 if self.low is None or self.high is None else (self.low > 0) - (self.high < 0)


def clustered(rows: Sequence[Row], clusters: Sequence[Hashable] | None) -> list[list[Row]]:
    """Rows by what they share; each on its own where nothing is said. ValueError where the lengths differ."""
    if clusters is None:
        return [[row] for row in rows]
    groups: dict[Hashable, list[Row]] = {}
    for row, cluster in zip(rows, clusters, strict=True):
        groups.setdefault(cluster, []).append(row)
    return list(groups.values())


def percentile_interval(
    contents: Sequence[Sequence[Any]],
    figure: Callable[[Sequence[Sequence[Any]]], float | None],
    unit: str = "conversations",
    draws: int = DRAWS,
) -> Interval:
    """An interval from the percentiles of a figure over as many clusters drawn with replacement (METHOD.md 1.4, 4.6).

    `contents`: the rows of each cluster, which can be put in order: in whatever order they come, the interval is the same.
    `figure` is given the drawn clusters; None where it is not defined for them. `unit`: what the clusters are called in `why`.
    No interval of fewer than FEWEST clusters, nor where the figure is undefined in more than a twentieth of the draws
    or the same in so many of them that both ends are: ten right of ten do not show that every answer is right.
    """
    ordered = sorted(sorted(rows) for rows in contents)
    many = len(ordered)
    if many < FEWEST:
        return too_few(many, unit)
    figures = [figure([ordered[place] for place in places]) for places in drawn_places(many, draws)]
    return interval_of(figures, many, degrees_of_clusters(list(map(len, ordered))))


def too_few(many: int, unit: str) -> Interval:
    """No interval, and why."""
    return Interval(
        None, None, many, 0, why=f"{many:,} {unit[:-1] if many == 1 else unit}: an interval needs {FEWEST} at least"
    )


def interval_of(figures: Sequence[float | None], clusters: int, degrees: float | None = None) -> Interval:
    """From what a figure was in each draw of so many clusters, None where it was not defined.

    The percentiles are those of Student's t: Φ(-√(C/(C-1))·t(.975, C-1)) for 2.5 %, since C clusters drawn from themselves
    differ less than others would (the expanded percentile interval, Hesterberg 2015, 1411.5279). Where marks do not follow
    length the plain one says of 13 in 100 runs of 6 conversations that they do, this one of 5. Clusters of unequal size
    count as fewer: `degrees` of freedom (`degrees_of_clusters`), C - 1 where nothing is said.
    """
    values, draws = sorted(value for value in figures if value is not None), len(figures)
    undefined = draws - len(values)
    if undefined > MOST_UNDEFINED * draws:
        return Interval(None, None, clusters, draws, undefined, f"not defined in {undefined:,} of {draws:,} draws")
    free = clusters - 1 if degrees is None else degrees
    share = NormalDist().cdf(-math.sqrt((free + 1) / free) * student_t(0.975, free))
    tail = math.floor(share * len(values))
    low, high = values[tail], values[len(values) - 1 - tail]
    if high - low <= ROUNDING * abs(low):
        every = "every draw" if values[-1] - values[0] <= ROUNDING * abs(low) else "nearly every draw"
        why = f"it is {low:g} in {every}: nothing shows how far it varies"
        return Interval(None, None, clusters, draws, undefined, why)
    return Interval(low, high, clusters, draws, undefined)


def drawn_places(n: int, draws: int) -> Iterator[list[int]]:
    """So many times n places of range(n), with replacement: a fixed stream of SHAKE-128, alike on every machine.

    A number of 64 bits modulo n favours none of the places by more than n / 2**64.
    """
    numbers = struct.Struct(f"<{n}Q")
    for draw in range(draws):
        stream = shake_128(b"draw %d of %d clusters" % (draw, n)).digest(numbers.size)
        yield [number % n for number in numbers.unpack(stream)]
