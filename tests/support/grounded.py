"""Chat's skeleton as a kind of the tests: conversations of unequal length, each answer marked 1 to 5 by several rubrics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from tui_eval.core.calls import Call, Json, Message, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Flow, Metric, RunDefaults, RunStamp, Stage, Totals
from tui_eval.core.results import SampleResult
from tui_eval.core.row_paths import path_of
from tui_eval.core.samples import Sample
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.judging.judge_panel import Rubric, marks_by, rubric_of
from tui_eval.evaluation.kind import Kind, SampleFiles
from tui_eval.evaluation.sample_queues import Samples, listed, sample_id
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.reading.prompts import fill
from tui_eval.workspace.validation import Strict

METRICS = tuple(Metric(name, 1, 5, threshold=3) for name in ("groundedness", "relevance", "coherence", "fluency"))


RUBRICS = tuple(rubric_of(metric, "judge/1") for metric in METRICS)
PROMPTS: Mapping[str, tuple[str, ...]] = {
    "system": ("context",),
    "judge_system": (),
    "judge_reminder": (),
    **{f"judge_{rubric.name}": ("context", "question", "answer") for rubric in RUBRICS},
}


class Judge(Strict):
    """Who marks the answers."""

    model: Annotated[str, names("model", stage="judge")]
    """The model that marks."""


class Config(Strict):
    """The `[grounded]` table."""

    dataset: Annotated[str, names("file")]
    """Conversations with the text they are about."""
    models: Annotated[list[str], Field(min_length=1, max_length=5), names("model", stage="answer")]
    """The models that answer, one a line."""
    judge: Judge
    """Who marks the answers."""
    history: Literal["own", "truth"] = "own"
    """Whether a later turn is shown the model's own earlier answers, or the right ones."""
    history_pairs: Annotated[int, Field(ge=0)] = 10
    """How many earlier turns it is shown at most."""
    prompts: dict[str, str] = {}
    """This run's own prompts, by name. Prompts that are left out are the ones in prompts/, else the shipped ones."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation."""

    question: str
    truth: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """Questions about one text, in order."""

    id: str
    context: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTask(Task):
    """The conversations, read."""

    conversations: Sequence[Conversation]


def resolve(config: Config, inputs: Inputs) -> ChatTask:
    """The dataset read. ConfigError for a conversation without turns."""
    found = [_conversation(entry) for entry in json.loads(inputs.text("dataset"))]
    return ChatTask(config=config, asked=inputs.asked, conversations=found)


def _conversation(entry: Mapping[str, Any]) -> Conversation:
    if not entry["turns"]:
        raise ConfigError(f"grounded.dataset: conversation {entry['id']!r} has no turns")
    turns = tuple(Turn(turn["question"], turn["truth"]) for turn in entry["turns"])
    return Conversation(entry["id"], entry["context"], turns)


def samples(task: ChatTask) -> Samples:
    """Model x conversation; each model has a queue of its own."""
    return listed(_sample(model, found, n) for model in task.asked["answer"] for n, found in enumerate(task.conversations))


def _sample(model: AskedModel, found: Conversation, n: int) -> Sample:
    return Sample(
        sample_id(model.name, found.id), found.turns[0].question, truth=found.turns[0].truth, queue=model.name, doc_id=found.id,
        q_index=n, shape=len(found.turns), data=(model, found),
    )  # fmt: skip


def flow(task: ChatTask, sample: Sample) -> Flow:
    """Turns in order (all at once with the right answers as history); then every answer is marked by every rubric."""
    _, found = sample.data
    answers: list[Reply] = []
    if task.config.history == "truth":
        said = [turn.truth for turn in found.turns]
        answers = list((yield [_answer(task, sample, n, said) for n in range(len(found.turns))]))
    else:
        for n in range(len(found.turns)):
            answers += yield [_answer(task, sample, n, [reply.text for reply in answers])]
    return (yield from marks_by(RUBRICS, answers, partial(_judged, task, sample), task.config.prompts["judge_reminder"]))


def _answer(task: ChatTask, sample: Sample, n: int, said: Sequence[str | None]) -> Call:
    """The n-th turn, after what was said before; a turn without an answer leaves the history as a pair."""
    model, found = sample.data
    system = Message("system", fill(task.config.prompts["system"], {"context": found.context}))
    history = [*_history(found.turns[:n], said[:n])][-2 * task.config.history_pairs or len(said) * 2 :]
    return model.call(sample, (system, *history, Message("user", found.turns[n].question)), n, example="A grounded answer.")


def _history(turns: Sequence[Turn], said: Sequence[str | None]) -> Iterator[Message]:
    for turn, text in zip(turns, said, strict=True):
        if text:
            yield Message("user", turn.question)
            yield Message("assistant", text)


def _judged(task: ChatTask, sample: Sample, rubric: Rubric, reply: Reply, n: int) -> Call:
    found, call = sample.data[1], reply.call
    question = found.turns[call.call_index].question
    slots = {"context": found.context, "question": question, "answer": reply.text or ""}
    user, about = fill(task.config.prompts[f"judge_{rubric.name}"], slots), f"{rubric.name} {call.model}#{call.call_index}"
    judge = task.asked["judge"][0]
    system, example = task.config.prompts["judge_system"], "It holds up. SCORE: 5"
    return judge.ask(sample, system, user, n, about=about, follows=(reply,), example=example)


def files(task: ChatTask, row: SampleResult) -> Mapping[str, str]:
    """The conversation as a text."""
    model, found = row.sample.data
    said = [reply.text or reply.why for reply in row.replies if reply.call.stage == model.stage]
    turns = [f"Q: {turn.question}\nA: {text}\n" for turn, text in zip(found.turns, said, strict=True)]
    return {path_of("chats", model.name, f"{found.id}.md"): "\n".join(turns)}


def part(task: ChatTask, row: SampleResult) -> dict[str, Json]:
    """What a conversation brings to the summary."""
    marks = [score.value for score in row.scores if score.value is not None]
    return {"id": row.sample.id, "replies": len(row.replies), "marks": sum(marks), "n": len(marks)}


def summary(task: ChatTask, parts: Sequence[dict[str, Json]], run: RunStamp) -> Mapping[str, Json]:
    """The conversations so far, and what they come to."""
    totals = {name: sum(part[name] for part in parts) for name in ("replies", "marks", "n")}
    return {"chats/_summary.json": {"processed": len(parts), **totals, "results": list(parts)}}


STAGES = (Stage("answer"), Stage("judge", role="judge"))
GROUNDED = Kind(
    "grounded", "conversations", Config, RunDefaults(longer_when_cut=True), STAGES, METRICS, PROMPTS, resolve, samples, flow,
    sample_files=SampleFiles(files, Totals(part, summary)),
)  # fmt: skip
