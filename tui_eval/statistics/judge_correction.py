"""A judge's mean over conversations, corrected by persons' marks of some of the same answers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import TypeVar

from tui_eval.statistics.clusters import degrees_of_clusters, effective_clusters, inside_variance, unequal_widening
from tui_eval.statistics.estimates import ROUNDING, Z, student_t
from tui_eval.statistics.resampling import clustered
from tui_eval.statistics.score_differences import floor_error

Name = TypeVar("Name", bound=Hashable)
"""What conversations are called."""


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """The mean over conversations that persons would have given, by what the judge gave and how far it was off."""

    value: float
    """As it comes out, as the ends are: near an end of the scale they may lie beyond it."""
    low: float
    high: float
    n_conversations: int
    """Conversations with a label."""
    n_labels: int


def lure_weights(pool: int, chances: Sequence[float]) -> list[float]:
    """Weights of labels drawn one by one without replacement from a pool of so many answers, in the order of the draw.

    `chances`: of each label, among the answers that were left. The mean of weight·value is without bias for the mean of the
    pool (LURE: Farquhar, Gal and Rainforth 2021, arXiv 2101.11665): of M labels the m-th of N answers has
    1 + (N - M) / (N - m) · (1 / ((N - m + 1)·chance) - 1). Each is 1 where all that are left have the same chance, and where
    the whole pool is labelled. ValueError for more labels than answers, and for a chance that is none.
    """
    many = len(chances)
    if many > pool or any(not 0 < chance <= 1 for chance in chances):
        raise ValueError(f"{many} labels of {pool} answers, drawn with chances {list(chances)}")
    if many == pool:
        return [1.0] * many
    return [1 + (pool - many) / (pool - m) * (1 / ((pool - m + 1) * chance) - 1) for m, chance in enumerate(chances, start=1)]


def corrected_mean(
    judged: Mapping[Name, float],
    errors: Mapping[Name, Sequence[tuple[float, float]]],
    clusters: Mapping[Name, Hashable],
    scale: tuple[float, float],
) -> CorrectedMean:
    """Mean over conversations of the judge's mean, and of person - judge over the labelled ones, with a 95 % interval.

    `judged`: by conversation the judge's mean; `errors`: by labelled conversation (person - judge, weight) of each label, the
    weights those of `lure_weights`; `clusters`: what each conversation belongs to, itself or a document. The labelled
    conversations must be drawn at random among all, and each label within its conversation as its weight says.

    The error is that of influences added up by cluster: (judge's mean - mean)/C of each of C conversations, and
    (correction - mean correction)/L of each of L labelled ones; K/(K - 1) times their squares, K Kish's number of clusters by
    labelled conversations, with the floor of the mean correction; Student's t with `degrees_of_clusters`. All of the scale
    where the labels lie in one cluster. ValueError without a conversation or a label, and for a label of a conversation that
    has no mark of the judge.
    """
    if not judged or not errors or not all(errors.values()) or errors.keys() - judged.keys():
        raise ValueError(f"labels of {len(errors)} conversations, of {len(judged)} that are judged")
    raw = fmean(judged.values())
    off = {name: math.fsum(error * weight for error, weight in labels) / len(labels) for name, labels in errors.items()}
    correction = fmean(off.values())
    influence: dict[Hashable, list[float]] = {}
    sizes: dict[Hashable, int] = {}
    for name, mark in judged.items():
        part = (off[name] - correction) / len(off) if name in off else 0.0
        influence.setdefault(clusters[name], []).append((mark - raw) / len(judged) + part)
        if name in off:
            sizes[clusters[name]] = sizes.get(clusters[name], 0) + 1
    value, (low, high) = raw + correction, scale
    if len(sizes) > 1:
        counts = list(sizes.values())
        kish = effective_clusters(counts)
        squares = math.fsum(math.fsum(parts) ** 2 for parts in influence.values())
        error = math.hypot(math.sqrt(squares * kish / (kish - 1)), floor_error(correction, len(sizes), high - low))
        half = student_t(0.975, degrees_of_clusters(counts)) * error
        low, high = value - half, value + half
    return CorrectedMean(value, min(low, value), max(high, value), len(off), sum(map(len, errors.values())))


@dataclass(frozen=True, slots=True)
class PredictionPoweredMean:
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
) -> PredictionPoweredMean | None:
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
    return PredictionPoweredMean(n, many, len(sums), weight, mean, se, low, high, fmean(person), other_centre)


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
