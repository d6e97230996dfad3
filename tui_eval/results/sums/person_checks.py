"""A judge beside persons who marked some of the same answers: how far they agree, and the judge's mean corrected.

Bias and lean are judge less person; a correction is person less judge.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of
from tui_eval.core.units import Units
from tui_eval.results.sums.means import Estimate, scale_seen, summed
from tui_eval.results.sums.metrics import within
from tui_eval.results.sums.person_sentences import say_of_persons
from tui_eval.statistics.bounded_means import bounded_mean
from tui_eval.statistics.estimates import mean
from tui_eval.statistics.judge_correction import corrected_mean
from tui_eval.statistics.rank_correlation import spearman
from tui_eval.statistics.rater_agreement import PairAgreement, kappa_interval, pair_agreement
from tui_eval.statistics.resampling import Interval

Marks = Sequence[float | None]
LEAST_MARKS = 30
"""Labels below which nothing is corrected (METHOD.md 4.6)."""
LEAST_CONVERSATIONS = 8
"""Conversations that they must be of, at least."""
CONVERSATIONS = Units("conversation")
"""What a sample of answers is drawn from, and what intervals of what a judge says go by, where nothing else is said."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer (or a claim of one) that the judge was to mark, and what persons said of it."""

    conversation: Hashable
    judge: float | None
    person: float | None = None
    """The label; None where no person was shown it, or could tell."""
    cannot_tell: bool = False
    """Whether a person looked and none could tell."""
    weight: float = 1.0
    """Of the label within its conversation: 1 where it was drawn uniformly (`judge_correction.lure_weights`)."""
    is_drawn: bool = True
    """Whether it was shown by lot; other labels say how far judge and person agree, and correct nothing."""
    cluster: Hashable = None
    """What its conversation shares with others, such as a document; None = nothing."""


@dataclass(frozen=True, slots=True)
class PersonCheck:
    """A judge's metric beside persons' marks: raw, corrected and the persons' own."""

    shown: int
    """Answers that a person marked or could not tell of."""
    cannot_tell: int
    agreement: PairAgreement
    """Person first, judge second: its bias is how much more lenient the judge is."""
    interval: Interval
    """Of the quadratic kappa, over conversations."""
    raw: Estimate
    """The judge's mean over every answer that it marked, as the run's tables have it; its n are conversations."""
    person: Estimate
    """The mean of the labels alone."""
    corrected: Estimate | None
    """None below 30 labels over 8 conversations; `why` says what is missing, or that the set cannot bring so many."""
    tuned: Estimate | None
    """The same with the judge's weight tuned (PPI++): narrower where the judge tells little."""
    used: int
    """Labels that a correction rests on, or would."""
    missing: int
    """So many labels more are needed for one."""
    why: str = ""
    not_drawn: int = 0
    """Labels of answers that were not drawn by lot."""
    conversations: int = 0
    """Those that the labels used are of."""
    persons: int = 1
    units: Units = CONVERSATIONS
    """What the means are over, in words."""


@dataclass(frozen=True, slots=True)
class JudgedMeans:
    """A side's own mean of every conversation, and over them, as the run's tables have both."""

    raw: Estimate
    by_conversation: Mapping[Hashable, float]


def person_check(
    answers: Sequence[CheckedAnswer],
    metric: Metric,
    means: JudgedMeans | None = None,
    persons: int = 1,
    whose: str = "",
    units: Units = CONVERSATIONS,
) -> PersonCheck:
    """Every answer of a judged metric with what persons said of it, in any order.

    `means`: the judge's, where the run's tables have them, else those of the answers; `persons`: how many marked; `whose`: the
    model whose answers these are, empty = the set's; `units`: what the means are over, in words. Kappas take the metric's whole
    numbers for labels; where marks lie between these there are none.
    """
    labels = range(round(metric.low), round(metric.high) + 1)
    labelled = [answer for answer in answers if answer.person is not None]
    unsure = sum(answer.cannot_tell and answer.person is None for answer in answers)
    means = means or _means(answers, metric)
    both = [answer for answer in labelled if answer.judge is not None and answer.conversation in means.by_conversation]
    usable = [answer for answer in both if answer.is_drawn]
    why, missing = _lacking(answers, usable, len(both) - len(usable), (whose, units.item))
    corrected = tuned = None
    if not why:
        corrected, tuned = (_corrected(usable, means, answers, metric, weight) for weight in (1.0, _tuned(usable, means)))
    names = [_cluster(answer) for answer in labelled]
    agreement, interval = _agreement(
        [answer.person for answer in labelled], [answer.judge for answer in labelled], names, labels
    )
    return PersonCheck(
        len(labelled) + unsure,
        unsure,
        agreement,
        interval,
        means.raw,
        _of_persons([answer for answer in labelled if answer.is_drawn] or labelled, metric),
        corrected,
        tuned,
        len(usable),
        missing,
        why,
        len(both) - len(usable),
        len({answer.conversation for answer in usable}),
        persons,
        units,
    )


def person_words(check: PersonCheck) -> str:
    """The judge's mean, the corrected one and the persons' own, side by side; or what is missing for that."""
    sides = f"judge {_estimate_words(check.raw, check.units)}, person {_estimate_words(check.person, check.units)}"
    if check.corrected is None:
        return f"{sides}; {check.why}"
    marks = count_of(check.used, "rating") + (f" of {check.persons:,} persons" if check.persons > 1 else " of a person")
    value = _value_words(check.corrected)
    over = count_of(check.conversations, check.units.item)
    return f"{sides}; {say_of_persons('corrected', value=value, marks=f'{marks} over {over}')}"


def _estimate_words(score: Estimate, units: Units) -> str:
    return f"{_value_words(score)} over {units.counted(score.n, score.scored)}"


def _value_words(score: Estimate) -> str:
    if score.value is None:
        return "-"
    return f"{score.value:.2f}" + (f" [{score.low:.2f}, {score.high:.2f}]" if score.low is not None else "")


def _lacking(
    answers: Sequence[CheckedAnswer], usable: Sequence[CheckedAnswer], not_drawn: int, names: tuple[str, str]
) -> tuple[str, int]:
    """Why nothing is corrected, empty where it can be, and how many labels are missing. `names`: of model and item."""
    missing = max(LEAST_MARKS - len(usable), 0)
    missing_conversations = max(LEAST_CONVERSATIONS - len({answer.conversation for answer in usable}), 0)
    judged = [answer for answer in answers if answer.judge is not None and not (answer.cannot_tell and answer.person is None)]
    drawable = [answer for answer in judged if answer.is_drawn or answer.person is None]
    whose, item = names
    owner = f"{whose} has" if whose else "this set has"
    conversations = len({answer.conversation for answer in drawable})
    more = max(missing, missing_conversations)
    n = count_of(conversations, item)
    if conversations < LEAST_CONVERSATIONS:
        reason = say_of_persons("set_too_small", whose=owner, n=n, least=LEAST_CONVERSATIONS)
    elif len(drawable) < LEAST_MARKS:
        reason = say_of_persons("set_too_small", whose=owner, n=count_of(len(drawable), "judged answer"), least=LEAST_MARKS)
    elif all(answer.person is not None for answer in judged):
        return say_of_persons("all_marked"), more
    elif more:
        verb = "rating is" if more == 1 else "ratings are"
        of_others = f", {missing_conversations:,} of them of other {item}s" if missing_conversations else ""
        reason = say_of_persons(
            "more_marks", more=f"{more:,} more {verb} missing{of_others}", least=LEAST_MARKS, conversations=LEAST_CONVERSATIONS,
            whose=owner, n=n,
        )  # fmt: skip
    else:
        return "", 0
    if not_drawn:
        reason = say_of_persons(
            "not_drawn", n=count_of(not_drawn, "rating"), verb="was" if not_drawn == 1 else "were", reason=reason
        )
    return reason, more


def _means(answers: Sequence[CheckedAnswer], metric: Metric) -> JudgedMeans:
    """Of answers that stand in no table: each conversation's mean, and the mean over these."""
    marks = gathered((answer.conversation, answer.judge) for answer in answers if answer.judge is not None)
    means = {name: fmean(mark for mark in values if mark is not None) for name, values in marks.items()}
    clusters = {answer.conversation: _cluster(answer) for answer in answers}
    return JudgedMeans(_over(means, clusters, metric, sum(map(len, marks.values()))), means)


def _of_persons(labelled: Sequence[CheckedAnswer], metric: Metric) -> Estimate:
    """Of each labelled conversation the weighted mean of its labels, and the mean over these."""
    by_name = gathered((answer.conversation, answer) for answer in labelled)
    means = {
        name: math.fsum((answer.person or 0.0) * answer.weight for answer in labels)
        / math.fsum(answer.weight for answer in labels)
        for name, labels in by_name.items()
    }
    return _over(means, {answer.conversation: _cluster(answer) for answer in labelled}, metric, len(labelled))


def _over(means: Mapping[Hashable, float], clusters: Mapping[Hashable, Hashable], metric: Metric, answers: int) -> Estimate:
    if not means:
        return Estimate(0, None)
    values = list(means.values())
    sums, sizes = summed(values, [clusters[name] for name in means])
    low, high = bounded_mean(
        [total / size for total, size in zip(sums, sizes, strict=True)], *scale_seen(metric, values), sizes
    )
    value = fmean(values)
    return Estimate(len(values), value, min(low, value), max(high, value), answers)


def corrected_so_far(answers: Sequence[CheckedAnswer], metric: Metric, means: JudgedMeans) -> Estimate | None:
    """The judge's corrected mean by the labels that there are, though these may be too few to be told; None where they are of
    fewer than 8 conversations."""
    usable = [answer for answer in answers if answer.is_drawn and answer.person is not None and answer.judge is not None]
    if len({answer.conversation for answer in usable}) < LEAST_CONVERSATIONS:
        return None
    return _corrected(usable, means, answers, metric, 1.0)


def _corrected(
    usable: Sequence[CheckedAnswer], means: JudgedMeans, answers: Iterable[CheckedAnswer], metric: Metric, weight: float
) -> Estimate:
    """The judge's means of all conversations, counting for so much, and what the labels say they are off."""
    clusters = {answer.conversation: _cluster(answer) for answer in answers}
    judged = {name: weight * value for name, value in means.by_conversation.items()}
    errors = gathered(
        (answer.conversation, ((answer.person or 0.0) - weight * (answer.judge or 0.0), answer.weight)) for answer in usable
    )
    scale = scale_seen(metric, [mark for answer in usable for mark in (answer.person, answer.judge) if mark is not None])
    corrected = corrected_mean(judged, errors, {name: clusters.get(name, name) for name in judged}, scale)
    value = within(metric, corrected.value)
    low, high = within(metric, corrected.low), within(metric, corrected.high)
    return Estimate(len(judged), value, min(low, value), max(high, value), means.raw.scored)


def _tuned(usable: Sequence[CheckedAnswer], means: JudgedMeans) -> float:
    """Return the weight of the judge's marks that makes the variance least, within 0 to 1 (PPI++, arXiv 2311.01453)."""
    pairs = list(gathered((answer.conversation, (answer.person or 0.0, answer.judge or 0.0)) for answer in usable).values())
    persons, judges = ([fmean(pair[side] for pair in marks) for marks in pairs] for side in (0, 1))
    every = list(means.by_conversation.values())
    spread = variance(every) if len(every) > 1 else 0.0
    if not spread:
        return 0.0
    mean_person, mean_judge = fmean(persons), fmean(judges)
    shared = math.fsum((y - mean_person) * (f - mean_judge) for y, f in zip(persons, judges, strict=True)) / len(pairs)
    return min(max(shared / ((1 + len(pairs) / len(every)) * spread), 0.0), 1.0)


def _cluster(answer: CheckedAnswer) -> Hashable:
    return answer.conversation if answer.cluster is None else answer.cluster


def _agreement(person: Marks, judge: Marks, names: Sequence[Hashable], labels: range) -> tuple[PairAgreement, Interval]:
    """Kappas of marks on the scale; of means of several judges or persons, which lie between, what needs no labels."""
    if all(mark is None or mark in labels for mark in (*person, *judge)):
        return pair_agreement(person, judge, labels), kappa_interval(person, judge, labels, names)
    both = [(x, y) for x, y in zip(person, judge, strict=True) if x is not None and y is not None]
    why = "scores lie between those of the scale, as means of several judges do: the kappas are each judge's own"
    off = [y - x for x, y in both]
    agreement = PairAgreement(
        len(both), len(person) - len(both), mean_absolute=mean(list(map(abs, off))), bias=mean(off),
        spearman=spearman([x for x, _ in both], [y for _, y in both]), why=why,
    )  # fmt: skip
    return agreement, Interval(None, None, len(set(names)), 0, why=why)
