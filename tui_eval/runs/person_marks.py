"""Marks of persons about a run's answers: a file of the run folder that only persons write, a line at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tui_eval.core.plaintext import one_line
from tui_eval.core.reports import HumanRating
from tui_eval.runs.rating_lines import append_line, rating_lines, remove_lines

PERSON_MARKS = "person_marks.jsonl"
LONGEST_NAME = 40
"""Characters of a person's name."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PersonMark:
    """Mark of a person for one answer, or for one of its claims, by one metric."""

    item_id: str
    repeat: int
    turn: int
    """From 1."""
    model: str
    metric: str
    mark: int | None
    """1 to 5, or 1 for yes and 0 for no; None = the person looked and could not tell."""
    at: str
    """When; ISO 8601."""
    stage: str = ""
    """That of the answer; empty in older files, which have one answering stage."""
    claim: str = ""
    """Which claim of the answer, in hex digits of its text; empty = the whole answer."""
    person: str = ""
    """Name or initials; empty where nobody gave any."""
    p: float | None = None
    """The probability by which it was drawn from what was left; None where it was not drawn, or by an older version."""
    of: int | None = None
    """How many were left to draw from."""

    @property
    def key(self) -> MarkKey:
        """Key of the mark: the answer or claim it is about, the metric, and whose it is."""
        answer = (self.stage, self.item_id, self.repeat, self.turn, self.model)
        return MarkKey(*answer, self.metric, self.claim, self.person)

    @property
    def rating(self) -> HumanRating:
        """Return the rating without when it was given."""
        about = (self.item_id, self.repeat, self.turn, self.model, self.metric)
        return HumanRating(*about, self.mark, self.person, self.stage, self.claim, self.p, self.of)


class MarkKey(NamedTuple):
    """Key of what one person says of one thing."""

    stage: str
    item_id: str
    repeat: int
    turn: int
    model: str
    metric: str
    claim: str
    person: str


Marks = Mapping[MarkKey, PersonMark]


def person_marks(path: Path) -> Marks:
    """The marks of a run folder by what they are about and whose they are, in the order of the file; the latest of each counts.

    What is no mark is left out. FolderError where the file is none, or cannot be read.
    """
    marks = map(_mark, rating_lines(path, PERSON_MARKS))
    return {mark.key: mark for mark in marks if mark is not None}


def add_mark(path: Path, mark: PersonMark) -> None:
    """Write a mark behind the others, and see it onto the disk. StorageError, FolderError where that cannot be."""
    append_line(path, PERSON_MARKS, (json.dumps(asdict(mark)) + "\n").encode())


def take_back(path: Path, mark: PersonMark) -> None:
    """Remove what this person said of it by this metric; all other lines stay, those of other persons among them.

    StorageError, FolderError where that cannot be.
    """
    remove_lines(path, PERSON_MARKS, lambda line: (parsed := _mark(line)) is not None and parsed.key == mark.key)


def _mark(line: bytes) -> PersonMark | None:
    """A line as a mark; None where it is none."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    texts: dict[str, Any] = {name: fields.get(name) for name in ("item_id", "model", "metric")}
    more: dict[str, Any] = {name: fields.get(name, "") for name in ("stage", "claim", "person")}
    places: dict[str, Any] = {"repeat": fields.get("repeat", 0), "turn": fields.get("turn", 1)}
    right = all(isinstance(text, str) for text in (*texts.values(), *more.values()))
    right = right and all(type(place) is int for place in places.values())
    if not right or "mark" not in fields or not _is_mark(fields["mark"]):
        return None
    more["person"] = name_of_person(more["person"])
    at = fields.get("at")
    chance, n_left = _draw(fields.get("p"), fields.get("of"))
    when = at if isinstance(at, str) else ""
    return PersonMark(**texts, **places, mark=fields["mark"], at=when, **more, p=chance, of=n_left)


def name_of_person(text: str) -> str:
    """A name as it stands beside marks: on one line, and short."""
    return one_line(text, LONGEST_NAME)


def _is_mark(mark: Any) -> bool:
    return mark is None or (type(mark) is int and 0 <= mark <= 5)


def _draw(chance: Any, n_left: Any) -> tuple[float, int] | tuple[None, None]:
    """The probability of a draw and the number of what was left; neither where they are none of a draw that is half uniform."""
    if type(chance) not in (int, float) or type(n_left) is not int or n_left < 1 or not 0 < chance <= 1:
        return None, None
    return (float(chance), n_left) if 2 * n_left * chance >= 1 - ROUNDING else (None, None)
