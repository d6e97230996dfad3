"""A judge beside a person who marked some of the same answers: how far they agree, and the judge's mean corrected."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.means import Estimate, scale_seen, summed
from tui_eval.results.sums.metrics import within
from tui_eval.statistics.bounded_means import bounded_mean
from tui_eval.statistics.estimates import mean
from tui_eval.statistics.judge_correction import PredictionPoweredMean, ppi_mean
from tui_eval.statistics.rank_correlation import spearman
from tui_eval.statistics.rater_agreement import PairAgreement, kappa_interval, pair_agreement
from tui_eval.statistics.resampling import Interval

Marks = Sequence[float | None]
LEAST_MARKS = 30
"""A person's marks, each of another conversation, below which nothing is corrected (METHOD.md 4.6)."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer that the judge was to mark, and what a person said of it."""

    conversation: Hashable
    judge: float | None
    person: float | None = None
    """None where the person was not shown it, or could not tell."""
    cannot_tell: bool = False
    """Whether the person looked and could not tell."""


@dataclass(frozen=True, slots=True)
class PersonCheck:
    """A judge's metric beside a person's marks: raw, corrected and the person's own."""

    shown: int
    """Answers that a person marked or could not tell of."""
    cannot_tell: int
    agreement: PairAgreement
    """Person first, judge second: its bias is how much more lenient the judge is."""
    interval: Interval
    """Of the quadratic kappa, over conversations."""
    raw: Estimate
    """The judge's mean over every answer that it marked; its n are conversations, as of the others: the interval is theirs."""
    person: Estimate
    """The mean of the person's marks alone."""
    corrected: Estimate | None
    """None below 30 marks of a person, each of another conversation; `why` says how many are missing."""
    tuned: Estimate | None
    """The same with the judge's weight tuned (PPI++): narrower where the judge tells little."""
    used: int
    """The person's marks that a correction rests on: one answer of each conversation, the one that was drawn first."""
    missing: int
    """So many marks of other conversations are missing for a correction."""
    why: str = ""


def person_check(answers: Sequence[CheckedAnswer], metric: Metric) -> PersonCheck:
    """Every answer of a judged metric, in the order in which a person's sample was drawn; the others in any place.

    Kappas take the metric's whole numbers for labels; where marks lie between these there are none.
    """
    labels = range(round(metric.low), round(metric.high) + 1)
    told = [answer for answer in answers if answer.person is not None]
    unsure = sum(answer.cannot_tell and answer.person is None for answer in answers)
    first = {answer.conversation: answer for answer in reversed(told) if answer.judge is not None}
    used = list(first.values())
    formula, tuned = (_corrected(answers, used, metric, tuned=tuned) for tuned in (False, True))
    missing = max(LEAST_MARKS - len(used), 0)
    if missing or formula is None or tuned is None:
        formula = tuned = None
    agreement, interval = _agreement(
        [answer.person for answer in told],
        [answer.judge for answer in told],
        [answer.conversation for answer in told],
        labels,
    )
    names = [answer.conversation for answer in answers]
    return PersonCheck(
        len(told) + unsure,
        unsure,
        agreement,
        interval,
        _clustered([answer.judge for answer in answers], names, metric),
        _clustered([answer.person for answer in answers], names, metric),
        _estimate(formula, metric) if formula else None,
        _estimate(tuned, metric) if tuned else None,
        len(used),
        missing,
        "" if formula else _why(missing),
    )


def _why(missing: int) -> str:
    if missing:
        return f"{missing:,} more marks of a person are missing, each of another conversation"
    return "a person marked every answer that the judge marked: the person's own mean is the better one"


def _corrected(
    answers: Sequence[CheckedAnswer], labelled: Sequence[CheckedAnswer], metric: Metric, tuned: bool
) -> PredictionPoweredMean | None:
    """From one answer of each conversation that a person marked, and every answer that the judge alone marked."""
    both = [(answer.person, answer.judge) for answer in labelled]
    alone = [answer for answer in answers if answer.person is None and answer.judge is not None]
    scale = scale_seen(metric, [metric.low, *(mark for pair in both for mark in pair if mark is not None)])
    return ppi_mean(
        [person for person, _ in both if person is not None],
        [judge for _, judge in both if judge is not None],
        [answer.judge for answer in alone if answer.judge is not None],
        ([answer.conversation for answer in labelled], [answer.conversation for answer in alone]),
        tuned,
        scale,
    )


def _clustered(marks: Sequence[float | None], names: Sequence[Hashable], metric: Metric) -> Estimate:
    rows = [(mark, name) for mark, name in zip(marks, names, strict=True) if mark is not None]
    if not rows:
        return Estimate(0, None)
    values = [mark for mark, _ in rows]
    sums, sizes = summed(values, [name for _, name in rows])
    scale = scale_seen(metric, values)
    low, high = bounded_mean([total / size for total, size in zip(sums, sizes, strict=True)], *scale, sizes)
    return Estimate(len(sums), mean(values), low, high, len(values))


def _estimate(found: PredictionPoweredMean, metric: Metric) -> Estimate:
    answers, value = found.n_person + found.n_judge, found.mean
    low, high = (value if end is None else within(metric, end) for end in (found.low, found.high))
    return Estimate(found.clusters, value, min(low, value), max(high, value), answers)


def _agreement(person: Marks, judge: Marks, names: Sequence[Hashable], labels: range) -> tuple[PairAgreement, Interval]:
    """Kappas of marks on the scale; of means of several judges, which lie between, what needs no labels."""
    if all(mark is None or mark in labels for mark in (*person, *judge)):
        return pair_agreement(person, judge, labels), kappa_interval(person, judge, labels, names)
    both = [(x, y) for x, y in zip(person, judge, strict=True) if x is not None and y is not None]
    why = "marks lie between those of the scale, as means of several judges do: the kappas are each judge's own"
    off = [y - x for x, y in both]
    found = PairAgreement(
        len(both), len(person) - len(both), mean_absolute=mean(list(map(abs, off))), bias=mean(off),
        spearman=spearman([x for x, _ in both], [y for _, y in both]), why=why,
    )  # fmt: skip
    return found, Interval(None, None, len(set(names)), 0, why=why)
