"""Agreement of two raters or several on the same items: percent, kappas, Krippendorff's alpha."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from tui_eval.statistics.rank_correlation import spearman
from tui_eval.statistics.resampling import DRAWS, Interval, clustered, percentile_interval

Weight = Literal["none", "linear", "quadratic"]
"""How much a difference of two marks counts: any alike, by its size, or by its square."""
Scale = Literal["nominal", "ordinal", "interval"]
"""What two marks have in common: being the same or not, their order, or their distance."""
Marks = Sequence[float | None]
GOOD, TENTATIVE = 0.8, 2 / 3
"""From which alpha on marks can be relied on, and from which on conclusions are tentative (Krippendorff)."""
_DISTANCE: dict[Weight, Callable[[int, int], int]] = {
    "none": lambda i, j: int(i != j),
    "linear": lambda i, j: abs(i - j),
    "quadratic": lambda i, j: (i - j) ** 2,
}


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two raters over the n items that both marked; what n is too small for is None."""

    n: int
    left_out: int
    """Items that either did not mark."""
    percent: float | None = None
    """Share marked alike."""
    kappa: float | None = None
    """Cohen's: (percent - expected) / (1 - expected). None where both give one and the same mark throughout."""
    linear: float | None = None
    quadratic: float | None = None
    """Weighted kappas: 1 - Σ w·observed / Σ w·expected, w = |i - j| or (i - j)² over the places of the labels."""
    pabak: float | None = None
    """(k·percent - 1) / (k - 1) for k labels: kappa if all were equally frequent, which prevalence does not lower."""
    mean_absolute: float | None = None
    """Mean of |b - a|."""
    bias: float | None = None
    """Mean of b - a: how much more lenient the second is."""
    spearman: float | None = None
    """Rank correlation; None where either gives one mark throughout."""
    why: str = ""
    """Why there is no kappa; empty where there is."""


def pair_agreement(a: Marks, b: Marks, labels: Sequence[float]) -> PairAgreement:
    """Two raters' marks of the same items, None where one has none; `labels`: every mark of the scale, in order.

    Cohen 1960 and 1968 (METHOD.md 4.6). The labels must be those of the scale, not those that happen to occur: the weights
    rest on their places. ValueError where the lengths differ, labels are fewer than two or twice, or a mark is none of them.
    """
    pairs = _pairs(a, b, labels)
    n, left_out = len(pairs), len(a) - len(pairs)
    if not n:
        return PairAgreement(0, left_out, why="no item has both scores")
    table, size = _table([pairs]), len(labels)
    percent = 1 - _off(table, "none") / n
    both = [(labels[i], labels[j]) for i, j in pairs]
    kappa = _kappa(table, size, "none")
    return PairAgreement(
        n,
        left_out,
        percent,
        kappa,
        _kappa(table, size, "linear"),
        _kappa(table, size, "quadratic"),
        pabak=(size * percent - 1) / (size - 1),
        mean_absolute=fmean(abs(y - x) for x, y in both),
        bias=fmean(y - x for x, y in both),
        spearman=spearman([x for x, _ in both], [y for _, y in both]),
        why="" if kappa is not None else f"both gave {both[0][0]:g} throughout: nothing shows whether they would tell apart",
    )


def kappa_interval(
    a: Marks,
    b: Marks,
    labels: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    weight: Weight = "quadratic",
    draws: int = DRAWS,
) -> Interval:
    """Percentile interval of a kappa over clusters such as conversations (each item its own where none are given).

    2,000 draws, always the same (METHOD.md 4.6). Errors as `pair_agreement`'s.
    """
    _pairs(a, b, labels)  # raises
    paired = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x is not None and y is not None]
    pairs = _pairs([a[i] for i in paired], [b[i] for i in paired], labels)
    size = len(labels)
    groups = clustered(pairs, None if clusters is None else [clusters[i] for i in paired])

    def figure(sample: Sequence[Sequence[tuple[int, int]]]) -> float | None:
        return _kappa(_table(sample), size, weight)

    return percentile_interval(groups, figure, "items" if clusters is None else "conversations", draws)


def _pairs(a: Marks, b: Marks, labels: Sequence[float]) -> list[tuple[int, int]]:
    """The places of both marks among the labels, of the items that have both."""
    place = {label: i for i, label in enumerate(labels)}
    if len(place) < 2 or len(place) != len(labels) or len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} scores, labels {list(labels)}")
    strange = {mark for mark in (*a, *b) if mark is not None and mark not in place}
    if strange:
        raise ValueError(f"scores {sorted(strange)} are none of the labels {list(labels)}")
    return [(place[x], place[y]) for x, y in zip(a, b, strict=True) if x is not None and y is not None]


Table = Counter[tuple[int, int]]


def _table(groups: Sequence[Sequence[tuple[int, int]]]) -> Table:
    """Count how often each pair of places occurs."""
    table: Table = Counter()
    for pairs in groups:
        table.update(pairs)
    return table


def _off(table: Table, weight: Weight) -> float:
    """The weighted sum of what is not alike."""
    distance = _DISTANCE[weight]
    return float(sum(n * distance(i, j) for (i, j), n in table.items()))


def _kappa(table: Table, size: int, weight: Weight) -> float | None:
    """1 - seen / expected disagreement; None where none is expected."""
    distance, n = _DISTANCE[weight], table.total()
    rows, columns = [0] * size, [0] * size
    for (i, j), count in table.items():
        rows[i] += count
        columns[j] += count
    expected = sum(
        first * second * distance(i, j) for i, first in enumerate(rows) if first for j, second in enumerate(columns) if second
    )
    return 1 - _off(table, weight) * n / expected if expected else None


@dataclass(frozen=True, slots=True)
class AlphaAgreement:
    """Krippendorff's alpha of several raters, and what it rests on."""

    alpha: float | None
    """1 - observed / expected disagreement; None where no two raters share an item, or where all marks are equal."""
    n: int
    """Items with two marks or more: the others say nothing about agreement."""
    left_out: int
    """Items with one mark or none."""
    marks: int
    """Marks of the n items."""
    raters: int
    """Raters with a mark among these."""
    why: str = ""


def krippendorff_alpha(ratings: Sequence[Marks], scale: Scale = "ordinal") -> AlphaAgreement:
    """Of raters x items, None where a rater has no mark (METHOD.md 4.6; Krippendorff 2011, through coincidences).

    A pair of marks counts by the square of its distance: nominal 0 or 1; interval the difference; ordinal the difference of
    the marks' middle ranks among all marks. ValueError where raters have different numbers of items.
    """
    units = _units(ratings)
    items = len(ratings[0]) if ratings else 0
    alpha = _alpha(units, scale)
    marks = sum(map(len, units))
    paired = [i for i in range(items) if sum(rater[i] is not None for rater in ratings) > 1]
    raters = sum(any(rater[i] is not None for i in paired) for rater in ratings)
    why = "" if alpha is not None else "every score is the same" if units else "no item has two scores"
    return AlphaAgreement(alpha, len(units), items - len(units), marks, raters, why)


def krippendorff_interval(
    ratings: Sequence[Marks], scale: Scale = "ordinal", clusters: Sequence[Hashable] | None = None, draws: int = DRAWS
) -> Interval:
    """Percentile interval of alpha over clusters of items, such as conversations (each item its own where none are given)."""
    items = len(ratings[0]) if ratings else 0
    names = range(items) if clusters is None else clusters
    if len(names) != items:
        raise ValueError(f"{len(names)} clusters of {items} items")
    paired = [i for i in range(items) if sum(rater[i] is not None for rater in ratings) > 1]
    groups = clustered(_units(ratings), [names[i] for i in paired])

    def figure(sample: Sequence[Sequence[Unit]]) -> float | None:
        return _alpha([unit for group in sample for unit in group], scale)

    return percentile_interval(groups, figure, "items" if clusters is None else "conversations", draws)


def reliability(alpha: float) -> str:
    """Krippendorff's rule in a word: good from .8, tentative from .667, else poor."""
    return "good" if alpha >= GOOD else "tentative" if alpha >= TENTATIVE else "poor"


Unit = tuple[float, ...]


def _units(ratings: Sequence[Marks]) -> list[Unit]:
    """The marks of each item that has two or more, in order of size."""
    items = [sorted(mark for mark in item if mark is not None) for item in zip(*ratings, strict=True)]
    return [tuple(marks) for marks in items if len(marks) > 1]


def _alpha(units: Sequence[Unit], scale: Scale) -> float | None:
    """From the marks of items that have two or more.

    Both sums over pairs follow from counts: within an item of m marks a pair weighs 1 / (m - 1).
    """
    alike = Counter(units)
    frequency: Counter[float] = Counter()
    for unit, times in alike.items():
        for mark in unit:
            frequency[mark] += times
    where = _places(frequency, scale)
    n = frequency.total()
    observed = math.fsum(times * _spread(Counter(unit), where) / (len(unit) - 1) for unit, times in alike.items())
    expected = _spread(frequency, where)
    return 1 - (n - 1) * observed / expected if expected else None


def _places(frequency: Counter[float], scale: Scale) -> dict[float, float] | None:
    """Return the places of marks whose differences are their distances; None where only being the same counts."""
    if scale == "nominal":
        return None
    if scale == "interval":
        return {mark: mark for mark in frequency}
    places, below = {}, 0
    for mark in sorted(frequency):
        places[mark] = below + frequency[mark] / 2
        below += frequency[mark]
    return places


def _spread(counts: Counter[float], where: dict[float, float] | None) -> float:
    """The squared distances of all ordered pairs of marks, added up."""
    total = counts.total()
    if where is None:
        return float(total * total - sum(count * count for count in counts.values()))
    if len(counts) < 2:
        return 0.0
    centre = math.fsum(where[mark] * count for mark, count in counts.items()) / total
    return 2 * total * math.fsum(count * (where[mark] - centre) ** 2 for mark, count in counts.items())
