"""Files of every answer: all_results.json, which a leaderboard grows from, and questions.csv."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from tui_eval.core.calls import Json, Paid
from tui_eval.core.lazy_sequence import LazyMapping, LazySequence
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import CALC_REQUIRED, DIFFICULTY, DOMAIN, TOPIC, calc_required_of, difficulty_of, groups_named
from tui_eval.evaluation.sum_cells import rounded
from tui_eval.kinds.choice.sheet_report import SheetReport
from tui_eval.kinds.choice.sheets import (
    LETTERS,
    Answers,
    AnswerSheets,
    PlacedAnswers,
    Sheet,
    SheetAnswer,
    SheetCosts,
    orders_of,
)
from tui_eval.results.sums.means import Estimate


def all_results(report: SheetReport, copies: Sequence[Sheet] = ()) -> dict[str, Json]:
    """The accumulated results (spec 004): an entry per sheet; the questions beside them, so that reports can be made again.

    Entries are made as they are looked at.

    `copies`: sheets that are kept, but compared with no other.
    """
    whole = report.whole
    letters = LETTERS[: _most_options(whole)]
    runs = [(report, sheet) for sheet in whole.sheets]
    if copies:
        apart = SheetReport(AnswerSheets(whole.benchmark, whole.size, whole.questions, list(copies)))
        runs += [(apart, sheet) for sheet in copies]
    return {
        "benchmark": whole.benchmark,
        "total_questions": whole.size,
        "runs": LazySequence(len(runs), lambda place: _entry(*runs[place], letters)),
        "questions": LazySequence(len(whole.questions), lambda place: _question_json(whole.questions[place])),
    }


def _most_options(whole: AnswerSheets) -> int:
    return max((shape.size for shape in whole.asked.shapes), default=0)


def restored(content: Mapping[str, Any]) -> AnswerSheets:
    """The sheets that such a file holds. KeyError, TypeError, ValueError or AttributeError where it is another file."""
    questions = [_question_of(entry) for entry in content["questions"]]
    places = {question.id: place for place, question in enumerate(questions)}
    sheets = [_sheet_of(entry, places) for entry in content["runs"]]
    _check_answers(questions, sheets)
    return AnswerSheets(str(content["benchmark"]), int(content["total_questions"]), questions, sheets)


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
        raise ValueError(f"question {entry['id']!r}: answer {entry['answer']} is not an option")
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
    places = Counter[int]()
    for answers, times in sheet.answers.tally():
        if answers and (place := answers[0].place) is not None:
            places[place] += times
    n = places.total()
    return ({letter: rounded(places[place] / n) for place, letter in enumerate(letters)} if n else {}), n


def _entry(report: SheetReport, sheet: Sheet, letters: Sequence[str]) -> dict[str, Json]:
    biases, reasons, costs = report.biases[sheet.label], sheet.without_letter, sheet.costs
    whole, position = report.rate(sheet), report.biases[sheet.label].position
    shares, n_shares = _shares(sheet, letters)
    return {
        "run_id": sheet.run_id,
        "run_uid": sheet.run_uid,
        "run_timestamp": sheet.run_timestamp,
        "model": sheet.model,
        "model_info": dict(sheet.info),
        "simulated": sheet.simulated,
        "extraction": sheet.extraction,
        **_figures(whole),
        "asked": whole.asked,
        "missing": dict(sheet.missing),
        "failed_extractions": sum(reasons.values()),
        "failed_by_reason": dict(reasons),
        "accuracy_strict": rounded(whole.strict),
        "accuracy_best_case": rounded(whole.best_case),
        **{f"by_{by}": _by(report, sheet, by) for by in (DIFFICULTY, DOMAIN, CALC_REQUIRED)},
        "answer_distribution": shares,
        "answer_distribution_n": n_shares,
        "bias_analysis": {
            "position_bias": position.level if position else None,
            "position_bias_n": position.n if position else 0,
            "position_bias_uniform": position.level_uniform if position else None,
            "length_bias": rounded(biases.longest.picked) if biases.longest else None,
            "length_bias_level": biases.longest.level if biases.longest else None,
            "length_bias_level_uniform": biases.longest.level_uniform if biases.longest else None,
            "qualifier_bias_level": biases.qualifier.level if biases.qualifier else None,
        },
        **costs.cells,
        "cost_usd_retried": round(costs.retried_usd, 9),
        "cost_usd_when_first_asked": round(costs.asked_usd, 9),
        "n_cost_known_when_first_asked": costs.n_known,
        "answers": answers_json(sheet, report.whole.asked.ids),
    }


def _figures(estimate: Estimate) -> dict[str, Json]:
    ends = {"ci_lower": rounded(estimate.low), "ci_upper": rounded(estimate.high)}
    return {"accuracy": rounded(estimate.value), "correct": estimate.right, "total": estimate.scored, **ends}


def _by(report: SheetReport, sheet: Sheet, by: str) -> dict[str, Json]:
    inside = {group.value: report.rate(sheet, group) for group in report.groups_by(by)}
    return {value: {**_figures(estimate), "missing": estimate.missing} for value, estimate in inside.items() if estimate.asked}


def _sheet_of(entry: Mapping[str, Any], places: Mapping[str, int]) -> Sheet:
    """`places`: those of the questions, by their ids."""
    info = dict(entry["model_info"])
    return Sheet(
        model=str(entry["model"]),
        run_id=str(entry["run_id"]),
        run_timestamp=str(entry["run_timestamp"]),
        run_uid=str(entry["run_uid"]),
        extraction=str(entry["extraction"]),
        info=info,
        answers=_placed(answers_of(entry["answers"], orders_of(info)), places, str(entry["model"])),
        costs=_costs_of(entry),
        simulated=bool(entry["simulated"]),
    )


def _placed(answers: Mapping[str, Answers], places: Mapping[str, int], model: str) -> PlacedAnswers:
    """ValueError for an answer to a question that there is not."""
    for name in answers:
        if name not in places:
            raise ValueError(f"{model}: an answer to {name!r}, which is not a question")
    return PlacedAnswers({places[name]: own for name, own in answers.items()})


def _costs_of(entry: Mapping[str, Any]) -> SheetCosts:
    """Of a file from before 2026-11-26, whose cost is that of the last attempts when first asked, these were all there were."""
    usd, n_priced = float(entry["cost_usd"] or 0.0), int(entry["n_cost_known"])
    unknown, on_file = (int(entry.get(name) or 0) for name in ("n_cost_unknown", "n_on_file"))
    first_usd, n_known = entry.get("cost_usd_when_first_asked", usd), entry.get("n_cost_known_when_first_asked", n_priced)
    return SheetCosts(
        Paid(usd, n_priced, unknown), float(entry.get("cost_usd_retried") or 0.0), float(first_usd), int(n_known), on_file
    )


def _check_answers(questions: Sequence[Sample], sheets: Sequence[Sheet]) -> None:
    """ValueError for an answer by an option that there is not."""
    for sheet in sheets:
        for at, answers in sheet.answers.items():
            size = len(questions[at].options)
            for answer in answers:
                places = (answer.option, answer.place, answer.key_place)
                inside = all(place is None or 0 <= place < size for place in places)
                if not inside or (answer.option is None) != (answer.place is None):
                    raise ValueError(f"{sheet.model}: the answer to {questions[at].id!r} is not an option")


def answers_json(sheet: Sheet, ids: Sequence[str]) -> Mapping[str, Json]:
    """The `answers` of a run in all_results.json (spec 004): by question, its first answer, and all where there are more.

    `ids`: those of the questions, by their places.
    """
    return LazyMapping(sheet.answers, ids.__getitem__, lambda place: _entry_of(sheet, place))


def _entry_of(sheet: Sheet, place: int) -> dict[str, Json]:
    entries = [_answer_json(answer, n // sheet.orders) for n, answer in enumerate(sheet.answers.at(place))]
    return entries[0] if len(entries) == 1 else {**entries[0], "asked": entries}


def _answer_json(answer: SheetAnswer, repeat: int) -> dict[str, Json]:
    """`repeat`: which time the question was asked, by the answer's place; written where it was another."""
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
    if answer.repeat != repeat:
        entry["repeat"] = answer.repeat
    return entry


def answers_of(entries: Mapping[str, Any], orders: int = 1) -> dict[str, Answers]:
    """The answers of an entry of all_results.json, by the ids of the questions.

    KeyError, TypeError or ValueError where it has another shape. `orders`: in how many orders of its options each question was
    asked each time.
    """
    return {
        question: tuple(_answer_of(each, n // orders) for n, each in enumerate(entry.get("asked", [entry])))
        for question, entry in entries.items()
    }


def _answer_of(entry: Mapping[str, Any], repeat: int) -> SheetAnswer:
    option = None if entry["predicted"] is None else LETTERS.index(entry["predicted"])
    return SheetAnswer(
        replied=entry["correct"] is not None,
        option=option,
        correct=entry["correct"] is True,
        place=entry.get("place", option),
        key_place=int(entry["key_place"]),
        pattern=str(entry["extraction_pattern"]),
        why=str(entry.get("why", "")),
        raw=str(entry["raw_response"]),
        cut=entry.get("raw_cut") is True,
        repeat=int(entry.get("repeat", repeat)),
    )


def questions_rows(whole: AnswerSheets) -> Sequence[dict[str, Json]]:
    """Rows of questions.csv: one per question (and, where it was asked several times, per reply), with each model's answer.

    They are made as they are looked at.
    """
    questions = len(whole.questions)
    if all(len(answers) <= 1 for sheet in whole.sheets for answers, _ in sheet.answers.tally()):
        return LazySequence(questions, lambda place: _row(whole, place))
    n_rows = array("I", (max([1, *(len(sheet.answers.at(at)) for sheet in whole.sheets)]) for at in range(questions)))
    places = array("I", (place for place, n in enumerate(n_rows) for _ in range(n)))
    first = array("I", accumulate(n_rows, initial=0))
    return LazySequence(len(places), lambda number: _row(whole, places[number], number - first[places[number]], several=True))


def _row(whole: AnswerSheets, place: int, n: int = 0, several: bool = False) -> dict[str, Json]:
    """Every model's reply number `n` to the question at a place. `several`: whether any question has several replies."""
    question, most = whole.questions[place], _most_options(whole)
    options = [*question.options, *[None] * (most - len(question.options))]
    row: dict[str, Json] = {
        "question_id": question.id,
        **({"reply": n + 1} if several else {}),
        "question_text": question.question,
        **{f"choice_{letter.lower()}": option for letter, option in zip(LETTERS, options, strict=False)},
        "correct_answer": question.letter,
        "difficulty": difficulty_of(question),
        "domains": _joined(question.group(DOMAIN)),
        "topics": _joined(question.group(TOPIC)),
        "calc_required": calc_required_of(question),
    }
    fixed = set(row)
    for sheet in whole.sheets:
        columns = _answer_columns(sheet.label, next(iter(sheet.answers.at(place)[n:]), None))
        row |= {f"model {name}" if name in fixed else name: value for name, value in columns.items()}
    return row


def _joined(values: Sequence[str]) -> str:
    return (";" if any("," in value for value in values) else ",").join(values)


def _answer_columns(name: str, answer: SheetAnswer | None) -> dict[str, Json]:
    replied = answer is not None and answer.replied
    return {
        f"{name}_answer": answer.letter if answer else None,
        f"{name}_correct": answer.correct if answer and replied else None,
        f"{name}_pattern": answer.pattern if answer and replied else None,
        f"{name}_why": (answer.why or None) if answer else "not asked",
        f"{name}_raw": answer.raw if answer and replied else None,
    }
