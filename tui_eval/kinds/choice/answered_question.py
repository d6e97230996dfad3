"""What one model answered to one question: as results.json keeps it, and as the app shows it."""

from __future__ import annotations

from tui_eval.core.calls import Json
from tui_eval.core.results import Row, Shown
from tui_eval.datasets.lettered.lettered_questions import ChoiceQuestion
from tui_eval.kinds.choice.choice_table import Config
from tui_eval.kinds.choice.lettered_prompt import lettered_options
from tui_eval.kinds.choice.option_orders import order
from tui_eval.kinds.choice.question_groups import groups_of
from tui_eval.kinds.choice.sheet import LETTERS


def result(config: Config, row: Row) -> Json:
    """An item of results.json: what one model answered to one question."""
    question: ChoiceQuestion = row.item.data
    scores = {score.call_index: score for score in row.scores}
    return {
        "item_id": row.item.id,
        "question_id": question.id,
        "model": row.item.lane,
        "repeat": row.item.repeat,
        "key": LETTERS[question.answer],
        "finished": row.finished,
        "answers": [
            {
                "call_index": reply.call.call_index,
                "order": "".join(LETTERS[i] for i in order(config, row.item, reply.call.call_index)),
                "text": reply.text,
                "status": reply.status,
                "why": reply.why,
                "finish_reason": reply.finish_reason,
                "predicted": score.read if score else None,
                "pattern": score.pattern if score else "",
                "correct": score.value if score else None,
                "correct_why": score.why if score else "",
            }
            for reply in row.replies
            for score in [scores.get(reply.call.call_index)]
        ],
    }


def shown(config: Config, row: Row) -> Shown:
    """The question with its options as the first prompt had them, and the right one of these; every reply is an answer."""
    question: ChoiceQuestion = row.item.data
    first = order(config, row.item, 0)
    options = lettered_options(question, first)
    place = first.index(question.answer)
    other = "" if place == question.answer else f" ({LETTERS[question.answer]} in the benchmark's own order)"
    return Shown(
        question="\n".join([question.question, *options]),
        truth=options[place] + other,
        primary=tuple(range(len(row.replies))),
        groups=groups_of(question),
    )
