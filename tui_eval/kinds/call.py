"""One list of messages to one model, asked once or a few times, and kept with its replies: a call tried in other words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from tui_eval.core.calls import Attachment, Call, Json, Message, ModelSpec
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Flow, InputFile, Kind, RunDefaults, Shape, Shapes, Source, Stage
from tui_eval.core.results import About, Cell, Row, Shown, Table
from tui_eval.core.samples import Sample
from tui_eval.datasets.attachments import attachment_of
from tui_eval.kinds.shared.limits import filled_in, of_call
from tui_eval.statistics.estimates import mean
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.validation import Strict

# ---------------------------------------------------------------------------------------------------- config


class Turn(Strict):
    """One message of the conversation that is sent."""

    role: Literal["system", "user", "assistant"]
    """Who says it: "system" for instructions, "user" for what is asked, "assistant" for an earlier reply of the model."""
    content: str
    """The text, sent as it stands here: nothing in it is filled in."""
    attachments: Annotated[list[str], Field(json_schema_extra={"names": "files"})] = []
    """Images (jpg, png, gif, webp) and PDFs shown before the text: paths relative to the config. Empty = none."""

    @field_validator("content")
    @classmethod
    def _can_be_written(cls, value: str) -> str:
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ValueError("holds half a character (a lone surrogate), which no file can hold; take it out")
        return value


class Origin(Strict):
    """Which recorded call this one was made from, where it was made from one. It is kept to be read, and changes nothing."""

    run: str = ""
    """The id of the run whose call it was."""
    attempt_id: str = ""
    """The id of the attempt in that run's log."""
    call_key: str = ""
    """The key of the call in that run's log."""
    stage: str = ""
    """The stage it was asked in, such as doer."""
    item: str = ""
    """The id of the item it was asked about."""


class Config(Strict):
    """The `[call]` table."""

    model: Annotated[str, Field(json_schema_extra={"names": "model"})]
    """The model that is asked: the name of a model of this config, or of one on file."""
    messages: Annotated[list[Turn], Field(min_length=1)]
    """What is sent, in this order; the last message is what the model replies to."""
    calls: Annotated[int, Field(ge=1, le=10_000)] = 1
    """How many times the same is asked, each time anew."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """How freely the model chooses its words, 0 to 2. Empty = the model's own setting; without one, none is sent."""
    max_output_tokens: Annotated[int, Field(ge=0)] | None = None
    """The longest reply, in tokens; 0 = no limit. Empty = the model's own limit, else that of the run."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] | None = None
    """How long an attempt may take, in seconds. Empty = the model's own time limit, else that of the run."""
    source: Origin | None = None
    """Where the call comes from. Empty = it was written by hand."""
    model_id: str | None = None
    """The API's id of the model; filled in from [[models]]."""
    prompts: dict[str, str] = {}
    """Always empty: the messages are the prompt."""

    @model_validator(mode="after")
    def _asks_something(self) -> Config:
        if not self.messages[-1].content.strip():
            raise ValueError("the last message is empty; write what the model is to reply to")
        return self


MAX_ATTACHMENT_BYTES = 64 * 1024 * 1024


def sources(config: Config) -> list[Source]:
    """The files that are shown with the messages."""
    return [
        Source("document", path, f"call.messages[{i}].attachments[{n}]", MAX_ATTACHMENT_BYTES)
        for i, turn in enumerate(config.messages)
        for n, path in enumerate(turn.attachments)
    ]


def settle(config: Config, files: Sequence[InputFile], models: Mapping[str, ModelSpec], run: RunSettings) -> Config:
    """Every attachment found, every default filled in."""
    by_name = {file.name: file for file in files}
    turns = [_settled(turn, i, by_name) for i, turn in enumerate(config.messages)]
    return config.model_copy(update={"messages": turns, **filled_in(config, models[config.model], run)})


def _settled(turn: Turn, index: int, files: Mapping[str, InputFile]) -> Turn:
    """The message with its files named as they lie in the run folder."""
    found = []
    for n, path in enumerate(turn.attachments):
        file = files.get(path.rpartition("/")[2])
        if file is None:
            raise ConfigError(f"call.messages[{index}].attachments[{n}]: {path!r} must be the path of one file, not a pattern")
        if attachment_of(file) is None:
            raise ConfigError(f"call.messages[{index}].attachments[{n}]: {path!r} is no jpg, png, gif, webp or PDF")
        found.append(file.path)
    return turn.model_copy(update={"attachments": found})


def models(config: Config) -> list[str]:
    """The one model it asks."""
    return [config.model]


def only_models(config: Config, names: Sequence[str]) -> Config:
    """The config as it is: it has one model, which must be among the names."""
    if config.model not in names:
        raise ConfigError(f"--models {','.join(names)}: this run asks {config.model!r} only")
    return config


# ---------------------------------------------------------------------------------------------------- items

ITEM = "call"


def items(config: Config, files: Sequence[InputFile], lane: str | None = None, step: int = 1) -> Iterator[Sample]:
    """One item: the conversation."""
    by_path = {file.path: file for file in files}
    messages = tuple(Message(turn.role, turn.content, _attached(turn, by_path)) for turn in config.messages)
    yield from islice([Sample(ITEM, data=messages)], None, None, step)


def _attached(turn: Turn, files: Mapping[str, InputFile]) -> tuple[Attachment, ...]:
    found = [attachment_of(files[path]) for path in turn.attachments]
    return tuple(attachment for attachment in found if attachment is not None)


def shapes(config: Config, files: Sequence[InputFile]) -> Shapes:
    """One item, in the only lane."""
    return {"": {"": Shape(1, next(items(config, files)))}}


def labels(config: Config) -> Mapping[str, Json]:
    """What the number of calls is made of."""
    return {"messages": len(config.messages), "calls": config.calls}


# ---------------------------------------------------------------------------------------------------- flow


def flow(config: Config, item: Sample) -> Flow:
    """All calls at once; what came back is kept and not graded."""
    yield [_call(config, item, index) for index in range(config.calls)]
    return []


# ---------------------------------------------------------------------------------------------------- calls

STAGE = "call"


def _call(config: Config, item: Sample, index: int) -> Call:
    return Call(
        STAGE,
        item.id,
        config.model,
        item.data,
        call_index=index,
        **of_call(config),
        example="A reply to what was asked, in one or two sentences.",
    )


# ---------------------------------------------------------------------------------------------------- scores


def result(config: Config, row: Row) -> Json:
    """The item of results.json: the conversation and its replies. There are no scores: nothing says what would be right."""
    return {
        "item_id": row.item.id,
        "repeat": row.item.repeat,
        "finished": row.finished,
        "model": config.model,
        "messages": [{"role": message.role, "content": message.content} for message in row.item.data],
        "replies": [
            {
                "call_index": reply.call.call_index,
                "text": reply.text,
                "status": reply.status,
                "why": reply.why,
                "finish_reason": reply.finish_reason,
            }
            for reply in row.replies
        ],
    }


def shown(config: Config, row: Row) -> Shown:
    """The last message is the question; every reply is an answer to it."""
    return Shown(config.messages[-1].content.strip(), None, tuple(range(len(row.replies))), {})


# ---------------------------------------------------------------------------------------------------- report

COLUMNS = (
    "model", "model_id", "n_calls", "n_ok", "latency_ms_mean", "n_latency", "completion_tokens_mean", "n_completion_tokens",
    "cost_usd_sum", "n_cost",
)  # fmt: skip


class CallReport:
    """How many replies came, how long they took and what they cost, each figure with its n."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._calls = 0
        self._ok = 0
        self._latencies: list[float] = []
        self._tokens: list[float] = []
        self._costs: list[float] = []

    def add(self, row: Row) -> None:
        """Take the item's replies into account; times and tokens of those that are a text, costs of all."""
        for reply in row.replies:
            self._calls += 1
            self._ok += reply.ok
            if reply.ok and reply.latency_ms is not None:
                self._latencies.append(reply.latency_ms)
            if reply.ok and reply.usage.completion_tokens is not None:
                self._tokens.append(reply.usage.completion_tokens)
            if reply.usage.total_usd is not None:
                self._costs.append(reply.usage.total_usd)

    def tables(self) -> Mapping[str, Table]:
        """replies: one row."""
        row = (
            Cell(self.config.model),
            Cell(self.config.model_id),
            Cell(self._calls),
            Cell(self._ok),
            Cell(mean(self._latencies), len(self._latencies), formula="mean over the good replies whose time is known"),
            Cell(len(self._latencies)),
            Cell(mean(self._tokens), len(self._tokens), formula="mean over the good replies whose tokens are known"),
            Cell(len(self._tokens)),
            Cell(sum(self._costs) if self._costs else None, len(self._costs), formula="sum over the calls whose cost is known"),
            Cell(len(self._costs)),
        )
        return {"replies": Table("Replies", COLUMNS, (row,), NOTE, keys=("model", "model_id"), rests_on=(None,))}

    def headline(self) -> Sequence[Table]:
        """The same as text."""
        found = (
            Cell(self.config.model),
            Cell(f"{self._ok} of {self._calls}"),
            Cell(_text(mean(self._latencies), lambda ms: f"{ms / 1000:.2f} s"), len(self._latencies)),
            Cell(_text(mean(self._tokens), lambda tokens: f"{tokens:.0f}"), len(self._tokens)),
            Cell(_text(sum(self._costs) if self._costs else None, lambda usd: f"${usd:.6f}"), len(self._costs)),
            Cell(f"{len(self._latencies)}, {len(self._tokens)}, {len(self._costs)}"),
        )
        columns = ("model", "replies", "mean time", "mean tokens", "cost", "n of each")
        return [Table("Replies", columns, (found,), NOTE, rests_on=(None,))]

    def files(self, about: About) -> Mapping[str, Json]:
        """None but the table's."""
        return {}


NOTE = "Nothing is graded. n of each: replies whose time, whose tokens, and calls whose cost is known."


def _text(value: float | None, words: Callable[[float], str]) -> str:
    return "-" if value is None else words(value)


CALL = Kind(
    name="call",
    about="one list of messages to one model",
    offered=False,
    Config=Config,
    defaults=RunDefaults(max_concurrency=4, retries=0, timeout_s=60.0, max_output_tokens=2000),
    stages=(Stage(STAGE),),
    metrics=(),
    prompts={},
    sources=sources,
    settle=settle,
    items=items,
    shapes=shapes,
    flow=flow,
    models=models,
    only_models=only_models,
    labels=labels,
    result=result,
    shown=shown,
    report=CallReport,
)
