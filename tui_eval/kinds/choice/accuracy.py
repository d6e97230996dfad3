"""How often a model is right: over all questions or a group of them, with its interval and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.question_groups import Group
from tui_eval.kinds.choice.sheet import Sheet
from tui_eval.statistics.estimates import clustered_wilson, missing_bounds, wilson


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Right over replied, with what it rests on. Refusals, cut and unreadable replies are replies, and wrong."""

    asked: int
    replied: int
    right: int
    questions: int
    """Questions with at least one reply."""
    low: float | None
    high: float | None
    effective: float | None
    """Effective n of the interval: several answers to one question are one cluster."""

    @property
    def share(self) -> float | None:
        """right / replied; None of nothing."""
        return self.right / self.replied if self.replied else None

    @property
    def missing(self) -> int:
        """Asked, and no reply."""
        return self.asked - self.replied

    @property
    def strict(self) -> float | None:
        """The lower bound, as if every missing reply were wrong."""
        bounds = missing_bounds(self.right, self.replied, self.asked)
        return bounds[0] if bounds else None

    @property
    def best_case(self) -> float | None:
        """The upper bound, as if every missing reply were right."""
        bounds = missing_bounds(self.right, self.replied, self.asked)
        return bounds[1] if bounds else None


def bits(counts: Sequence[int]) -> int:
    """A number with a bit for each place that is not zero."""
    return sum(1 << i for i, n in enumerate(counts) if n)


class Marks:
    """One sheet as numbers by question: asked, replied, right."""

    def __init__(self, sheet: Sheet, questions: Sequence[Sample]) -> None:
        size = len(questions)
        self.asked, self.replied, self.right = [0] * size, [0] * size, [0] * size
        for i, question in enumerate(questions):
            for answer in sheet.answers.get(question.id, ()):
                self.asked[i] += 1
                self.replied[i] += answer.replied
                self.right[i] += answer.correct
        self.single = max(self.asked, default=0) <= 1
        self.asked_bits, self.replied_bits, self.right_bits = map(bits, (self.asked, self.replied, self.right))

    def accuracy(self, group: Group | None = None) -> Accuracy:
        """Over a group of questions, or over all."""
        if self.single:
            return self._accuracy_of_single(-1 if group is None else group.bits)
        chosen = range(len(self.asked)) if group is None else group.indexes
        replied = [self.replied[i] for i in chosen]
        right = [self.right[i] for i in chosen]
        low, high, effective = clustered_wilson(right, replied) or (None, None, None)
        asked = sum(self.asked[i] for i in chosen)
        return Accuracy(asked, sum(replied), sum(right), sum(map(bool, replied)), low, high, effective)

    def _accuracy_of_single(self, wanted: int) -> Accuracy:
        """The same where every question has at most one reply: by counting bits, since a report has thousands of groups."""
        asked, replied, right = (
            (found & wanted).bit_count() for found in (self.asked_bits, self.replied_bits, self.right_bits)
        )
        low, high = wilson(right, replied) or (None, None)
        return Accuracy(asked, replied, right, replied, low, high, float(replied) if replied else None)

    def mean(self, index: int) -> float | None:
        """Share of right replies to one question."""
        return self.right[index] / self.replied[index] if self.replied[index] else None
