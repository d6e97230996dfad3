"""Progress of the rating of a run by a metric: a person's counts, what is lacking, how wide the corrected interval is.

Nothing in it tells what the judge gave: neither its mean, nor which way it errs.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import counted, one_line
from tui_eval.core.units import Unit, clusters_of
from tui_eval.results.annotation_sample import AnnotationSample, AnswerPlace, JudgedAnswer
from tui_eval.results.sums.human_agreement import CLAIMS, Lot, RatedAnswer, checked, is_yes_or_no
from tui_eval.results.sums.in_words import percent
from tui_eval.results.sums.judge_certificates import LEAST_LABELS, telling_of
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.person_checks import LEAST_CONVERSATIONS, LEAST_MARKS, JudgedMeans, corrected_so_far
from tui_eval.results.sums.rating_sentences import say
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
    """What one person has said by a metric, beside what is there to be rated."""

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
    """How far a person has come; the interval rests on what all persons said of drawn answers."""
    judged = {place: one for place, one in sample.by_place.items() if one.judge is not None}  # nothing else counts
    said = {place: mark for place, mark in sample.by_person(marks, person).items() if place in judged}
    values = [mark.mark for mark in said.values() if mark.mark is not None]
    after = len(said) - len(said) % SHOWN_EVERY
    later = {mark.key for mark in list(said.values())[after:]}
    ends = interval_of(sample, {key: mark for key, mark in marks.items() if key not in later}, metric)
    touched = {judged[place].conversation for place, mark in said.items() if mark.mark is not None}
    return RatingProgress(
        marks=len(values),
        unsure=len(said) - len(values),
        yes=values.count(1),
        no=values.count(0),
        conversations=len(touched),
        pool=len(judged),
        pool_conversations=len({one.conversation for one in judged.values()}),
        half=None if ends is None else (ends[1] - ends[0]) / 2,
        after=after,
    )


def progress_words(found: RatingProgress, metric: Metric) -> str:
    """The person's counts, what they lack, and how wide the interval is, on one line."""
    words = f"{counts_words(found, metric)}; {lacking_words(found, metric)}"
    if found.half is None:
        return words
    what, half = ("rate", f"{100 * found.half:.0f} points") if is_yes_or_no(metric) else ("mean", f"{found.half:.2f}")
    return f"{words}; {say('width', what=what, half=half, n=counted(found.after, 'answer'))}"


def counts_words(found: RatingProgress, metric: Metric) -> str:
    """What the person has said so far."""
    if is_yes_or_no(metric):
        return f"{found.yes:,} yes, {found.no:,} no"
    return f"{counted(found.marks, 'mark')} over {counted(found.conversations, 'conversation')}"


def lacking_words(found: RatingProgress, metric: Metric) -> str:
    """What a certificate lacks, or, of marks from 1 to 5, a correction."""
    if is_yes_or_no(metric):
        return _lacks_of_each(found)
    if found.pool_conversations < LEAST_CONVERSATIONS:
        return say("too_few_talks", conversations=LEAST_CONVERSATIONS, n=found.pool_conversations)
    missing = max(LEAST_MARKS - found.marks, LEAST_CONVERSATIONS - found.conversations, 0)
    return say("more_marks", missing=f"{missing:,}") if missing else say("enough_marks")


def _lacks_of_each(found: RatingProgress) -> str:
    if found.pool < 2 * LEAST_LABELS:
        return say("too_few", least=LEAST_LABELS, n=f"{found.pool:,}")
    lacking = {"yes": LEAST_LABELS - found.yes, "no": LEAST_LABELS - found.no}
    missing = ", ".join(f"{n} {name}" for name, n in lacking.items() if n > 0)
    return say("of_each", missing=missing) if missing else say("enough", least=LEAST_LABELS)


# --------------------------------------------------------------------------------------------------------- the interval


def interval_of(sample: AnnotationSample, marks: Marks, metric: Metric) -> tuple[float, float] | None:
    """The interval of what the judge gives, corrected by the marks so far: of its mean, or of yes and no of its rate, as a
    certificate of this run would correct it. None before there are labels enough for either."""
    if is_yes_or_no(metric):
        rate = certified_of(sample, marks, metric)
        return None if rate is None else (rate.low, rate.high)
    found = corrected_of(sample, marks, metric)
    return None if found is None or found.low is None or found.high is None else (found.low, found.high)


def certified_of(sample: AnnotationSample, marks: Marks, metric: Metric) -> CorrectedRate | None:
    """The judge's rate, corrected as a certificate of these marks corrects it; None below five labels of either truth."""
    rated = _rated(sample, marks, metric)
    telling = telling_of(checked(rated, metric), least=FEWEST_OF_EACH)
    raw = _judged_means(sample).raw
    return None if isinstance(telling, str) or raw.value is None else telling.corrected(raw.value, raw.n)


def corrected_of(sample: AnnotationSample, marks: Marks, metric: Metric) -> Estimate | None:
    """The judge's corrected mean, as a report of these marks would have it; None where labels are of fewer than 8
    conversations."""
    return corrected_so_far(checked(_rated(sample, marks, metric), metric), metric, _judged_means(sample))


def _judged_means(sample: AnnotationSample) -> JudgedMeans:
    judged = gathered((one.conversation, one) for one in sample.by_place.values() if one.judge is not None)
    means: dict[Hashable, float] = {name: _mean_over_answers(own) for name, own in judged.items()}
    return JudgedMeans(Estimate(len(means), fmean(means.values()) if means else None), means)


def _rated(sample: AnnotationSample, marks: Marks, metric: Metric) -> list[RatedAnswer]:
    """Everything that can be rated, with what all persons said of it."""
    said = gathered(
        (one.place, (key.person, None if mark.mark is None else float(mark.mark)))
        for key, mark in marks.items()
        if (one := sample.answer_of(key)) is not None and (mark.mark is None or metric.holds(mark.mark))
    )
    lots = {one.answer.place: Lot(number, one.chance, one.left) for number, one in enumerate(sample.drawn(marks))}
    clusters = _clusters([*sample.by_place.values()])
    return [
        RatedAnswer(
            one.conversation,
            place.model,
            {},
            one.judge,
            dict(said.get(place, ())),
            lots.get(place),
            clusters[one.conversation],
            place._replace(claim="") if place.claim else None,
        )
        for place, one in sample.by_place.items()
    ]


def _mean_over_answers(own: Sequence[JudgedAnswer]) -> float:
    """The judge's mean of a conversation: over its answers, of claims over each answer's share."""
    answers = gathered((one.place._replace(claim=""), one.judge) for one in own if one.judge is not None)
    return fmean(fmean(values) for values in answers.values())


def _clusters(pool: Sequence[JudgedAnswer]) -> dict[str, Hashable]:
    """What each conversation belongs to: a document where enough are shared, else itself."""
    levels = {one.conversation: one.levels for one in pool}
    found, _ = clusters_of([Unit(name, own) for name, own in levels.items()])
    return dict(zip(levels, found or levels, strict=True))


# ---------------------------------------------------------------------------------------------------------- agreement


def agreement_words(sample: AnnotationSample, marks: Marks, person: str, metric: Metric) -> list[str]:
    """How far judge and person agree, and this person with each other one; never which of them is the more lenient."""
    own = _of_person(sample, marks, person, metric)
    judge = {place: value for place in own if (value := sample.by_place[place].judge) is not None}
    found = [_alike(sample, own, judge, metric)]
    lines = [say("alike", share=share, kappa=kappa, n=_many(n, metric)) for share, kappa, n in found if n]
    for other in sorted({key.person for key in marks} - {person}):
        share, kappa, n = _alike(sample, own, _of_person(sample, marks, other, metric), metric)
        if n:
            names = {"a": _named(person), "b": _named(other)}
            lines.append(say("persons", **names, share=share, kappa=kappa, n=_many(n, metric)))
    return lines


def _named(person: str) -> str:
    return one_line(person, 40) or "a person without a name"


def _many(n: int, metric: Metric) -> str:
    return counted(n, "claim" if metric.name == CLAIMS else "answer")


def _of_person(sample: AnnotationSample, marks: Marks, person: str, metric: Metric) -> Labels:
    said = sample.by_person(marks, person)
    return {place: float(mark.mark) for place, mark in said.items() if mark.mark is not None and metric.holds(mark.mark)}


def _alike(sample: AnnotationSample, a: Labels, b: Labels, metric: Metric) -> tuple[str, str, int]:
    """The share of answers that two mark alike, kappa with its interval in brackets, and of how many; marks that lie between
    those of the scale, as means of several judges do, have no kappa."""
    both = [place for place in a if place in b]
    ones, others = [a[place] for place in both], [b[place] for place in both]
    labels = range(round(metric.low), round(metric.high) + 1)
    share = percent(fmean(x == y for x, y in zip(ones, others, strict=True)), 0) if both else "-"
    if not both or not all(mark in labels for mark in (*ones, *others)):
        return share, "", len(both)
    weight = "none" if is_yes_or_no(metric) else "quadratic"
    found = pair_agreement(ones, others, labels)
    value = found.kappa if weight == "none" else found.quadratic
    if value is None:
        return share, "", len(both)
    names = [sample.by_place[place].conversation for place in both]
    ends = kappa_interval(ones, others, labels, names, "none" if is_yes_or_no(metric) else "quadratic")
    bracket = "" if ends.low is None or ends.high is None else f" [{ends.low:.2f}, {ends.high:.2f}]"
    return share, f", {'weighted ' if weight != 'none' else ''}kappa {value:.2f}{bracket}", len(both)
