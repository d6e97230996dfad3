"""Multiple-choice questions whose file puts the right option first, or apart: TruthfulQA's mc1, GPQA, SciQ.

Asked as they stand, a model that always says A would be right throughout. So their options are mixed when they are read, by a
seed and the question's text: the same seed gives the same order on every machine, whatever else is in the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import Sample
from tui_eval.datasets.field_values import FieldError, is_blank, plain_name, text_of
from tui_eval.datasets.lettered.field_names import CHOICES, QUESTION
from tui_eval.datasets.lettered.fixed_options import mixed_order, names_letters
from tui_eval.datasets.parsing import Record

MARKED = ("mc1_targets", "mc2_targets")
"""Fields that hold options with a 1 for each right one and a 0 for each wrong one; the first that is there is read."""
MADE, MADE_KEY = "choices", "answer_index"
"""What the options and the right one's number are called from then on."""
SEED = 0
"""By which options are mixed where nobody names a seed."""
LEAST, SHARE = 10, 0.9
"""From how many questions on it is said that one letter is right, and in which share of them one is, or the first option."""
_WRONG = re.compile(r"(?:incorrect_answer|wrong_answer|distractor)_?(\d{1,2})")
_RIGHT = ("correct_answer", "right_answer")


@dataclass(frozen=True, slots=True)
class Mixing:
    """By what options were mixed, and how many questions that left in their order."""

    seed: int = SEED
    questions: int = 0
    """Of those whose options were to be mixed."""
    unmoved: int = 0
    """Those of them in which an option names others by their letters."""
    is_apart: bool = False
    """Whether the file keeps the right option apart from the wrong ones, rather than first among them."""
    first: int = 0
    """Of how many the right option is the first in the file."""
    columns: tuple[str, ...] = ()
    """Of the first question the fields with its options."""

    @property
    def words(self) -> str:
        """Description of what was mixed, as a sentence; empty where nothing was."""
        if not self.questions:
            return ""
        where = "apart from the others in the file" if self.is_apart else "first in the file"
        if not self.is_apart and self.first < self.questions:
            where = f"first in {self.first:,} of the file's {count_of(self.questions, 'question')}"
        summary = f"the right option is {where}: the options of {count_of(self.questions, 'question')} were mixed"
        unmoved_note = (
            f"; {count_of(self.unmoved, 'question')} kept the file's order: an option names others by letter"
            if self.unmoved
            else ""
        )
        return f"{summary} by seed {self.seed}{unmoved_note}"


NOT_MIXED = Mixing()


@dataclass(slots=True)
class _RightFirstRead:
    """Parsed record: its options, the right one, and whether the file keeps that apart from the wrong ones."""

    record: Record
    options: list[str]
    right: int
    is_apart: bool
    columns: tuple[str, ...]


def with_mixed_options(records: Sequence[Record], seed: int = SEED) -> Mixing:
    """Give records of these forms plain options and the number of the right one; other records stay as they are.

    Options are mixed where the right one stands apart, or is the first of nearly all that have labels: by their form, not by
    question, so that a few in another order leave no file in which A is nearly always right.
    """
    read: list[_RightFirstRead] = []
    for record in records:
        try:
            is_other = record.problem or not may_be_right_first(tuple(record.fields))
            entry = None if is_other else _marked(record) or _apart(record)
        except FieldError as error:
            record.problem, entry = str(error), None
        read += [] if entry is None else [entry]
    marked = [each.right for each in read if not each.is_apart]
    marked_first = marked.count(0) >= SHARE * len(marked)
    mixed = [each for each in read if each.is_apart or marked_first]
    for each in read:
        order = tuple(range(len(each.options)))
        if each.is_apart or marked_first:
            order = mixed_order(each.options, "options", seed, _question_of(each.record.fields))
        each.record.fields[MADE] = [each.options[i] for i in order]
        each.record.fields[MADE_KEY] = order.index(each.right)
    unmoved = sum(names_letters(tuple(each.options)) for each in mixed)
    first = sum(each.right == 0 for each in mixed)
    return Mixing(seed, len(mixed), unmoved, any(each.is_apart for each in mixed), first, read[0].columns if read else ())


@lru_cache(maxsize=64)
def may_be_right_first(names: tuple[str, ...]) -> bool:
    """Return whether a record with these fields may be of one of these forms; most records of a file have the same."""
    return any(plain_name(name) in (*MARKED, *_RIGHT) for name in names)


def _question_of(fields: Mapping[str, object]) -> str:
    """The text that decides an order, the same wherever the question stands."""
    return next((str(value).strip() for name, value in fields.items() if plain_name(name) in QUESTION and value), "")


def _has_options(fields: Mapping[str, object]) -> bool:
    return any(plain_name(name) in CHOICES and not is_blank(value) for name, value in fields.items())


def _marked(record: Record) -> _RightFirstRead | None:
    """Options with their labels, 1 for right and 0 for wrong, as TruthfulQA has them; None where there are none."""
    fields = record.fields
    columns_by_name = {
        plain_name(name): name for name in fields if plain_name(name) in MARKED and isinstance(fields[name], dict)
    }
    column = next((columns_by_name[name] for name in MARKED if name in columns_by_name), None)
    if column is None or _has_options(fields):
        return None
    value = fields[column]
    assert isinstance(value, dict)
    texts, labels = value.get("choices"), value.get("labels")
    if not isinstance(texts, list) or not isinstance(labels, list):
        texts, labels = [*value], [*value.values()]
    if len(texts) != len(labels) or not all(label in (0, 1) for label in labels):
        raise FieldError(f"{column}: not one label, 1 or 0, for each option")
    right = [n for n, label in enumerate(labels) if label == 1]
    if len(right) != 1:
        raise FieldError(several_right(column, len(right)))
    del fields[column]
    return _RightFirstRead(record, [text_of(text, column) for text in texts], right[0], False, (column,))


def several_right(column: str, n: int) -> str:
    """Describe a field that names another number of right options than one."""
    return f"{column}: {count_of(n, 'right option')}; a multiple-choice question has one: keep only questions with one"


def _apart(record: Record) -> _RightFirstRead | None:
    """The right answer in a column of its own beside the wrong ones, as GPQA and SciQ have them; None where that is not so."""
    fields = record.fields
    right = [name for name in fields if plain_name(name) in _RIGHT and not is_blank(fields[name])]
    wrong_columns = [
        (match[1], name) for name in fields if (match := _WRONG.fullmatch(plain_name(name))) and not is_blank(fields[name])
    ]
    if len(right) != 1 or not wrong_columns or _has_options(fields):
        return None
    names = [right[0], *(name for _, name in sorted(wrong_columns, key=lambda each: int(each[0])))]
    return _RightFirstRead(record, [text_of(fields.pop(name), name) for name in names], 0, True, tuple(names))


def letters_of(questions: Sequence[Sample]) -> Counter[str]:
    """Count how many questions each letter is right of; an empty one, of those without a right option.

    Those that know it themselves (`lettered_by_place.QuestionsByPlace.letters`) need not be looked at one by one.
    """
    letters: Counter[str] | None = getattr(questions, "letters", None)
    return Counter(question.letter for question in questions) if letters is None else letters


def one_letter(questions: Sequence[Sample]) -> str:
    """Say where one letter is the right one of nearly all questions; empty where none is, or there are too few to tell."""
    letters = Counter({letter: n for letter, n in letters_of(questions).items() if letter})
    n = sum(letters.values())
    if n < LEAST:
        return ""
    letter, right = letters.most_common(1)[0]
    if right < SHARE * n:
        return ""
    effect = f"a model that always says {letter} would be right as often"
    return f"{letter} is the right letter of {right:,} of {n:,} questions: {effect}; shuffle = true asks each in another order"
