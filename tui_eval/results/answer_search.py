"""Search in a run's answers, in the background: words, the scores a number rests on, sums so far."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from tui_eval.core.kinds import Metric
from tui_eval.results.stored_run import RowScan, StoredRun
from tui_eval.results.stored_samples import Mark, StoredSample, Verdict, parse_sample

PASSED, FAILED = "passed", "failed"
"""What a filter finds samples by whose marks are, or are not, on the good side of their metrics' thresholds."""


SortKey = tuple[bool, float, str]
"""What a sample is sorted by: whether there is a value, its number, and its text."""


class MatchingRows(RowScan):
    """The rows of samples that are asked for, in the order that is asked for; all rows as they come where nothing is."""

    _sorted: array[int] | None = None
    """The rows in their order, once all were looked at."""

    def __init__(
        self,
        stored: StoredRun,
        matches: Callable[[StoredSample], bool] | None = None,
        needed: Iterable[str] = (),
        order: Callable[[StoredSample], SortKey] | None = None,
        is_descending: bool = False,
    ) -> None:
        """`matches`: of a sample, whether it is asked for; None = all are. `needed`: words, casefolded, that every sample has
        which is asked for. `order`: what samples are sorted by, once all were looked at; None = as they come."""
        self.asks, self.sorts = matches is not None, order is not None
        self._matches, self._order, self._is_descending = matches, order, is_descending
        self._needed = [word.encode() for word in needed if _stands_in_lines(word)]
        super().__init__(stored)

    @property
    def count(self) -> int:
        """Number of rows that match so far."""
        return len(self._rows) if self.asks or self.sorts else self.stored.count

    def row(self, place: int) -> int:
        """The row of the file of what stands at a place of the list."""
        rows = self._sorted if self._sorted is not None and len(self._sorted) == len(self._rows) else self._rows
        return rows[place] if (self.asks or self.sorts) and place < len(rows) else place

    def behind(self) -> bool:
        """Return whether there are samples to look at."""
        return (self.asks or self.sorts) and super().behind()

    def advance(self, seconds: float) -> bool:
        """Look at more samples; whether there are any left. After the last one they are sorted."""
        is_busy = (self.asks or self.sorts) and super().advance(seconds)
        if self.sorts and not is_busy and (self._sorted is None or len(self._sorted) != len(self._rows)):
            valued = [(key, row) for key, row in zip(self._keys, self._rows, strict=True) if key[0]]
            without = [row for key, row in zip(self._keys, self._rows, strict=True) if not key[0]]
            valued.sort(key=lambda pair: pair[0], reverse=self._is_descending)
            self._sorted = array("Q", [*(row for _, row in valued), *without])
        return is_busy

    def begin(self) -> None:
        """Forget the rows."""
        self._rows = array("Q")
        self._keys: list[SortKey] = []
        self._sorted = None

    def take(self, row: int) -> None:
        """Add a row whose sample has the words. Lines that cannot have them are told before they are parsed."""
        line = self.stored.line(row)
        if self._needed and line.isascii() and b"\\u" not in line:
            small = line.lower()
            if any(word not in small for word in self._needed):
                return
        sample = parse_sample(line)
        if self._matches is None or (sample is not None and self._matches(sample)):
            if self._order is not None:
                self._keys.append((False, 0.0, "") if sample is None else self._order(sample))
            self._rows.append(row)


def _stands_in_lines(word: str) -> bool:
    """Return whether samples that have the word have it in their lines just so: no verdict, and nothing that JSON escapes."""
    verdicts = (*get_args(Verdict), PASSED, FAILED)
    return word.isascii() and word.isalnum() and not any(word in verdict for verdict in verdicts)


def words_of(sample: StoredSample) -> str:
    """Return what a filter looks at: document, question, truth, verdict, models, answers."""
    passed = sample.passed()
    texts = [sample.item_id, sample.doc_id, sample.question, sample.truth or "", sample.verdict()[0]]
    texts += [] if passed is None else [PASSED if passed else FAILED]
    for answer in sample.kept():
        texts += [answer.model, answer.text or ""]
    return "\n".join(texts).casefold()


class Basis(RowScan):
    """The scores that a row of a table rests on: rows of samples, and places among their scores."""

    def __init__(self, stored: StoredRun, rests_on: Mapping[str, Any]) -> None:
        self._rests_on = rests_on
        super().__init__(stored)

    def begin(self) -> None:
        """Forget the scores."""
        self._rows, self._places = array("Q"), array("Q")
        self.valued = 0
        """Scores among them that have a value."""
        self.right = 0
        """Those that pass, each by its metric: what is right, and marks on the good side of their threshold."""
        self.metrics: dict[str, Metric] = {}
        """What they were scored by."""

    @property
    def count(self) -> int:
        """Scores found so far."""
        return len(self._places)

    def at(self, place: int) -> tuple[int, int] | None:
        """A score: the row of its sample, and its place among the sample's scores; None beyond what was found."""
        rows, places = self._rows, self._places
        return (rows[place], places[place]) if place < len(places) else None

    def add(self, row: int, sample: StoredSample) -> None:
        """Add the scores of a sample that count."""
        for place, mark in enumerate(sample.marks):
            if counts(mark, sample, self._rests_on):
                self.valued += mark.value is not None
                self.right += mark.passes is True
                self.metrics.setdefault(mark.name, mark.metric)
                self._rows.append(row)
                self._places.append(place)


def counts(mark: Mark, sample: StoredSample, rests_on: Mapping[str, Any]) -> bool:
    """Return whether a row of a table rests on a score of a sample.

    Everything that `rests_on` names must hold: the score's `stage`, `model`, `name` and `call_index`, or one of two `models`;
    the sample's `doc_id` and `variant`, or one of two `variants`; `value` among its groups of the name `by`; and `pattern`, by
    which the answer was read, or why none was.
    """
    own = {name: getattr(mark, name) for name in ("stage", "model", "name", "call_index")}
    own |= {"doc_id": sample.doc_id, "pattern": mark.pattern if mark.read else mark.why}
    own |= {"variant": sample.unit.variant} if "variant" in rests_on else {}
    pair, by = rests_on.get("models", [mark.model]), rests_on.get("by")
    variants = rests_on.get("variants")
    in_group = by is None or (isinstance(by, str) and rests_on.get("value") in sample.groups.get(by, ()))
    in_pair = isinstance(pair, list) and mark.model in pair
    in_pair &= variants is None or (isinstance(variants, list) and sample.unit.variant in variants)
    return in_group and in_pair and all(own[name] == expected for name, expected in rests_on.items() if name in own)


@dataclass(frozen=True, slots=True)
class Sums:
    """Scores of a stage, a model, a variant of what is asked and a metric, added up."""

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


class ScoreSums(RowScan):
    """Sums of a run that has no report yet: one for each stage, model, variant and metric."""

    def begin(self) -> None:
        """Forget the sums."""
        self.sums: dict[tuple[str, str, str, str], Sums] = {}
        """By stage, model, variant of what is asked and metric."""

    def add(self, row: int, sample: StoredSample) -> None:
        """Add the scores of a sample up."""
        for mark in sample.marks:
            key = (mark.stage, mark.model, sample.unit.variant, mark.name)
            self.sums[key] = (self.sums.get(key) or Sums(mark.metric)).and_(mark)
