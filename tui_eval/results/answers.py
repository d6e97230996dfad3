"""A run's answers, item by item, read from results.jsonl as they are looked at, while the file may still grow."""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG, amount, is_binary, metrics_of, passes
from tui_eval.runs.log.columns import LogFile


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of one judge. Texts are foreign."""

    judge: str
    mark: float | None
    reason: str
    claims: tuple[tuple[str, str, str], ...] = ()
    """Of each claim: its verdict, the claim, the words that bear it out or contradict it."""


def judgements(read: str | None) -> list[Judgement]:
    """What `Score.read` holds of them; none where it holds anything else."""
    try:
        found = json.loads(read or "")
    except (ValueError, RecursionError):
        return []
    marks, details = (found.get(name) if isinstance(found, dict) else None for name in ("marks", "details"))
    marks, details = (one if isinstance(one, dict) else {} for one in (marks, details))
    return [_judgement(judge, marks.get(judge), details.get(judge)) for judge in dict.fromkeys((*marks, *details))]


def _judgement(judge: str, mark: object, detail: object) -> Judgement:
    entries = [entry for entry in detail if isinstance(entry, dict)] if isinstance(detail, list) else []
    claims = tuple(tuple(str(entry.get(name) or "") for name in ("verdict", "claim", "quote")) for entry in entries)
    return Judgement(judge, amount(mark), detail if isinstance(detail, str) else "", claims)  # type: ignore[arg-type]


SCAN_BYTES = 1 << 18
LINE_BYTES = 16 << 20
"""A longer line is shown as damaged: an item has some kilobytes."""
KEPT = 500
"""Items that are remembered; a screen shows some dozens."""

Verdict = Literal["right", "wrong", "missing", "partly", "unscored", "marked"]
PASSED, FAILED = "passed", "failed"
"""What a filter finds items by whose marks are, or are not, on the good side of their metrics' thresholds."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply within an item."""

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
        """What `about` of another reply calls it."""
        return f"{self.stage}:{self.model}#{self.call_index}"

    def speaks_of(self, names: tuple[str, ...]) -> bool:
        """Whether it was made about one of these replies, as a mark is; not so an answer that was asked for again."""
        return self.about.startswith(names)


@dataclass(frozen=True, slots=True)
class Mark:
    """A score of a reply."""

    stage: str
    model: str
    call_index: int
    name: str
    value: float | None
    why: str
    version: str
    read: str | None
    pattern: str
    metric: Metric = RIGHT_OR_WRONG
    """What it measures, and on which scale."""

    @property
    def is_graded(self) -> bool:
        """Whether it is a mark on a scale of its own, and not right or wrong."""
        return not is_binary(self.metric)

    @property
    def passes(self) -> bool | None:
        """Whether it is good enough by its metric; None where it has no value, or its metric no threshold."""
        return None if self.value is None else passes(self.metric, self.value)


@dataclass(frozen=True, slots=True)
class StoredSample:
    """A line of results.jsonl. Texts are foreign and as they are in the file; what is missing or of another type is empty."""

    item_id: str
    repeat: int
    doc_id: str
    finished: bool
    error: str
    question: str
    truth: str | None
    primary: tuple[int, ...]
    answers: tuple[Answer, ...]
    marks: tuple[Mark, ...]
    queue: str = ""
    q_index: int = 0
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What it belongs to, such as its difficulty: names of groupings and their values."""

    def marks_of(self, answer: Answer) -> list[Mark]:
        """The scores of a reply."""
        key = (answer.stage, answer.model, answer.call_index)
        return [mark for mark in self.marks if (mark.stage, mark.model, mark.call_index) == key]

    def answer_of(self, mark: Mark) -> Answer | None:
        """The reply that was scored."""
        key = (mark.stage, mark.model, mark.call_index)
        return next((answer for answer in self.answers if (answer.stage, answer.model, answer.call_index) == key), None)

    def kept(self) -> list[Answer]:
        """The item's primary answers."""
        return [self.answers[i] for i in self.primary]

    def in_order(self) -> list[Answer]:
        """Every reply: the primary ones, then stage by stage as they were asked, those about a single other reply last."""
        others = [answer for i, answer in enumerate(self.answers) if i not in self.primary]
        stages = list(dict.fromkeys(answer.stage for answer in others))
        names = tuple(answer.name for answer in self.answers)
        return [*self.kept(), *sorted(others, key=lambda answer: (answer.speaks_of(names), stages.index(answer.stage)))]

    def by(self, name: str) -> StoredSample:
        """The same with its scores by one metric alone."""
        return replace(self, marks=tuple(mark for mark in self.marks if mark.name == name))

    def mean_mark(self) -> float | None:
        """The mean of the primary answers' marks, each by how far up its scale it lies, on the first one's scale.

        A mark of a metric whose scale goes the other way lies as far from its end as from the first one's beginning.
        """
        marks = [mark for answer in self.kept() for mark in self.marks_of(answer)]
        known = [(mark.value, mark.metric) for mark in marks if mark.value is not None]
        if not known:
            return None
        first = known[0][1]
        parts = [((value - m.low) / (m.high - m.low), m.better == first.better) for value, m in known]
        return first.low + (first.high - first.low) * fmean(part if same else 1 - part for part, same in parts)

    def passed(self) -> bool | None:
        """Whether all marks of the primary answers pass that can; None where none of them is on a scale with a threshold.

        Of what is right or wrong the verdict tells; here it is one of the marks that must pass.
        """
        marks = [mark for answer in self.kept() for mark in self.marks_of(answer)]
        known = [mark.passes for mark in marks if mark.passes is not None]
        return all(known) if known and any(mark.is_graded for mark in marks) else None

    def verdict(self) -> tuple[Verdict, int, int]:
        """How the primary answers were scored, how many were right, and how many of them have a score with a value.

        "marked": by marks on a scale, of which none is right or wrong; `mean_mark` is what they come to.
        """
        marks = [mark for answer in self.kept() for mark in self.marks_of(answer)]
        values = [mark.value for mark in marks]
        known = [value for value in values if value is not None]
        right = sum(value == 1 for value in known)
        if not values and all(answer.text for answer in self.kept()):
            return "unscored", 0, 0
        if not known:
            return "missing", 0, 0
        if any(mark.is_graded for mark in marks):
            return "marked", 0, len(known)
        whole = right in (0, len(known)) and all(value in (0, 1) for value in known)
        return ("right" if right else "wrong") if whole else "partly", right, len(known)


class Answers:
    """The items of a run by their place in results.jsonl, which may be missing, grow, and be replaced at any time.

    `advance` is for any number of threads, one at a time; everything else may be called from the screen's.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = _Lines(None)
        self._reading = threading.Lock()
        self._kept: OrderedDict[int, StoredSample | None] = OrderedDict()
        self.generation = 0
        """Grows whenever the file is another one: rows are no longer the same items."""

    @property
    def count(self) -> int:
        """Whole lines found so far."""
        return len(self._lines.starts) - 1

    def behind(self) -> bool:
        """Whether there may be more to read."""
        try:
            there = os.stat(self.path)
        except OSError:
            return self._lines.file is not None
        lines = self._lines
        if not stat.S_ISREG(there.st_mode):
            return False
        return lines.file is None or lines.file.identity != (there.st_dev, there.st_ino) or there.st_size != lines.scanned

    def advance(self, seconds: float) -> bool:
        """Look for lines for about so long; whether there is more to look at."""
        with self._reading:
            self._look()
            until = time.monotonic() + seconds
            while self._lines.scan():
                if time.monotonic() >= until:
                    return True
            return False

    def line(self, row: int) -> bytes:
        """A line as it is in the file, without its newline."""
        return self._lines.line(row)

    def item(self, row: int) -> StoredSample | None:
        """An item; None where the line is none. For the screen's thread alone: it keeps the last ones."""
        kept = self._kept  # the reading thread may put another one in its place
        if row in kept:
            kept.move_to_end(row)
            return kept[row]
        if not 0 <= row < self.count:
            return None
        found = kept[row] = item_of(self.line(row))
        if len(kept) > KEPT:
            kept.popitem(last=False)
        return found

    def _look(self) -> None:
        try:
            there = os.stat(self.path)
            file = self._lines.file
            if file is None or file.identity != (there.st_dev, there.st_ino) or there.st_size < self._lines.scanned:
                self._begin(_Lines(LogFile(self.path)))
        except OSError:
            if self._lines.file is not None:
                self._begin(_Lines(None))

    def _begin(self, lines: _Lines) -> None:
        self._lines = lines
        self._kept = OrderedDict()
        self.generation += 1


class _Lines:
    """Where the lines of one file start."""

    def __init__(self, file: LogFile | None) -> None:
        self.file = file
        self.starts = array("Q", [0])
        self.scanned = 0

    def scan(self) -> bool:
        """Look for line ends in the next bytes; whether there were any."""
        part = self.file.read(self.scanned, SCAN_BYTES) if self.file else b""
        end = part.find(b"\n")
        while end >= 0:
            self.starts.append(self.scanned + end + 1)
            end = part.find(b"\n", end + 1)
        self.scanned += len(part)
        return bool(part)

    def line(self, row: int) -> bytes:
        if self.file is None or not 0 <= row < len(self.starts) - 1:
            return b""
        start = self.starts[row]
        return self.file.read(start, min(self.starts[row + 1] - 1 - start, LINE_BYTES))


def item_of(line: bytes) -> StoredSample | None:
    """A line of results.jsonl as an item; None where it is none."""
    found = entry_of(line)
    if found is None:
        return None
    answers, metrics = tuple(map(_answer, found["replies"])), metrics_of(found)
    truth = found.get("truth")
    return StoredSample(
        item_id=found["item_id"],
        repeat=_whole(found.get("repeat")),
        doc_id=_text(found.get("doc_id")),
        finished=found.get("finished") is True,
        error=_text(found.get("error")),
        question=_text(found.get("question")),
        truth=truth if isinstance(truth, str) else None,
        primary=_primary(found.get("primary"), answers),
        answers=answers,
        marks=tuple(_mark(score, metrics) for score in found["scores"]),
        queue=_text(found.get("lane")),
        q_index=_whole(found.get("q_index")),
        groups=_groups(found.get("groups")),
    )


def entry_of(line: bytes) -> dict[str, Any] | None:
    """A line as it stands, with lists of objects as its replies and scores; None where it is no item."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("item_id"), str):
        return None
    found["replies"], found["scores"] = _objects(found.get("replies")), _objects(found.get("scores"))
    return found


def words_of(item: StoredSample) -> str:
    """What a filter looks at: document, question, truth, models, answers."""
    passed = item.passed()
    texts = [item.item_id, item.doc_id, item.question, item.truth or "", item.verdict()[0]]
    texts += [] if passed is None else [PASSED if passed else FAILED]
    for answer in item.kept():
        texts += [answer.model, answer.text or ""]
    return "\n".join(texts).casefold()


def _primary(found: Any, answers: Sequence[Answer]) -> tuple[int, ...]:
    """Which replies are the item's answers; in folders that do not say so, those of the first stage, which are some."""
    if isinstance(found, list):
        return tuple(dict.fromkeys(i for i in found if type(i) is int and 0 <= i < len(answers)))
    names = tuple(answer.name for answer in answers)
    first = next((answer.stage for answer in answers if not answer.speaks_of(names)), "")
    return tuple(i for i, answer in enumerate(answers) if answer.stage == first)


def _answer(found: Mapping[str, Any]) -> Answer:
    text = found.get("text")
    return Answer(
        stage=_text(found.get("stage")),
        model=_text(found.get("model")),
        call_index=_whole(found.get("call_index")),
        about=_text(found.get("about")),
        status=_text(found.get("status")),
        why=_text(found.get("why")),
        finish_reason=_text(found.get("finish_reason")),
        latency_ms=amount(found.get("latency_ms")),
        text=text if isinstance(text, str) else None,
        cached=found.get("cached") is True,
    )


def _mark(found: Mapping[str, Any], metrics: Mapping[str, Metric]) -> Mark:
    read = found.get("read")
    return Mark(
        stage=_text(found.get("stage")),
        model=_text(found.get("model")),
        call_index=_whole(found.get("call_index")),
        name=_text(found.get("name")),
        value=amount(found.get("value")),
        why=_text(found.get("why")),
        version=_text(found.get("version")),
        read=read if isinstance(read, str) else None,
        pattern=_text(found.get("pattern")),
        metric=metrics.get(_text(found.get("name")), RIGHT_OR_WRONG),
    )


def _objects(found: Any) -> list[dict[str, Any]]:
    return [inner for inner in found if isinstance(inner, dict)] if isinstance(found, list) else []


def _groups(found: Any) -> Mapping[str, tuple[str, ...]]:
    lists = found.items() if isinstance(found, dict) else ()
    return {name: tuple(map(_text, values)) for name, values in lists if isinstance(values, list)}


def _text(found: Any) -> str:
    return found if isinstance(found, str) else ""


def _whole(found: Any) -> int:
    return found if type(found) is int else 0
