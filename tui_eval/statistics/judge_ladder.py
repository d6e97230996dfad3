"""Whether a judge is usable: its marks of texts that are made worse step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from tui_eval.statistics.rank_correlation import spearman

STEPS = (0.0, 0.25, 0.5, 0.75, 0.98)
"""Share of the sentences that are replaced (METHOD.md 4.7)."""
LEAST_CORRELATION = 0.9


@dataclass(frozen=True, slots=True)
class Ladder:
    """What a judge makes of texts degraded by so many shares."""

    steps: tuple[float, ...]
    n: tuple[int, ...]
    """Marks read at each step."""
    asked: int
    """Marks that were wanted in all."""
    means: tuple[float | None, ...]
    """Mean mark at each step; None where none was read."""
    correlation: float | None
    """Spearman's of what was kept of a text and its mark, over every mark; None where all marks are the same."""
    falls: bool | None
    """Whether the mean mark falls at every step; None where a step has no mark."""

    @property
    def usable(self) -> bool | None:
        """Falling means at every step, and a correlation of .9 at least; None where that cannot be told."""
        if self.falls is None:
            return None
        return self.falls and self.correlation is not None and round(self.correlation, 9) >= LEAST_CORRELATION

    @property
    def stalls(self) -> tuple[tuple[float, float], ...]:
        """The neighbouring steps between which the mean mark does not fall."""
        known = list(zip(self.steps, self.means, strict=True))
        return tuple(
            (first, second)
            for (first, before), (second, after) in pairwise(known)
            if before is not None and after is not None and not _falls(before, after)
        )

    @property
    def line(self) -> str:
        """The verdict and what it rests on in a sentence."""
        verdict = {True: "usable", False: "not usable", None: "cannot be told"}[self.usable]
        means = ", ".join("-" if mean is None else f"{mean:.2f}" for mean in self.means)
        steps = ", ".join(f"{100 * step:g}" for step in self.steps)
        between = ", ".join(f"{100 * first:g} and {100 * second:g} %" for first, second in self.stalls)
        course = (
            "a step has no mark" if self.falls is None else f"no fall between {between}" if between else "falls at every step"
        )
        rank = "undefined" if self.correlation is None else f"{self.correlation:.2f}"
        return (
            f"{verdict}: mean mark {means} where {steps} % is replaced ({course}), rank correlation {rank} "
            f"({LEAST_CORRELATION:.2f} is wanted), {sum(self.n):,} of {self.asked:,} marks read"
        )


def judge_ladder(marks: Sequence[Sequence[float | None]], steps: Sequence[float] = STEPS) -> Ladder:
    """From the marks of each text, one for each step; None where the reply could not be read.

    A judge is usable whose mean mark falls at every step and follows what was kept with a rank correlation of .9 at least,
    over all marks (METHOD.md 4.7). More is better. ValueError where a text has another number of marks than there are steps,
    or where the steps do not grow.
    """
    if any(first >= second for first, second in pairwise(steps)):
        raise ValueError(f"the steps {list(steps)} do not grow")
    if any(len(row) != len(steps) for row in marks):
        raise ValueError(f"a text needs {len(steps)} marks")
    by_step = [[row[i] for row in marks] for i in range(len(steps))]
    read = [[mark for mark in column if mark is not None] for column in by_step]
    means = tuple(fmean(column) if column else None for column in read)
    known = [mean for mean in means if mean is not None]
    falls = all(_falls(first, second) for first, second in pairwise(known)) if len(known) == len(steps) else None
    kept = [1 - step for step, column in zip(steps, read, strict=True) for _ in column]
    correlation = spearman(kept, [mark for column in read for mark in column])
    return Ladder(tuple(steps), tuple(map(len, read)), len(marks) * len(steps), means, correlation, falls)


def _falls(before: float, after: float) -> bool:
    """But for rounding."""
    return round(before - after, 9) > 0
