"""The scores of one side by one metric, item by item: what every sum is made of."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tui_eval.core.units import Unit, clusters_of

ANSWERS = (1 << 48) - 1
"""Numbers of answers that are told apart: more than any run has; a stranger's file may name others."""
NOTHING = (1 << 64) - 1
"""In place of an answer, where none has come."""
NO_TRUTH = "no truth for this question"
"""Why an answer has no score where nothing says what would be right: it is not among those that were to be scored."""

Number = TypeVar("Number", bound=float)
NO_CLAIMS = "no claims"
"""Why an answer has no score that a judge did look at: nothing in it could be marked, so that no mark is missing."""


class ByPlace(Mapping[int, Number]):
    """Numbers of items by their places, as far as they have one: held in an array, a fraction of what a dictionary takes."""

    def __init__(self, numbers: array[Any], missing: Number) -> None:
        """`missing`: what stands in the array where there is none."""
        self._numbers, self._missing = numbers, missing
        self._n = len(numbers) - numbers.count(missing)

    def __getitem__(self, place: int) -> Number:
        number: Number = self._numbers[place] if 0 <= place < len(self._numbers) else self._missing
        if number == self._missing:
            raise KeyError(place)
        return number

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and 0 <= place < len(self._numbers) and self._numbers[place] != self._missing

    def __iter__(self) -> Iterator[int]:
        return (place for place, number in enumerate(self._numbers) if number != self._missing)

    def __len__(self) -> int:
        return self._n


@dataclass(slots=True)
class Series:
    """Of each item, by its number from 0: how many answers were to be scored, how many were, and the sum of the scores."""

    asked: array[int] = field(default_factory=lambda: array("I"))
    scored: array[int] = field(default_factory=lambda: array("I"))
    total: array[float] = field(default_factory=lambda: array("d"))
    why: Counter[str] = field(default_factory=Counter)
    """Why answers have no score, in a few words, and how many."""
    whole: bool = True
    """Whether every score is 1 or 0: not where one is the mean of several judges, of whom some say one and some the other."""
    _most: int = 0
    """The answers that an item was asked for, at most."""
    _values: array[float] = field(default_factory=lambda: array("d"))
    _places: array[int] = field(default_factory=lambda: array("I"))
    _answers: array[int] = field(default_factory=lambda: array("Q"))
    _lacking_places: array[int] = field(default_factory=lambda: array("I"))
    _lacking_answers: array[int] = field(default_factory=lambda: array("Q"))
    _firsts: array[int] = field(default_factory=lambda: array("Q"))
    """Of each item the first answer that came; NOTHING before."""
    _seen: Counter[int] = field(default_factory=Counter)
    """How often each answer came to an item that several came to."""
    _sets: tuple[int, int, int] | None = None

    def add(self, item: int, value: float | None, why: str = "", answer: int = 0) -> None:
        """Take in a score, or why there is none. `answer`: which of the item's answers it is of, the same for every model."""
        if item >= len(self.asked):
            self.grow(item + 1)
        self.asked[item] += why != NO_TRUTH
        self._most = max(self._most, self.asked[item])
        answer &= ANSWERS
        key = answer << 16 | self._count(item, answer) & 0xFFFF
        if value is None:
            self.why[why.split(":")[0]] += 1
            if why != NO_TRUTH:
                self._lacking_places.append(item)
                self._lacking_answers.append(key)
        else:
            self.scored[item] += 1
            self.total[item] += value
            self.whole = self.whole and value in (0, 1)
            self._values.append(value)
            self._places.append(item)
            self._answers.append(key)
        self._sets = None

    def _count(self, item: int, answer: int) -> int:
        """Count an answer; how often it came to this item."""
        first = self._firsts[item]
        if first == NOTHING:
            self._firsts[item] = answer
            return 1
        self._seen.setdefault(item << 48 | first, 1)
        self._seen[item << 48 | answer] += 1
        return self._seen[item << 48 | answer]

    def grow(self, items: int) -> None:
        """Have room for so many items at least."""
        for _ in range(items - len(self.asked)):
            self.asked.append(0)
            self.scored.append(0)
            self.total.append(0.0)
            self._firsts.append(NOTHING)

    @property
    def single(self) -> bool:
        """Return whether no item was asked twice."""
        return self._most <= 1

    @property
    def repeated(self) -> bool:
        """Return whether an item has several scores."""
        return max(self.scored, default=0) > 1

    def mean(self, item: int) -> float | None:
        """Of the scores of an item; None where it has none."""
        return self.total[item] / self.scored[item] if self.scored[item] else None

    def means(self) -> Mapping[int, float]:
        """The mean of each item that has a score."""
        means = (total / n if n else math.inf for total, n in zip(self.total, self.scored, strict=True))
        return ByPlace(array("d", means), math.inf)

    def values(self) -> list[list[float]]:
        """Every score, by item, of the items that have any."""
        return [list(answers.values()) for answers in self.by_answer().values()]

    def by_answer(self) -> dict[int, dict[int, float]]:
        """Every score by item and answer."""
        scores: dict[int, dict[int, float]] = {}
        for place, answer, value in zip(self._places, self._answers, self._values, strict=True):
            scores.setdefault(place, {})[answer] = value
        return scores

    @property
    def complete(self) -> bool:
        """Return whether every answer that was to be scored has a score."""
        return not self._lacking_places

    def lacking(self) -> dict[int, set[int]]:
        """By item the answers that were to be scored and have no score, named as those of `by_answer`."""
        missing: dict[int, set[int]] = {}
        for place, answer in zip(self._lacking_places, self._lacking_answers, strict=True):
            missing.setdefault(place, set()).add(answer)
        return missing

    def marks(self) -> Counter[float]:
        """Return how many scores there are of each value."""
        return Counter(self._values)

    def sets(self) -> tuple[int, int, int]:
        """The items that were asked, that have a score, and whose scores are not 0: numbers with a bit for each.

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
    """Items that have something in common, such as a difficulty."""

    by: str
    value: str
    indexes: tuple[int, ...]
    bits: int
    """The same as a number with a bit for each of these items."""


def grouped(items: Iterable[Mapping[str, Sequence[str]]]) -> list[Group]:
    """The groups that items belong to, each as they are first named; what an item names twice counts once."""
    members: dict[tuple[str, str], dict[int, None]] = {}
    for place, groups in enumerate(items):
        for by, values in groups.items():
            for value in values:
                members.setdefault((by, value), {})[place] = None
    return [Group(by, value, tuple(places), sum(1 << i for i in places)) for (by, value), places in members.items()]


@dataclass(slots=True)
class Items:
    """Items that a run's scores are about, numbered from 0 as they are first met."""

    units: list[Unit] = field(default_factory=list)
    groups: list[Mapping[str, Sequence[str]]] = field(default_factory=list)
    _places: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    _clusters: tuple[int, Sequence[str] | None, int] = (-1, None, -1)
    """Of all of them, when they were so many."""

    def place(self, unit: Unit, groups: Mapping[str, Sequence[str]]) -> int:
        """The number of an item; a new one where it is not known yet."""
        key = (unit.item, unit.clusters)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.units)
            self.units.append(unit)
            self.groups.append(groups)
        return place

    def __len__(self) -> int:
        return len(self.units)

    def clusters(self, places: Sequence[int]) -> Sequence[str] | None:
        """The clusters of some of them; None where each is independent of the others."""
        if len(places) < len(self.units):
            return clusters_of([self.units[place] for place in places])[0]
        clusters = self._of_all[0]
        return None if clusters is None else [clusters[place] for place in places]

    @property
    def independent(self) -> bool:
        """Return whether no two items share anything at all."""
        return self._of_all == (None, -1)

    @property
    def _of_all(self) -> tuple[Sequence[str] | None, int]:
        if self._clusters[0] != len(self.units):
            self._clusters = (len(self.units), *clusters_of(self.units))
        return self._clusters[1:]

    def numbered(self) -> dict[tuple[str, int], int]:
        """The place of each item by what is the same in every run: its digest, and its number among those that are equal."""
        counts, places = Counter[str](), {}
        for place, unit in enumerate(self.units):
            places[unit.item, counts[unit.item]] = place
            counts[unit.item] += 1
        return places
