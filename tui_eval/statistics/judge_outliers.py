"""Judges of which one agrees less with the others than they do with each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean

from tui_eval.statistics.rank_correlation import spearman
from tui_eval.statistics.resampling import DRAWS, Interval, clustered, percentile_interval

FEWEST_JUDGES = 3
"""Of two nobody can say which is the odd one."""


@dataclass(frozen=True, slots=True)
class BesideOthers:
    """A judge's marks beside the mean of the other judges' marks of the same answers."""

    n: int
    """Answers that every judge marked."""
    rho: float | None
    """Spearman's of its mark and the mean of the others'; None where either does not vary."""
    interval: Interval
    theirs: float | None
    """The mean of the same over the other judges, among themselves."""
    behind: Interval
    """Of theirs - rho."""
    distance: float | None
    """Mean distance of its mark from the mean of the others'."""
    lean: float | None
    """Mean of its mark less that of the others': above 0 where it is more lenient."""

    @property
    def is_odd(self) -> bool:
        """Return whether it agrees less with the others than they with each other, beyond what the interval leaves open."""
        return self.behind.low is not None and self.behind.low > 0


def beside_others(
    marks: Sequence[Sequence[float | None]], clusters: Sequence[Hashable], draws: int = DRAWS
) -> list[BesideOthers]:
    """Of each of three judges or more, from its marks of the answers, None where one is missing.

    Intervals draw whole clusters, such as conversations. What the others have among themselves is of each of them with the mean
    of the rest, the judge left out; a mean of more judges is the steadier one, so that of judges who are as good as each other
    none lies behind. ValueError for fewer than three judges, and where the lengths differ.
    """
    judges = range(len(marks))
    if len(marks) < FEWEST_JUDGES:
        raise ValueError(f"{len(marks)} judges: it takes {FEWEST_JUDGES}")
    rows = [(row, name) for *row, name in zip(*marks, clusters, strict=True) if None not in row]
    results = []
    for j in judges:
        other_judges = [k for k in judges if k != j]
        pairs = [(j, other_judges), *((k, [judge for judge in other_judges if judge != k]) for k in other_judges)]
        columns = [tuple(chain(*((row[k], fmean(row[o] for o in rest)) for k, rest in pairs))) for row, _ in rows]
        groups = clustered(columns, [name for _, name in rows])
        whole = _correlations(groups)
        off = [own - theirs for own, theirs, *_ in columns]
        results.append(
            BesideOthers(
                len(rows), whole[0], percentile_interval(groups, _own, draws=draws), _mean(whole[1:]),
                percentile_interval(groups, _behind, draws=draws), fmean(map(abs, off)) if off else None,
                fmean(off) if off else None,
            )
        )  # fmt: skip
    return results


Columns = Sequence[Sequence[tuple[float, ...]]]


def _correlations(groups: Columns, least: int = 0, most: int | None = None) -> list[float | None]:
    """Of each two columns that stand beside each other."""
    columns = list(zip(*(row for group in groups for row in group), strict=True))[least:most]
    return [spearman(first, second) for first, second in zip(columns[::2], columns[1::2], strict=True)] or [None]


def _own(groups: Columns) -> float | None:
    return _correlations(groups, 0, 2)[0]


def _behind(groups: Columns) -> float | None:
    own, *rest = _correlations(groups)
    theirs = _mean(rest)
    return None if own is None or theirs is None else theirs - own


def _mean(values: Sequence[float | None]) -> float | None:
    return fmean(value for value in values if value is not None) if values and None not in values else None
