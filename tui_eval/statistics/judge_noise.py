"""A judge's own noise: how far its marks of one answer differ when it is asked again without knowing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from tui_eval.statistics.resampling import DRAWS, Interval, clustered, percentile_interval


@dataclass(frozen=True, slots=True)
class JudgeNoise:
    """Differences between several marks of the same answers; None where no answer has two scores."""

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
    read = [tuple(sorted(mark for mark in answer if mark is not None)) for answer in marks]
    rated = [i for i, answer in enumerate(read) if len(answer) > 1]
    left_out = len(read) - len(rated)
    if not rated:
        why = "no answer has two scores"
        return JudgeNoise(0, left_out, Interval(None, None, 0, 0, why=why), why=why)
    answers = [read[i] for i in rated]
    names = [i if clusters is None else clusters[i] for i in rated]
    groups = clustered(answers, names)
    same = [sum(answer[0] == answer[-1] for answer in group) for group in groups]
    flips = None if threshold is None else sum(answer[0] < threshold <= answer[-1] for answer in answers)
    unit = "answers" if clusters is None else "conversations"
    return JudgeNoise(
        len(answers), left_out, percentile_interval(groups, _noise, unit, draws), _noise(groups), sum(same) / len(answers),
        fmean(answer[-1] - answer[0] for answer in answers), flips,
    )  # fmt: skip


def _noise(groups: Sequence[Sequence[Sequence[float]]]) -> float:
    spreads = [
        (answer[0] - answer[1]) ** 2 / 2 if len(answer) == 2 else variance(answer)  # of two the same, and much quicker
        for group in groups
        for answer in group
    ]
    return math.sqrt(fmean(spreads))
