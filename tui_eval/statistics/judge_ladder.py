"""Verdict on a judge by its marks of texts that are made worse step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean

from tui_eval.statistics.bounded_means import bounded_mean

STEPS = (0.0, 0.25, 0.5, 0.75, 0.98)
"""Share of the sentences that are replaced (METHOD.md 4.7)."""
USABLE = 0.8
"""Share of step pairs in the right order from which on a judge is usable."""
NOT_USABLE = 0.65
"""Below it a judge is not usable, and two steps are not distinguished."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """Marks of a judge for texts degraded by so many shares, and the verdict on it."""

    steps: tuple[float, ...]
    n: tuple[int, ...]
    """Marks read at each step."""
    asked: int
    """Marks that were wanted in all."""
    means: tuple[float | None, ...]
    """Mean mark at each step; None where none was read."""
    texts: int
    """Texts with marks at two steps or more."""
    left_out: int
    """Texts without."""
    value: float | None
    """Share of step pairs whose marks are in the right order, ties half; mean over texts. None without a text."""
    low: float | None
    """The 95 % interval of the value over texts."""
    high: float | None
    alike: tuple[tuple[float, float], ...]
    """Neighbouring steps that it does not tell apart: their share over texts is below `NOT_USABLE`."""
    parts_whole: bool
    """Whether it gave every whole text the top mark, and every other less; all of them were read."""

    @property
    def usable(self) -> bool | None:
        """By the value; None where it lies between, and where a step has no mark."""
        if self.value is None or None in self.means:
            return None
        return True if self.value >= USABLE else False if self.value < NOT_USABLE else None

    @property
    def passes(self) -> bool:
        """Return whether it may judge: marks of 1 to 5, or at least yes/no questions. An open verdict does not pass."""
        return self.usable is True or self.parts_whole


def judge_ladder(marks: Sequence[Sequence[float | None]], high: float | None = None, steps: Sequence[float] = STEPS) -> Ladder:
    """From the marks of each text, one for each step; None where the reply could not be read. `high`: the top mark.

    Of every text the share of its step pairs, of which both marks are read, where the less degraded one has the higher mark,
    ties half; the value is the mean over texts, its interval Gaffke's. A judge is usable from .80 and is not below .65. More
    is better. ValueError where a text has another number of marks than there are steps, or where the steps do not grow.
    """
    if any(first >= second for first, second in pairwise(steps)):
        raise ValueError(f"the steps {list(steps)} do not grow")
    if any(len(row) != len(steps) for row in marks):
        raise ValueError(f"a text needs {len(steps)} scores")
    read = [[mark for row in marks for mark in [row[i]] if mark is not None] for i in range(len(steps))]
    means = tuple(fmean(column) if column else None for column in read)
    ordered = [order for order in map(_ordered, marks) if order]
    shares, many = [fmean(order.values()) for order in ordered], len(marks)
    value = round(fmean(shares), 9) if shares else None
    low, top = bounded_mean(shares, 0, 1) if shares else (None, None)
    parts_whole = bool(marks) and high is not None and all(_parts_whole(row, high) for row in marks)
    return Ladder(
        tuple(steps), tuple(map(len, read)), many * len(steps), means, len(shares), many - len(shares), value, low, top,
        _alike(ordered, steps), parts_whole,
    )  # fmt: skip


def _alike(ordered: Sequence[Mapping[tuple[int, int], float]], steps: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """The neighbouring steps whose own share over texts is too low."""
    pairs = []
    for i in range(len(steps) - 1):
        own = [order[i, i + 1] for order in ordered if (i, i + 1) in order]
        if own and round(fmean(own), 9) < NOT_USABLE:
            pairs.append((steps[i], steps[i + 1]))
    return tuple(pairs)


def _ordered(row: Sequence[float | None]) -> dict[tuple[int, int], float]:
    """By two steps of a text: 1 where the marks are in the right order, 0 where they are not, a half where they are equal."""
    return {
        (i, j): 0.5 if round(before - after, 9) == 0 else float(before > after)
        for (i, before), (j, after) in combinations(enumerate(row), 2)
        if before is not None and after is not None
    }


def _parts_whole(row: Sequence[float | None], high: float) -> bool:
    return row[0] == high and all(mark is not None and mark < high for mark in row[1:])
