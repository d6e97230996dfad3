"""questions.csv: every question with every model's answer, for spreadsheets."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate

from tui_eval.core.calls import Json
from tui_eval.core.made import Made
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import DOMAIN, TOPIC, calc_required_of, difficulty_of
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.sheets import LETTERS, Answer, Board


def questions_rows(figures: Figures) -> Sequence[dict[str, Json]]:
    """A row per question (and, where it was asked several times, per reply), with each model's answer beside it.

    Rows are made as they are looked at.
    """
    board = figures.board
    most = max((len(q.options) for q in board.questions), default=0)
    several = not figures.single
    asked = array("I", (_times_asked(board, question) for question in board.questions))
    places = array("I", (place for place, n in enumerate(asked) for _ in range(n)))
    first = array("I", accumulate(asked, initial=0))

    def row(number: int) -> dict[str, Json]:
        place = places[number]
        return _row(board, board.questions[place], number - first[place], most, several)

    return Made(len(places), row)


def _times_asked(board: Board, question: Sample) -> int:
    return max(max((len(sheet.answers.get(question.id, ())) for sheet in board.sheets), default=0), 1)


def _row(board: Board, question: Sample, n: int, most: int, several: bool) -> dict[str, Json]:
    """Every model's reply number `n` to a question, of which the longest has `most` options."""
    row: dict[str, Json] = {"question_id": question.id}
    if several:
        row["reply"] = n + 1
    row["question_text"] = question.question
    for i in range(most):
        row[f"choice_{LETTERS[i].lower()}"] = question.options[i] if i < len(question.options) else None
    row |= {
        "correct_answer": question.letter,
        "difficulty": difficulty_of(question),
        "domains": _joined(question.group(DOMAIN)),
        "topics": _joined(question.group(TOPIC)),
        "calc_required": calc_required_of(question),
    }
    fixed = set(row)
    for sheet in board.sheets:
        answers = sheet.answers.get(question.id, ())
        found = _answer_columns(sheet.label, answers[n] if n < len(answers) else None)
        row |= {f"model {name}" if name in fixed else name: value for name, value in found.items()}
    return row


def _joined(values: Sequence[str]) -> str:
    return (";" if any("," in value for value in values) else ",").join(values)


def _answer_columns(name: str, answer: Answer | None) -> dict[str, Json]:
    replied = answer is not None and answer.replied
    return {
        f"{name}_answer": answer.letter if answer else None,
        f"{name}_correct": answer.correct if answer and replied else None,
        f"{name}_pattern": answer.pattern if answer and replied else None,
        f"{name}_why": (answer.why or None) if answer else "not asked",
        f"{name}_raw": answer.raw if answer and replied else None,
    }
