"""all_results.json: answer sheets with everything that reports are made of, so that a leaderboard can grow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.made import Made
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import DOMAIN, TOPIC, calc_required_of, difficulty_of, groups_named
from tui_eval.evaluation.sum_cells import rounded
from tui_eval.kinds.choice.figures import Figures, Standing
from tui_eval.kinds.choice.sheets import LETTERS, Answer, Board, Sheet
from tui_eval.results.sums.series import Group


def all_results(figures: Figures, copies: Sequence[Sheet] = ()) -> dict[str, Json]:
    """The accumulated results (spec 004): an entry per sheet; the questions beside them, so that reports can be made again.

    Entries are made as they are looked at.

    `copies`: sheets that are kept, but compared with no other.
    """
    board = figures.board
    letters = LETTERS[: max((len(question.options) for question in board.questions), default=0)]
    runs = list(figures.standings)
    if copies:
        runs += Figures(Board(board.benchmark, board.size, board.questions, list(copies))).standings
    return {
        "benchmark": board.benchmark,
        "total_questions": board.size,
        "runs": Made(len(runs), lambda place: _entry(figures.groups, runs[place], letters)),
        "questions": Made(len(board.questions), lambda place: _question_json(board.questions[place])),
    }


def restored(content: Mapping[str, Any]) -> Board:
    """A board of what such a file holds. KeyError, TypeError, ValueError or AttributeError where it is another file."""
    questions = [_question_of(entry) for entry in content["questions"]]
    sheets = [_sheet_of(entry) for entry in content["runs"]]
    _check_answers({question.id: question for question in questions}, sheets)
    return Board(str(content["benchmark"]), int(content["total_questions"]), questions, sheets)


def _question_json(question: Sample) -> dict[str, Json]:
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


def _question_of(entry: Mapping[str, Any]) -> Sample:
    options, domains, topics = (tuple(map(str, entry[name])) for name in ("choices", "domains", "topics"))
    if not 0 <= int(entry["answer"]) < len(options):
        raise ValueError(f"question {entry['id']!r}: answer {entry['answer']} is no option")
    calculated = None if entry["calc_required"] is None else bool(entry["calc_required"])
    return Sample(
        id=str(entry["id"]),
        question=str(entry["question"]),
        options=options,
        answer=int(entry["answer"]),
        groups=groups_named(str(entry["difficulty"]), domains, topics, calculated),
    )


def _shares(sheet: Sheet, letters: Sequence[str]) -> tuple[dict[str, Json], int]:
    """The share of each letter among the first replies that have one, however many options they had; and how many these are."""
    places = Counter(answers[0].place for answers in sheet.answers.values() if answers and answers[0].place is not None)
    n = places.total()
    return ({letter: rounded(places[place] / n) for place, letter in enumerate(letters)} if n else {}), n


def _entry(groups: Sequence[Group], standing: Standing, letters: Sequence[str]) -> dict[str, Json]:
    sheet, accuracy, found = standing.sheet, standing.accuracy, standing.biases
    reasons, position = sheet.without_letter, found.position
    shares, n_shares = _shares(sheet, letters)
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
        "missing": dict(sheet.missing),
        "failed_extractions": sum(reasons.values()),
        "failed_by_reason": dict(reasons),
        "ci_lower": rounded(accuracy.low),
        "ci_upper": rounded(accuracy.high),
        "accuracy_strict": rounded(accuracy.strict),
        "accuracy_best_case": rounded(accuracy.best_case),
        **{f"by_{by}": _by(groups, standing, by) for by in ("difficulty", "domain", "calc_required")},
        "answer_distribution": shares,
        "answer_distribution_n": n_shares,
        "bias_analysis": {
            "position_bias": position.level if position else None,
            "position_bias_n": position.n if position else 0,
            "position_bias_uniform": position.level_uniform if position else None,
            "length_bias": rounded(found.longest.picked) if found.longest else None,
            "length_bias_level": found.longest.level if found.longest else None,
            "length_bias_level_uniform": found.longest.level_uniform if found.longest else None,
            "qualifier_bias_level": found.qualifier.level if found.qualifier else None,
        },
        "cost_usd": sheet.known_cost,
        "n_cost_known": sheet.n_cost_known,
        "n_on_file": sheet.n_on_file,
        "answers": answers_json(sheet),
    }


def _by(groups: Sequence[Group], standing: Standing, by: str) -> dict[str, Json]:
    inside = {group.value: standing.within(group) for group in groups if group.by == by}
    return {
        value: {
            "accuracy": rounded(accuracy.share),
            "correct": accuracy.right,
            "total": accuracy.scored,
            "missing": accuracy.missing,
            "ci_lower": rounded(accuracy.low),
            "ci_upper": rounded(accuracy.high),
        }
        for value, accuracy in inside.items()
        if accuracy.asked
    }


def _sheet_of(entry: Mapping[str, Any]) -> Sheet:
    return Sheet(
        model=str(entry["model"]),
        run_id=str(entry["run_id"]),
        run_timestamp=str(entry["run_timestamp"]),
        run_uid=str(entry["run_uid"]),
        extraction=str(entry["extraction"]),
        info=dict(entry["model_info"]),
        answers=answers_of(entry["answers"]),
        cost_usd=float(entry["cost_usd"] or 0.0),
        n_cost_known=int(entry["n_cost_known"]),
        n_on_file=int(entry.get("n_on_file") or 0),
        simulated=bool(entry["simulated"]),
    )


def _check_answers(questions: Mapping[str, Sample], sheets: Sequence[Sheet]) -> None:
    """ValueError for an answer to a question or by an option that there is not."""
    for sheet in sheets:
        for name, answer in sheet.all_answers():
            if name not in questions:
                raise ValueError(f"{sheet.model}: an answer to {name!r}, which is no question")
            size = len(questions[name].options)
            places = (answer.option, answer.place, answer.key_place)
            inside = all(place is None or 0 <= place < size for place in places)
            if not inside or (answer.option is None) != (answer.place is None):
                raise ValueError(f"{sheet.model}: the answer to {name!r} is no option")


def answers_json(sheet: Sheet) -> dict[str, Json]:
    """The `answers` of a run in all_results.json (spec 004): by question, its first answer, and all where there are more."""
    found: dict[str, Json] = {}
    for question, answers in sheet.answers.items():
        entries = [_answer_json(answer) for answer in answers]
        found[question] = entries[0] if len(entries) == 1 else {**entries[0], "asked": entries}
    return found


def _answer_json(answer: Answer) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "predicted": answer.letter,
        "correct": answer.correct if answer.replied else None,
        "raw_response": answer.raw,
        "extraction_pattern": answer.pattern,
    }
    if answer.why:
        entry["why"] = answer.why
    if answer.cut:
        entry["raw_cut"] = True
    if answer.place != answer.option:
        entry["place"] = answer.place
    entry["key_place"] = answer.key_place
    return entry


def answers_of(entries: Mapping[str, Any]) -> dict[str, list[Answer]]:
    """The answers of an entry of all_results.json. KeyError, TypeError or ValueError where it has another shape."""
    return {question: [_answer_of(e) for e in entry.get("asked", [entry])] for question, entry in entries.items()}


def _answer_of(entry: Mapping[str, Any]) -> Answer:
    option = None if entry["predicted"] is None else LETTERS.index(entry["predicted"])
    return Answer(
        replied=entry["correct"] is not None,
        option=option,
        correct=entry["correct"] is True,
        place=entry.get("place", option),
        key_place=int(entry["key_place"]),
        pattern=str(entry["extraction_pattern"]),
        why=str(entry.get("why", "")),
        raw=str(entry["raw_response"]),
        cut=entry.get("raw_cut") is True,
    )
