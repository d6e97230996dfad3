"""Every question goes to every model: the items, how many there are, and the calls each takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Flow, InputFile, Shape, Shapes
from tui_eval.core.samples import Sample
from tui_eval.datasets.lettered.lettered_questions import ChoiceQuestion
from tui_eval.kinds.choice.choice_table import Config
from tui_eval.kinds.choice.lettered_prompt import answer_call
from tui_eval.kinds.choice.marking import score_of
from tui_eval.kinds.choice.option_orders import order
from tui_eval.kinds.choice.sheet import LETTERS


def items(config: Config, files: Sequence[InputFile], lane: str | None = None, step: int = 1) -> Iterator[Sample]:
    """Question x model; a model's items are a lane of their own, so that no model waits for another."""
    wanted = config.models if lane is None else [model for model in config.models if model == lane]
    questions = config.read.questions
    for index in range(0, len(questions), step):
        question = questions[index]
        for model in wanted:
            yield Sample(_item_id(model, question), lane=model, doc_id=question.id, q_index=index, data=question)


def _item_id(model: str, question: ChoiceQuestion) -> str:
    """model/question; a slash in the model's name is encoded, so that no two pairs have one id."""
    return f"{model.replace('%', '%25').replace('/', '%2F')}/{question.id}"


def shapes(config: Config, files: Sequence[InputFile]) -> Shapes:
    """Every model is asked every question, each in as many orders as any other."""
    n = len(config.read.questions)
    return {model: {"": Shape(n, next(items(config, files, model)))} for model in config.models if n}


def flow(config: Config, item: Sample) -> Flow:
    """One question to one model, in as many orders of its options as are wanted; then each reply is read and compared."""
    orders = [order(config, item, n) for n in range(config.permutations)]
    replies = yield [answer_call(config, item, n, shown) for n, shown in enumerate(orders)]
    return [score_of(config, item, reply, shown) for reply, shown in zip(replies, orders, strict=True)]


def labels(config: Config) -> Mapping[str, Json]:
    """What the number of calls is made of."""
    n, whole = len(config.read.questions), len(config.read.benchmark.questions)
    shown: Json = n if n == whole else f"{n} of {whole}"
    keys = Counter(map(attrgetter("answer"), config.read.questions))
    key = " ".join(f"{LETTERS[answer]} {n}" for answer, n in sorted(keys.items()))
    return {"questions": shown, "models": len(config.models), "permutations": config.permutations, "key": key}
