"""The column of the right answers: one by its name, the references beside what a model answered, or none for certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tui_eval.datasets.field_values import comparable, enumerated, is_blank, plain_name
from tui_eval.datasets.lettered.field_names import CHOICES
from tui_eval.datasets.lettered.option_fields import OPTION_COLUMN
from tui_eval.datasets.parsing import Record

QUESTION = ("question", "input", "prompt", "question_text", "problem", "query")
ANSWER = ("answer", "best_answer", "target", "truth", "ideal", "gold", "expected", "expected_answer", "correct_answer",
          "reference_answer", "reference", "solution", "label")  # fmt: skip
SUMMARIES = ("summary", "highlights", "reference_summary")
LISTED = ("answers", "correct_answers", "targets", "references", "reference_answers", "ground_truths", *SUMMARIES)
"""Names of several right answers, or of one that is longer than a line."""
REFERENCES = ("ground_truth", "gold_answer", "expected_output", "expected_json")
"""Names of a right answer that nobody gives to what a model answered."""
TARGET = (*ANSWER, *LISTED, *REFERENCES)
CONTEXT = ("context", "passage", "paragraph", "article", "document", "dialogue", "text", "source_text", "transcript", "story")
_EITHER = ("answer", "answers")
"""What a right answer is called, and what a model answered, too."""
_NO_REFERENCES = (*_EITHER, "solution", "label", *SUMMARIES)
LOOKED_AT = 1000
"""Records whose values are looked at; a name is taken from all of them."""


@dataclass(frozen=True, slots=True)
class TargetColumn:
    """The column of the right answers; where it is not certain, no name, and the columns that it could be."""

    name: str = ""
    rivals: tuple[str, ...] = ()

    @property
    def doubt(self) -> str:
        """Columns it could be, as a sentence; empty where it is certain, or none could be."""
        return f"{enumerated(self.rivals)} could each be the right answer" if self.rivals else ""


def target_column(records: Sequence[Record]) -> TargetColumn:
    """Return what is certain by names and values: columns that say the same are one, and a list that holds another column's
    answers stands for both. Of `answer` and a column of references the references are right: the other one may be a model's."""
    columns = _Columns(records)
    candidates = [name for name in columns.known() if columns.fits(name)]
    plain = [plain_name(name) for name in candidates]
    left_out = {alias for alias, beside in _BESIDE.items() if set(beside) & set(plain)}
    left_out |= set(SUMMARIES) if columns.has(QUESTION) and set(plain) - set(SUMMARIES) else set()
    candidates = [name for name in candidates if plain_name(name) not in left_out]
    references = [name for name in candidates if plain_name(name) not in _NO_REFERENCES]
    if references and all(plain_name(name) in _EITHER for name in candidates if name not in references):
        holding = [name for name in candidates if name not in references and columns.holds_all(name, references)]
        candidates = [*references, *holding]
    candidates = columns.different(candidates)
    return TargetColumn(candidates[0]) if len(candidates) == 1 else TargetColumn(rivals=tuple(candidates))


_BESIDE: Mapping[str, Sequence[str]] = {
    "best_answer": ("correct_answers",),
    "solution": ("answer",),
}
"""Names that say no right answer of their own beside others: TruthfulQA's best one of all, MATH's way to the answer."""


class _Columns:
    """The columns of records by their plain names, with their values."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = [record for record in records if not record.problem]
        self._names: dict[str, list[str]] = {}
        for name in dict.fromkeys(name for record in self._records for name in record.fields):
            self._names.setdefault(plain_name(name), []).append(name)

    def has(self, aliases: Sequence[str]) -> bool:
        return any(alias in self._names for alias in aliases)

    def known(self) -> list[str]:
        """Those with a name of right answers; a label is one of a text or of options."""
        labels = self.has(CONTEXT) or self.has(CHOICES) or sum(map(bool, map(OPTION_COLUMN.fullmatch, self._names))) > 1
        return [name for alias in TARGET if alias != "label" or labels for name in self._names.get(alias, ())]

    def fits(self, name: str) -> bool:
        """Return whether a column says something, and all that it says can be compared with."""
        values = [value for value in self._values(name) if not is_blank(value)]
        return bool(values) and all(map(_is_target, values))

    def different(self, names: Sequence[str]) -> list[str]:
        """Those that say something else than the others: of equal ones the first, and none whose answers a list holds."""
        first = [name for n, name in enumerate(names) if not any(self._pairs(name, each, _equal) for each in names[:n])]
        return [name for name in first if not any(self._pairs(name, each, _is_listed) for each in first if each != name)]

    def holds_all(self, name: str, columns: Sequence[str]) -> bool:
        return all(self._pairs(each, name, _is_listed) for each in columns)

    def _pairs(self, name: str, other_name: str, fits: Callable[[object, object], bool]) -> bool:
        return all(map(fits, self._values(name), self._values(other_name)))

    def _values(self, name: str) -> list[object]:
        return [record.fields.get(name) for record in islice(self._records, LOOKED_AT)]


def _equal(value: object, other_value: object) -> bool:
    return comparable(value) == comparable(other_value) or (is_blank(value) and is_blank(other_value))


def _is_listed(value: object, listed: object) -> bool:
    return isinstance(listed, list) and (is_blank(value) or any(_equal(value, each) for each in listed))


def _is_target(value: object) -> bool:
    """Return whether a value can be compared with: a text, a number, true or false, an object, a list of such."""
    return isinstance(value, (str, int, dict)) or (
        isinstance(value, list) and all(isinstance(each, (str, int, dict)) for each in value)
    )
