"""The answers of a run that a person marks by a metric, in the order drawn, and how far the judge agrees with the person."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.results.stored_run import RowScan, StoredRun
from tui_eval.results.stored_samples import StoredSample
from tui_eval.results.sums.person_checks import CheckedAnswer, PersonCheck, person_check
from tui_eval.runs.person_marks import Marks, PersonMark

SHOWN = 30
"""Answers that a person is asked to mark by a metric: as many as a correction of the judge needs (METHOD.md 4.6)."""


class AnswerPlace(NamedTuple):
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
    by_conversation = gathered((conversation, place) for place, conversation in answers)
    queues = [
        sorted(by_conversation[name], key=lambda place: _lot(seed, "\0".join(map(str, place))))
        for name in sorted(by_conversation, key=lambda name: _lot(seed, name))
    ]
    rounds = zip_longest(*queues)
    return [place for found in rounds for place in found if place is not None][:most]


def _lot(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{name}".encode("utf-8", "backslashreplace")).digest()


LOWEST, HIGHEST = 1, 5
"""The scale on which a person marks."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer with a text that a judge was to mark."""

    place: AnswerPlace
    conversation: str
    row: int
    """Of its sample in results.jsonl."""
    call_index: int
    judge: float | None
    """The judge's mark; None where it has none."""


def markable(metric: Metric) -> bool:
    """Whether a person can mark by a metric: its scale is 1 to 5."""
    return (metric.low, metric.high) == (LOWEST, HIGHEST)


class JudgedAnswers(RowScan):
    """All of a run by one metric, found line by line."""

    def __init__(self, stored: StoredRun, metric: str) -> None:
        self._metric = metric
        super().__init__(stored)

    def begin(self) -> None:
        """Forget the answers."""
        self.answers: list[JudgedAnswer] = []

    @property
    def complete(self) -> bool:
        """Whether every line was looked at."""
        return not self.stored.behind() and not self.behind()

    def add(self, row: int, sample: StoredSample) -> None:
        """Add the answers of a sample that have a text and a score."""
        for answer in sample.kept():
            mark = next((mark for mark in sample.marks_of(answer) if mark.name == self._metric), None)
            if mark is not None and answer.status == "ok" and answer.text and answer.text.strip():
                place = AnswerPlace(sample.item_id, sample.repeat, answer.call_index + 1, answer.model)
                self.answers.append(JudgedAnswer(place, sample.doc_id or sample.item_id, row, answer.call_index, mark.value))

    def drawn(self, seed: int) -> list[JudgedAnswer]:
        """Those that a person is shown, in that order."""
        by_place = {one.place: one for one in self.answers}
        return [by_place[place] for place in drawn(((place, one.conversation) for place, one in by_place.items()), seed)]


def person_said(marks: Marks, place: AnswerPlace, metric: str) -> PersonMark | None:
    """What a person said of an answer by a metric; None where nothing yet."""
    return marks.get((*place, metric))


def agreement_with_person(
    every: Sequence[JudgedAnswer], shown: Sequence[JudgedAnswer], marks: Marks, metric: Metric
) -> PersonCheck:
    """The judge beside the person, over all answers that were to be judged; those of the sample first, as they were drawn."""
    first = {one.place for one in shown}
    rows = []
    for one in (*shown, *(other for other in every if other.place not in first)):
        said = person_said(marks, one.place, metric.name)
        person = None if said is None or said.mark is None else float(said.mark)
        rows.append(CheckedAnswer(one.conversation, one.judge, person, said is not None and said.mark is None))
    return person_check(rows, metric)
