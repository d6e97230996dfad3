"""Biases of a judge: marks that follow the length of answers, and marks that favour its own family."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean

from tui_eval.statistics.paired import ClusteredMean, clustered_mean
from tui_eval.statistics.rank_correlation import partial_spearman, spearman
from tui_eval.statistics.resampling import DRAWS, Interval, clustered, percentile_interval

Leaning = tuple[float, float]
"""By how much an answer's mark, and the logarithm of its length, lie above the means of its question."""


@dataclass(frozen=True, slots=True)
class LengthCorrelation:
    """Correlation of marks with length among answers to one question: a diagnostic, since longer answers may be better."""

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
        return self.interval.direction


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
    answers_by_question: dict[Hashable, list[tuple[Leaning, Hashable]]] = {}
    for question, mark, length, name in zip(questions, marks, lengths, names, strict=True):
        if length < 0:
            raise ValueError(f"an answer of {length} characters")
        if mark is not None and length:
            answers_by_question.setdefault(question, []).append(((mark, math.log(length)), name))
    several = [answers for answers in answers_by_question.values() if len(answers) > 1]
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
        why = "no question has two scored answers" if not n else "scores or lengths do not differ within any question"
        return LengthCorrelation(n, len(several), left_out, None, Interval(None, None, len(groups), 0, why=why), why)
    unit = "questions" if clusters is None else "conversations"
    interval = percentile_interval(coded, _rho, unit, draws)
    return LengthCorrelation(n, len(several), left_out, rho, interval)


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


FEWEST_RATED = 12
"""Answers that a person marked below which marks are not held against lengths beside the person's."""


@dataclass(frozen=True, slots=True)
class LengthBesidePerson:
    """Correlation of marks with length beyond what a person's marks of the same answers explain."""

    n: int
    """Answers with a mark of the judge and of a person."""
    rho: float | None
    """Spearman's of mark and length, the person's marks partialled out; None where `why` says so."""
    interval: Interval
    why: str = ""

    @property
    def direction(self) -> int:
        """1 where longer answers get better marks than the person gave them, -1 where shorter ones do, 0 where it is open."""
        return self.interval.direction


def partial_length_correlation(
    marks: Sequence[float | None],
    lengths: Sequence[int],
    person: Sequence[float | None],
    clusters: Sequence[Hashable],
    draws: int = DRAWS,
) -> LengthBesidePerson:
    """Of answers: the judge's mark, the length in characters and the person's mark (None where either has none).

    Pooled over answers, since a question hardly has two that a person marked. The interval draws whole clusters, such as
    conversations. ValueError where lengths differ.
    """
    rows = [
        ((mark, size, person_mark), name)
        for mark, size, person_mark, name in zip(marks, lengths, person, clusters, strict=True)
        if mark is not None and person_mark is not None and size
    ]
    groups = clustered([row for row, _ in rows], [name for _, name in rows])
    rho = _beside_person(groups) if len(rows) >= FEWEST_RATED else None
    if rho is None:
        why = (
            f"{len(rows):,} answers that a person rated, it takes {FEWEST_RATED}"
            if len(rows) < FEWEST_RATED
            else "the person's ratings rank scores or lengths entirely, or some of them do not differ"
        )
        return LengthBesidePerson(len(rows), None, Interval(None, None, len(groups), 0, why=why), why)
    return LengthBesidePerson(len(rows), rho, percentile_interval(groups, _beside_person, "conversations", draws))


def _beside_person(groups: Sequence[Sequence[tuple[float, int, float]]]) -> float | None:
    rows = [row for group in groups for row in group]
    return partial_spearman([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


Scores = Sequence[Sequence[float | None]]
"""Of one question, or the means over several: judges x models; None where a mark is missing."""


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """Preference of a judge for its own family's answers, beyond that of judges of other families and its own leniency."""

    n: int
    """Questions with a mark of it and of each judge beside it for every model."""
    left_out: int
    beside: int
    """Judges of other families, which it is held against."""
    preference: float | None
    """In marks; 0 where it treats its own like the others'. None where `why` says so."""
    low: float | None
    """None, as high is, of fewer than two clusters, and where every mark there is is the same."""
    high: float | None
    leniency: float | None
    """Mean over models of its marks less those of the judges beside it."""
    why: str = ""

    @property
    def found(self) -> bool:
        """Return whether it is above 0 beyond what the interval leaves open."""
        return self.low is not None and self.low > 0


def self_preference(
    tables: Sequence[Scores],
    own: Sequence[Collection[int]],
    families: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    scale: tuple[float, float] | None = None,
) -> list[SelfPreference]:
    """Of each judge, from one table of judges x models for each question.

    `own`: by judge the models of its family; `families`: that of each judge, each its own where none are given.

    d(m) = the judge's mark for model m less the mean mark for it of the judges of other families; mean of d over its own models
    less mean of d over the others, a difference in differences (after Panickssery et al. 2024, 2404.13076; METHOD.md 4.5).
    Judges of its own family may like the same answers, so they are no measure. Mean over questions without a missing mark, t
    interval by cluster, such as conversations. It has the floor of a difference on the `scale` of marks: where none is given,
    on that of the marks there are. One judge cannot be told from one that is right: two families of judges are needed, and a
    model that is not its own. ValueError where tables differ in shape, or `own` does not fit them.
    """
    judges = range(len(own))
    models = len(tables[0][0]) if tables and tables[0] else 0
    _checked(tables, own, models)
    kin, names = families or judges, range(len(tables)) if clusters is None else clusters
    rows = list(zip(tables, names, strict=True))
    marks = [mark for table in tables for row in table for mark in row if mark is not None]
    low, high = scale or (min(marks, default=0.0), max(marks, default=0.0))
    other_judges = [[k for k in judges if kin[k] != kin[j]] for j in judges]
    alone = [
        ""
        if other_judges[j]
        else f"all judges are of one family ({kin[j]}): nothing tells liking from better answers"
        if len(judges) > 1
        else "with one judge nothing tells self-preference from better answers"
        for j in judges
    ]
    return [_of_judge(j, own[j], other_judges[j], rows, (models, 2 * (high - low)), alone[j]) for j in judges]


def _checked(tables: Sequence[Scores], own: Sequence[Collection[int]], models: int) -> None:
    """ValueError where tables differ in shape, or a judge's own models are none of theirs."""
    if any(len(table) != len(own) or any(len(row) != models for row in table) for table in tables):
        raise ValueError(f"tables must be of {len(own)} judges and {models} models")
    if tables and any(not 0 <= model < models for mine in own for model in mine):
        raise ValueError(f"models {list(map(list, own))} of {models}")


def _complete(rows: Sequence[tuple[Scores, Hashable]], judges: Sequence[int]) -> list[tuple[list[list[float]], Hashable]]:
    """The questions for which these judges have a mark of every model: their marks in this order."""
    return [
        ([[mark for mark in table[k] if mark is not None] for k in judges], name)
        for table, name in rows
        if all(mark is not None for k in judges for mark in table[k])
    ]


def _of_judge(
    j: int,
    own: Collection[int],
    other_judges: Sequence[int],
    rows: Sequence[tuple[Scores, Hashable]],
    size: tuple[int, float],
    alone: str,
) -> SelfPreference:
    """`size`: number of models, and by how much two differences of marks can differ at most; `alone`: why there is no other
    judge."""
    models, span = size
    whole = _complete(rows, (j, *other_judges))
    n, left_out, beside = len(whole), len(rows) - len(whole), len(other_judges)
    why = alone or ("" if n else "no question has the scores of every judge for every model")
    if why:
        return SelfPreference(n, left_out, beside, None, None, None, None, why)
    ahead = [
        [mark - fmean(other_marks[m] for other_marks in rest) for m, mark in enumerate(mine)] for (mine, *rest), _ in whole
    ]
    leniency = fmean(map(fmean, ahead))
    theirs = [m for m in range(models) if m not in own]
    if not own or not theirs:
        why = "there is no other model to compare its own with" if own else "none of the models is its own"
        return SelfPreference(n, left_out, beside, None, None, None, leniency, why)
    more = [fmean(row[m] for m in own) - fmean(row[m] for m in theirs) for row in ahead]
    mean: ClusteredMean = clustered_mean(more, [name for _, name in whole], span)
    return SelfPreference(n, left_out, beside, mean.mean, mean.low, mean.high, leniency)
