"""Annotation sample: the answers of a run that persons rate by a metric, drawn one by one with known probabilities.

Conversations come in rounds, in an order by lot; in each round a conversation brings one answer, or one claim. Which model's it
is decides a lot, too (of claims, also which of that model's answers). Within that cell an answer is drawn with the probability
1/(2n) + u/(2·sum of u), n of the cell being left: half of it is uniform, the other half goes to what would tell more. u is how
far judges disagree; else how far the judge's two marks of it differ; else, of yes and no, 1 for what the judge gave the truth
of which there are fewer labels yet. All lots are made of the run's seed, so that the marks on file alone tell what comes next.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.reading.claims import SUPPORTED, claim_id
from tui_eval.results.read_report import table_of
from tui_eval.results.stored_run import RowScan, StoredRun
from tui_eval.results.stored_samples import Mark, StoredReply, StoredSample, judgements
from tui_eval.results.sums.human_agreement import (
    CLAIMS,
    HIGHEST,
    LOWEST,
    drawn_before,
    is_rated_by,
    is_yes_or_no,
    lot_of,
)
from tui_eval.results.sums.metrics import amount
from tui_eval.runs.person_marks import MarkKey, Marks, PersonMark


class AnswerPlace(NamedTuple):
    """An answer of a run, or a claim of one, by what a line of a person's marks calls it."""

    item_id: str
    repeat: int
    turn: int
    """From 1; 1 where there are no turns."""
    model: str
    stage: str = ""
    claim: str = ""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer with a text that judges were to mark, or one claim of it."""

    place: AnswerPlace
    conversation: str
    row: int
    """Of its sample in results.jsonl."""
    call_index: int
    judge: float | None
    """The judge's mark, of a claim 1 where it is borne out, else 0; None where there is none."""
    disagreement: float = 0.0
    """The highest of several judges' marks less the lowest."""
    doubt: float = 0.0
    """How far the judge's two marks of it differ, where it was judged twice."""
    claim: str = ""
    """The text of the claim; empty = the whole answer."""
    levels: tuple[str, ...] = ()
    """What its conversation belongs to, coarse to fine, its own name last."""


def is_ratable(metric: Metric, judged: Collection[str]) -> bool:
    """Return whether a person can rate by a metric: a judged one (`judged`), yes or no or by claims, or one from 1 to 5."""
    return is_rated_by(metric) and (metric.name in judged or (metric.low, metric.high) == (LOWEST, HIGHEST))


class JudgedAnswers(RowScan):
    """All of a run that one metric was judged of, found line by line."""

    def __init__(self, stored: StoredRun, metric: str) -> None:
        self._metric = metric
        super().__init__(stored)

    def begin(self) -> None:
        """Forget the answers."""
        self.answers: list[JudgedAnswer] = []

    @property
    def complete(self) -> bool:
        """Return whether every line was looked at."""
        return not self.stored.behind() and not self.behind()

    def add(self, row: int, sample: StoredSample) -> None:
        """Add the answers of a sample that have a text and a score.

        An answer with several scores by the metric is left out: nothing tells which of them would be rated.
        """
        for answer in sample.kept():
            marks = [mark for mark in sample.marks_of(answer) if mark.name == self._metric]
            if len(marks) == 1 and answer.status == "ok" and answer.text and answer.text.strip():
                place = AnswerPlace(sample.item_id, sample.repeat, answer.call_index + 1, answer.model, answer.stage)
                self.answers += _judged(place, sample, row, answer, marks[0])


def _judged(place: AnswerPlace, sample: StoredSample, row: int, answer: StoredReply, mark: Mark) -> Iterator[JudgedAnswer]:
    conversation, levels = _conversation(sample), sample.unit.clusters
    if mark.name != CLAIMS:
        marks, again = _by_judge(mark)
        spread = max(marks.values()) - min(marks.values()) if marks else 0.0
        doubt = max((abs(value - marks[judge]) for judge, value in again.items() if judge in marks), default=0.0)
        yield JudgedAnswer(place, conversation, row, answer.call_index, mark.value, spread, doubt, levels=levels)
        return
    first = next((judgement for judgement in judgements(mark.read) if judgement.claims), None)
    names_so_far: set[str] = set()
    for verdict, claim, _ in first.claims if first else ():
        name = claim_id(claim)
        if claim.strip() and name not in names_so_far:
            names_so_far.add(name)
            own, judge = place._replace(claim=name), float(verdict == SUPPORTED)
            yield JudgedAnswer(own, conversation, row, answer.call_index, judge, claim=claim, levels=levels)


def _by_judge(mark: Mark) -> tuple[dict[str, float], dict[str, float]]:
    """Return the mark of each judge, and its mark when it judged the same again."""
    try:
        record = table_of(json.loads(mark.read or ""))
    except (ValueError, RecursionError):
        return {}, {}
    parts = (table_of(record.get("marks")), table_of(record.get("again")))
    marks, again = ({name: value for name, each in part.items() if (value := amount(each)) is not None} for part in parts)
    return marks, again


def _conversation(sample: StoredSample) -> str:
    """Return the unit of a mean by its own name in the run; of a conversation with a document before its name, the latter."""
    own = sample.unit.clusters[-1]
    return sample.doc_id if sample.doc_id and own.endswith(f"/{sample.doc_id}") else own


class DrawnAnswer(NamedTuple):
    """An answer of the sample, with how it was drawn."""

    answer: JudgedAnswer
    chance: float
    """The probability by which it was drawn from what was left of its cell."""
    left: int
    """How many were left of it."""


class AnnotationSample:
    """The sample of a run by a metric: what the marks on file say was drawn, and what is drawn next."""

    def __init__(self, answers: Sequence[JudgedAnswer], metric: Metric, seed: int) -> None:
        self._metric, self._seed = metric, seed
        self.by_place = {answer.place: answer for answer in answers}
        self._by_name = {answer.place._replace(stage=""): answer for answer in self.by_place.values()}
        conversations = gathered((answer.conversation, answer) for answer in self.by_place.values())
        self._conversations = {name: conversations[name] for name in sorted(conversations, key=lambda name: lot_of(seed, name))}

    def __len__(self) -> int:
        return len(self.by_place)

    def answer_of(self, key: MarkKey) -> JudgedAnswer | None:
        """The answer that a mark is about; None where it is about none of these."""
        if key.metric != self._metric.name:
            return None
        place = AnswerPlace(key.item_id, key.repeat, key.turn, key.model, key.stage, key.claim)
        return self.by_place.get(place) or (self._by_name.get(place) if not key.stage else None)

    def by_person(self, marks: Marks, person: str) -> dict[AnswerPlace, PersonMark]:
        """Return a person's marks of these answers, in the order in which each was first given."""
        own = ((self.answer_of(key), mark) for key, mark in marks.items() if key.person == person)
        return {answer.place: mark for answer, mark in own if answer is not None}

    def drawn(self, marks: Marks) -> list[DrawnAnswer]:
        """Return the draws that the marks on file record, by any person, in that order."""
        draws = {draw.answer.place: draw for draw in self._drawn_before(marks)}
        for key, mark in marks.items():
            answer = self.answer_of(key)
            if answer is not None and mark.p is not None and mark.of is not None and answer.place not in draws:
                draws[answer.place] = DrawnAnswer(answer, mark.p, mark.of)
        return [*draws.values()]

    def _drawn_before(self, marks: Marks) -> Iterator[DrawnAnswer]:
        """Yield the draws of an older version, which wrote no probabilities: the order is drawn again, up to the first gap."""
        without = {
            answer.place[:4] for key, mark in marks.items() if mark.p is None and (answer := self.answer_of(key)) is not None
        }
        if without and self._metric.name != CLAIMS:
            places = {answer.place[:4]: answer for answer in self.by_place.values()}
            lots = drawn_before({place: answer.conversation for place, answer in places.items()}, without, self._seed)
            yield from (DrawnAnswer(places[place], lot.chance, lot.left) for place, lot in lots.items())

    def current(self, marks: Marks, person: str) -> DrawnAnswer | None:
        """The first answer that a person has said nothing of: of those that were drawn before, else drawn now."""
        own_marks, before = self.by_person(marks, person), self.drawn(marks)
        waiting = next((draw for draw in before if draw.answer.place not in own_marks), None)
        return waiting or self._next(before, own_marks, marks)

    def _next(self, before: Sequence[DrawnAnswer], marked: Collection[AnswerPlace], marks: Marks) -> DrawnAnswer | None:
        """One more; None where all are drawn. What the person rated without a draw is not shown again."""
        drawn_places = {draw.answer.place for draw in before}
        rounds = gathered((draw.answer.conversation, draw) for draw in before)
        rest = {
            name: [answer for answer in own if answer.place not in drawn_places | {*marked}]
            for name, own in self._conversations.items()
        }
        name = min((name for name, own in rest.items() if own), key=lambda name: len(rounds.get(name, ())), default=None)
        if name is None:
            return None
        words = (self._metric.name, name, len(rounds.get(name, ())))
        cell = self._of_one(rest[name], lambda answer: answer.place.model, (*words, "model"))
        if self._metric.name == CLAIMS:
            cell = self._of_one(cell, lambda answer: answer.place._replace(claim=""), (*words, "answer"))
        cell = sorted(cell, key=lambda answer: answer.place)
        return _by_chance(cell, self._gains(cell, marks), _number(self._seed, *words))

    def _of_one(
        self, answers: Sequence[JudgedAnswer], of: Callable[[JudgedAnswer], Hashable], words: tuple[object, ...]
    ) -> list[JudgedAnswer]:
        """Those of one model, or of one answer, which a lot names."""
        groups = gathered((of(answer), answer) for answer in answers)
        names = sorted(groups, key=str)
        return groups[names[int(_number(self._seed, *words) * len(names))]]

    def _gains(self, cell: Sequence[JudgedAnswer], marks: Marks) -> Sequence[float]:
        """Return how much a label of each would tell, by the first measure in which they differ; all alike where none does."""
        measures = [[answer.disagreement for answer in cell], [answer.doubt for answer in cell]]
        if is_yes_or_no(self._metric):
            yes, no = self._labels(marks)
            rarer = None if yes == no else float(yes < no)
            measures.append([float(answer.judge == rarer) for answer in cell])
        return next((gains for gains in measures if len({*gains}) > 1), [0.0] * len(cell))

    def _labels(self, marks: Marks) -> tuple[int, int]:
        """Answers that somebody called right, and wrong; of one that was called both the latest word counts."""
        latest = {answer.place: mark.mark for key, mark in marks.items() if (answer := self.answer_of(key)) is not None}
        values = [value for value in latest.values() if value is not None]
        return sum(value == 1 for value in values), sum(value == 0 for value in values)


def _cell(answer: JudgedAnswer) -> tuple[str, str]:
    return answer.conversation, answer.place.model


def _by_chance(cell: Sequence[JudgedAnswer], gains: Sequence[float], number: float) -> DrawnAnswer:
    """One of a cell by a number from 0 to 1: half uniform, half by gains; uniform where nothing is gained."""
    n, total = len(cell), sum(gains)
    shares = [0.5 / n + 0.5 * gain / total if total else 1 / n for gain in gains]
    for answer, share in zip(cell, shares, strict=True):
        number -= share
        if number < 0:
            return DrawnAnswer(answer, share, n)
    return DrawnAnswer(cell[-1], shares[-1], n)


def _number(seed: int, *words: object) -> float:
    """A number from 0 to below 1 that words decide."""
    text = "\0".join(map(str, (seed, *words))).encode("utf-8", "backslashreplace")
    return int.from_bytes(hashlib.shake_128(text).digest(7)) / (1 << 56)
