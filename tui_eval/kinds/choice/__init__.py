"""Multiple choice: each model picks a letter for each question; what it meant is read from its text, then compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from tui_eval.core.calls import Call, Json, Message, Reply
from tui_eval.core.kinds import Flow, RunDefaults, Stage
from tui_eval.core.record_class import changed
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.datasets.lettered.right_first import letters_of
from tui_eval.datasets.selected import Selected
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.kind import RESULTS_JSON, Kind, SampleFiles, SampleForm, Starts, TaskForm
from tui_eval.evaluation.sample_queues import Queue, Samples, sample_id
from tui_eval.evaluation.sample_results import reply_json
from tui_eval.evaluation.targets import TargetedAnswer, Targets
from tui_eval.kinds.choice.choice_table import PROMPTS, ChoiceConfig
from tui_eval.kinds.choice.marking import RULES, score_of
from tui_eval.kinds.choice.merged_runs import MergedRuns
from tui_eval.kinds.choice.option_orders import key_place, order
from tui_eval.kinds.choice.report import ChoiceReport
from tui_eval.kinds.choice.selection import ChoiceTask, resolve
from tui_eval.kinds.choice.sheet_report import CORRECT, STAGE
from tui_eval.kinds.choice.sheets import LETTERS
from tui_eval.reading.prompts import fill


def answer_call(task: ChoiceTask, sample: Sample, n: int, option_order: Sequence[int]) -> Call:
    """The n-th call about a sample, with the options in the order shown."""
    prompts = task.config.prompts
    messages = _messages(prompts["system"], prompts["user"], sample.question, sample.options, tuple(option_order))
    example = LETTERS[key_place(sample, option_order)]
    return task.models[sample.queue].call(sample, messages, n, example=example)


@lru_cache(maxsize=256)
def _messages(
    system: str, user: str, question: str, options: tuple[str, ...], option_order: tuple[int, ...]
) -> tuple[Message, ...]:
    """The prompt: the same for every model that is asked this question in this order."""
    slots = {
        "question": question,
        "options": "\n".join(lettered_options(options, option_order)),
        "letters": _enumerated(LETTERS[: len(option_order)]),
    }
    return Message("system", fill(system, slots)), Message("user", fill(user, slots))


def lettered_options(options: Sequence[str], option_order: Sequence[int]) -> list[str]:
    """The options in this order, each behind its letter."""
    return [f"{LETTERS[place]}) {options[i]}" for place, i in enumerate(option_order)]


def _enumerated(letters: Sequence[str]) -> str:
    """A, B, C or D."""
    return f"{', '.join(letters[:-1])} or {letters[-1]}"


def table_of(selected: Selected) -> dict[str, Json]:
    """The file, and the ids where not all of it is asked."""
    filtered = {} if selected.whole else {"filter": {"ids": [question.id for question in selected.questions]}}
    return {"dataset": selected.path, **filtered}


def table_of_answers(questions: str, answers: str, models: Sequence[str]) -> dict[str, Json]:
    """The two files, and who answered."""
    return {"dataset": questions, "answers": answers, "models": list(models)}


def samples(task: ChoiceTask) -> Samples:
    """Question x model; a model's samples are a queue of their own, so that no model waits for another."""
    return {model: _queue(task, model) for model in task.models}


def _queue(task: ChoiceTask, model: str) -> Queue:
    def make(n: int) -> Sample:
        question = task.questions[n]
        return changed(question, id=sample_id(model, question.id), queue=model, doc_id=question.id, q_index=n)

    return Queue(len(task.questions), make)


def flow(task: ChoiceTask, sample: Sample) -> Flow:
    """One question to one model, in as many orders of its options as are wanted; then each reply is read and compared."""
    orders = [order(task, sample, n) for n in range(task.config.permutations)]
    replies = yield [answer_call(task, sample, n, option_order) for n, option_order in enumerate(orders)]
    return [score_of(task, sample, reply, option_order) for reply, option_order in zip(replies, orders, strict=True)]


def scored_answers(task: ChoiceTask, sample: Sample, replies: Sequence[Reply]) -> Iterator[TargetedAnswer]:
    """Each reply beside the options as it was shown them, and the text of the right one: letters are for the scorer choice."""
    for reply in replies:
        option_order = order(task, sample, reply.call.call_index)
        options, place = tuple(sample.options[i] for i in option_order), key_place(sample, option_order)
        yield TargetedAnswer(reply, Expected((options[place],), options, place))


def labels(task: ChoiceTask) -> Mapping[str, Json]:
    """Return the parts that the number of calls is made of."""
    n, whole = len(task.questions), task.benchmark_size
    questions: Json = n if n == whole else f"{n} of {whole}"
    key = " ".join(f"{letter} {n}" for letter, n in sorted(letters_of(task.questions).items()))
    return {"questions": questions, "models": len(task.models), "permutations": task.config.permutations, "key": key}


def result(task: ChoiceTask, row: SampleResult) -> Json:
    """A sample of results.json: what one model answered to one question."""
    scores = {score.call_index: score for score in row.scores}
    answers = []
    for reply in row.replies:
        score, ended = scores.get(reply.call.call_index), reply_json(reply)
        letters = "".join(LETTERS[i] for i in order(task, row.sample, reply.call.call_index))
        read: dict[str, Json] = {"predicted": None, "pattern": "", "correct": None, "correct_why": ""}
        if score is not None:
            read = {"predicted": score.read, "pattern": score.pattern, "correct": score.value, "correct_why": score.why}
        answers.append({"call_index": ended.pop("call_index"), "order": letters, **ended, **read})
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
    options, place = lettered_options(sample.options, first), key_place(sample, first)
    original_letter = "" if place == sample.answer else f" ({sample.letter} in the benchmark's own order)"
    return "\n".join([sample.question, *options]), options[place] + original_letter


CHOICE = Kind(
    name="choice",
    about="a multiple-choice benchmark: which letter each model picks, how often it is right",
    Config=ChoiceConfig,
    defaults=RunDefaults(timeout_s=30.0, max_output_tokens=None, cache=True),
    stages=(Stage(STAGE),),
    metrics=(CORRECT,),
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=ChoiceReport,
    sample_form=SampleForm(result, as_asked),
    targets=Targets((STAGE,), scored_answers),
    task_form=TaskForm(labels),
    starts=Starts(table_of, frozenset({"options"}), table_of_answers, short_form="SET", set_keys=("dataset", "benchmark")),
    rules=RULES,
    leaderboard=MergedRuns,
    sample_files=SampleFiles(on_demand=frozenset({RESULTS_JSON, "questions_by_difficulty"})),
)
