"""A toy kind, known to nothing but the registry: models answer the same question; the score is who agrees with the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from tui_eval.kinds.shared.inputs import Inputs, Task
from tui_eval.kinds.shared.judging import Rubric, marks
from tui_eval.kinds.shared.kind import Kind
from tui_eval.kinds.shared.naming import names
from tui_eval.kinds.shared.queues import Samples, listed

from tui_eval.core.calls import Call, Reply
from tui_eval.core.kinds import Flow, Metric, RunDefaults, Stage
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.reading.grades import lines_of, same_text, zero_or_one
from tui_eval.reading.prompts import fill
from tui_eval.workspace.validation import Strict

JUDGED = Rubric("agree", "judge/1", zero_or_one)


class Config(Strict):
    """The `[agree]` table."""

    questions: Annotated[str, names("file")]
    """A text file with one question a line."""
    models: Annotated[list[str], Field(min_length=1), names("model", stage="answer")]
    """The models that answer; the first is the one that others may agree with."""
    judge: Annotated[str | None, names("model", stage="judge")] = None
    """The model that says whether two answers agree. Empty = they agree where their texts are equal."""
    prompts: dict[str, str] = {}
    """Prompts of this run's own, by name. Those that are left out are the ones in prompts/, else the shipped ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeTask(Task):
    """The questions, read."""

    questions: Sequence[str]


def resolve(config: Config, inputs: Inputs) -> AgreeTask:
    """The questions of the file."""
    return AgreeTask(config=config, asked=inputs.asked, questions=lines_of(inputs.text("questions")))


def samples(task: AgreeTask) -> Samples:
    """Every question."""
    return listed(Sample(f"q{n}", question, q_index=n) for n, question in enumerate(task.questions))


def flow(task: AgreeTask, sample: Sample) -> Flow:
    """All answer; then each is compared with the first."""
    prompts, judges = task.config.prompts, task.asked.get("judge", ())
    replies = yield [model.ask(sample, prompts["system"], sample.question, example="Two.") for model in task.asked["answer"]]

    def compared(reply: Reply, n: int) -> Call:
        user = fill(prompts["judge"], {"question": sample.question, "first": replies[0].text or "", "answer": reply.text or ""})
        return judges[0].ask(sample, prompts["system"], user, n, follows=(reply,), about=reply.call.model, example="1")

    if judges:
        return (yield from marks(JUDGED, replies, compared, prompts["reminder"]))
    return [_by_text(replies[0], reply) for reply in replies]


def _by_text(first: Reply, reply: Reply) -> Score:
    value = int(same_text(first.text or "", reply.text or "")) if first.ok and reply.ok else None
    why = "" if value is not None else f"no reply: {reply.why or first.why}"
    return Score(reply.call.stage, reply.call.model, reply.call.call_index, "agree", value, why, "text/1")


PROMPTS = {"system": (), "judge": ("question", "first", "answer"), "reminder": ()}
STAGES = (Stage("answer"), Stage("judge", role="judge"))
METRICS = (Metric("agree", threshold=1.0),)
AGREE = Kind(
    "agree", "whether models agree", Config, RunDefaults(longer_when_cut=True), STAGES, METRICS, PROMPTS, resolve, samples, flow
)
