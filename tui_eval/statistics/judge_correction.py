"""A judge's mean over conversations, corrected by persons' marks of some of the same answers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from tui_eval.statistics.clusters import degrees_of_clusters, effective_clusters
from tui_eval.statistics.estimates import student_t
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
