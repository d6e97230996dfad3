"""Alternative annotator test: whether a judge may stand in for persons, by how it agrees with each one's fellows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean

from tui_eval.statistics.estimates import student_t_tail
from tui_eval.statistics.paired import benjamini_yekutieli, clustered_mean

EPSILON = 0.1
"""How much less often than a person a judge may be the better one: what asking a person costs more."""
LEAST_COMMON = 50
"""Answers that all of them marked, below which there is no such test."""
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class AgainstPerson:
    """A judge in the place of one person, by how near both are to the other persons."""

    judge: float
    """Share of answers of which the judge is at least as near to the others."""
    person: float
    """Share of answers of which the person is."""
    p: float
    """One-sided: small where the judge is less than epsilon worse."""
    won: bool
    """By Benjamini and Yekutieli over all persons."""


def alternative_annotator(
    judge: Sequence[float],
    persons: Sequence[Sequence[float]],
    clusters: Sequence[Hashable],
    labels: bool = True,
    epsilon: float = EPSILON,
) -> list[AgainstPerson]:
    """Calderon, Reichart and Dror 2025 (arXiv 2501.10970): the judge in the place of each person, in their order.

    Marks of the same answers, all of them marked by all; `clusters`: what each answer belongs to; `labels`: whether marks agree
    or not, otherwise nearness is how little they differ. Of each answer the judge, the person or both are the nearer to the
    others; the test is t of (person - judge) less epsilon over clusters. ValueError for fewer than two persons, or lengths that
    differ.
    """
    if len(persons) < 2 or not judge or any(len(own) != len(judge) for own in (*persons, clusters)):
        raise ValueError(f"{len(judge)} scores of a judge beside those of {len(persons)} persons")

    def near(mark: float, fellows: Sequence[float]) -> float:
        return fmean(float(mark == fellow) if labels else -abs(mark - fellow) for fellow in fellows)

    comparisons = []
    for place_of_own, own in enumerate(persons):
        beside = [*persons[:place_of_own], *persons[place_of_own + 1 :]]
        fellows = [[marks[place] for marks in beside] for place in range(len(judge))]
        ours = [near(mark, fellow_marks) for mark, fellow_marks in zip(judge, fellows, strict=True)]
        theirs = [near(mark, fellow_marks) for mark, fellow_marks in zip(own, fellows, strict=True)]
        judge_wins = [float(a >= b) for a, b in zip(ours, theirs, strict=True)]
        person_wins = [float(b >= a) for a, b in zip(ours, theirs, strict=True)]
        worse = [b - a for a, b in zip(judge_wins, person_wins, strict=True)]
        comparisons.append((fmean(judge_wins), fmean(person_wins), _tail(worse, clusters, epsilon)))
    won = benjamini_yekutieli([p for *_, p in comparisons], LEVEL)
    return [AgainstPerson(*comparison, is_won) for comparison, is_won in zip(comparisons, won, strict=True)]


def _tail(worse: Sequence[float], clusters: Sequence[Hashable], epsilon: float) -> float:
    """One-sided p of a mean that is epsilon or more; 1 where one cluster is all there is."""
    mean = clustered_mean(worse, clusters, 1.0)
    if not mean.error or mean.degrees is None:
        return 1.0
    off = (mean.mean - epsilon) / mean.error
    both = student_t_tail(off, mean.degrees)
    return both / 2 if off < 0 else 1 - both / 2
