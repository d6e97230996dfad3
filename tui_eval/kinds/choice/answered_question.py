"""What one model answered to one question: as results.json keeps it, and as the app shows it."""

from __future__ import annotations

from tui_eval.core.calls import Json
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.evaluation.sample_results import reply_json
from tui_eval.kinds.choice.lettered_prompt import lettered_options
from tui_eval.kinds.choice.option_orders import key_place, order
from tui_eval.kinds.choice.selection import ChoiceTask
from tui_eval.kinds.choice.sheets import LETTERS


def result(task: ChoiceTask, row: SampleResult) -> Json:
    """A sample of results.json: what one model answered to one question."""
    scores = {score.call_index: score for score in row.scores}
    answers = []
    for reply in row.replies:
        score, ended = scores.get(reply.call.call_index), reply_json(reply)
        shown = "".join(LETTERS[i] for i in order(task, row.sample, reply.call.call_index))
        read: dict[str, Json] = {"predicted": None, "pattern": "", "correct": None, "correct_why": ""}
        if score is not None:
            read = {"predicted": score.read, "pattern": score.pattern, "correct": score.value, "correct_why": score.why}
        answers.append({"call_index": ended.pop("call_index"), "order": shown, **ended, **read})
    return {
        "item_id": row.sample.id,
        "question_id": row.sample.doc_id,
        "model": row.sample.queue,
        "repeat": row.sample.repeat,
        "key": row.sample.letter,
        "finished": row.finished,
        "answers": answers,
    }


def as_asked(task: ChoiceTask, sample: Sample) -> tuple[str, str]:
    """The question with its options as the first prompt has them, and the right one of these."""
    first = order(task, sample, 0)
    options = lettered_options(sample.options, first)
    place = key_place(sample, first)
    other = "" if place == sample.answer else f" ({sample.letter} in the benchmark's own order)"
    return "\n".join([sample.question, *options]), options[place] + other
