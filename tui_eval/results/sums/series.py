"""The scores of one side by one metric, item by item: what every sum is made of."""

from __future__ import annotations

import json
import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.lazy_sequence import LazySequence
from tui_eval.core.samples import NOTHING as NO_GROUPS
from tui_eval.core.units import Unit, clusters_of

_encode = json_encoder(compact=True)

MOST_ALIKE = 10_000
"""Groups of items that others are compared with."""
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
    indexes: Sequence[int]
    """Their places, which rise."""
    bits: int
    """The same as a number with a bit for each of these items."""


def grouped(items: Iterable[Mapping[str, Sequence[str]]]) -> list[Group]:
    """The groups that items belong to, each as they are first named; what an item names twice counts once."""
    members: dict[tuple[str, str], array[int]] = {}
    for place, groups in enumerate(items):
        for by, values in groups.items():
            for value in values:
                places = members.setdefault((by, value), array("I"))
                if not places or places[-1] != place:
                    places.append(place)
    return [Group(by, value, places, _with_bits(places)) for (by, value), places in members.items()]


def _with_bits(places: Sequence[int]) -> int:
    """A number with a bit for each of these places, which rise."""
    data = bytearray((places[-1] >> 3) + 1)
    for place in places:
        data[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(data, "little")


class Items:
    """Items that a run's scores are about, numbered from 0 as they are first met; some 100 bytes each."""

    def __init__(self) -> None:
        self.groups: list[Mapping[str, Sequence[str]]] = []
        self._texts, self._ends = bytearray(), array("Q", [0])
        """Of each item its digest and its clusters, as JSON, one behind the other; and where each ends."""
        self._variants: dict[int, str] = {}
        """By place, of those that have one."""
        self._alike: dict[tuple[tuple[str, ...], ...], Mapping[str, Sequence[str]]] = {}
        self._slots = array("I", [0]) * 1024
        """A hash table: one more than the place of an item, 0 where there is none."""
        self._clusters: tuple[int, Sequence[str] | None, int] = (-1, None, -1)
        """Of all of them, when they were so many."""

    @property
    def units(self) -> Sequence[Unit]:
        """Units of the items, each made when it is looked at."""
        return LazySequence(len(self), self._unit)

    def _unit(self, place: int) -> Unit:
        item, *clusters = json.loads(self._text(place))
        return Unit(item, tuple(clusters), self._variants.get(place, ""))

    def _text(self, place: int) -> bytearray:
        return self._texts[self._ends[place] : self._ends[place + 1]]

    def place(self, unit: Unit, groups: Mapping[str, Sequence[str]]) -> int:
        """The number of an item; a new one where it is not known yet."""
        text = _encode([unit.item, *unit.clusters]).encode("ascii")
        slot = self._slot(text)
        place = self._slots[slot] - 1
        if place >= 0:
            return place
        place = len(self)
        self._slots[slot] = place + 1
        self._texts += text
        self._ends.append(len(self._texts))
        if unit.variant:
            self._variants[place] = unit.variant
        self.groups.append(self._once(groups))
        if 2 * len(self) > len(self._slots):
            self._slots = array("I", [0]) * (2 * len(self._slots))
            for known in range(len(self)):
                self._slots[self._slot(bytes(self._text(known)))] = known + 1
        return place

    def _once(self, groups: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
        """Groups that are the same are held once: of many items few differ in theirs."""
        if not groups:
            return NO_GROUPS
        key = tuple((name, *values) for name, values in groups.items())
        return groups if len(self._alike) > MOST_ALIKE else self._alike.setdefault(key, groups)

    def _slot(self, text: bytes) -> int:
        """Find the slot that has the place of an item, or would have it."""
        mask = len(self._slots) - 1
        slot = hash(text) & mask
        while (known := self._slots[slot]) and self._text(known - 1) != text:
            slot = (slot + 1) & mask
        return slot

    def __len__(self) -> int:
        return len(self.groups)

    def clusters(self, places: Sequence[int]) -> Sequence[str] | None:
        """The clusters of some of them; None where each is independent of the others."""
        if self.independent:
            return None
        if len(places) < len(self):
            return clusters_of([self._unit(place) for place in places])[0]
        clusters = self.clustered[0]
        return None if clusters is None else [clusters[place] for place in places]

    @property
    def independent(self) -> bool:
        """Return whether no two items share anything at all."""
        return self.clustered == (None, -1)

    @property
    def clustered(self) -> tuple[Sequence[str] | None, int]:
        """The cluster of each item, and its level, as `core.units.clusters_of` says them; found once for as many items."""
        if self._clusters[0] != len(self):
            self._clusters = (len(self), *clusters_of(self.units))
        return self._clusters[1:]

    def numbered(self) -> dict[tuple[str, int], int]:
        """The place of each item by what is the same in every run: its digest, and its number among those that are equal."""
        counts, places = Counter[str](), {}
        for place, unit in enumerate(self.units):
            places[unit.item, counts[unit.item]] = place
            counts[unit.item] += 1
        return places
