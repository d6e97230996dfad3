"""Sources of a run, as files under the names of spec 000 tell of them: texts made of each, answers, marks."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tui_eval.core.errors import FolderError
from tui_eval.core.output_names import REFERENCE, NamedFile, read_name
from tui_eval.datasets.document_text.file_sorts import sort_of_file
from tui_eval.results.read_report import objects_of, table_of
from tui_eval.results.sums.metrics import amount
from tui_eval.runs.opening import table, whole
from tui_eval.statistics.edit_distance import character_error_rate, word_error_rate

TEXTS, ANSWERS, SCORES, INPUTS = "processed", "answers", "scores", "inputs"
FOLDERS = (TEXTS, ANSWERS, SCORES)
DOCUMENTS, READ = "documents", "text"
"""Folders of inputs/: the sources as they were, and what was read of those that are no texts."""
MOST_BYTES = 256 << 20
MOST_TEXT = 4 << 20
MOST_RATED = 100_000
"""Characters of a longer text whose error rates are not worked out for a screen: the report has them."""
REST = 10
"""How many times as long as a look took nothing is looked at again: while a run goes on its files change all the time."""
_DECODER = json.JSONDecoder()


class SourceText(NamedTuple):
    """A text that was made of a source, and who answered from it. All but the numbers are foreign text."""

    repeat: str
    """The number of the repeat; empty where there is one."""
    source: str
    process_model: str
    run: int
    """Counted from 1."""
    answer_model: str
    """Empty where nobody answered."""


class ErrorRates(NamedTuple):
    """Of a text, against what somebody wrote down that stands in its source. A share of the reference's length each."""

    characters: float
    words: float


@dataclass(frozen=True, slots=True)
class JudgeMark:
    """Mark of an answer by a judge."""

    judge: str
    score: float | None
    rationale: str
    why: str
    """Why there is no mark."""


@dataclass(slots=True)
class SourceAnswer:
    """A question and what was answered. Texts are foreign."""

    id: str
    category: str
    question: str
    reference: str
    answer: str | None
    answerable: bool
    why: str = ""
    """Why there is no answer."""
    marks: list[JudgeMark] = field(default_factory=list)

    @property
    def score(self) -> float | None:
        """The mean of the judges' marks."""
        scores = [mark.score for mark in self.marks if mark.score is not None]
        return sum(scores) / len(scores) if scores else None


@dataclass(slots=True)
class ScoreSum:
    """Sum so far of the scores of the answers from a text."""

    asked: int = 0
    total: float = 0.0
    n: int = 0


class SourceFiles:
    """The files of a run folder, which may be missing and written anew at any time.

    `advance` is for one thread; everything else may be called from the screen's.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.version = 0
        """Grows when there is something else to be seen."""
        self.rows: Sequence[SourceText] = ()
        """In the order of sources, then of who made the texts."""
        self.threshold: float | None = None
        """The mark from which on an answer passes; None where no file says."""
        self._stamp: object = None
        self._index = _Index()
        self._pending: Iterator[None] | None = None
        self._rates: dict[tuple[object, ...], ErrorRates | None] = {}
        self._spent_s, self._not_before = 0.0, 0.0

    @property
    def there(self) -> bool:
        """Return whether the folder has any of them."""
        return any(os.path.isdir(root / name) for root in _roots(self.path) for name in FOLDERS)

    def behind(self) -> bool:
        """Return whether there is something to read."""
        return self._pending is not None or (time.monotonic() >= self._not_before and self._stamp_now() != self._stamp)

    def advance(self, seconds: float) -> bool:
        """Read on for about so long; whether there is more."""
        if self._pending is None:
            if not self.behind():
                return False
            self._stamp, self._pending, self._spent_s = self._stamp_now(), self._filled(), 0.0
        begun = time.monotonic()
        for _ in self._pending:
            if time.monotonic() >= begun + seconds:
                self._spent_s += time.monotonic() - begun
                return True
        self._not_before = time.monotonic() + REST * (self._spent_s + time.monotonic() - begun)
        self._pending = None
        self.rows, self.threshold = self._index.rows(), self._index.threshold
        self.version += 1
        return False

    def scored(self, row: SourceText) -> ScoreSum:
        """Return the sum of the scores of the answers from a text; of several judges all marks."""
        return self._index.scored.get(row, ScoreSum())

    def rates(self, row: SourceText) -> ErrorRates | None:
        """The error rates of a text; None where there is no text, or nothing to hold it against."""
        return self._index.rates.get(row._replace(answer_model=""))

    def name_of(self, model: str) -> str:
        """Return the name of a model in the run."""
        return self._index.called.get(model, model)

    def answers(self, row: SourceText) -> list[SourceAnswer]:
        """The questions about a text with their answers and marks; empty where nothing was asked."""
        answers: dict[str, SourceAnswer] = {}
        for text, judge, start, end in self._index.items.get(row, ()):
            entry = json.loads(text[start:end])
            answer = answers.setdefault(str(entry.get("id")), _answer(entry))
            why = _text(entry.get("why_missing"))
            answer.marks.append(JudgeMark(judge, amount(entry.get("score")), _text(entry.get("rationale")), why))
        return list(answers.values()) or self._answers_alone(row)

    def _answers_alone(self, row: SourceText) -> list[SourceAnswer]:
        """The same where nobody judged."""
        path = self._index.answered.get(row._replace(run=0))
        for run in objects_of(table(path, MOST_BYTES).get("runs")) if path else ():
            if str(run.get("run")).lstrip("0") == str(row.run):
                return [_answer(entry) for entry in objects_of(run.get("questions_and_answers"))]
        return []

    def text(self, row: SourceText) -> str | None:
        """The text as it came; None where there is none."""
        path = self._index.texts.get(row._replace(answer_model=""))
        return None if path is None else text_of(path)

    def original(self, row: SourceText) -> Path | None:
        """The source itself; None where the run has none of that name."""
        return self._index.originals.get(row.source)

    def original_text(self, row: SourceText) -> str | None:
        """Return the text of the source: as it was read, or as it is where it is a text; None where neither is known."""
        path = self.original(row)
        if path is None:
            return None
        read = path.parent.parent / READ / f"{path.name}.txt"
        return text_of(read) if read.is_file() else text_of(path) if sort_of_file(path.name) == "text" else None

    def reference_text(self, row: SourceText) -> str | None:
        """Return the reference text of the source, as somebody wrote it down; None where nobody did."""
        return next((text for path in _references(self.original(row)) if (text := text_of(path)) is not None), None)

    def _filled(self) -> Iterator[None]:
        """Everything looked at, then every text held against its reference; what was worked out once is kept."""
        index = _Index()
        yield from index.fill(self.path)
        for row, path in index.texts.items():
            reference = next((file for file in _references(index.originals.get(row.source)) if file.is_file()), None)
            if reference is not None:
                key = (path, _changed(path), reference)
                if key not in self._rates:
                    self._rates[key] = _rates(text_of(reference), text_of(path))
                index.rates[row] = self._rates[key]
                yield
        self._index = index

    def _stamp_now(self) -> object:
        return [_changed(root / name) for root in _roots(self.path) for name in FOLDERS]


class _Index:
    """Index of the files."""

    def __init__(self) -> None:
        self.texts: dict[SourceText, Path] = {}
        self.answered: dict[SourceText, Path] = {}
        """With the run 0: a file has all of them."""
        self.items: dict[SourceText, list[tuple[str, str, int, int]]] = {}
        """The text of a file with marks, its judge, and where in the text an item begins and ends."""
        self.scored: dict[SourceText, ScoreSum] = {}
        self.originals: dict[str, Path] = {}
        self.rates: dict[SourceText, ErrorRates | None] = {}
        self.threshold: float | None = None
        self.called: dict[str, str] = {}
        """What models are called in the run, by how files know them."""
        self._sources: dict[str, None] = {}

    def fill(self, path: Path) -> Iterator[None]:
        """Look at everything, a little at a time."""
        for root in _roots(path):
            names = _names(path)
            repeat = "" if root == path else root.name
            for folder in FOLDERS:
                for name in _listed(root / folder):
                    yield from self._take(root / folder / name, read_name(name, names), repeat)
        for name in (*_listed(path / INPUTS / DOCUMENTS), *_listed(path / INPUTS / TEXTS)):
            file = path / INPUTS / DOCUMENTS / name
            if file.is_file() and not name.endswith(REFERENCE):
                self.originals.setdefault(name, file)
                self.originals.setdefault(name.rpartition(".")[0], file)
            parsed_name = read_name(name)
            if parsed_name.what == "processed":
                row = SourceText("", parsed_name.source, parsed_name.process_model, parsed_name.run, "")
                self.texts.setdefault(row, path / INPUTS / TEXTS / name)
        yield

    def rows(self) -> list[SourceText]:
        """Every text, once for each model that answered from it."""
        answered = dict.fromkeys(self.items)
        covered = {row._replace(answer_model="") for row in answered}
        for row, source_row in ((row, row._replace(answer_model="")) for row in self.answered):
            for text in (text for text in self.texts if text._replace(run=0) == source_row):
                answered.setdefault(text._replace(answer_model=row.answer_model))
                covered.add(text)
        alone = [row for row in self.texts if row not in covered]
        order = {source: place for place, source in enumerate(self._sources)}
        return sorted([*answered, *alone], key=lambda row: (row.repeat, order.get(row.source, len(order)), *row[1:]))

    def _take(self, path: Path, parsed_name: NamedFile, repeat: str) -> Iterator[None]:
        row = SourceText(repeat, parsed_name.source, parsed_name.process_model, parsed_name.run, parsed_name.answer_model)
        if parsed_name.what == "processed":
            self._sources.setdefault(parsed_name.source)
            self.texts[row] = path
        elif parsed_name.what == "answers":
            self._sources.setdefault(parsed_name.source)
            self.answered[row] = path
            if not {parsed_name.process_model, parsed_name.answer_model} <= self.called.keys():
                content = table(path, MOST_BYTES)
                self.called.setdefault(
                    parsed_name.process_model, _text(content.get("process_name")) or parsed_name.process_model
                )
                self.called.setdefault(parsed_name.answer_model, _text(content.get("name")) or parsed_name.answer_model)
        elif parsed_name.what == "summary" and parsed_name.about == "scores":
            self.threshold = amount(table(path).get("pass_threshold"))
        elif parsed_name.what == "scores":
            yield from self._take_scores(path, parsed_name, repeat)
        yield

    def _take_scores(self, path: Path, parsed_name: NamedFile, repeat: str) -> Iterator[None]:
        """The items of a file with marks, one by one: it may have tens of thousands."""
        text = text_of(path, MOST_BYTES) or ""
        at = text.find("[", text.find('"items"'))
        while at >= 0:
            start = next((n for n in range(at + 1, len(text)) if not text[n].isspace() and text[n] != ","), -1)
            if start < 0 or text[start] != "{":
                return
            try:
                entry, end = _DECODER.raw_decode(text, start)
            except (ValueError, RecursionError):
                return
            run = _text(entry.get("run"))
            number = int(run) if run.isdecimal() else 0
            row = SourceText(repeat, _text(entry.get("source")), parsed_name.process_model, number, parsed_name.answer_model)
            self._sources.setdefault(row.source)
            self.items.setdefault(row, []).append((text, parsed_name.model, start, end))
            scored, mark = self.scored.setdefault(row, ScoreSum()), amount(entry.get("score"))
            scored.asked += 1
            if mark is not None:
                scored.n += 1
                scored.total += mark
            at = end - 1
            yield


def _references(original: Path | None) -> list[Path]:
    """Return the paths at which the reference text of a source may lie."""
    names = (f"{original.name}{REFERENCE}", f"{original.stem}{REFERENCE}") if original else ()
    return [original.with_name(name) for name in names if original]


def _rates(reference: str | None, text: str | None) -> ErrorRates | None:
    if reference is None or text is None or max(len(reference), len(text)) > MOST_RATED:
        return None
    characters, words = character_error_rate(reference, text), word_error_rate(reference, text)
    return None if characters is None or words is None else ErrorRates(characters, words)


def text_of(path: Path, most: int = MOST_TEXT) -> str | None:
    """A file of the run as text; None where it is missing, too large, or none."""
    try:
        content = whole(path, most)
    except FolderError:
        return None
    return None if content is None else content.decode("utf-8", "replace")


def _answer(entry: Mapping[str, Any]) -> SourceAnswer:
    answer = entry.get("model_answer")
    return SourceAnswer(
        id=str(entry.get("id")),
        category=_text(entry.get("category")),
        question=_text(entry.get("question")),
        reference=_text(entry.get("reference_answer")),
        answer=answer if isinstance(answer, str) else None,
        answerable=entry.get("answerable") is not False,
        why=_text(entry.get("why_missing")),
    )


def _names(path: Path) -> dict[str, str]:
    """Return the full form of each shortened part of a name."""
    names: dict[str, str] = {}
    for name in _listed(path):
        if read_name(name).what == "config":
            names |= {part: _text(text) for part, text in table_of(table(path / name, MOST_BYTES).get("names")).items()}
    return names


def _roots(path: Path) -> list[Path]:
    """The folder, or those of its repeats."""
    return [path, *(path / "repeats" / name for name in _listed(path / "repeats"))]


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _changed(folder: Path) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
