"""How far models agree with each other over the questions that all of them have a score for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.results.sums.series import Series


@dataclass(frozen=True, slots=True)
class Agreement:
    """Over the questions that every model has a score for, each right or wrong."""

    questions: int
    all_right: int
    all_wrong: int
    left_out: int
    """Questions where some model has no score."""

    @property
    def mixed(self) -> int:
        """Neither."""
        return self.questions - self.all_right - self.all_wrong


def agreement(series: Sequence[Series], questions: int) -> Agreement:
    """Over the questions, of so many, that every model has a score for."""
    complete = [i for i in range(questions) if all(one.scored[i] for one in series)]
    right = sum(all(one.total[i] == one.scored[i] for one in series) for i in complete)
    wrong = sum(not any(one.total[i] for one in series) for i in complete)
    return Agreement(len(complete), right, wrong, questions - len(complete))
