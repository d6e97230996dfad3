"""One list of messages to one model, asked once or a few times, and kept with its replies: a call tried in other words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from tui_eval.core.calls import Json, Message
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Flow, RunDefaults, Stage
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.core.units import Unit, Units, digest
from tui_eval.datasets.attachments import attachment_of
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.kind import Kind, SampleForm, TaskForm
from tui_eval.evaluation.sample_queues import Samples, listed
from tui_eval.evaluation.sample_results import reply_json
from tui_eval.evaluation.stage_models import numbered
from tui_eval.workspace.validation import Strict

STAGE = "call"
MAX_ATTACHMENT_BYTES = 64 * 1024 * 1024


class CallMessage(Strict):
    """One message of the conversation that is sent."""

    role: Annotated[Literal["system", "user", "assistant"], Field(examples=["user"])]
    """The author of the message: "system" for instructions, "user" for a request, "assistant" for an earlier reply of the
    model."""
    content: Annotated[str, Field(examples=["What does porosity measure?"])]
    """The text of the message, sent as it stands here: nothing in it is filled in."""
    attachments: Annotated[list[str], names("files", role="document", place="documents", most=MAX_ATTACHMENT_BYTES)] = []
    """Images (jpg, png, gif, webp) and PDFs shown before the text: paths relative to the config. Empty = none."""

    @field_validator("content")
    @classmethod
    def _can_be_written(cls, value: str) -> str:
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ValueError("holds half a character (a lone surrogate), which no file can hold; remove it")
        return value


class Origin(Strict):
    """The recorded call this one was made from, if there is one. It is kept to be read, and changes nothing."""

    run: str = ""
    """The id of the run whose call it was."""
    attempt_id: str = ""
    """The id of the attempt in that run's log."""
    call_key: str = ""
    """The key of the call in that run's log."""
    stage: str = ""
    """The stage of the call, such as doer."""
    item: str = ""
    """The id of the sample that the call was about."""


class CallConfig(Strict):
    """The `[call]` table."""

    model: Annotated[str, names("model", stage=STAGE)]
    """The model to ask, by the name it has in this config or on file."""
    messages: Annotated[list[CallMessage], Field(min_length=1)]
    """The messages to send, in this order; the model replies to the last one."""
    calls: Annotated[int, Field(ge=1, le=10_000)] = 1
    """The number of times the messages are sent, each time anew."""
    temperature: Annotated[float, Field(ge=0, le=2, examples=[0.0])] | None = None
    """How freely the model chooses its words: 0 is the steadiest. Empty = the model's own; without one, none is sent."""
    max_output_tokens: Annotated[int, Field(ge=0, examples=[1000])] | None = None
    """The most tokens of a reply, thinking included; 0 = no limit. Empty = the model's own limit, else that of the run."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400, examples=[60.0])] | None = None
    """The time limit of one attempt, seconds. Empty = the model's own limit, else that of the run."""
    source: Origin | None = None
    """The origin of the call. Empty = it was written by hand."""
    model_id: Annotated[str, Field(examples=["gpt-5-mini"])] | None = None
    """The provider's id of the model. Leave it empty: the run fills it in from [[models]]."""
    prompts: dict[str, str] = {}
    """Always empty: the messages are the prompt."""

    @model_validator(mode="after")
    def _asks_something(self) -> CallConfig:
        if not self.messages[-1].content.strip():
            raise ValueError("the last message is empty; write what the model is to reply to")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTask(Task):
    """The messages with what is attached to them."""

    messages: tuple[Message, ...]


def resolve(config: CallConfig, inputs: Inputs) -> CallTask:
    """Every attachment found. ConfigError for one that no model can be shown."""
    attachments = {file.path: attachment_of(file) for file in inputs.files}
    for n, turn in enumerate(config.messages):
        for path in turn.attachments:
            if attachments[path] is None:
                name = path.rpartition("/")[2]
                raise ConfigError(f"call.messages[{n}].attachments: {name!r} is not a jpg, png, gif, webp or PDF")
    messages = tuple(
        Message(turn.role, turn.content, tuple(attachment for path in turn.attachments if (attachment := attachments[path])))
        for turn in config.messages
    )
    return CallTask(config=config, asked=inputs.asked, messages=messages)


def samples(task: CallTask) -> Samples:
    """One sample: the conversation, whose last message is the question."""
    return listed([Sample("call", question=task.messages[-1].content.strip())])


def flow(task: CallTask, sample: Sample) -> Flow:
    """All calls at once; what came back is kept and not graded."""
    example = "A reply to what was asked, in one or two sentences."
    yield [model.call(sample, task.messages, n, example=example) for model, n in numbered(task.asked[STAGE])]
    return []


def unit_of(task: CallTask, sample: Sample) -> Unit:
    """The conversation, with what is attached to it."""
    conversation = [
        (message.role, message.content, *(attachment.sha256 for attachment in message.attachments)) for message in task.messages
    ]
    return Unit(digest(conversation), (sample.id,))


def result(task: CallTask, row: SampleResult) -> Json:
    """The item of results.json: the conversation and its replies. There are no scores: nothing says what would be right."""
    return {
        "item_id": row.sample.id,
        "repeat": row.sample.repeat,
        "finished": row.finished,
        "model": task.config.model,
        "messages": [{"role": message.role, "content": message.content} for message in task.messages],
        "replies": [reply_json(reply) for reply in row.replies],
    }


CALL = Kind(
    name="call",
    about="one list of messages to one model",
    Config=CallConfig,
    defaults=RunDefaults(max_concurrency=4, retries=0, timeout_s=60.0, max_output_tokens=2000),
    stages=(Stage(STAGE),),
    metrics=(),
    prompts={},
    resolve=resolve,
    samples=samples,
    flow=flow,
    sample_form=SampleForm(result),
    units=Units(levels=(), of=unit_of),
    task_form=TaskForm(lambda task: {"messages": len(task.messages), "calls": task.config.calls}),
    offered=False,
)
