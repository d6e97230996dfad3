"""Questions of answer sheets as their reports look at them again and again: one pass over them, and no question is held."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tui_eval.core.lazy_sequence import PackedTexts
from tui_eval.core.record_class import changed
from tui_eval.core.samples import Sample
from tui_eval.core.units import unit_of
from tui_eval.results.sums.series import Items
from tui_eval.statistics.bias import has_absolute_word


@dataclass(frozen=True, slots=True)
class QuestionShape:
    """Features of a question's options that reports count by; options are counted from 0."""

    size: int
    """How many options it has."""
    key: int | None
    longest: int | None
    """The longest option; None where several are."""
    absolute: frozenset[int]
    """The options with absolute words, such as always."""

    @classmethod
    def of(cls, question: Sample) -> QuestionShape:
        """The shape of a question."""
        lengths = [len(option) for option in question.options]
        longest = lengths.index(max(lengths)) if lengths.count(max(lengths)) == 1 else None
        absolute = frozenset(i for i, option in enumerate(question.options) if has_absolute_word(option))
        return cls(len(lengths), question.answer, longest, absolute)


class AskedQuestions:
    """Ids, shapes and units of questions by their places: some 120 bytes each, where a question of a large file is read anew
    each time it is looked at."""

    def __init__(self, questions: Sequence[Sample]) -> None:
        self.items, self.ids = Items(), PackedTexts()
        self.shapes: list[QuestionShape] = []
        """Those that there are, by their numbers: few."""
        self.numbers = array("I")
        """By the questions' places the numbers of their shapes."""
        numbers: dict[QuestionShape, int] = {}
        for place, question in enumerate(questions):
            self.items.place(unit_of(None, changed(question, doc_id=question.id, q_index=place)), question.groups)
            self.ids.append(question.id)
            shape = QuestionShape.of(question)
            number = numbers.setdefault(shape, len(self.shapes))
            if number == len(self.shapes):
                self.shapes.append(shape)
            self.numbers.append(number)

    @property
    def sizes(self) -> Iterator[int]:
        """Of each question how many options it has."""
        return (self.shapes[number].size for number in self.numbers)
