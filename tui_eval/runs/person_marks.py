"""Marks of persons about a run's answers: a file of the run folder that only persons write, a line at a time."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tui_eval.core.errors import FolderError, StorageError
from tui_eval.core.plaintext import one_line
from tui_eval.core.reports import HumanRating
from tui_eval.runs.opening import problem_of, whole
from tui_eval.runs.writing import Inside, own_file, write_file
from tui_eval.workspace.file_locks import hold_file

PERSON_MARKS = "person_marks.jsonl"
MOST_BYTES = 16 << 20
"""A file of marks that is larger is none of ours: a person makes some hundreds."""
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
    marks = (_mark(line) for line in (whole(path / PERSON_MARKS, MOST_BYTES) or b"").split(b"\n"))
    return {mark.key: mark for mark in marks if mark is not None}


def add_mark(path: Path, mark: PersonMark) -> None:
    """Write a mark behind the others, and see it onto the disk. StorageError, FolderError where that cannot be."""
    line = (json.dumps(asdict(mark)) + "\n").encode()
    with _marks_file(path) as descriptor:
        end = os.fstat(descriptor).st_size
        torn = end and os.pread(descriptor, 1, end - 1) != b"\n"
        try:
            _write(descriptor, b"\n" * bool(torn) + line)
            os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, end)  # half a line would be in the way of the next
            raise


def take_back(path: Path, mark: PersonMark) -> None:
    """Remove what this person said of it by this metric; all other lines stay, those of other persons among them.

    StorageError, FolderError where that cannot be.
    """
    with _marks_file(path) as descriptor:
        lines = _read(descriptor).splitlines(keepends=True)
        remaining = [line for line in lines if (parsed := _mark(line)) is None or parsed.key != mark.key]
        if len(remaining) < len(lines):
            write_file(Inside(path, (PERSON_MARKS,)), b"".join(remaining))


@contextlib.contextmanager
def _marks_file(path: Path) -> Iterator[int]:
    """The file, open to be added to, for one writer at a time; a person may have two terminals."""
    file = path / PERSON_MARKS
    try:
        with _locked(file) as descriptor:
            yield descriptor
    except FolderError:
        raise
    except OSError as error:
        raise StorageError(problem_of(file) or f"{file}: cannot be written: {error.strerror or error}") from error


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[int]:
    """The file that stands there once it is ours: another writer may have put another one in its place meanwhile."""
    while True:
        descriptor = own_file(file, os.O_RDWR | os.O_APPEND)
        try:
            with hold_file(descriptor, file):
                if _is_there(descriptor, file):
                    yield descriptor
                    return
        finally:
            os.close(descriptor)


def _is_there(descriptor: int, file: Path) -> bool:
    about = os.fstat(descriptor)
    try:
        there = os.stat(file, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (about.st_dev, about.st_ino)


def _read(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > MOST_BYTES:
        raise FolderError(f"{PERSON_MARKS}: is larger than {MOST_BYTES >> 20} MB, so tui-eval did not write it; move it away")
    return os.pread(descriptor, size, 0)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


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
