"""What the marks of one metric tell of the judges that gave them: noise, agreement, and what their marks follow."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from tui_eval.core.kinds import Metric
from tui_eval.core.reports import AnswerByMetric
from tui_eval.results.sums.judge_in_words import (
    agreement_words,
    alpha_words,
    length_words,
    noise_words,
    self_preference_words,
)
from tui_eval.results.sums.metrics import is_binary
from tui_eval.statistics.judge_bias import length_correlation, self_preference
from tui_eval.statistics.judge_noise import JudgeNoise, judge_noise
from tui_eval.statistics.rater_agreement import (
    Scale,
    kappa_interval,
    krippendorff_alpha,
    krippendorff_interval,
    pair_agreement,
)
from tui_eval.statistics.resampling import DRAWS

DRAWN_ANSWERS = 400_000
"""Answers that are drawn for one interval at most, so that a large run costs seconds; a small one has 2,000 draws."""
LEAST_DRAWS = 200


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer as judges marked it by one metric."""

    model: str
    question: Hashable
    """Several models' answers to one question share it."""
    conversation: Hashable
    """What intervals draw as a whole."""
    length: int
    """Characters of the answer."""
    marks: Mapping[str, float]
    """By judge; one without a mark is left out."""
    again: Mapping[str, float]
    """The same of the second time, where it was judged twice without their being told."""
    twice: bool = False
    """Whether it was to be judged twice."""
    value: float | None = None
    """What counts in the scores; of several judges the mean mark."""
    key: AnswerByMetric | None = None
    """What a person's mark of it is filed under."""


@dataclass(frozen=True, slots=True)
class JudgeCheck:
    """One thing that is known of a judge, or of several: a figure with its interval, and what it says."""

    check: str
    """noise, agreement, alpha, length or own answers."""
    metric: str
    judge: str
    """Two or more are divided by " / "."""
    figure: float | None
    low: float | None
    high: float | None
    n: int
    found: bool
    """Whether it points to something that a reader of the marks should know."""
    words: str


def draws_for(answers: int) -> int:
    """How many draws an interval over so many answers has."""
    return max(min(DRAWS, DRAWN_ANSWERS // max(answers, 1)), LEAST_DRAWS)


def noise_of(answers: Sequence[JudgedAnswer], metric: Metric, judge: str | None = None) -> JudgeNoise:
    """How far two marks of one answer differ, of one judge or (None) of all together."""
    pairs = [
        ((answer.marks.get(name), answer.again.get(name)), answer.conversation)
        for answer in answers
        if answer.twice
        for name in ([judge] if judge is not None else {**answer.marks, **answer.again})
    ]
    found = [marks for marks, _ in pairs]
    return judge_noise(found, [name for _, name in pairs], metric.threshold, draws_for(len(pairs)))


def judge_checks(
    answers: Sequence[JudgedAnswer], metric: Metric, judges: Sequence[str], own: Mapping[str, str]
) -> list[JudgeCheck]:
    """Everything that the answers' marks by one metric tell. `own`: by judge the model that is its own, if any answers."""
    found = [
        *(_noise(answers, metric, judge) for judge in judges if any(answer.twice for answer in answers)),
        *(_pair(answers, metric, *pair) for pair in combinations(judges, 2)),
        *([_alpha(answers, metric, judges)] if len(judges) > 1 else []),
    ]
    if not is_binary(metric):
        found += [_length(answers, metric, judge) for judge in judges]
        found += _own(answers, metric, judges, own)
    return found


def _noise(answers: Sequence[JudgedAnswer], metric: Metric, judge: str) -> JudgeCheck:
    found = noise_of(answers, metric, judge)
    ends = found.interval
    noisy = found.noise is not None and found.noise > (metric.high - metric.low) / 8
    return JudgeCheck("noise", metric.name, judge, found.noise, ends.low, ends.high, found.n, noisy, noise_words(found))


def _pair(answers: Sequence[JudgedAnswer], metric: Metric, a: str, b: str) -> JudgeCheck:
    """Weighted kappa of two judges; of shares, which have no labels, their alpha."""
    labels = _labels(metric)
    if labels is None:
        return _alpha(answers, metric, (a, b))
    ours, theirs = ([answer.marks.get(judge) for answer in answers] for judge in (a, b))
    names = [answer.conversation for answer in answers]
    found = pair_agreement(ours, theirs, labels)
    ends = kappa_interval(ours, theirs, labels, names, draws=draws_for(len(answers)))
    low = found.quadratic is not None and found.quadratic < 0.4
    words = agreement_words(found, ends)
    return JudgeCheck("agreement", metric.name, f"{a} / {b}", found.quadratic, ends.low, ends.high, found.n, low, words)


def _alpha(answers: Sequence[JudgedAnswer], metric: Metric, judges: Sequence[str]) -> JudgeCheck:
    rows = [[answer.marks.get(judge) for answer in answers] for judge in judges]
    scale: Scale = "interval" if _labels(metric) is None else "ordinal"
    found = krippendorff_alpha(rows, scale)
    names = [answer.conversation for answer in answers]
    ends = krippendorff_interval(rows, scale, names, draws=draws_for(len(answers) * len(judges)))
    low = found.alpha is not None and found.alpha < 2 / 3
    words = alpha_words(found, ends)
    return JudgeCheck("alpha", metric.name, " / ".join(judges), found.alpha, ends.low, ends.high, found.n, low, words)


def _labels(metric: Metric) -> range | None:
    """The marks of a scale of whole numbers; None of shares."""
    whole = metric.high > 1 or is_binary(metric)
    return range(round(metric.low), round(metric.high) + 1) if whole else None


def _length(answers: Sequence[JudgedAnswer], metric: Metric, judge: str) -> JudgeCheck:
    found = length_correlation(
        [answer.question for answer in answers],
        [answer.marks.get(judge) for answer in answers],
        [answer.length for answer in answers],
        [answer.conversation for answer in answers],
        draws_for(len(answers)),
    )
    ends, words = found.interval, length_words(found)
    return JudgeCheck("length", metric.name, judge, found.rho, ends.low, ends.high, found.n, found.direction != 0, words)


def _own(
    answers: Sequence[JudgedAnswer], metric: Metric, judges: Sequence[str], own: Mapping[str, str]
) -> Iterator[JudgeCheck]:
    """Of each judge with a model of its own among those that answer: whether it prefers that one's answers."""
    if not own:
        return
    models = list(dict.fromkeys(answer.model for answer in answers))
    questions: dict[Hashable, dict[str, JudgedAnswer]] = {}
    for answer in answers:
        questions.setdefault(answer.question, {})[answer.model] = answer
    tables = [
        [[found[model].marks.get(judge) if model in found else None for model in models] for judge in judges]
        for found in questions.values()
    ]
    names = [next(iter(found.values())).conversation for found in questions.values()]
    mine = [models.index(own[judge]) if own.get(judge) in models else None for judge in judges]
    for judge, found in zip(judges, self_preference(tables, mine, names, (metric.low, metric.high)), strict=True):
        if judge in own:
            words = self_preference_words(judge, found)
            yield JudgeCheck(
                "own answers", metric.name, judge, found.preference, found.low, found.high, found.n, found.found, words
            )
