"""A judge's choices between two models' answers added up: each pair, what the order decides, and strengths of all models."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

from tui_eval.statistics.pairwise_choices import (
    Choice,
    LengthControlled,
    Strengths,
    SwappedChoices,
    bradley_terry,
    bradley_terry_intervals,
    length_controlled,
    swapped_choices,
)
from tui_eval.statistics.resampling import DRAWS, Interval


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two models' answers to one turn, chosen between in both orders."""

    a: str
    b: str
    a_first: Choice | None
    """What was preferred where a's answer stood first, by model ("A" is a's); None where the reply could not be read."""
    b_first: Choice | None
    conversation: Hashable
    """What is drawn as a whole, and what intervals cluster by."""
    longer_by: float | None = None
    """By how many characters a's answer is longer; None where that is not known."""


@dataclass(frozen=True, slots=True)
class ChoiceSums:
    """Every pair of models that met, and all of them together."""

    pairs: dict[tuple[str, str], SwappedChoices]
    """By models, in the order in which models were given; the first is A."""
    by_length: dict[tuple[str, str], LengthControlled | None]
    """The same pairs with the length of answers taken into account: a diagnostic beside the win rate."""
    overall: SwappedChoices
    """All choices: consistency and first-slot share of the judge; its wins mean nothing."""
    models: tuple[str, ...]
    strengths: Strengths
    """Bradley-Terry, by model in this order; a contradiction between orders is a tie."""
    intervals: tuple[Interval, ...]
    """Of each model's Elo, whole conversations drawn."""


def choice_sums(judged: Sequence[JudgedPair], models: Sequence[str], draws: int = DRAWS) -> ChoiceSums:
    """Of every judged pair, in any order (METHOD.md 2.7). ValueError for a model that is not among them, or beside itself."""
    place = {model: i for i, model in enumerate(models)}
    turned = [_in_order(one, place) for one in judged]
    names = [one.conversation for one in turned]
    pairs, by_length = {}, {}
    for a, b in combinations(models, 2):
        met = [one for one in turned if (one.a, one.b) == (a, b)]
        if met:
            pairs[a, b] = swapped_choices([(one.a_first, one.b_first) for one in met], [one.conversation for one in met])
            by_length[a, b] = _by_length(met)
    overall = swapped_choices([(one.a_first, one.b_first) for one in turned], names)
    tables: dict[Hashable, list[list[float]]] = {}
    for one in turned:
        if one.a_first is not None and one.b_first is not None:
            table = tables.setdefault(one.conversation, [[0.0] * len(models) for _ in models])
            won = _won(one)
            table[place[one.a]][place[one.b]] += won
            table[place[one.b]][place[one.a]] += 1 - won
    wins = [[sum(table[i][j] for table in tables.values()) for j in range(len(models))] for i in range(len(models))]
    found = list(tables.values())
    intervals = bradley_terry_intervals(found, draws) if found else [Interval(None, None, 0, 0, why="no choice")] * len(models)
    return ChoiceSums(pairs, by_length, overall, tuple(models), bradley_terry(wins), tuple(intervals))


def _by_length(met: Sequence[JudgedPair]) -> LengthControlled | None:
    """Of those whose choices are both read and whose lengths are known."""
    known = [one for one in met if one.longer_by is not None and one.a_first is not None and one.b_first is not None]
    longer_by = [one.longer_by for one in known if one.longer_by is not None]
    return length_controlled([_won(one) for one in known], longer_by, [one.conversation for one in known])


def _won(one: JudgedPair) -> float:
    """What a's answer won, of choices that are both read; what contradicts itself is a tie."""
    if one.a_first is None or one.a_first != one.b_first:
        return 0.5
    return {"A": 1.0, "B": 0.0, "tie": 0.5}[one.a_first]


_OTHER: dict[Choice | None, Choice | None] = {"A": "B", "B": "A", "tie": "tie", None: None}


def _in_order(one: JudgedPair, place: dict[str, int]) -> JudgedPair:
    """The same with the models in their order."""
    if one.a == one.b or one.a not in place or one.b not in place:
        raise ValueError(f"{one.a!r} against {one.b!r}, of {list(place)}")
    if place[one.a] < place[one.b]:
        return one
    shorter_by = None if one.longer_by is None else -one.longer_by
    return JudgedPair(one.b, one.a, _OTHER[one.b_first], _OTHER[one.a_first], one.conversation, shorter_by)
