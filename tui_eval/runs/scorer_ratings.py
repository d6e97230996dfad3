"""Ratings of replies as right or wrong, by which scorers are compared: a file of the run folder that only persons write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tui_eval.runs.person_marks import name_of_person
from tui_eval.runs.rating_lines import append_line, rating_lines, remove_lines

SCORER_RATINGS = "scorer_ratings.jsonl"


class ReplyPlace(NamedTuple):
    """Place of a reply in a run; of one that answers several questions, also which of them."""

    item_id: str
    repeat: int
    stage: str
    model: str
    call_index: int
    """From 0."""
    part: int = 0
    """From 0."""


@dataclass(frozen=True, slots=True)
class ScorerRating:
    """Rating of one reply by one person, with how it was drawn."""

    item_id: str
    repeat: int
    stage: str
    model: str
    call_index: int
    part: int
    right: int | None
    """1 for right and 0 for wrong; None = the person looked and could not tell."""
    at: str
    """When; ISO 8601."""
    person: str
    """Name or initials; may be empty."""
    stratum: str
    """Whether the scorers agreed or differed on it."""
    weight: float
    """The share of the run's replies that are in this stratum."""
    of: int
    """How many these are: it was drawn from them uniformly."""
    draw: str
    """Digest of the strata that it was drawn from."""

    @property
    def place(self) -> ReplyPlace:
        """The reply it is about."""
        return ReplyPlace(self.item_id, self.repeat, self.stage, self.model, self.call_index, self.part)

    @property
    def key(self) -> tuple[ReplyPlace, str]:
        """The reply, and whose rating it is."""
        return self.place, self.person


def scorer_ratings(path: Path) -> Mapping[tuple[ReplyPlace, str], ScorerRating]:
    """The ratings of a run folder by reply and person, in the order of the file; the latest of each counts.

    A line that is no rating is left out. FolderError where the file cannot be read.
    """
    ratings = map(_rating, rating_lines(path, SCORER_RATINGS))
    return {rating.key: rating for rating in ratings if rating is not None}


def add_rating(path: Path, rating: ScorerRating) -> None:
    """Write a rating behind the others, and see it onto the disk. StorageError, FolderError where that cannot be."""
    append_line(path, SCORER_RATINGS, (json.dumps(asdict(rating)) + "\n").encode())


def remove_rating(path: Path, rating: ScorerRating) -> None:
    """Remove a person's rating of a reply; all other lines stay. StorageError, FolderError where that cannot be."""
    remove_lines(path, SCORER_RATINGS, lambda line: (parsed := _rating(line)) is not None and parsed.key == rating.key)


_TEXTS = ("item_id", "stage", "model", "at", "person", "stratum", "draw")
_NUMBERS = ("repeat", "call_index", "part", "of")


def _rating(line: bytes) -> ScorerRating | None:
    """A line as a rating; None where it is none."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or "right" not in fields:
        return None
    texts: dict[str, Any] = {name: fields.get(name) for name in _TEXTS}
    numbers: dict[str, Any] = {name: fields.get(name) for name in _NUMBERS}
    right: Any = fields["right"]
    weight: Any = fields.get("weight")
    is_rating = right is None or (type(right) is int and right in (0, 1))
    is_rating = is_rating and all(isinstance(text, str) for text in texts.values())
    is_rating = is_rating and all(type(number) is int and number >= 0 for number in numbers.values())
    if not is_rating or type(weight) not in (int, float) or not 0 < weight <= 1:
        return None
    texts["person"] = name_of_person(texts["person"])
    return ScorerRating(**texts, **numbers, right=right, weight=float(weight))
