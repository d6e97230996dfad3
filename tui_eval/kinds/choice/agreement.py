"""How far replies agree: of all models to one question, and of one model to the same question asked several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.accuracy import Marks
from tui_eval.kinds.choice.sheet import Board, Sheet
from tui_eval.statistics.estimates import Repeats, mean, pass_at_k, pass_hat_k, repeats


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


@dataclass(frozen=True, slots=True)
class Consistency:
    """What several replies to one question have in common, over the questions that have several."""

    questions: int
    same: int
    """Questions whose replies all chose the same option, by its content."""
    repeats: Repeats
    """Mean and variances by question, over every question with a reply."""
    k: int
    """Replies that every one of these questions has."""
    pass_at: float | None
    """Chance that at least one of k replies is right (pass@k, unbiased; arXiv 2107.03374)."""
    pass_hat: float | None
    """Chance that all k replies are right (pass^k; arXiv 2406.12045)."""


def question_figures(board: Board, marks: Sequence[Marks], index: int) -> QuestionFigures:
    """What all sheets made of the question at this place."""
    question = board.questions[index]
    wrong: Counter[int] = Counter()
    unread = 0
    for sheet in board.sheets:
        answers = sheet.answers.get(question.id, ())
        unread += sum(answer.replied and answer.option is None for answer in answers)
        wrong.update({answer.option for answer in answers if answer.option is not None and not answer.correct})
    means = [share for one in marks if (share := one.mean(index)) is not None]
    missing = sum(one.asked[index] - one.replied[index] for one in marks)
    option, times = min(wrong.items(), key=lambda pair: (-pair[1], pair[0]), default=(None, 0))
    return QuestionFigures(question, len(means), sum(means), unread, missing, option, times)


def agreement(marks: Sequence[Marks], questions: int) -> Agreement:
    """Over the questions, of so many, that every model replied to."""
    right = wrong = complete = 0
    for i in range(questions):
        if all(one.replied[i] for one in marks):
            complete += 1
            right += all(one.right[i] == one.replied[i] for one in marks)
            wrong += not any(one.right[i] for one in marks)
    return Agreement(complete, right, wrong, questions - complete)


def consistency(sheet: Sheet) -> Consistency | None:
    """How one model's replies to one and the same question agree; None where no question has several."""
    replies = [[answer for answer in answers if answer.replied] for answers in sheet.answers.values()]
    several = [answers for answers in replies if len(answers) > 1]
    found = repeats([[float(answer.correct) for answer in answers] for answers in replies])
    if not several or found is None:
        return None
    same = sum(len({a.option for a in answers}) == 1 and answers[0].option is not None for answers in several)
    k = min(map(len, several))
    right = [(len(answers), sum(answer.correct for answer in answers)) for answers in several]
    return Consistency(
        questions=len(several),
        same=same,
        repeats=found,
        k=k,
        pass_at=mean([share for n, c in right if (share := pass_at_k(n, c, k)) is not None]),
        pass_hat=mean([share for n, c in right if (share := pass_hat_k(n, c, k)) is not None]),
    )
