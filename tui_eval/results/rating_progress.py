"""Progress of the rating of a run by a metric: a person's counts, what is lacking, how wide the corrected interval is.

Nothing in it tells what the judge gave: neither its mean, nor which way it errs.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.units import Unit, clusters_of
from tui_eval.results.annotation_sample import AnnotationSample, AnswerPlace, JudgedAnswer
from tui_eval.results.sums.human_agreement import CLAIMS, Lot, RatedAnswer, checked, is_yes_or_no
from tui_eval.results.sums.in_words import percent
from tui_eval.results.sums.judge_certificates import LEAST_LABELS, rate_of, telling_of
from tui_eval.results.sums.means import Estimate, estimate
from tui_eval.results.sums.person_checks import LEAST_CONVERSATIONS, LEAST_MARKS, JudgedMeans, corrected_so_far
from tui_eval.results.sums.rating_sentences import say
from tui_eval.results.sums.series import Items, Series
from tui_eval.runs.person_marks import Marks
from tui_eval.statistics.judge_certificate import CorrectedRate
from tui_eval.statistics.rater_agreement import kappa_interval, pair_agreement

SHOWN_EVERY = 10
"""Answers after which the width of the interval is told anew."""
FEWEST_OF_EACH = 5
"""Labels of yes, and of no, below which no width of a corrected rate is told."""
Labels = Mapping[AnswerPlace, float]
"""What somebody says of answers, each with one value."""


@dataclass(frozen=True, slots=True)
class RatingProgress:
    """Progress of one person's rating by a metric, beside what is there to be rated."""

    marks: int
    """Without those that say "cannot tell"."""
    unsure: int
    yes: int
    no: int
    conversations: int
    """With a mark."""
    pool: int
    """Answers, or claims, that can be rated."""
    pool_conversations: int
    half: float | None
    """Half the width of the interval of the judge's corrected mean, or of the rate as a certificate corrects it; None before
    there is one."""
    after: int
    """So many of the person's answers it rests on: it moves every ten, since after each it would tell what the judge said."""


def progress_of(sample: AnnotationSample, marks: Marks, person: str, metric: Metric) -> RatingProgress:
    """Return how far a person has come; the interval rests on all persons' marks of drawn answers."""
    judged = {place: answer for place, answer in sample.by_place.items() if answer.judge is not None}  # nothing else counts
    own_marks = {place: mark for place, mark in sample.by_person(marks, person).items() if place in judged}
    values = [mark.mark for mark in own_marks.values() if mark.mark is not None]
    after = len(own_marks) - len(own_marks) % SHOWN_EVERY
    later = {mark.key for mark in list(own_marks.values())[after:]}
    ends = interval_of(sample, {key: mark for key, mark in marks.items() if key not in later}, metric)
    touched = {judged[place].conversation for place, mark in own_marks.items() if mark.mark is not None}
    return RatingProgress(
        marks=len(values),
        unsure=len(own_marks) - len(values),
        yes=values.count(1),
        no=values.count(0),
        conversations=len(touched),
        pool=len(judged),
        pool_conversations=len({answer.conversation for answer in judged.values()}),
        half=None if ends is None else (ends[1] - ends[0]) / 2,
        after=after,
    )


def progress_words(progress: RatingProgress, metric: Metric) -> str:
    """The person's counts, what they lack, and how wide the interval is, on one line."""
    words = f"{counts_words(progress, metric)}; {lacking_words(progress, metric)}"
    if progress.half is None:
        return words
    quantity, half = ("rate", f"{100 * progress.half:.0f} points") if is_yes_or_no(metric) else ("mean", f"{progress.half:.2f}")
    return f"{words}; {say('width', what=quantity, half=half, n=f'{progress.after:,}')}"


def counts_words(progress: RatingProgress, metric: Metric) -> str:
    """Say what the person has rated so far."""
    if is_yes_or_no(metric):
        return f"{progress.yes:,} yes, {progress.no:,} no"
    return f"{count_of(progress.marks, 'rating')} over {count_of(progress.conversations, 'conversation')}"


def lacking_words(progress: RatingProgress, metric: Metric) -> str:
    """Say what a certificate lacks, or, of marks from 1 to 5, a correction."""
    if is_yes_or_no(metric):
        return _lacks_of_each(progress)
    if progress.pool_conversations < LEAST_CONVERSATIONS:
        return say("too_few_talks", conversations=LEAST_CONVERSATIONS, n=progress.pool_conversations)
    missing = max(LEAST_MARKS - progress.marks, LEAST_CONVERSATIONS - progress.conversations, 0)
    return say("more_marks", missing=f"{missing:,}") if missing else say("enough_marks")


def _lacks_of_each(progress: RatingProgress) -> str:
    if progress.pool < 2 * LEAST_LABELS:
        return say("too_few", least=LEAST_LABELS, n=f"{progress.pool:,}")
    lacking = {"yes": LEAST_LABELS - progress.yes, "no": LEAST_LABELS - progress.no}
    missing = ", ".join(f"{n} {name}" for name, n in lacking.items() if n > 0)
    return say("of_each", missing=missing) if missing else say("enough", least=LEAST_LABELS)


# --------------------------------------------------------------------------------------------------------- the interval


def interval_of(sample: AnnotationSample, marks: Marks, metric: Metric) -> tuple[float, float] | None:
    """The interval of what the judge gives, corrected by the marks so far: of its mean, or of yes and no of its rate, as a
    certificate of this run would correct it. None before there are labels enough for either."""
    if is_yes_or_no(metric):
        rate = certified_of(sample, marks, metric)
        return None if rate is None else (rate.low, rate.high)
    corrected = corrected_of(sample, marks, metric)
    return None if corrected is None or corrected.low is None or corrected.high is None else (corrected.low, corrected.high)


def certified_of(sample: AnnotationSample, marks: Marks, metric: Metric) -> CorrectedRate | None:
    """The judge's rate, corrected as a certificate of these marks corrects it; None below five labels of either truth."""
    rated = _rated(sample, marks, metric)
    telling = telling_of(checked(rated, metric), least=FEWEST_OF_EACH)
    rate = rate_of(_judged_means(sample, metric).raw)
    return None if isinstance(telling, str) or rate is None else telling.corrected(*rate)


def corrected_of(sample: AnnotationSample, marks: Marks, metric: Metric) -> Estimate | None:
    """The judge's corrected mean, as a report of these marks would have it; None where labels are of fewer than 8
    conversations."""
    return corrected_so_far(checked(_rated(sample, marks, metric), metric), metric, _judged_means(sample, metric))


def _judged_means(sample: AnnotationSample, metric: Metric) -> JudgedMeans:
    """The judge's mean as the run's tables have it (`sums.means.estimate`), and that of each conversation."""
    judged = gathered((one.conversation, one) for one in sample.by_place.values() if one.judge is not None)
    series, items = Series(), Items()
    for name, own in judged.items():
        by_answer = gathered((one.place._replace(claim=""), one.judge) for one in own if one.judge is not None)
        place = items.place(Unit(name, own[0].levels), {})
        for answer, marks in by_answer.items():
            series.add(place, fmean(marks), answer=answer.repeat << 24 | answer.turn)
    names = list(judged)
    return JudgedMeans(estimate(series, items, metric), {names[place]: mean for place, mean in series.means().items()})


def _rated(sample: AnnotationSample, marks: Marks, metric: Metric) -> list[RatedAnswer]:
    """Everything that can be rated, with what all persons said of it."""
    labels = gathered(
        (answer.place, (key.person, None if mark.mark is None else float(mark.mark)))
        for key, mark in marks.items()
        if (answer := sample.answer_of(key)) is not None and (mark.mark is None or metric.holds(mark.mark))
    )
    lots = {draw.answer.place: Lot(number, draw.chance, draw.left) for number, draw in enumerate(sample.drawn(marks))}
    clusters = _clusters([*sample.by_place.values()])
    return [
        RatedAnswer(
            answer.conversation,
            place.model,
            {},
            answer.judge,
            dict(labels.get(place, ())),
            lots.get(place),
            clusters[answer.conversation],
            place._replace(claim="") if place.claim else None,
        )
        for place, answer in sample.by_place.items()
    ]


def _clusters(pool: Sequence[JudgedAnswer]) -> dict[str, Hashable]:
    """Return the cluster of each conversation: a document where enough are shared, else itself."""
    levels = {answer.conversation: answer.levels for answer in pool}
    clusters, _ = clusters_of([Unit(name, own) for name, own in levels.items()])
    return dict(zip(levels, clusters or levels, strict=True))


# ---------------------------------------------------------------------------------------------------------- agreement


def agreement_words(sample: AnnotationSample, marks: Marks, person: str, metric: Metric) -> list[str]:
    """Say how far judge and person agree, and this person with each other one; never which of them is the more lenient."""
    own = _of_person(sample, marks, person, metric)
    judge = {place: value for place in own if (value := sample.by_place[place].judge) is not None}
    figures = [_alike(sample, own, judge, metric)]
    lines = [say("alike", share=share, kappa=kappa, n=_many(n, metric)) for share, kappa, n in figures if n]
    for rater in sorted({key.person for key in marks} - {person}):
        share, kappa, n = _alike(sample, own, _of_person(sample, marks, rater, metric), metric)
        if n:
            names = {"a": _person_label(person), "b": _person_label(rater)}
            lines.append(say("persons", **names, share=share, kappa=kappa, n=_many(n, metric)))
    return lines


def _person_label(person: str) -> str:
    return one_line(person, 40) or "a person without a name"


def _many(n: int, metric: Metric) -> str:
    return count_of(n, "claim" if metric.name == CLAIMS else "answer")


def _of_person(sample: AnnotationSample, marks: Marks, person: str, metric: Metric) -> Labels:
    own_marks = sample.by_person(marks, person)
    return {place: float(mark.mark) for place, mark in own_marks.items() if mark.mark is not None and metric.holds(mark.mark)}


def _alike(sample: AnnotationSample, a: Labels, b: Labels, metric: Metric) -> tuple[str, str, int]:
    """The share of answers that two mark alike, kappa with its interval in brackets, and of how many; marks that lie between
    those of the scale, as means of several judges do, have no kappa."""
    both = [place for place in a if place in b]
    marks_a, marks_b = [a[place] for place in both], [b[place] for place in both]
    labels = range(round(metric.low), round(metric.high) + 1)
    share = percent(fmean(x == y for x, y in zip(marks_a, marks_b, strict=True)), 0) if both else "-"
    if not both or not all(mark in labels for mark in (*marks_a, *marks_b)):
        return share, "", len(both)
    weight = "none" if is_yes_or_no(metric) else "quadratic"
    agreement = pair_agreement(marks_a, marks_b, labels)
    value = agreement.kappa if weight == "none" else agreement.quadratic
    if value is None:
        return share, "", len(both)
    names = [sample.by_place[place].conversation for place in both]
    ends = kappa_interval(marks_a, marks_b, labels, names, "none" if is_yes_or_no(metric) else "quadratic")
    bracket = "" if ends.low is None or ends.high is None else f" [{ends.low:.2f}, {ends.high:.2f}]"
    return share, f", {'weighted ' if weight != 'none' else ''}kappa {value:.2f}{bracket}", len(both)
