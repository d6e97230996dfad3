"""Means of scores with their intervals, with what they rest on, and with what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.metrics import is_binary, within
from tui_eval.results.sums.series import Group, Series
from tui_eval.statistics.estimates import clustered_wilson, mean, missing_bounds, wilson
from tui_eval.statistics.paired import clustered_mean


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean score over n questions and its 95 % interval; None where n is too small for one."""

    n: int
    value: float | None
    low: float | None = None
    high: float | None = None
    share: bool = False
    """Whether each of the n is right or wrong, so that the interval is Wilson's."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the answers with a score are right, and what that rests on."""

    asked: int
    """Answers that were to be scored."""
    scored: int
    right: int
    questions: int
    """Questions with at least one score."""
    low: float | None
    high: float | None
    effective: float | None
    """Effective n of the interval: several answers to one question are one cluster."""

    @property
    def share(self) -> float | None:
        """right / scored; None of nothing."""
        return self.right / self.scored if self.scored else None

    @property
    def missing(self) -> int:
        """Answers without a score."""
        return self.asked - self.scored

    @property
    def strict(self) -> float | None:
        """The lower bound, as if every missing answer were wrong."""
        return self._bounds[0]

    @property
    def best_case(self) -> float | None:
        """The upper bound, as if every missing answer were right."""
        return self._bounds[1]

    @property
    def _bounds(self) -> tuple[float, float] | tuple[None, None]:
        return missing_bounds(self.right, self.scored, self.asked) or (None, None)


def rate(series: Series, group: Group | None = None) -> Rate:
    """Over all questions or a group of them; several answers to one question are a cluster."""
    if series.single:
        return _rate_of_single(series, -1 if group is None else group.bits)
    inside = range(len(series.asked)) if group is None else [i for i in group.indexes if i < len(series.asked)]
    scored, right = [series.scored[i] for i in inside], [round(series.total[i]) for i in inside]
    low, high, effective = clustered_wilson(right, scored) or (None, None, None)
    asked = sum(series.asked[i] for i in inside)
    return Rate(asked, sum(scored), sum(right), sum(map(bool, scored)), low, high, effective)


def _rate_of_single(series: Series, wanted: int) -> Rate:
    """The same where every question has at most one answer: by counting bits, since a report has thousands of groups."""
    asked, scored, right = ((found & wanted).bit_count() for found in series.sets())
    low, high = wilson(right, scored) or (None, None)
    return Rate(asked, scored, right, scored, low, high, float(scored) if scored else None)


def clusters_of(documents: Sequence[str]) -> Sequence[Hashable]:
    """What questions are no independent evidence with: their document; each is its own where documents tell nothing apart."""
    return documents if 1 < len(set(documents)) < len(documents) else range(len(documents))


def mean_of(values: Sequence[float], clusters: Sequence[Hashable], metric: Metric) -> Estimate:
    """Mean over questions, each given by the mean of its scores; n = questions (METHOD.md 1).

    Wilson where every question is right or wrong, else t; where several answers to a question are one mean, it is neither.
    No interval of marks ends beyond their scale.
    """
    if len(values) < 2:
        return Estimate(len(values), mean(values))
    if is_whole(metric, values):
        right, sizes = Counter[Hashable](), Counter(clusters)
        for cluster, value in zip(clusters, values, strict=True):
            right[cluster] += int(value)
        low, high, _ = clustered_wilson([right[name] for name in sizes], list(sizes.values())) or (None, None, None)
        return Estimate(len(values), mean(values), low, high, share=True)
    found = clustered_mean(values, clusters)
    if is_binary(metric) or found.low is None or found.high is None:
        return Estimate(found.n, found.mean, found.low, found.high)
    low, high = within(metric, found.low), within(metric, found.high)
    return Estimate(found.n, found.mean, min(low, found.mean), max(high, found.mean))


def is_whole(metric: Metric, values: Sequence[float]) -> bool:
    """Whether every question is right or wrong, by its metric, and by its several answers if there are any."""
    return is_binary(metric) and {0, 1}.issuperset(values)
