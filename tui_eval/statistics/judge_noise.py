"""A judge's own noise: how far its marks of one answer differ when it is asked again without knowing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from tui_eval.statistics.resampling import DRAWS, Interval, clustered, percentile_interval


@dataclass(frozen=True, slots=True)
class JudgeNoise:
    """What several marks of the same answers differ by; None where no answer has two marks."""

    n: int
    """Answers with two marks or more."""
    left_out: int
    """Answers judged again of which fewer than two marks could be read."""
    interval: Interval
    """Of the noise."""
    noise: float | None = None
    """Standard deviation of a mark about the mean of all that the judge would give this answer, in marks."""
    same: float | None = None
    """Share of answers whose marks are all the same."""
    mean_range: float | None = None
    """Mean of the highest mark of an answer less the lowest."""
    flips: int | None = None
    """Answers of which one mark passes and another does not; None without a threshold."""
    why: str = ""


def judge_noise(
    marks: Sequence[Sequence[float | None]],
    clusters: Sequence[Hashable] | None = None,
    threshold: float | None = None,
    draws: int = DRAWS,
) -> JudgeNoise:
    """From every mark of each answer that was judged more than once (its first one as well), None where it was not read.

    noise = √(mean over answers of the variance of their marks, dividing by one less than their number), METHOD.md 3; of two
    marks √(Σ d² / 2n), d their difference. `clusters`: the conversation of each answer, for the interval (percentile
    bootstrap). `threshold`: the mark from which on an answer passes. ValueError where the lengths differ.
    """
    if clusters is not None and len(clusters) != len(marks):
        raise ValueError(f"{len(clusters)} clusters of {len(marks)} answers")
    read = [tuple(sorted(mark for mark in found if mark is not None)) for found in marks]
    kept = [i for i, found in enumerate(read) if len(found) > 1]
    left_out = len(read) - len(kept)
    if not kept:
        why = "no answer has two marks"
        return JudgeNoise(0, left_out, Interval(None, None, 0, 0, why=why), why=why)
    answers = [read[i] for i in kept]
    names = [i if clusters is None else clusters[i] for i in kept]
    groups = clustered(answers, names)
    same = [sum(found[0] == found[-1] for found in group) for group in groups]
    flips = None if threshold is None else sum(found[0] < threshold <= found[-1] for found in answers)
    what = "answers" if clusters is None else "conversations"
    return JudgeNoise(
        len(answers), left_out, percentile_interval(groups, _noise, what, draws), _noise(groups), sum(same) / len(answers),
        fmean(found[-1] - found[0] for found in answers), flips,
    )  # fmt: skip


def _noise(groups: Sequence[Sequence[Sequence[float]]]) -> float:
    spreads = [
        (found[0] - found[1]) ** 2 / 2 if len(found) == 2 else variance(found)  # of two the same, and much quicker
        for group in groups
        for found in group
    ]
    return math.sqrt(fmean(spreads))
