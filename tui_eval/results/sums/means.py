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
    right: float
    """The sum of their scores: a whole number, but where judges were of two minds about an answer."""
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


def rate(series: Series, group: Group | None = None, sources: Sources = ()) -> Rate:
    """Over all questions or a group of them; several answers to one question are a cluster, as are those of a source."""
    inside = range(len(series.asked)) if group is None else [i for i in group.indexes if i < len(series.asked)]
    scored_places = [i for i in inside if series.scored[i]]
    ways = clusterings(*([source[i] for i in scored_places] for source in sources)) if sources else []
    if series.single and series.whole and all(isinstance(way, range) for way in ways):
        return _rate_of_single(series, -1 if group is None else group.bits)
    return _rate_by_cluster(series, scored_places, sum(series.asked[i] for i in inside), ways)


def _rate_by_cluster(series: Series, places: Sequence[int], asked: int, ways: Sources) -> Rate:
    """Over the questions at these places; `asked`: answers that were to be scored, those without a score as well."""
    scored, right = [series.scored[i] for i in places], [series.total[i] for i in places]
    found = [_by_cluster(right, scored, way) for way in ways or [range(len(scored))]]
    low, high, effective = min(found, key=lambda one: one[2]) if scored else (None, None, None)
    n_right = round(sum(right)) if series.whole else round(sum(right), 6)
    return Rate(asked, sum(scored), n_right, len(scored), low, high, effective)


def _by_cluster(
    right: Sequence[float], scored: Sequence[int], clusters: Sequence[Hashable], answers: int | None = None
) -> tuple[float, float, float]:
    """Wilson's interval and the effective n."""
    successes, sizes = dict[Hashable, float](), Counter[Hashable]()
    for cluster, k, size in zip(clusters, right, scored, strict=True):
        successes[cluster] = successes.get(cluster, 0) + k
        sizes[cluster] += size
    return clustered_wilson([successes[name] for name in sizes], list(sizes.values()), answers) or (0.0, 1.0, 0.0)


def _rate_of_single(series: Series, wanted: int) -> Rate:
    """The same where every question has at most one answer: by counting bits, since a report has thousands of groups."""
    asked, scored, right = ((found & wanted).bit_count() for found in series.sets())
    low, high = wilson(right, scored) or (None, None)
    return Rate(asked, scored, right, scored, low, high, float(scored) if scored else None)


Sources = Sequence[Sequence[Hashable]]
"""What questions have in common, each by question: their documents, or the question that is asked of several documents."""
LEAST_CLUSTERS = 3
"""So many are wanted to see how far they differ; of fewer an interval speaks of these alone."""


def clusterings(*sources: Sequence[Hashable]) -> list[Sequence[Hashable]]:
    """The ways in which questions are no independent evidence: by each source that several share and that takes at least
    three values; where there is none, each question is its own cluster, as a range.
    """
    found = [source for source in sources if LEAST_CLUSTERS <= len(set(source)) < len(source)]
    return [*found] or [range(len(sources[0]) if sources else 0)]


def shared_words(
    documents: Sequence[Hashable],
    questions: Sequence[Hashable],
    *,
    nouns: tuple[str, str, str, str, str] = ("answers", "about one document", "to one question", "documents", "questions"),
) -> str:
    """What intervals take into account of what questions share, or cannot, in a sentence; empty where nothing is shared.

    `nouns` are the kind's: graphs of one brief, where others have answers about one document.
    """
    answers, about_document, to_question, document_noun, question_noun = nouns
    few = len(set(documents))
    alone = (
        f"Only {few} {document_noun}: intervals speak of {question_noun} about these, not about others."
        if few == 2 < len(documents)
        else ""
    )
    shared = [
        f"{what} ({len(set(source)):,})"
        for what, source in ((about_document, documents), (to_question, questions))
        if not isinstance(clusterings(source)[0], range)
    ]
    if not shared:
        return alone
    which = ", whichever makes the interval wider" if len(shared) > 1 else ""
    return " ".join(filter(None, [alone, f"{answers.capitalize()} {' or '.join(shared)} count as one cluster{which}."]))


def mean_of(values: Sequence[float], ways: Sources, metric: Metric, answers: int | None = None) -> Estimate:
    """Mean over questions, each given by the mean of its scores; n = questions (METHOD.md 1).

    Wilson where every score is right or wrong, else t. `answers`: how many scores these means are of, where questions have
    several: the interval of their shares is Wilson's, too, with each question as a cluster, as in the table of a run's own
    report (`rate`). Of several ways to cluster them the one with the widest interval. No interval ends beyond the scale.
    """
    if len(values) < 2:
        return Estimate(len(values), mean(values))
    found = (_mean_by(values, clusters, metric, answers) for clusters in ways)
    return max(found, key=lambda found: (found.high or 0) - (found.low or 0))


def _mean_by(values: Sequence[float], clusters: Sequence[Hashable], metric: Metric, answers: int | None) -> Estimate:
    if is_whole(metric, values) or (answers and is_binary(metric) and all(0 <= value <= 1 for value in values)):
        low, high, _ = _by_cluster(values, [1] * len(values), clusters, answers)
        return Estimate(len(values), mean(values), low, high, share=True)
    found = clustered_mean(values, clusters)
    return on_scale(found.n, found.mean, found.low, found.high, metric)


def on_scale(n: int, mean: float, low: float | None, high: float | None, metric: Metric) -> Estimate:
    """A mean whose interval ends at most where its metric's scale does, and holds the mean; None for an end: none for both."""
    if low is None or high is None:
        return Estimate(n, mean)
    return Estimate(n, mean, min(within(metric, low), mean), max(within(metric, high), mean))


def is_whole(metric: Metric, values: Sequence[float]) -> bool:
    """Whether every question is right or wrong, by its metric, and by its several answers if there are any."""
    return is_binary(metric) and {0, 1}.issuperset(values)
