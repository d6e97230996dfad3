"""Which answers a person is asked to mark: drawn at random by a seed, one of each conversation while these last."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

SHOWN = 30
"""Answers that a person is asked to mark by a metric: as many as a correction of the judge needs (METHOD.md 4.6)."""


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """An answer of a run, by what a line of a person's marks calls it."""

    item_id: str
    repeat: int
    turn: int
    """From 1; 1 where there are no turns."""
    model: str


def drawn(answers: Iterable[tuple[AnswerPlace, str]], seed: int, most: int = SHOWN) -> list[AnswerPlace]:
    """At most so many of the answers, each with its conversation, in the order in which they are to be shown.

    The order rests on the seed and on the answers' names alone: not on the order they come in, their marks or how many others
    there are. The first round has one answer of each conversation, the second one more of each that has one, and so on.
    """
    by_conversation: dict[str, list[tuple[bytes, AnswerPlace]]] = {}
    for place, conversation in answers:
        by_conversation.setdefault(conversation, []).append((_lot(seed, _named(place)), place))
    lots = {name: _lot(seed, name) for name in by_conversation}
    queues = [
        [place for _, place in sorted(by_conversation[name], key=lambda found: found[0])]
        for name in sorted(lots, key=lots.__getitem__)
    ]
    rounds = zip_longest(*queues)
    return [place for found in rounds for place in found if place is not None][:most]


def _named(place: AnswerPlace) -> str:
    return "\0".join((place.item_id, str(place.repeat), str(place.turn), place.model))


def _lot(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{name}".encode("utf-8", "backslashreplace")).digest()
