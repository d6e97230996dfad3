"""How far replies agree: of all models to one question, and of one model to the same question asked several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.sheet import Board, Sheet
from tui_eval.results.sums.series import Series


@dataclass(frozen=True, slots=True)
class QuestionFigures:
    """What all sheets together made of one question."""

    question: Sample
    models: int
    """Sheets that replied to it."""
    right: float
    """Sum over them of the share of right replies."""
    unread: int
    missing: int
    """Replies without a letter, and calls without a reply."""
    wrong_option: int | None
    wrong_count: int
    """The wrong option that most models chose, and how many did."""

    @property
    def failed(self) -> float:
        """Models that failed it."""
        return self.models - self.right


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the models agree, over the questions that every one of them replied to."""

    questions: int
    all_right: int
    all_wrong: int
    left_out: int
    """Questions where some model has no reply."""

    @property
    def mixed(self) -> int:
        """Neither."""
        return self.questions - self.all_right - self.all_wrong


def question_figures(board: Board, series: Sequence[Series], index: int) -> QuestionFigures:
    """What all sheets made of the question at this place."""
    question = board.questions[index]
    wrong: Counter[int] = Counter()
    unread = 0
    for sheet in board.sheets:
        answers = sheet.answers.get(question.id, ())
        unread += sum(answer.replied and answer.option is None for answer in answers)
        wrong.update({answer.option for answer in answers if answer.option is not None and not answer.correct})
    means = [share for one in series if (share := one.mean(index)) is not None]
    missing = sum(one.asked[index] - one.scored[index] for one in series)
    option, times = min(wrong.items(), key=lambda pair: (-pair[1], pair[0]), default=(None, 0))
    return QuestionFigures(question, len(means), sum(means), unread, missing, option, times)


def agreement(series: Sequence[Series], questions: int) -> Agreement:
    """Over the questions, of so many, that every model replied to."""
    right = wrong = complete = 0
    for i in range(questions):
        if all(one.scored[i] for one in series):
            complete += 1
            right += all(one.total[i] == one.scored[i] for one in series)
            wrong += not any(one.total[i] for one in series)
    return Agreement(complete, right, wrong, questions - complete)


def same_option(sheet: Sheet) -> int:
    """Questions with several replies that all chose the same option, by its content."""
    replies = ([answer.option for answer in answers if answer.replied] for answers in sheet.answers.values())
    return sum(len(options) > 1 and len(set(options)) == 1 and options[0] is not None for options in replies)
