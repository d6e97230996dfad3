"""The scores of one model by one metric, question by question: what every sum is made of."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

NO_TRUTH = "no truth for this question"
"""Why an answer has no score where nothing says what would be right: it is not among those that were to be scored."""

NO_CLAIMS = "no claims"
"""Why an answer has no score that a judge did look at: nothing in it could be marked, so that no mark is missing."""


@dataclass(slots=True)
class Series:
    """Of each question, by its number from 0: how many answers were to be scored, how many were, and the sum of the scores."""

    asked: array[int] = field(default_factory=lambda: array("I"))
    scored: array[int] = field(default_factory=lambda: array("I"))
    total: array[float] = field(default_factory=lambda: array("d"))
    why: Counter[str] = field(default_factory=Counter)
    """Why answers have no score, in a few words, and how many."""
    _values: array[float] = field(default_factory=lambda: array("d"))
    _places: array[int] = field(default_factory=lambda: array("I"))
    whole: bool = True
    """Whether every score is 1 or 0: not where one is the mean of several judges, of whom some say one and some the other."""
    _sets: tuple[int, int, int] | None = None

    def add(self, question: int, value: float | None, why: str = "") -> None:
        """Take in a score, or why there is none."""
        if question >= len(self.asked):
            self.grow(question + 1)
        self.asked[question] += why != NO_TRUTH
        if value is None:
            self.why[why.split(":")[0]] += 1
        else:
            self.scored[question] += 1
            self.total[question] += value
            self.whole = self.whole and value in (0, 1)
            self._values.append(value)
            self._places.append(question)
        self._sets = None

    def grow(self, questions: int) -> None:
        """Have room for so many questions at least."""
        for _ in range(questions - len(self.asked)):
            self.asked.append(0)
            self.scored.append(0)
            self.total.append(0.0)

    @property
    def single(self) -> bool:
        """Whether no question was asked twice."""
        return max(self.asked, default=0) <= 1

    @property
    def repeated(self) -> bool:
        """Whether a question has several scores."""
        return max(self.scored, default=0) > 1

    def mean(self, question: int) -> float | None:
        """Of the scores of a question; None where it has none."""
        return self.total[question] / self.scored[question] if self.scored[question] else None

    def means(self) -> dict[int, float]:
        """The mean of each question that has a score."""
        return {place: total / n for place, (total, n) in enumerate(zip(self.total, self.scored, strict=True)) if n}

    def values(self) -> list[list[float]]:
        """Every score, by question, of the questions that have any."""
        found: dict[int, list[float]] = {}
        for place, value in zip(self._places, self._values, strict=True):
            found.setdefault(place, []).append(value)
        return list(found.values())

    def marks(self) -> Counter[float]:
        """How many scores are just this, of each that was given."""
        return Counter(self._values)

    def sets(self) -> tuple[int, int, int]:
        """The questions that were asked, that have a score, and whose scores are not 0: numbers with a bit for each.

        What is right, where each was asked once and every score is `whole`.
        """
        if self._sets is None:
            self._sets = (bits(self.asked), bits(self.scored), bits(self.total))
        return self._sets


def bits(counts: Sequence[float]) -> int:
    """A number with a bit for each place that is not zero."""
    return int("0" + "".join("1" if n else "0" for n in reversed(counts)), 2)


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that have something in common, such as a difficulty."""

    by: str
    value: str
    indexes: tuple[int, ...]
    bits: int
    """The same as a number with a bit for each of these questions."""


def grouped(questions: Iterable[Mapping[str, Sequence[str]]]) -> list[Group]:
    """The groups that questions belong to, each as they are first named; what a question names twice counts once."""
    found: dict[tuple[str, str], dict[int, None]] = {}
    for place, groups in enumerate(questions):
        for by, values in groups.items():
            for value in values:
                found.setdefault((by, value), {})[place] = None
    return [Group(by, value, tuple(places), sum(1 << i for i in places)) for (by, value), places in found.items()]
