"""Whether a judge's marks follow the length of answers, or favour the judge's own."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean

from tui_eval.statistics.paired import ClusteredMean, clustered_mean
from tui_eval.statistics.rank_correlation import spearman
from tui_eval.statistics.resampling import DRAWS, Interval, percentile_interval

Leaning = tuple[float, float]
"""By how much an answer's mark, and the logarithm of its length, lie above the means of its question."""


@dataclass(frozen=True, slots=True)
class LengthCorrelation:
    """How far marks follow length among the answers to one question: a diagnostic, since longer answers may be better."""

    n: int
    """Answers with a mark to questions that have another."""
    questions: int
    left_out: int
    """Answers without a mark, empty ones, and those whose question has no other."""
    rho: float | None
    """Spearman's; None where `why` says so."""
    interval: Interval
    why: str = ""

    @property
    def direction(self) -> int:
        """1 where longer answers get better marks, -1 where shorter ones do, 0 where the interval leaves that open."""
        low, high = self.interval.low, self.interval.high
        return 0 if low is None or high is None else (low > 0) - (high < 0)


def length_correlation(
    questions: Sequence[Hashable],
    marks: Sequence[float | None],
    lengths: Sequence[int],
    clusters: Sequence[Hashable] | None = None,
    draws: int = DRAWS,
) -> LengthCorrelation:
    """Of answers: the question of each, its mark (None where there is none) and its length in characters.

    The question's means are taken from marks and from ln(length); Spearman's rho of what is left, pooled (METHOD.md 4.5).
    The interval draws whole clusters, such as conversations; whole questions where none are given. Answers of one model
    say something where all are given as answers to one question: then questions are not taken into account, and whoever
    shows it should say so. ValueError where lengths differ, for a negative length, and for a question in two clusters.
    """
    names = questions if clusters is None else clusters
    held: dict[Hashable, list[tuple[Leaning, Hashable]]] = {}
    for question, mark, length, name in zip(questions, marks, lengths, names, strict=True):
        if length < 0:
            raise ValueError(f"an answer of {length} characters")
        if mark is not None and length:
            held.setdefault(question, []).append(((mark, math.log(length)), name))
    several = [answers for answers in held.values() if len(answers) > 1]
    groups: dict[Hashable, list[Leaning]] = {}
    for answers in several:
        mean_mark, mean_log = fmean(mark for (mark, _), _ in answers), fmean(log for (_, log), _ in answers)
        if clusters is not None and len({name for _, name in answers}) > 1 and len(several) > 1:
            raise ValueError("answers to one question lie in several clusters")
        for (mark_of, log_of), name in answers:
            groups.setdefault(name, []).append((mark_of - mean_mark, log_of - mean_log))
    n = sum(map(len, several))
    left_out = len(marks) - n
    coded = _coded(list(groups.values()))
    rho = _rho(coded)
    if rho is None:
        why = "no question has two marked answers" if not n else "marks or lengths do not differ within any question"
        return LengthCorrelation(n, len(several), left_out, None, Interval(None, None, len(groups), 0, why=why), why)
    what = "questions" if clusters is None else "conversations"
    found = percentile_interval(coded, _rho, what, draws)
    return LengthCorrelation(n, len(several), left_out, rho, found)


def _coded(groups: Sequence[Sequence[Leaning]]) -> list[list[tuple[int, int]]]:
    """Both values as their place among all, which takes the same ranks and is quicker to count.

    Marks that are the same but for rounding are ties: of three answers marked 5, 4, 4 and of three marked 4, 3, 3 the first
    lies as far above the others.
    """
    columns = [[round(mark, 9) for group in groups for mark, _ in group], [log for group in groups for _, log in group]]
    marks, logs = ({value: i for i, value in enumerate(sorted(set(column)))} for column in columns)
    return [[(marks[round(mark, 9)], logs[log]) for mark, log in group] for group in groups]


def _rho(groups: Sequence[Sequence[tuple[int, int]]]) -> float | None:
    pairs = [pair for group in groups for pair in group]
    return spearman([mark for mark, _ in pairs], [log for _, log in pairs])


Scores = Sequence[Sequence[float | None]]
"""Of one question, or the means over several: judges x models; None where a mark is missing."""


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """How much more than other judges a judge likes its own model's answers, beyond how lenient it is with all."""

    n: int
    """Questions with a mark of every judge for every model."""
    left_out: int
    preference: float | None
    """In marks; 0 where it treats its own like the others'. None where `why` says so."""
    low: float | None
    """None, as high is, of fewer than two clusters, and where every mark there is is the same."""
    high: float | None
    leniency: float | None
    """Mean over models of its marks less those of the other judges."""
    why: str = ""

    @property
    def found(self) -> bool:
        """Whether it is above 0 beyond what the interval leaves open."""
        return self.low is not None and self.low > 0


def self_preference(
    tables: Sequence[Scores],
    own: Sequence[int | None],
    clusters: Sequence[Hashable] | None = None,
    scale: tuple[float, float] | None = None,
) -> list[SelfPreference]:
    """Of each judge, from one table of judges x models for each question; `own`: which model is the judge's, if any.

    d(m) = the judge's mark for model m less the mean of the other judges' marks for it; d(own) - mean of d over the other
    models, a difference in differences (after Panickssery et al. 2024, 2404.13076; METHOD.md 4.5). Mean over questions
    without a missing mark, t interval by cluster, such as conversations. It has the floor of a difference on the `scale` of
    marks: where none is given, on that of the marks there are. One judge cannot be told from one that is right:
    two are needed, and two models. ValueError where tables differ in shape, or `own` does not fit them.
    """
    judges = len(own)
    models = len(tables[0][0]) if tables and tables[0] else 0
    if any(len(table) != judges or any(len(row) != models for row in table) for table in tables):
        raise ValueError(f"tables of {judges} judges and {models} models are wanted")
    if tables and any(model is not None and not 0 <= model < models for model in own):
        raise ValueError(f"models {list(own)} of {models}")
    names = range(len(tables)) if clusters is None else clusters
    whole = [
        ([[mark for mark in row if mark is not None] for row in table], name)
        for table, name in zip(tables, names, strict=True)
        if all(mark is not None for row in table for mark in row)
    ]
    span = _span_of(whole, scale)
    return [_of_judge(j, own[j], whole, len(tables) - len(whole), (judges, models), span) for j in range(judges)]


def _span_of(whole: Sequence[tuple[list[list[float]], Hashable]], scale: tuple[float, float] | None) -> float:
    """By how much two differences of marks can differ at most, on a scale, else on that of the marks there are."""
    marks = [mark for table, _ in whole for row in table for mark in row]
    low, high = scale or (min(marks, default=0.0), max(marks, default=0.0))
    return 2 * (high - low)


def _of_judge(
    j: int,
    own: int | None,
    whole: Sequence[tuple[list[list[float]], Hashable]],
    left_out: int,
    shape: tuple[int, int],
    span: float,
) -> SelfPreference:
    judges, models = shape
    n = len(whole)
    why = (
        "with one judge nothing tells self-preference from better answers"
        if judges < 2
        else "no question has the marks of every judge for every model"
        if not n
        else ""
    )
    if why:
        return SelfPreference(n, left_out, None, None, None, None, why)
    ahead = [[table[j][m] - fmean(table[k][m] for k in range(judges) if k != j) for m in range(models)] for table, _ in whole]
    leniency = fmean(map(fmean, ahead))
    if own is None or models < 2:
        why = "none of the models is its own" if own is None else "there is no other model to compare its own with"
        return SelfPreference(n, left_out, None, None, None, leniency, why)
    more = [found[own] - fmean(found[m] for m in range(models) if m != own) for found in ahead]
    mean: ClusteredMean = clustered_mean(more, [name for _, name in whole], span)
    return SelfPreference(n, left_out, mean.mean, mean.low, mean.high, leniency)
