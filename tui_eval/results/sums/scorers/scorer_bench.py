"""Scorer bench: scorers side by side on the same replies, and the error of each by a person's blind ratings of some.

Replies are of two strata: where all scorers agree, and where they differ. Ratings are drawn from both, and each stratum weighs
by its size. All figures are about the replies of the run: its questions are not a sample of others here.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from tui_eval.statistics.estimates import shuffled
from tui_eval.statistics.paired import unpaired
from tui_eval.statistics.stratified_rates import StratifiedRate, StratumCount, stratified_rate

AGREE, DIFFER = STRATA = ("agree", "differ")
"""Names of the strata: all scorers say the same of a reply, or one says something else."""
LEAST_AGREEING, MOST_AGREEING = 0.5, 0.75
"""Shares of the ratings that are of replies on which all scorers agree."""
SPREAD = {AGREE: 2, DIFFER: 5}
"""Spreads of right and wrong within the strata, about: errors of .05 and .5. Ratings go by size times spread (Neyman 1934)."""
WRONG = 0.05
"""A scorer is found wrong where the lower end of its error is above this."""
CHOSEN_COVERAGE = {1: 0.93, 5: 0.95, 10: 0.91, 20: 0.87}
"""By the number of candidates: how often the interval of the one with the least error holds (benchmarks/truth_scorers.py)."""
CANDIDATE = 0.9
"""The share of the replies that a scorer gives a value to, to be chosen."""
FRESH = 20
"""Ratings after a choice that give an unbiased figure."""


@dataclass(frozen=True)
class BenchReply:
    """One reply with the verdict of each scorer."""

    place: Hashable
    model: str
    verdicts: Mapping[str, bool | None]
    """By scorer, whether it accepts the reply; None where it gives no value."""

    @cached_property
    def stratum(self) -> str:
        """The stratum; a scorer without a value agrees with all others."""
        return AGREE if len({*self.verdicts.values()} - {None}) < 2 else DIFFER


def agreeing_share(n_agree: int, n_differ: int) -> float:
    """Return the share of the ratings that go to replies on which all agree: by size and spread, at least half."""
    agree, differ = SPREAD[AGREE] * n_agree, SPREAD[DIFFER] * n_differ
    return min(max(agree / (agree + differ), LEAST_AGREEING), MOST_AGREEING) if agree + differ else LEAST_AGREEING


def rating_order(replies: Sequence[BenchReply], seed: int) -> list[BenchReply]:
    """Return the replies in the order in which persons rate them, decided by the seed.

    Each stratum is in random order, so that the first ratings of it are a uniform sample; of the first n ratings the stratum
    of agreement has its share, rounded up. A stratum that is used up leaves the rest to the other.
    """
    queues = {name: [reply for reply in replies if reply.stratum == name] for name in STRATA}
    share = agreeing_share(len(queues[AGREE]), len(queues[DIFFER]))
    agree, differ = ([queue[n] for n in shuffled(len(queue), "bench", name, seed)] for name, queue in queues.items())
    order: list[BenchReply] = []
    n_agree = 0
    for n in range(1, len(replies) + 1):
        wanted = n_agree < math.ceil(share * n)
        if n_agree < len(agree) and (wanted or n - 1 - n_agree >= len(differ)):
            order.append(agree[n_agree])
            n_agree += 1
        else:
            order.append(differ[n - 1 - n_agree])
    return order


@dataclass(frozen=True, slots=True)
class ModelError:
    """Error of a scorer on the replies of one model."""

    model: str
    n_rated: int
    error: StratifiedRate
    false_accepts: StratifiedRate
    false_rejects: StratifiedRate


@dataclass(frozen=True, slots=True)
class ModelGap:
    """Two models that a scorer treats differently: how much more it is too lenient on the first, as a share of its replies."""

    lenient_on: str
    than: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ScorerError:
    """Error of a scorer by a person's ratings, as shares of the replies that it gives a value to."""

    scorer: str
    n_replies: int
    n_rated: int
    error: StratifiedRate
    false_accepts: StratifiedRate
    """Replies that it accepts and the person rates wrong."""
    false_rejects: StratifiedRate
    by_model: tuple[ModelError, ...]
    gaps: tuple[ModelGap, ...]
    """Pairs of models whose ranks it moves, at a joint level of 95 %."""

    @property
    def is_wrong(self) -> bool:
        """Return whether it is found wrong: its error is shown to be above 5 %."""
        return self.error.low > WRONG


Ratings = Mapping[Hashable, bool]
"""By the place of a reply, whether the person rates it right."""


def scorer_errors(replies: Sequence[BenchReply], ratings: Ratings) -> list[ScorerError]:
    """Return the error of each scorer, in their order; a scorer that gives no value at all is left out."""
    names = dict.fromkeys(name for reply in replies for name in reply.verdicts)
    errors = []
    for name in names:
        valued = [reply for reply in replies if reply.verdicts.get(name) is not None]
        if valued:
            errors.append(_scorer_error(name, valued, ratings))
    return errors


def _scorer_error(name: str, replies: Sequence[BenchReply], ratings: Ratings) -> ScorerError:
    models = list(dict.fromkeys(reply.model for reply in replies))
    by_model = {model: [reply for reply in replies if reply.model == model] for model in models}
    total = _model_error("", name, replies, ratings)
    parts = tuple(_model_error(model, name, own, ratings) for model, own in by_model.items())
    gaps = _gaps(name, by_model, ratings) if len(models) > 1 else ()
    return ScorerError(
        name, len(replies), total.n_rated, total.error, total.false_accepts, total.false_rejects, parts, tuple(gaps)
    )


def _model_error(model: str, name: str, replies: Sequence[BenchReply], ratings: Ratings) -> ModelError:
    n_rated = sum(reply.place in ratings for reply in replies)
    rates = (_rate(name, replies, ratings, outcomes) for outcomes in (_ANY, _ACCEPTS, _REJECTS))
    return ModelError(model, n_rated, *rates)


_ACCEPTS, _REJECTS = ((True, False),), ((False, True),)
_ANY = (*_ACCEPTS, *_REJECTS)
"""Pairs of what a scorer says and what the person says."""
Outcomes = Sequence[tuple[bool, bool]]


def _rate(
    name: str, replies: Iterable[BenchReply], ratings: Ratings, outcomes: Outcomes, level: float = 0.95
) -> StratifiedRate:
    """Return the share of replies with one of these outcomes."""
    sizes, rated, hits = (dict.fromkeys(STRATA, 0) for _ in range(3))
    for reply in replies:
        sizes[reply.stratum] += 1
        if reply.place in ratings:
            rated[reply.stratum] += 1
            hits[reply.stratum] += (reply.verdicts[name], ratings[reply.place]) in outcomes
    return stratified_rate([StratumCount(sizes[each], rated[each], hits[each]) for each in STRATA], level)


def _gaps(name: str, by_model: Mapping[str, Sequence[BenchReply]], ratings: Ratings) -> list[ModelGap]:
    """Return the pairs of models on which a scorer is shown to be differently lenient.

    Lenience is false accepts less false rejects: by so much a scorer's rate of a model is above the person's. Bonferroni over
    the pairs; a model with an unrated stratum is left out.
    """
    pairs = list(combinations(by_model, 2))
    level = 1 - 0.05 / len(pairs)
    leans = {model: _lean(name, replies, ratings, level) for model, replies in by_model.items()}
    gaps = []
    for first, second in pairs:
        a, b = leans[first], leans[second]
        if a is None or b is None:
            continue
        low, high = unpaired(a, b)
        if low > 0:
            gaps.append(ModelGap(first, second, a[0] - b[0], low, high))
        elif high < 0:
            gaps.append(ModelGap(second, first, b[0] - a[0], -high, -low))
    return gaps


def _lean(name: str, replies: Sequence[BenchReply], ratings: Ratings, level: float) -> tuple[float, float, float] | None:
    """Return false accepts less false rejects with its interval; None where a stratum has no rating."""
    accepts, rejects = (_rate(name, replies, ratings, outcomes, level) for outcomes in (_ACCEPTS, _REJECTS))
    if accepts.value is None or rejects.value is None:
        return None
    ends = unpaired((accepts.value, accepts.low, accepts.high), (rejects.value, rejects.low, rejects.high))
    return accepts.value - rejects.value, *ends


def least_error(errors: Sequence[ScorerError]) -> ScorerError | None:
    """Return the scorer of the least error, the first of equal ones; None where none is known.

    A scorer that gives a value to less than nine in ten of the replies that another one does is no candidate.
    """
    most = max((each.n_replies for each in errors), default=0)
    known = [each for each in errors if each.error.value is not None and each.n_replies >= CANDIDATE * most]
    return min(known, key=lambda each: each.error.value or 0.0, default=None)
