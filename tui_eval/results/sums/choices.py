"""A judge's choices between two models' answers added up: each pair, what the order decides, and strengths of all models."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

from tui_eval.statistics.pairwise_choices import (
    Choice,
    Strengths,
    SwappedChoices,
    bradley_terry,
    bradley_terry_intervals,
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


@dataclass(frozen=True, slots=True)
class ChoiceSums:
    """Every pair of models that met, and all of them together."""

    pairs: dict[tuple[str, str], SwappedChoices]
    """By models, in the order in which models were given; the first is A."""
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
    pairs = {}
    for a, b in combinations(models, 2):
        met = [one for one in turned if (one.a, one.b) == (a, b)]
        if met:
            pairs[a, b] = swapped_choices([(one.a_first, one.b_first) for one in met], [one.conversation for one in met])
    overall = swapped_choices([(one.a_first, one.b_first) for one in turned], names)
    tables: dict[Hashable, list[list[float]]] = {}
    for one in turned:
        if one.a_first is not None and one.b_first is not None:
            table = tables.setdefault(one.conversation, [[0.0] * len(models) for _ in models])
            won = {"A": 1.0, "B": 0.0, "tie": 0.5}[one.a_first] if one.a_first == one.b_first else 0.5
            table[place[one.a]][place[one.b]] += won
            table[place[one.b]][place[one.a]] += 1 - won
    wins = [[sum(table[i][j] for table in tables.values()) for j in range(len(models))] for i in range(len(models))]
    found = list(tables.values())
    intervals = bradley_terry_intervals(found, draws) if found else [Interval(None, None, 0, 0, why="no choice")] * len(models)
    return ChoiceSums(pairs, overall, tuple(models), bradley_terry(wins), tuple(intervals))


_OTHER: dict[Choice | None, Choice | None] = {"A": "B", "B": "A", "tie": "tie", None: None}


def _in_order(one: JudgedPair, place: dict[str, int]) -> JudgedPair:
    """The same with the models in their order."""
    if one.a == one.b or one.a not in place or one.b not in place:
        raise ValueError(f"{one.a!r} against {one.b!r}, of {list(place)}")
    if place[one.a] < place[one.b]:
        return one
    return JudgedPair(one.b, one.a, _OTHER[one.b_first], _OTHER[one.a_first], one.conversation)
