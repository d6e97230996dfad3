"""Persons' ratings of judged answers: labels with their weights, persons beside each other, a judge in a person's place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, takewhile, zip_longest
from statistics import fmean
from typing import TypeVar

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.results.sums.in_words import percent
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.sums.person_checks import CheckedAnswer
from tui_eval.results.sums.person_sentences import say_of_persons
from tui_eval.statistics.alternative_annotator import EPSILON, LEAST_COMMON, AgainstPerson, alternative_annotator
from tui_eval.statistics.judge_correction import lure_weights
from tui_eval.statistics.rater_agreement import (
    AlphaAgreement,
    PairAgreement,
    kappa_interval,
    krippendorff_alpha,
    krippendorff_interval,
    pair_agreement,
    reliability,
)
from tui_eval.statistics.resampling import Interval

CLAIMS = "claims"
"""The metric of which single claims are rated: 1 where the text bears one out."""
LOWEST, HIGHEST = 1, 5
"""The scale of what is not yes or no."""
LONGEST_NAME = 40
"""Characters of a person's name that are shown."""
FIRST_SHOWN = 30
"""Answers of a sample as versions before 0.7 drew it."""
OldPlace = tuple[str, int, int, str]
"""What a line of theirs names: id of the sample, repeat, turn from 1, model."""
Place = TypeVar("Place", bound=tuple[object, ...])
"""An answer's place, which begins as `OldPlace`."""


@dataclass(frozen=True, slots=True)
class Lot:
    """Draw by which an answer was shown to persons."""

    place: int
    """The how manieth of all that were shown, over the whole file."""
    chance: float
    """By which it was drawn from what was left of its conversation's answers of the model."""
    left: int
    """How many these were."""

    @property
    def is_valid(self) -> bool:
        """Return whether it is possible: a probability, at least half of a uniform one."""
        return self.left >= 1 and 1 / (2 * self.left) <= self.chance * (1 + 1e-9) and self.chance <= 1


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """An answer, or a claim of one, that judges were to mark, with what persons said of it."""

    conversation: Hashable
    side: Hashable
    """Whose it is: within a conversation answers are drawn for each side by itself."""
    marks: Mapping[str, float]
    """By judge."""
    value: float | None
    """What counts in the scores."""
    ratings: Mapping[str, float | None]
    """By person; None = could not tell."""
    lot: Lot | None = None
    """None where no lot decided that it was shown, or nobody was shown it."""
    cluster: Hashable = None
    answer: Hashable = None
    """Which answer a claim is of; None = it is the whole answer."""

    @property
    def is_unsure(self) -> bool:
        """Return whether persons looked and none could tell."""
        return bool(self.ratings) and all(mark is None for mark in self.ratings.values())


def label_of(ratings: Mapping[str, float | None], metric: Metric) -> float | None:
    """Return the joint label of persons: majority of yes and no, or mean of marks; None of a tie, or where none can tell."""
    marks = [mark for mark in ratings.values() if mark is not None]
    if not marks:
        return None
    if not is_yes_or_no(metric):
        return fmean(marks)
    yes = sum(mark == metric.high for mark in marks)
    return None if 2 * yes == len(marks) else metric.high if 2 * yes > len(marks) else metric.low


def is_rated_by(metric: Metric) -> bool:
    """Return whether persons can rate by a judged metric: from 1 to 5, yes or no, or claim by claim."""
    return (metric.low, metric.high) == (LOWEST, HIGHEST) or is_binary(metric) or metric.name == CLAIMS


def is_yes_or_no(metric: Metric) -> bool:
    """Return whether persons say yes or no by a metric: it is right or wrong, or a share of claims."""
    return (metric.low, metric.high) == (0.0, 1.0)


def checked(answers: Sequence[RatedAnswer], metric: Metric, judge: str = "") -> list[CheckedAnswer]:
    """The same with labels and their weights, in the order given. `judge`: whose marks; empty = what counts in the scores."""
    weights = _weights(answers, metric)
    return [
        CheckedAnswer(
            answer.conversation,
            answer.marks.get(judge) if judge else answer.value,
            label_of(answer.ratings, metric),
            answer.is_unsure,
            weights.get(place, 1.0),
            place in weights,
            answer.cluster,
        )
        for place, answer in enumerate(answers)
    ]


def undecided(answers: Sequence[RatedAnswer], metric: Metric) -> int:
    """Answers of which as many persons say yes as no."""
    return sum(label_of(answer.ratings, metric) is None and not answer.is_unsure for answer in answers if answer.ratings)


def _weights(answers: Sequence[RatedAnswer], metric: Metric) -> dict[int, float]:
    """By place of each label that was drawn: how much it weighs within its conversation (Farquhar, Gal and Rainforth 2021).

    A draw names one of the sides of a conversation, of claims one of its answers, and draws from these: the cell. What no
    person could tell has left it. A chance counts beside the uniform one of what was left, so that uniform draws weigh 1
    whatever was left out. A side's labels count by its share of the conversation's answers.
    """
    cells = gathered(((answer.conversation, answer.side, answer.answer), place) for place, answer in enumerate(answers))
    pools = {
        cell: [place for place in places if not answers[place].is_unsure and answers[place].value is not None]
        for cell, places in cells.items()
    }
    sizes: Counter[tuple[Hashable, Hashable]] = Counter()
    for (conversation, side, answer), pool in pools.items():
        sizes[conversation, side] += len(pool) if answer is None else bool(pool)
    of_sides = gathered((conversation, n) for (conversation, _), n in sizes.items() if n)
    weights: dict[int, float] = {}
    for (conversation, side, _), pool in pools.items():
        lots = [(answers[place].lot, place) for place in pool if label_of(answers[place].ratings, metric) is not None]
        valid_lots = sorted(
            ((lot, place) for lot, place in lots if lot is not None and lot.is_valid), key=lambda entry: entry[0].place
        )
        n, beside = len(pool), of_sides.get(conversation, [1])
        chances = [min(lot.chance * lot.left / (n - m), 1.0) for m, (lot, _) in enumerate(valid_lots)]
        share = sizes[conversation, side] * len(beside) / sum(beside)
        weights |= {place: weight * share for (_, place), weight in zip(valid_lots, lure_weights(n, chances), strict=True)}
    return weights


def drawn_before(answers: Mapping[OldPlace, str], marked: Collection[OldPlace], seed: int) -> dict[OldPlace, Lot]:
    """Return the lots of answers shown by versions before 0.7, which wrote no chances, by drawing their order again.

    It is drawn up to the first that has no mark. `answers`: by id of the sample, repeat, turn and model the conversation that
    each is of.
    """
    order = drawn_in_order(answers.items(), seed)
    remaining = Counter((answers[place], place[3]) for place in answers)
    lots: dict[OldPlace, Lot] = {}
    for number, place in enumerate(takewhile(lambda place: place in marked, order)):
        cell = (answers[place], place[3])
        lots[place] = Lot(number, 1 / remaining[cell], remaining[cell])
        remaining[cell] -= 1
    return lots


def drawn_in_order(answers: Iterable[tuple[Place, str]], seed: int) -> list[Place]:
    """The answers, each with its conversation, that versions before 0.7 drew, in their order.

    It rests on the seed and on the answers' names alone. The first round has one answer of each conversation, the second one
    more of each that has one, and so on; within a conversation every answer is as likely.
    """
    by_conversation = gathered((name, place) for place, name in answers)
    queues = [
        sorted(by_conversation[name], key=lambda place: lot_of(seed, "\0".join(map(str, place[:4]))))
        for name in sorted(by_conversation, key=lambda name: lot_of(seed, name))
    ]
    return [place for places in zip_longest(*queues) for place in places if place is not None][:FIRST_SHOWN]


def lot_of(seed: int, name: str) -> bytes:
    """Return the key by which a name is put in order, so that the seed decides and the order of the answers does not."""
    return sha256(f"{seed}\0{name}".encode("utf-8", "backslashreplace")).digest()


def persons_of(answers: Sequence[RatedAnswer]) -> list[str]:
    """Those who rated any of them, in the order in which they began."""
    return list(dict.fromkeys(person for answer in answers for person in answer.ratings))


def person_name(person: str) -> str:
    """Return the name of a person; one who gave none is unnamed."""
    return one_line(person, LONGEST_NAME) or "unnamed"


@dataclass(frozen=True, slots=True)
class PersonsBeside:
    """Two persons beside each other, or (without a second) all of three and more."""

    a: str
    b: str
    agreement: PairAgreement | AlphaAgreement
    interval: Interval
    persons: int = 2

    @property
    def words(self) -> str:
        """Say how far they agree."""
        agreement, ends = self.agreement, _ends(self.interval.low, self.interval.high)
        n = count_of(agreement.n, "answer")
        if isinstance(agreement, AlphaAgreement):
            if agreement.alpha is None:
                return say_of_persons("no_persons_alpha", persons=self.persons, reason=agreement.why)
            grade = reliability(agreement.alpha)
            return say_of_persons(
                "persons_alpha", persons=self.persons, alpha=f"{agreement.alpha:.2f}{ends}", reliability=grade, n=n
            )
        a, b = person_name(self.a), person_name(self.b)
        if agreement.kappa is None or agreement.percent is None:
            return say_of_persons("no_persons_kappa", a=a, b=b, n=n, reason=agreement.why)
        alike, kappa = percent(agreement.percent, 0), f"{agreement.kappa:.2f}{ends}"
        return say_of_persons("persons_agree", a=a, b=b, percent=alike, kappa=kappa, n=n)


def persons_beside(answers: Sequence[RatedAnswer], metric: Metric) -> Iterator[PersonsBeside]:
    """Every two persons who marked an answer in common, and of three and more all together."""
    persons = persons_of(answers)
    labels = range(round(metric.low), round(metric.high) + 1)
    rated = [answer for answer in answers if answer.ratings]
    names = [_cluster(answer) for answer in rated]
    marks = {person: [answer.ratings.get(person) for answer in rated] for person in persons}
    for a, b in combinations(persons, 2):
        agreement = pair_agreement(marks[a], marks[b], labels)
        if agreement.n:
            yield PersonsBeside(a, b, agreement, kappa_interval(marks[a], marks[b], labels, names, "none"))
    if len(persons) > 2:
        rows = [marks[person] for person in persons]
        alpha = krippendorff_alpha(rows)
        if alpha.n:
            yield PersonsBeside("", "", alpha, krippendorff_interval(rows, clusters=names), len(persons))


@dataclass(frozen=True, slots=True)
class AnnotatorTest:
    """A judge in the place of each of several persons."""

    judge: str
    n: int
    """Answers that the judge and all persons marked."""
    conversations: int
    persons: Sequence[str]
    results: Sequence[AgainstPerson]
    """Of each person; empty where common answers are too few."""
    item: str = "conversation"
    """What the common answers are of, in a word."""

    @property
    def words(self) -> str:
        """Against how many the judge wins; or how many answers are there of those that it takes."""
        many = len(self.persons)
        if not self.results:
            verb = "is" if self.n == 1 else "are"
            return say_of_persons("few_common", least=LEAST_COMMON, persons=many, n=f"{self.n:,} {verb}")
        won = sum(result.won for result in self.results)
        n = f"{count_of(self.n, 'common answer')} of {count_of(self.conversations, self.item)}"
        return say_of_persons("wins", judge=self.judge, won=won, persons=many, epsilon=f"{EPSILON:g}", n=n)


def annotator_test(
    answers: Sequence[RatedAnswer], metric: Metric, judge: str, item: str = "conversation"
) -> AnnotatorTest | None:
    """The alternative annotator test of a judge; None for fewer than two persons. `item`: what answers are of, in a word.

    Of three persons and more, those who marked hardly any are left out where the others then have answers enough in common.
    """
    marked = {person: _marked(answers, person) for person in persons_of(answers)}
    persons = sorted(marked, key=lambda person: -len(marked[person]))
    if len(persons) < 2:
        return None
    while True:
        common = [
            answer
            for answer in answers
            if judge in answer.marks and all(answer.ratings.get(name) is not None for name in persons)
        ]
        if len(common) >= LEAST_COMMON or len(persons) < 3:
            break
        persons = persons[:-1]
    persons = [person for person in marked if person in persons]
    names = [_cluster(answer) for answer in common]
    results: list[AgainstPerson] = []
    if len(common) >= LEAST_COMMON:
        rows = [[answer.ratings[person] or 0.0 for answer in common] for person in persons]
        results = alternative_annotator([answer.marks[judge] for answer in common], rows, names, is_yes_or_no(metric))
    return AnnotatorTest(judge, len(common), len({answer.conversation for answer in common}), persons, results, item)


def _marked(answers: Sequence[RatedAnswer], person: str) -> list[RatedAnswer]:
    return [answer for answer in answers if answer.ratings.get(person) is not None]


def _cluster(answer: RatedAnswer) -> Hashable:
    return answer.conversation if answer.cluster is None else answer.cluster


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
