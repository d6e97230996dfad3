"""Every question goes to every model: the samples, and the calls that each takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.evaluation.sample_queues import Queue, Samples, sample_id
from tui_eval.kinds.choice.lettered_prompt import answer_call
from tui_eval.kinds.choice.marking import score_of
from tui_eval.kinds.choice.option_orders import order
from tui_eval.kinds.choice.selection import ChoiceTask


def samples(task: ChoiceTask) -> Samples:
    """Question x model; a model's samples are a queue of their own, so that no model waits for another."""
    return {model: _queue(task, model) for model in task.models}


def _queue(task: ChoiceTask, model: str) -> Queue:
    def make(n: int) -> Sample:
        question = task.questions[n]
        return replace(question, id=sample_id(model, question.id), queue=model, doc_id=question.id, q_index=n)

    return Queue(len(task.questions), make)


def flow(task: ChoiceTask, sample: Sample) -> Flow:
    """One question to one model, in as many orders of its options as are wanted; then each reply is read and compared."""
    orders = [order(task, sample, n) for n in range(task.config.permutations)]
    replies = yield [answer_call(task, sample, n, shown) for n, shown in enumerate(orders)]
    return [score_of(task, sample, reply, shown) for reply, shown in zip(replies, orders, strict=True)]


def labels(task: ChoiceTask) -> Mapping[str, Json]:
    """What the number of calls is made of."""
    n, whole = len(task.questions), task.benchmark_size
    shown: Json = n if n == whole else f"{n} of {whole}"
    keys = Counter(question.letter for question in task.questions)
    key = " ".join(f"{letter} {n}" for letter, n in sorted(keys.items()))
    return {"questions": shown, "models": len(task.models), "permutations": task.config.permutations, "key": key}
