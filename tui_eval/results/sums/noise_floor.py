"""Noise floor: how far the means of two builds of one model lie apart that differ by nothing but chance, by its repeats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.means import scale_seen
from tui_eval.results.sums.series import Series
from tui_eval.statistics.bounded_means import bounded_mean
from tui_eval.statistics.estimates import Z

FEWEST = 10
"""Items, and degrees of freedom of their variance, from which on a floor is a figure; below, its upper end alone is said."""
_REPEAT = 40
"""Bits of an answer's number in a series below those of its repeat: 24 of the call, 16 of its count (Board.add, Series.add)."""

Build = tuple[tuple[int, float | None], ...]
"""The answers of one build to one item: number of the call, and score; None where it has none."""


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """Variation of an item's score between builds, as a mean over items."""

    items: int
    """Items that two builds or more have a score for."""
    builds: int
    """Builds that an item has, at most."""
    changed: int
    """Items whose score is not the same in all of their builds."""
    variance: float
    """Between builds, within the item."""
    low: float
    """95 % interval of it (Gaffke); its width is never 0."""
    high: float
    span: float
    """By how much two scores can differ."""
    degrees: float
    """Degrees of freedom that the variance is known with, by how unlike items are in it (Satterthwaite)."""

    @property
    def known(self) -> bool:
        """Return whether it rests on enough to be a figure."""
        return self.items >= FEWEST and self.degrees >= FEWEST

    def floor(self, items: int, answers: int = 1) -> tuple[float, float, float]:
        """By how much two builds that ask so many items so often differ at most, 19 times in 20; and its interval, 95 %."""
        ends = (self.variance, self.low, self.high)
        value, low, high = (min(Z * math.sqrt(2 * variance / (answers * items)), self.span) for variance in ends)
        return value, low, high


def builds_of(series: Series) -> dict[int, dict[int, Build]]:
    """By item and repeat: its answers."""
    by_place: dict[int, dict[int, list[tuple[int, float | None]]]] = {}
    for place, answers in series.by_answer().items():
        for answer, value in answers.items():
            by_place.setdefault(place, {}).setdefault(answer >> _REPEAT, []).append((answer & ((1 << _REPEAT) - 1), value))
    for place, lacking in series.lacking().items():
        for answer in lacking:
            by_place.setdefault(place, {}).setdefault(answer >> _REPEAT, []).append((answer & ((1 << _REPEAT) - 1), None))
    return {place: {repeat: tuple(sorted(own)) for repeat, own in builds.items()} for place, builds in by_place.items()}


def noise_floor(series: Series, metric: Metric) -> NoiseFloor | None:
    """The floor of a side by its repeats; None where no item has a score in two of them."""
    means = [_means(builds) for builds in builds_of(series).values()]
    return floor_of([own for own in means if len(own) > 1], metric)


def floor_of(values: Sequence[Sequence[float]], metric: Metric) -> NoiseFloor | None:
    """The same of the scores of each item, a score a build."""
    if not values:
        return None
    low, high = scale_seen(metric, [value for own in values for value in own])
    most = (high - low) ** 2 / 2
    within = [min(_variance(own), most) for own in values]
    ends = bounded_mean(within, 0.0, most)
    changed = sum(max(own) > min(own) for own in values)
    mean = math.fsum(within) / len(within)
    return NoiseFloor(len(values), max(map(len, values)), changed, mean, *ends, high - low, _degrees(within))


def _means(builds: Mapping[int, Build]) -> list[float]:
    """The mean of each build that has any score."""
    scores = ([value for _, value in answers if value is not None] for answers in builds.values())
    return [math.fsum(own) / len(own) for own in scores if own]


def _variance(own: Sequence[float]) -> float:
    mean = math.fsum(own) / len(own)
    return math.fsum((value - mean) ** 2 for value in own) / (len(own) - 1)


def _degrees(within: Sequence[float]) -> float:
    """2 mean² / variance of the mean; none where nothing varies, and without end where all vary alike."""
    n, mean = len(within), math.fsum(within) / len(within)
    if n < 2 or not mean:
        return 0.0
    spread = math.fsum((value - mean) ** 2 for value in within) / (n - 1) / n
    return 2 * mean * mean / spread if spread else math.inf
