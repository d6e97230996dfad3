"""How far the rating of a run by a metric has come: a person's counts, what is lacking, how wide the corrected interval is.

Nothing in it tells what the judge gave: neither its mean, nor which way it errs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import counted, one_line
from tui_eval.core.units import Unit, clusters_of
from tui_eval.results.annotation_sample import CLAIMS, AnnotationSample, AnswerPlace, DrawnAnswer, JudgedAnswer, is_yes_or_no
from tui_eval.results.sums.in_words import percent
from tui_eval.results.sums.rating_sentences import LEAST_CONVERSATIONS, LEAST_MARKS, LEAST_OF_EACH, say
from tui_eval.runs.person_marks import Marks
from tui_eval.statistics.judge_correction import CorrectedMean, corrected_mean, lure_weights
from tui_eval.statistics.rater_agreement import kappa_interval, pair_agreement

Labels = Mapping[AnswerPlace, float]
"""What persons say of answers, each with one value."""


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
    """Half the width of the interval of the judge's corrected mean; None before there is one."""


def progress_of(sample: AnnotationSample, marks: Marks, person: str, metric: Metric) -> RatingProgress:
    """How far a person has come; the interval rests on what all persons said of drawn answers."""
    judged = {place: one for place, one in sample.by_place.items() if one.judge is not None}  # nothing else counts
    said = {place: mark for place, mark in sample.by_person(marks, person).items() if place in judged}
    values = [mark.mark for mark in said.values() if mark.mark is not None]
    touched = {judged[place].conversation for place, mark in said.items() if mark.mark is not None}
    return RatingProgress(
        marks=len(values),
        unsure=len(said) - len(values),
        yes=values.count(1),
        no=values.count(0),
        conversations=len(touched),
        pool=len(judged),
        pool_conversations=len({one.conversation for one in judged.values()}),
        half=_half(corrected_of(sample, marks, metric), metric),
    )


def progress_words(found: RatingProgress, metric: Metric) -> str:
    """The person's counts, what they lack, and how wide the interval is, on one line."""
    words = f"{counts_words(found, metric)}; {lacking_words(found, metric)}"
    if found.half is None:
        return words
    what, half = ("rate", f"{100 * found.half:.0f} points") if is_yes_or_no(metric) else ("mean", f"{found.half:.2f}")
    return f"{words}; {say('width', what=what, half=half)}"


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
    if found.pool < 2 * LEAST_OF_EACH:
        return say("too_few", least=LEAST_OF_EACH, n=f"{found.pool:,}")
    lacking = {"yes": LEAST_OF_EACH - found.yes, "no": LEAST_OF_EACH - found.no}
    missing = ", ".join(f"{n} {name}" for name, n in lacking.items() if n > 0)
    return say("of_each", missing=missing) if missing else say("enough", least=LEAST_OF_EACH)


# --------------------------------------------------------------------------------------------------------- the interval


def _labels_of(sample: AnnotationSample, marks: Marks, metric: Metric) -> dict[AnswerPlace, float]:
    """What persons say of each answer: the mean from 1 to 5, the majority of yes and no; undecided ones are left out."""
    said = gathered(
        (one.place, float(mark.mark))
        for key, mark in marks.items()
        if mark.mark is not None and metric.holds(mark.mark) and (one := sample.answer_of(key)) is not None
    )
    means = {place: fmean(values) for place, values in said.items()}
    if not is_yes_or_no(metric):
        return means
    return {place: float(value > 0.5) for place, value in means.items() if value != 0.5}


def corrected_of(sample: AnnotationSample, marks: Marks, metric: Metric) -> CorrectedMean | None:
    """The judge's corrected mean; None where labels are of fewer than 8 conversations.

    The answers that persons could not tell of, or are of two minds about, leave the pool.
    """
    labels, drawn = _labels_of(sample, marks, metric), sample.drawn(marks)
    unsure = {one.answer.place for one in drawn if one.answer.place not in labels}
    pool = [one for one in sample.by_place.values() if one.judge is not None and one.place not in unsure]
    known = {one.place for one in pool}
    errors = _errors(pool, [one for one in drawn if one.answer.place in known], labels)
    if len(errors) < LEAST_CONVERSATIONS:
        return None
    judged = {name: _mean_over_answers(own) for name, own in gathered((one.conversation, one) for one in pool).items()}
    return corrected_mean(judged, errors, _clusters(pool), (metric.low, metric.high))


def _half(found: CorrectedMean | None, metric: Metric) -> float | None:
    """Half the width of its interval, as far as that lies on the scale."""
    return None if found is None else (min(found.high, metric.high) - max(found.low, metric.low)) / 2


def _mean_over_answers(own: Sequence[JudgedAnswer]) -> float:
    """The judge's mean of a conversation: over its answers, of claims over each answer's share."""
    answers = gathered((one.place._replace(claim=""), one.judge) for one in own if one.judge is not None)
    return fmean(fmean(values) for values in answers.values())


def _errors(
    pool: Sequence[JudgedAnswer], drawn: Sequence[DrawnAnswer], labels: Labels
) -> dict[str, list[tuple[float, float]]]:  # fmt: skip
    """By conversation (person - judge, weight) of each label, as `corrected_mean` takes them."""
    sizes = Counter(map(_pool_of, pool))
    of_conversation = gathered((one.conversation, _pool_of(one)) for one in pool)
    errors: dict[str, list[tuple[float, float]]] = {}
    for conversation, found in gathered((one.answer.conversation, one) for one in drawn).items():
        cells = gathered((_pool_of(one.answer), one) for one in found)
        for cell, own in cells.items():
            share = _share(own, cells, of_conversation[conversation], sizes[cell])
            weights = lure_weights(sizes[cell], [one.chance for one in own])
            for one, weight in zip(own, weights, strict=True):
                judge = one.answer.judge or 0.0
                errors.setdefault(conversation, []).append((labels[one.answer.place] - judge, weight * share))
    return errors


def _share(
    own: Sequence[DrawnAnswer], cells: Mapping[Hashable, Sequence[DrawnAnswer]], every: Sequence[Hashable], size: int
) -> float:
    """How much the labels of a cell count in their conversation, so that each of its answers counts alike.

    `every`: of each answer of the conversation its cell. Answers have a cell by model, which is drawn by lot. Claims have one
    by answer, and answers count alike however many claims they make.
    """
    many = sum(map(len, cells.values()))
    if own[0].answer.claim:
        return many / (len(cells) * len(own))
    return 1.0 if many == len(every) else size * len({*every}) / len(every)


def _pool_of(one: JudgedAnswer) -> Hashable:
    """What an answer was drawn from: a model's answers of a conversation; a claim: the claims of its answer."""
    return one.place._replace(claim="") if one.claim else (one.conversation, one.place.model)


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
