"""questions.csv and all_results.json: every answer, for spreadsheets and for leaderboards that grow."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.calls import Json
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import DOMAIN, TOPIC, calc_required_of, difficulty_of
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.sheet import LETTERS, Answer, Board, Sheet, answers_json
from tui_eval.kinds.choice.words import key_letter, missing, rounded, unread


def questions_rows(figures: Figures) -> list[dict[str, Json]]:
    """A row per question (and, where it was asked several times, per reply), with each model's answer beside it."""
    board = figures.board
    most = max((len(q.options) for q in board.questions), default=0)
    several = not figures.single
    rows = []
    for question in board.questions:
        asked = max((len(sheet.answers.get(question.id, ())) for sheet in board.sheets), default=0)
        for n in range(max(asked, 1)):
            row: dict[str, Json] = {"question_id": question.id}
            if several:
                row["reply"] = n + 1
            row["question_text"] = question.question
            for i in range(most):
                row[f"choice_{LETTERS[i].lower()}"] = question.options[i] if i < len(question.options) else None
            row |= {
                "correct_answer": key_letter(question),
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
            rows.append(row)
    return rows


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


def all_results(figures: Figures, copies: Sequence[Sheet] = ()) -> dict[str, Json]:
    """The accumulated results (spec 004): an entry per sheet; the questions beside them, so that reports can be made again.

    `copies`: sheets that are kept, but compared with no other.
    """
    board = figures.board
    apart = Figures(Board(board.benchmark, board.size, board.questions, list(copies)))
    return {
        "benchmark": board.benchmark,
        "total_questions": board.size,
        "runs": [_entry(of, i) for of in (figures, apart) for i in range(len(of.board.sheets))],
        "questions": [_question(question) for question in board.questions],
    }


def _question(question: Sample) -> dict[str, Json]:
    return {
        "id": question.id,
        "question": question.question,
        "choices": question.options,
        "answer": question.answer,
        "difficulty": difficulty_of(question),
        "domains": question.group(DOMAIN),
        "topics": question.group(TOPIC),
        "calc_required": calc_required_of(question),
    }


def _entry(figures: Figures, i: int) -> dict[str, Json]:
    sheet, accuracy = figures.board.sheets[i], figures.accuracies[i]
    reasons = unread(sheet)
    found = figures.biases[i]
    position = found.position
    shares = dict(zip(LETTERS, position.chosen_share, strict=False)) if position else {}
    return {
        "run_id": sheet.run_id,
        "run_uid": sheet.run_uid,
        "run_timestamp": sheet.run_timestamp,
        "model": sheet.model,
        "model_info": dict(sheet.info),
        "simulated": sheet.simulated,
        "extraction": sheet.extraction,
        "accuracy": rounded(accuracy.share),
        "correct": accuracy.right,
        "total": accuracy.scored,
        "asked": accuracy.asked,
        "missing": dict(missing(sheet)),
        "failed_extractions": sum(reasons.values()),
        "failed_by_reason": dict(reasons),
        "ci_lower": rounded(accuracy.low),
        "ci_upper": rounded(accuracy.high),
        "accuracy_strict": rounded(accuracy.strict),
        "accuracy_best_case": rounded(accuracy.best_case),
        "by_difficulty": _by(figures, i, "difficulty"),
        "by_domain": _by(figures, i, "domain"),
        "by_calc_required": _by(figures, i, "calc_required"),
        "answer_distribution": {letter: rounded(share) for letter, share in shares.items()},
        "bias_analysis": {
            "position_bias": position.level if position else None,
            "position_bias_uniform": position.level_uniform if position else None,
            "length_bias": rounded(found.longest.picked) if found.longest else None,
            "length_bias_level": found.longest.level if found.longest else None,
            "length_bias_level_uniform": found.longest.level_uniform if found.longest else None,
            "qualifier_bias_level": found.qualifier.level if found.qualifier else None,
        },
        "cost_usd": round(sheet.cost_usd, 9) if sheet.n_cost_known else None,
        "n_cost_known": sheet.n_cost_known,
        "answers": answers_json(sheet),
    }


def _by(figures: Figures, i: int, by: str) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for group in figures.groups_by(by):
        accuracy = figures.accuracy(i, group)
        if accuracy.asked:
            found[group.value] = {
                "accuracy": rounded(accuracy.share),
                "correct": accuracy.right,
                "total": accuracy.scored,
                "missing": accuracy.missing,
                "ci_lower": rounded(accuracy.low),
                "ci_upper": rounded(accuracy.high),
            }
    return found
