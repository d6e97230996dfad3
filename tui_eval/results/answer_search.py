"""What is looked for in a run's answers in the background: words, the scores a number rests on, sums so far."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, get_args

from tui_eval.core.kinds import Metric
from tui_eval.results.answers import FAILED, PASSED, Answers, Mark, Verdict, entry_of, item_of, words_of
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG, amount, metrics_of, passes
from tui_eval.results.tables import counts

SLICE_S = 0.003
REST_S = 0.0005
"""Between two slices the keys have their turn."""


class Job(Protocol):
    """Something done bit by bit."""

    def behind(self) -> bool:
        """Whether there is something to do; cheap enough to be asked on every tick."""
        ...

    def advance(self, seconds: float) -> bool:
        """Go on for about so long; whether there is more to do."""
        ...


def go_on(jobs: Callable[[], Sequence[Job]], stopped: Callable[[], bool]) -> None:
    """Do jobs to their end, in slices so short that keys are not held up."""
    busy = True
    while busy and not stopped():
        busy = sum(job.advance(SLICE_S) for job in jobs()) > 0
        time.sleep(REST_S)


class Chosen:
    """The rows of items that have every word, and none of those after a "!"; all rows where there are no words."""

    def __init__(self, answers: Answers, words: str) -> None:
        self.words = words
        self._answers = answers
        self._terms = [
            (word.removeprefix("!"), not word.startswith("!")) for word in words.casefold().split() if word not in ("!", "")
        ]
        self._needed = [word.encode() for word, wanted in self._terms if wanted and _stands_in_lines(word)]
        self._rows = array("Q")
        self._seen = 0
        self._generation = answers.generation

    @property
    def count(self) -> int:
        """How many were found so far."""
        return len(self._rows) if self._terms else self._answers.count

    @property
    def looked_at(self) -> int:
        """How many items were looked at."""
        return self._seen if self._terms else self._answers.count

    def row(self, place: int) -> int:
        """The row of the file of what stands at a place of the list."""
        rows = self._rows
        return rows[place] if self._terms and place < len(rows) else place

    def behind(self) -> bool:
        """Whether there are items to look at."""
        return bool(self._terms) and (self._generation != self._answers.generation or self._seen < self._answers.count)

    def advance(self, seconds: float) -> bool:
        """Look at more items; whether there are any left."""
        if self._generation != self._answers.generation:
            self._generation, self._rows, self._seen = self._answers.generation, array("Q"), 0
        until = time.monotonic() + seconds
        while self._terms and self._seen < self._answers.count:
            if self._has(self._answers.line(self._seen)):
                self._rows.append(self._seen)
            self._seen += 1
            if time.monotonic() >= until:
                return True
        return False

    def _has(self, line: bytes) -> bool:
        """Whether an item has the words. Lines that cannot have them are told before they are read."""
        if self._needed and line.isascii() and b"\\u" not in line:
            small = line.lower()
            if any(word not in small for word in self._needed):
                return False
        item = item_of(line)
        searched = "" if item is None else words_of(item)
        return all((word in searched) == wanted for word, wanted in self._terms)


def _stands_in_lines(word: str) -> bool:
    """Whether an item that has the word has it in its line just so: no verdict, and nothing that JSON writes otherwise."""
    said = (*get_args(Verdict), PASSED, FAILED)
    return word.isascii() and word.isalnum() and not any(word in verdict for verdict in said)


class _Pairs:
    """Pairs of small numbers, 16 bytes each."""

    def __init__(self) -> None:
        self._first, self._second = array("Q"), array("Q")

    def __len__(self) -> int:
        return len(self._second)

    def __getitem__(self, place: int) -> tuple[int, int]:
        return self._first[place], self._second[place]

    def add(self, first: int, second: int) -> None:
        self._first.append(first)
        self._second.append(second)


class Basis:
    """The scores that a row of a table rests on: rows of items, and places among their scores."""

    def __init__(self, answers: Answers, rests_on: Mapping[str, Any]) -> None:
        self._answers = answers
        self._rests_on = rests_on
        self._begin()

    def _begin(self) -> None:
        self._generation = self._answers.generation
        self._found = _Pairs()
        self.looked_at = 0
        self.valued = 0
        """Scores among them that have a value."""
        self.right = 0
        """Those that pass, each by its metric: what is right, and marks on the good side of their threshold."""
        self.metrics: dict[str, Metric] = {}
        """What they were scored by."""

    @property
    def count(self) -> int:
        """Scores found so far."""
        return len(self._found)

    def at(self, place: int) -> tuple[int, int] | None:
        """A score: the row of its item, and its place among the item's scores; None beyond what was found."""
        found = self._found
        return found[place] if place < len(found) else None

    def behind(self) -> bool:
        """Whether there are items to look at."""
        return self._generation != self._answers.generation or self.looked_at < self._answers.count

    def advance(self, seconds: float) -> bool:
        """Look at more items; whether there are any left."""
        if self._generation != self._answers.generation:
            self._begin()
        until = time.monotonic() + seconds
        while self.looked_at < self._answers.count:
            entry = entry_of(self._answers.line(self.looked_at))
            metrics = metrics_of(entry) if entry else {}
            for place, score in enumerate(entry["scores"] if entry else ()):
                if entry and counts(score, entry, self._rests_on):
                    name = str(score.get("name"))
                    self._add(self.looked_at, place, amount(score.get("value")), name, metrics.get(name, RIGHT_OR_WRONG))
            self.looked_at += 1
            if time.monotonic() >= until:
                return True
        return False

    def _add(self, row: int, place: int, value: float | None, name: str, metric: Metric) -> None:
        self.valued += value is not None
        self.right += value is not None and passes(metric, value) is True
        self.metrics.setdefault(name, metric)
        self._found.add(row, place)


@dataclass(frozen=True, slots=True)
class Sums:
    """Scores of a stage, a model and a metric, added up."""

    metric: Metric
    scored: int = 0
    total: float = 0.0
    right: int = 0
    """Those that pass: what is right, and marks on the good side of their threshold."""
    lacking: int = 0
    """Those without a value."""

    def and_(self, mark: Mark) -> Sums:
        """With one more."""
        if mark.value is None:
            return replace(self, lacking=self.lacking + 1)
        right = self.right + (mark.passes is True)
        return replace(self, scored=self.scored + 1, total=self.total + mark.value, right=right)


class Tally:
    """What a run that has no report yet came to so far: scores per stage, model and metric, never several in one sum."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._generation = answers.generation
        self.looked_at = 0
        self.sums: dict[tuple[str, str, str], Sums] = {}
        """By stage, model and metric."""

    def behind(self) -> bool:
        """Whether there are items to look at."""
        return self._generation != self._answers.generation or self.looked_at < self._answers.count

    def advance(self, seconds: float) -> bool:
        """Look at more items; whether there are any left."""
        if self._generation != self._answers.generation:
            self._generation, self.looked_at, self.sums = self._answers.generation, 0, {}
        until = time.monotonic() + seconds
        while self.looked_at < self._answers.count:
            item = item_of(self._answers.line(self.looked_at))
            for mark in item.marks if item else ():
                key = (mark.stage, mark.model, mark.name)
                self.sums[key] = (self.sums.get(key) or Sums(mark.metric)).and_(mark)
            self.looked_at += 1
            if time.monotonic() >= until:
                return True
        return False
