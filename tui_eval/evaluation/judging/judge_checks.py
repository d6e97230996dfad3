"""Checks of judges by the marks that they gave for one metric: noise, agreement, and what their marks follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from tui_eval.core.kinds import Metric
from tui_eval.core.reports import AnswerByMetric
from tui_eval.results.sums.judge_in_words import (
    agreement_words,
    alpha_words,
    beside_words,
    length_beside_words,
    length_words,
    noise_words,
    self_preference_words,
)
from tui_eval.results.sums.metrics import is_binary
from tui_eval.statistics.judge_bias import length_correlation, partial_length_correlation, self_preference
from tui_eval.statistics.judge_noise import JudgeNoise, judge_noise
from tui_eval.statistics.judge_outliers import FEWEST_JUDGES, beside_others
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
class AnswerMarks:
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
    """noise, agreement, alpha, others, without it, length, length beside a person or own answers."""
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
    """Return the number of draws of an interval over so many answers."""
    return max(min(DRAWS, DRAWN_ANSWERS // max(answers, 1)), LEAST_DRAWS)


def noise_of(answers: Sequence[AnswerMarks], metric: Metric, judge: str | None = None) -> JudgeNoise:
    """Return how far two marks of one answer differ, of one judge or (None) of all together."""
    pairs = [
        ((answer.marks.get(name), answer.again.get(name)), answer.conversation)
        for answer in answers
        if answer.twice
        for name in ([judge] if judge is not None else {**answer.marks, **answer.again})
    ]
    mark_pairs = [marks for marks, _ in pairs]
    return judge_noise(mark_pairs, [name for _, name in pairs], metric.threshold, draws_for(len(pairs)))


@dataclass(frozen=True, slots=True)
class OwnModels:
    """Relations of judges to the models that answer, and to each other."""

    models: Mapping[str, Sequence[str]]
    """By judge the models of its family that answer; without the judges that have none."""
    families: Mapping[str, str]
    """By judge its family."""


def judge_checks(
    answers: Sequence[AnswerMarks],
    metric: Metric,
    judges: Sequence[str],
    own: OwnModels,
    person: Mapping[AnswerByMetric, float] | None = None,
) -> list[JudgeCheck]:
    """Everything that the answers' marks by one metric tell. `person`: what persons gave an answer, on average."""
    checks = [
        *(_noise(answers, metric, judge) for judge in judges if any(answer.twice for answer in answers)),
        *(_pair(answers, metric, *pair) for pair in combinations(judges, 2)),
        *([_alpha(answers, metric, judges)] if len(judges) > 1 else []),
        *(_beside_others(answers, metric, judges) if len(judges) >= FEWEST_JUDGES else []),
    ]
    if not is_binary(metric):
        for judge in judges:
            checks += _length(answers, metric, judge, person or {})
        checks += _own(answers, metric, judges, own)
    return checks


def _noise(answers: Sequence[AnswerMarks], metric: Metric, judge: str) -> JudgeCheck:
    result = noise_of(answers, metric, judge)
    ends = result.interval
    noisy = result.noise is not None and result.noise > (metric.high - metric.low) / 8
    return JudgeCheck("noise", metric.name, judge, result.noise, ends.low, ends.high, result.n, noisy, noise_words(result))


def _pair(answers: Sequence[AnswerMarks], metric: Metric, a: str, b: str) -> JudgeCheck:
    """Weighted kappa of two judges; of shares, which have no labels, their alpha."""
    labels = _labels(metric)
    if labels is None:
        return _alpha(answers, metric, (a, b))
    ours, theirs = ([answer.marks.get(judge) for answer in answers] for judge in (a, b))
    names = [answer.conversation for answer in answers]
    agreement = pair_agreement(ours, theirs, labels)
    ends = kappa_interval(ours, theirs, labels, names, draws=draws_for(len(answers)))
    low = agreement.quadratic is not None and agreement.quadratic < 0.4
    words = agreement_words(agreement, ends)
    return JudgeCheck("agreement", metric.name, f"{a} / {b}", agreement.quadratic, ends.low, ends.high, agreement.n, low, words)


def _alpha(answers: Sequence[AnswerMarks], metric: Metric, judges: Sequence[str]) -> JudgeCheck:
    rows = [[answer.marks.get(judge) for answer in answers] for judge in judges]
    scale: Scale = "interval" if _labels(metric) is None else "ordinal"
    agreement = krippendorff_alpha(rows, scale)
    names = [answer.conversation for answer in answers]
    ends = krippendorff_interval(rows, scale, names, draws=draws_for(len(answers) * len(judges)))
    low = agreement.alpha is not None and agreement.alpha < 2 / 3
    words = alpha_words(agreement, ends)
    return JudgeCheck("alpha", metric.name, " / ".join(judges), agreement.alpha, ends.low, ends.high, agreement.n, low, words)


def _labels(metric: Metric) -> range | None:
    """The marks of a scale of whole numbers; None of shares."""
    whole = metric.high > 1 or is_binary(metric)
    return range(round(metric.low), round(metric.high) + 1) if whole else None


def _beside_others(answers: Sequence[AnswerMarks], metric: Metric, judges: Sequence[str]) -> Iterator[JudgeCheck]:
    """Each judge beside the mean of the others, and how far these agree without it."""
    rows = [[answer.marks.get(judge) for answer in answers] for judge in judges]
    names = [answer.conversation for answer in answers]
    every = _alpha(answers, metric, judges).figure
    draws = draws_for(len(answers) * len(judges) ** 2)
    for judge, result in zip(judges, beside_others(rows, names, draws), strict=True):
        without = replace(_alpha(answers, metric, [name for name in judges if name != judge]), check="without it", judge=judge)
        ends, words = result.interval, beside_words(judge, result, every, without.figure)
        yield JudgeCheck("others", metric.name, judge, result.rho, ends.low, ends.high, result.n, result.is_odd, words)
        yield replace(without, found=False)


def _length(
    answers: Sequence[AnswerMarks], metric: Metric, judge: str, person: Mapping[AnswerByMetric, float]
) -> Iterator[JudgeCheck]:
    """Marks beside lengths; where a person marked enough answers, beside the person's marks, too, and that is what counts."""
    marks, names = [answer.marks.get(judge) for answer in answers], [answer.conversation for answer in answers]
    lengths, draws = [answer.length for answer in answers], draws_for(len(answers))
    plain = length_correlation([answer.question for answer in answers], marks, lengths, names, draws)
    person_marks = [None if answer.key is None else person.get(answer.key) for answer in answers]
    beside = partial_length_correlation(marks, lengths, person_marks, names, draws)
    counts, ends = beside.interval.low is None, plain.interval
    yield JudgeCheck(
        "length",
        metric.name,
        judge,
        plain.rho,
        ends.low,
        ends.high,
        plain.n,
        counts and plain.direction != 0,
        length_words(plain),
    )
    if beside.rho is not None:
        ends, words = beside.interval, length_beside_words(beside)
        is_found = not counts and beside.direction != 0
        yield JudgeCheck(
            "length beside a person", metric.name, judge, beside.rho, ends.low, ends.high, beside.n, is_found, words
        )


def _own(answers: Sequence[AnswerMarks], metric: Metric, judges: Sequence[str], own: OwnModels) -> Iterator[JudgeCheck]:
    """Of each judge with models of its own family among those that answer: whether it prefers their answers."""
    if not own.models:
        return
    models = list(dict.fromkeys(answer.model for answer in answers))
    questions: dict[Hashable, dict[str, AnswerMarks]] = {}
    times = Counter[tuple[str, Hashable]]()
    for answer in answers:  # a model's second answer to a question stands beside the others' second ones
        times[answer.model, answer.question] += 1
        questions.setdefault((answer.question, times[answer.model, answer.question]), {})[answer.model] = answer
    tables = [
        [[by_model[model].marks.get(judge) if model in by_model else None for model in models] for judge in judges]
        for by_model in questions.values()
    ]
    names = [next(iter(by_model.values())).conversation for by_model in questions.values()]
    mine = [[models.index(model) for model in own.models.get(judge, ()) if model in models] for judge in judges]
    families = [own.families[judge] for judge in judges]
    every = self_preference(tables, mine, families, names, (metric.low, metric.high))
    for judge, result in zip(judges, every, strict=True):
        if judge in own.models:
            words = self_preference_words(judge, own.models[judge], result)
            yield JudgeCheck(
                "own answers", metric.name, judge, result.preference, result.low, result.high, result.n, result.found, words
            )
