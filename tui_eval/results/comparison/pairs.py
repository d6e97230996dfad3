"""Two sides on the questions that both answered: the difference, how sure it is, and the ranks that pairs leave open."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tui_eval.core.kinds import Metric
from tui_eval.results.comparison.sides import Run, Side
from tui_eval.results.sums.differences import Difference, Tested, difference_of, held, holm_of, span, tests_of
from tui_eval.results.sums.means import Estimate, Sources, clusterings, is_whole, mean_of
from tui_eval.results.sums.metrics import is_binary, upwards
from tui_eval.results.sums.ranks import by_pairs
from tui_eval.statistics.paired import unpaired


@dataclass(frozen=True, slots=True)
class Standing:
    """One side over all its own questions, and its place among those of its stage."""

    side: Side
    label: str
    score: Estimate
    rank: tuple[int, int] | None = None
    """The best and the worst rank that the pairs told apart leave open; None where not every two were compared."""

    @property
    def missing(self) -> int:
        """Questions it was asked that have no score."""
        return self.side.missing.total()

    @property
    def metric(self) -> Metric:
        """What it was scored by."""
        return self.side.metric


@dataclass(frozen=True, slots=True)
class Pair(Tested):
    """Two sides on the questions that both have a score for. The difference is the score of a minus that of b."""

    a: Standing
    b: Standing
    score_a: Estimate
    score_b: Estimate
    n: int
    a_better: int
    """Questions on which a does better: has right what b has wrong, or a better mark."""
    b_better: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    found: Difference
    method: str
    only_a: int
    """Questions that only a was asked."""
    only_b: int
    changed: int
    """Questions asked of both, but with another truth or other options: they are not compared."""
    missing_a: int
    """Common questions without a score of a."""
    missing_b: int
    tests: int = 1

    @property
    def metric(self) -> Metric:
        """What both were scored by."""
        return self.a.metric

    @property
    def share(self) -> bool:
        """Whether scores are right or wrong, so that differences are told in points of a hundred."""
        return is_binary(self.metric)

    @property
    def better(self) -> Standing | None:
        """The side that does better on the common questions, told apart or not; None where neither does."""
        gain = upwards(self.metric, self.difference or 0.0)
        return self.a if gain > 0 else self.b if gain < 0 else None

    @property
    def simulated(self) -> bool:
        """Whether the simulator answered for one of the two, or for both."""
        return self.a.side.simulated or self.b.side.simulated


def differing_keys(pair: Pair) -> list[bytes]:
    """The questions on which the two differ, in a's order: those on which a does better, then the others."""
    a, b = pair.a.side.scores, pair.b.side.scores
    moved = [key for key in _common_of(pair.a.side, pair.b.side) if a[key] != b[key]]
    return sorted(moved, key=lambda key: upwards(pair.metric, a[key] - b[key]) < 0)


def _common_of(a: Side, b: Side) -> list[bytes]:
    return _same(a, b, [key for key in a.scores if key in b.scores])


def _same(a: Side, b: Side, keys: Collection[bytes]) -> list[bytes]:
    """Those of them that have the same options and truth in both runs, as far as they are known."""
    if a.run is b.run:
        return list(keys)
    contents = ((key, a.run.questions[key].content, b.run.questions[key].content) for key in keys)
    return [key for key, one, other in contents if not one or not other or one == other]


def estimate(side: Side, keys: Sequence[bytes]) -> Estimate:
    """Mean over questions; those of one document are a cluster, and so is one that is asked of several documents."""
    values, n = [side.scores[key] for key in keys], side.n_scores(keys)
    return mean_of(values, clusterings_of(side.run, keys), side.metric, n)


def clusterings_of(run: Run, keys: Sequence[bytes]) -> Sources:
    """By documents that questions share, and by questions that are asked of several documents."""
    questions = [run.questions[key] for key in keys]
    return clusterings([question.source for question in questions], [question.shown for question in questions])


def ranked(standings: Sequence[Standing], pairs: Sequence[Pair]) -> tuple[list[Standing], list[Pair]]:
    """Both, with the best and the worst rank that the pairs leave open.

    Among the sides of a stage and metric that have a score, where every two of them were compared; none of others, such as
    one model over runs.
    """
    groups: dict[tuple[str, Metric], list[Standing]] = {}
    for standing in standings:
        if standing.score.n:
            groups.setdefault((standing.side.stage, standing.metric), []).append(standing)
    tested = Counter((pair.a.side.stage, pair.metric) for pair in pairs if pair.p is not None)
    won = [(pair.a, pair.b) if pair.better is pair.a else (pair.b, pair.a) for pair in pairs if pair.significant]
    found = {id(standing): standing for standing in standings}
    for key, inside in groups.items():
        if tested[key] == math.comb(len(inside), 2):
            ranks = by_pairs(inside, won)
            found |= {id(standing): replace(standing, rank=rank) for standing, rank in zip(inside, ranks, strict=True)}
    return list(found.values()), [replace(pair, a=found[id(pair.a)], b=found[id(pair.b)]) for pair in pairs]


class Left(NamedTuple):
    """Questions that a pair does not rest on, as `Pair` has them."""

    only_a: int
    only_b: int
    changed: int
    missing_a: int
    missing_b: int


def pair_of(a: Standing, b: Standing, score_a: Estimate, score_b: Estimate, found: Difference, left: Left) -> Pair:
    """A pair, not yet corrected for the number of pairs."""
    better = (found.a_higher, found.b_higher)
    return Pair(
        a=a,
        b=b,
        score_a=score_a,
        score_b=score_b,
        n=found.n,
        a_better=better[a.metric.better != "higher"],
        b_better=better[a.metric.better == "higher"],
        difference=found.value,
        low=found.low,
        high=found.high,
        p=found.p,
        p_holm=None,
        found=found,
        method=found.method,
        **left._asdict(),
    )


def compared(one: Standing, other: Standing) -> Pair:
    """The pair, not yet corrected for the number of pairs; by each side's own questions where none is common."""
    a, b = one.side, other.side
    keys = _common_of(a, b)
    both = a.items.keys() & b.items.keys()
    same = set(_same(a, b, both))
    differences = [a.scores[key] - b.scores[key] for key in keys]
    values = [side.scores[key] for side in (a, b) for key in keys]
    found = held(difference_of(differences, clusterings_of(a.run, keys), is_whole(a.metric, values)), a.metric)
    left = Left(
        only_a=len(a.items) - len(both),
        only_b=len(b.items) - len(both),
        changed=len(both) - len(same),
        missing_a=len(same - a.scores.keys()),
        missing_b=len(same - b.scores.keys()),
    )
    pair = pair_of(one, other, estimate(a, keys), estimate(b, keys), found, left)
    return pair if keys else _unpaired(pair)


def _unpaired(pair: Pair) -> Pair:
    """Two sides without a common question: what can be said of their own ones (METHOD.md 2.3)."""
    a, b = pair.a.score, pair.b.score
    if a.value is None or b.value is None or a.low is None or b.low is None or a.high is None or b.high is None:
        return pair
    difference = a.value - b.value
    low, high = (span(end, difference, pair.metric) for end in unpaired((a.value, a.low, a.high), (b.value, b.low, b.high)))
    method = "unpaired: no common question, interval from both sides' own ones"
    return replace(pair, score_a=a, score_b=b, difference=difference, low=low, high=high, method=method)


def corrected(pairs: Sequence[Pair]) -> list[Pair]:
    """Holm over every pair that has a p."""
    known = [pair.p for pair in pairs]
    return [replace(pair, p_holm=p, tests=tests_of(known)) for pair, p in zip(pairs, holm_of(known), strict=True)]
