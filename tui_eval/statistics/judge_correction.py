"""A judge's mean, corrected by a person's marks of some of the same answers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from tui_eval.statistics.clusters import degrees_of_clusters, inside_variance, unequal_widening
from tui_eval.statistics.estimates import ROUNDING, Z, student_t
from tui_eval.statistics.resampling import clustered
from tui_eval.statistics.score_differences import floor_error


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """What the mean of a person's marks would be over all answers, by prediction-powered inference."""

    n_person: int
    """Answers that both a person and the judge marked."""
    n_judge: int
    """Other answers, which the judge alone marked."""
    clusters: int
    """What both come from, such as conversations; the number of rows where none are given."""
    weight: float
    """λ: how far the judge's marks of the other answers count; 1 in full, 0 not at all."""
    mean: float
    se: float
    low: float | None
    """None, as high is, where nothing shows how far it varies: all marks agree, and lie on no scale."""
    high: float | None
    person_mean: float
    """Of the person's marks alone."""
    judge_mean: float
    """Of the judge's marks of the other answers, uncorrected."""


def ppi_mean(
    person: Sequence[float],
    judge: Sequence[float],
    others: Sequence[float],
    clusters: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
    tuned: bool = False,
    scale: tuple[float, float] | None = None,
) -> CorrectedMean | None:
    """λ·mean(others) + mean(person - λ·judge), and a 95 % interval (Angelopoulos et al. 2023, 2301.09633; METHOD.md 4.6).

    `person` and `judge`: both marks of the same answers, which must be drawn at random from all; `others`: the judge's marks
    of the rest; `clusters`: the conversation of each of the former, and of the latter. λ is 1; `tuned` (PPI++, 2311.01453):
    cov(person, judge) / ((1 + n/N)·var(all the judge's marks)) within 0..1, which narrows the interval where
    the judge tells little.

    Variance: the sum over clusters of (Σ λ·(other - mean)/N + Σ (person - λ·judge - mean)/n)²; where each row is its own
    cluster var(others)/N + var(person - judge)/n, dividing by the count, as the source has it, and with z. Where rows share
    clusters the interval is wider than that `se` says: see `_clustered_half`. On a `scale` both means have the floor of a
    difference (`floor_error`), and with one cluster of either the interval is all of the scale. None where either side is
    empty. ValueError where lengths differ.
    """
    if len(person) != len(judge):
        raise ValueError(f"{len(person)} marks of a person and {len(judge)} of the judge are no pairs")
    n, many = len(person), len(others)
    if clusters and (len(clusters[0]), len(clusters[1])) != (n, many):
        raise ValueError(f"clusters of {len(clusters[0])} and {len(clusters[1])} answers, marks of {n} and {many}")
    if not n or not many:
        return None
    weight = _weight(person, judge, others) if tuned else 1.0
    off = [y - weight * f for y, f in zip(person, judge, strict=True)]
    centre, other_centre = fmean(off), fmean(others)
    corrections, told = [(value - centre) / n for value in off], [weight * (f - other_centre) / many for f in others]
    sums = list(map(math.fsum, clustered([*corrections, *told], [*clusters[0], *clusters[1]] if clusters else None)))
    se = math.sqrt(math.fsum(one**2 for one in sums))
    mean = weight * other_centre + centre
    half = Z * se
    if clusters and len(sums) < n + many:
        half = _clustered_half(se, clustered(corrections, clusters[0]), clustered(told, clusters[1]))
    if scale is not None:
        units = tuple(len(set(names)) for names in clusters) if clusters else (n, many)
        half = _with_floor(half, scale, weight, (centre, other_centre), units)
    low, high = (mean - half, mean + half) if half > ROUNDING * abs(mean) else (None, None)
    return CorrectedMean(n, many, len(sums), weight, mean, se, low, high, fmean(person), other_centre)


def _with_floor(
    half: float, scale: tuple[float, float], weight: float, centres: tuple[float, float], units: Sequence[int]
) -> float:
    """Half an interval, with what no agreement of so few clusters takes away from either mean on its own scale.

    person - λ·judge lies within (1 + λ)/2 of the scale's width about (1 - λ) of its middle, λ·other within λ/2 about λ of it.
    """
    width, middle = scale[1] - scale[0], (scale[0] + scale[1]) / 2
    if min(units) < 2:
        return width
    corrections = floor_error(centres[0] - (1 - weight) * middle, units[0], (1 + weight) * width / 2)
    told = floor_error(weight * (centres[1] - middle), units[1], weight * width / 2) if weight else 0.0
    return math.hypot(half, student_t(0.975, min(units) - 1) * math.hypot(corrections, told))


def _clustered_half(se: float, corrections: Sequence[Sequence[float]], told: Sequence[Sequence[float]]) -> float:
    """Half an interval of two sums whose terms share clusters, each group the terms of one: the corrections, and the rest.

    Each sum by itself tells how many times too narrow the size of its clusters makes it (`unequal_widening`) and on how many
    degrees of freedom it rests (`degrees_of_clusters`); together Welch and Satterthwaite's, weighted by their variances.
    """
    both = [_spread_of(groups) for groups in (corrections, told)]
    more = math.fsum(variance * (widening - 1) for variance, widening, _ in both)
    whole = math.fsum(variance * widening for variance, widening, _ in both)
    if not whole:
        return Z * se
    degrees = whole**2 / math.fsum((variance * widening) ** 2 / degrees for variance, widening, degrees in both)
    return student_t(0.975, degrees) * math.sqrt(se**2 + more)


def _spread_of(groups: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Variance of a sum over clusters as they are, how many times that it really is, and its degrees of freedom."""
    sums, sizes = list(map(math.fsum, groups)), list(map(len, groups))
    variance = math.fsum(one**2 for one in sums)
    if len(groups) < 2:
        return variance, 1.0, 1.0
    return variance, unequal_widening(sums, inside_variance(groups), sizes), degrees_of_clusters(sizes)


def _weight(person: Sequence[float], judge: Sequence[float], others: Sequence[float]) -> float:
    """The λ that makes the variance least; 0 where the judge gives one mark throughout."""
    every = [*judge, *others]
    spread = variance(every)
    if not spread:
        return 0.0
    centre_y, centre_f = fmean(person), fmean(judge)
    shared = math.fsum((y - centre_y) * (f - centre_f) for y, f in zip(person, judge, strict=True)) / len(person)
    return min(max(shared / ((1 + len(person) / len(others)) * spread), 0.0), 1.0)
