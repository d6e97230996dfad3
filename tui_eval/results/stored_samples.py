"""Stored samples: lines of results.jsonl in full, typed: their replies, their scores, and what judges said of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Literal

from tui_eval.core.kinds import Metric
from tui_eval.core.record_class import record
from tui_eval.core.results import Score
from tui_eval.core.units import Unit
from tui_eval.results.read_report import objects_of, table_of
from tui_eval.results.stored_scores import groups_of, parse_line, stated_unit, text_of, typed, unit_by_text
from tui_eval.results.sums.metrics import NO_END, RIGHT_OR_WRONG, amount, is_binary, metrics_of, passes

Verdict = Literal["right", "wrong", "missing", "partly", "unscored", "marked"]
Owner = tuple[str, str, int]
"""Of a score or a reply: (stage, model, call_index)."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Judgement of one judge. Texts are foreign."""

    judge: str
    mark: float | None
    reason: str
    claims: tuple[tuple[str, str, str], ...] = ()
    """Of each claim: its verdict, the claim, the words that bear it out or contradict it."""


def judgements(read: str | None) -> list[Judgement]:
    """Return what `Score.read` holds of them; none where it holds anything else."""
    try:
        content = table_of(json.loads(read or ""))
    except (ValueError, RecursionError):
        return []
    marks, details = table_of(content.get("marks")), table_of(content.get("details"))
    return [_judgement(judge, marks.get(judge), details.get(judge)) for judge in dict.fromkeys((*marks, *details))]


def _judgement(judge: str, mark: object, detail: object) -> Judgement:
    claims = tuple(tuple(str(claim.get(name) or "") for name in ("verdict", "claim", "quote")) for claim in objects_of(detail))
    return Judgement(judge, amount(mark), detail if isinstance(detail, str) else "", claims)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class StoredReply:
    """Reply within a sample."""

    stage: str
    model: str
    call_index: int
    about: str
    status: str
    why: str
    finish_reason: str
    latency_ms: float | None
    text: str | None
    cached: bool = False
    """Whether it was on file before the run, which did not ask for it."""

    @property
    def name(self) -> str:
        """Its name in `about` of another reply."""
        return f"{self.stage}:{self.model}#{self.call_index}"

    def speaks_of(self, names: tuple[str, ...]) -> bool:
        """Return whether it was made about one of these replies, as a mark is; not so an answer that was asked for again."""
        return self.about.startswith(names)


@record
class Mark(Score):
    """Score of a reply on file."""

    metric: Metric = RIGHT_OR_WRONG
    """What it measures, and on which scale."""

    @property
    def is_graded(self) -> bool:
        """Return whether it is a mark on a scale of its own, and not right or wrong."""
        return not is_binary(self.metric)

    @property
    def passes(self) -> bool | None:
        """Return whether it is good enough by its metric; None where it has no value, or its metric no threshold."""
        return None if self.value is None else passes(self.metric, self.value)


def owner_of(part: Mark | StoredReply) -> Owner:
    """Return which reply a score is of, or which it is."""
    return part.stage, part.model, part.call_index


@dataclass(frozen=True, slots=True)
class StoredSample:
    """Line of results.jsonl. Texts are foreign and as they are in the file; what is missing or of another type is empty."""

    item_id: str
    repeat: int
    doc_id: str
    finished: bool
    error: str
    question: str
    truth: str | None
    primary: tuple[int, ...]
    answers: tuple[StoredReply, ...]
    marks: tuple[Mark, ...]
    queue: str = ""
    q_index: int = 0
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What it belongs to, such as its difficulty: names of groupings and their values."""
    stated_unit: Unit | None = None

    @property
    def unit(self) -> Unit:
        """Unit that it counts as in sums."""
        place = self.item_id.removeprefix(f"{self.queue}/")
        return self.stated_unit or unit_by_text(self.doc_id, self.question, place, self.groups)

    def marks_of(self, answer: StoredReply) -> list[Mark]:
        """The scores of a reply."""
        return [mark for mark in self.marks if owner_of(mark) == owner_of(answer)]

    def answer_of(self, mark: Mark) -> StoredReply | None:
        """The reply that was scored."""
        return next((answer for answer in self.answers if owner_of(answer) == owner_of(mark)), None)

    def kept(self) -> list[StoredReply]:
        """The sample's primary answers."""
        return [self.answers[i] for i in self.primary]

    def in_order(self) -> list[StoredReply]:
        """Every reply: the primary ones, then stage by stage as they were asked, those about a single other reply last."""
        secondary = [answer for i, answer in enumerate(self.answers) if i not in self.primary]
        stages = list(dict.fromkeys(answer.stage for answer in secondary))
        names = tuple(answer.name for answer in self.answers)
        return [*self.kept(), *sorted(secondary, key=lambda answer: (answer.speaks_of(names), stages.index(answer.stage)))]

    def by(self, name: str) -> StoredSample:
        """The same with its scores by one metric alone."""
        return replace(self, marks=tuple(mark for mark in self.marks if mark.name == name))

    def mean_mark(self) -> float | None:
        """The mean of the primary answers' marks (`_primary_marks`), each by how far up its scale it lies, on the first one's.

        A mark of a metric whose scale goes the other way lies as far from its end as from the first one's beginning.
        """
        valued = [(mark.value, mark.metric) for mark in self._primary_marks() if mark.value is not None]
        if not valued:
            return None
        first = valued[0][1]
        parts = [((value - m.low) / (m.high - m.low), m.better == first.better) for value, m in valued]
        return first.low + (first.high - first.low) * fmean(part if same else 1 - part for part, same in parts)

    def _primary_marks(self) -> list[Mark]:
        """The marks of the primary answers: without measures on a scale that has no end, such as a length, where others judge
        them, for no mean is made of both."""
        marks = [mark for answer in self.kept() for mark in self.marks_of(answer)]
        return [mark for mark in marks if mark.metric.high < NO_END] or marks

    def passed(self) -> bool | None:
        """Return whether all marks of the primary answers that can pass do; None where none is on a scale with a threshold.

        Of what is right or wrong the verdict tells; here it is one of the marks that must pass.
        """
        marks = [mark for answer in self.kept() for mark in self.marks_of(answer)]
        outcomes = [mark.passes for mark in marks if mark.passes is not None]
        return all(outcomes) if outcomes and any(mark.is_graded for mark in marks) else None

    def verdict(self) -> tuple[Verdict, int, int]:
        """Return how the primary answers were scored, how many were right, and how many of them have a score with a value.

        "marked": by marks on a scale, of which none is right or wrong; `mean_mark` is what they come to.
        """
        marks = self._primary_marks()
        values = [mark.value for mark in marks]
        scores = [value for value in values if value is not None]
        right = sum(value == 1 for value in scores)
        if not values and all(answer.text for answer in self.kept()):
            return "unscored", 0, 0
        if not scores:
            return "missing", 0, 0
        if any(mark.is_graded for mark in marks):
            return "marked", 0, len(scores)
        whole = right in (0, len(scores)) and all(value in (0, 1) for value in scores)
        return ("right" if right else "wrong") if whole else "partly", right, len(scores)


def parse_sample(line: bytes) -> StoredSample | None:
    """Parse a line of results.jsonl; None where it is no sample."""
    entry = parse_line(line)
    if entry is None:
        return None
    answers, metrics = tuple(map(_answer, entry["replies"])), metrics_of(entry)
    return StoredSample(
        item_id=entry["item_id"],
        repeat=entry["repeat"],
        doc_id=text_of(entry, "doc_id"),
        finished=typed(entry, "finished", bool, False),
        error=text_of(entry, "error"),
        question=text_of(entry, "question"),
        truth=typed(entry, "truth", str, None),
        primary=_primary(entry.get("primary"), answers),
        answers=answers,
        marks=tuple(_mark(score, metrics) for score in entry["scores"]),
        queue=text_of(entry, "lane"),
        q_index=typed(entry, "q_index", int, 0),
        groups=groups_of(entry),
        stated_unit=stated_unit(entry),
    )


def _primary(places: Any, answers: Sequence[StoredReply]) -> tuple[int, ...]:
    """Return the places of the sample's answers among its replies; those of the first stage where a folder names none."""
    if isinstance(places, list):
        return tuple(dict.fromkeys(i for i in places if type(i) is int and 0 <= i < len(answers)))
    names = tuple(answer.name for answer in answers)
    first = next((answer.stage for answer in answers if not answer.speaks_of(names)), "")
    return tuple(i for i, answer in enumerate(answers) if answer.stage == first)


def _answer(reply: Mapping[str, Any]) -> StoredReply:
    return StoredReply(
        stage=text_of(reply, "stage"),
        model=text_of(reply, "model"),
        call_index=typed(reply, "call_index", int, 0),
        about=text_of(reply, "about"),
        status=text_of(reply, "status"),
        why=text_of(reply, "why"),
        finish_reason=text_of(reply, "finish_reason"),
        latency_ms=amount(reply.get("latency_ms")),
        text=typed(reply, "text", str, None),
        cached=typed(reply, "cached", bool, False),
    )


def _mark(score: Mapping[str, Any], metrics: Mapping[str, Metric]) -> Mark:
    name = text_of(score, "name")
    return Mark(
        stage=text_of(score, "stage"),
        model=text_of(score, "model"),
        call_index=typed(score, "call_index", int, 0),
        name=name,
        value=amount(score.get("value")),
        why=text_of(score, "why"),
        version=text_of(score, "version"),
        read=typed(score, "read", str, None),
        pattern=text_of(score, "pattern"),
        metric=metrics.get(name, RIGHT_OR_WRONG),
    )
