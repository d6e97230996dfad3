"""The nouns everything else is written in: what is asked, what came back, what it was worth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

Json = Any
"""A value that JSON can hold."""

Status = Literal["ok", "timeout", "error", "skipped_budget"]

ErrorKind = Literal[
    "rate_limit",  # the server asked us to slow down
    "transient",  # can pass by itself: 5xx, a lost connection
    "permanent",  # cannot pass by itself: a wrong key, an unknown model, a bad request
    "refused",  # the model or its filter declined to answer
    "truncated",  # the token limit was reached before any visible text
    "empty",  # an answer without text
    "protocol",  # a reply that is not what the protocol says
    "cancelled",  # we broke the call off
    "not_sent",  # never sent: stopped, or nothing to build on
    "internal",  # a bug of ours
]

Backoff = Literal["linear", "exponential"]
"""How the pause before a retry grows."""

Cause = Literal[
    "unreachable",  # no connection: name not found, refused, lost
    "tls",  # the connection cannot be trusted
    "address",  # what is configured is no address
    "path",  # something else than the API answers there
    "key",  # the key is not accepted
    "permission",  # the key is accepted, and may not do this
    "model",  # no such model
    "deployment",  # no such deployment
    "quota",  # the account is empty or its limit is reached
    "filter",  # a content filter stepped in
    "length",  # the prompt does not fit
    "rate",  # too many requests
    "attachment",  # an image or document that is not taken
]
"""What a person would have to look at, where a fault has told it."""

Scope = Literal["call", "model", "endpoint"]
"""How far a fault reaches: this call alone, all calls of the model, all calls with this endpoint and key."""

NO_DOCUMENT = "__no_doc__"


@dataclass(frozen=True, slots=True)
class Price:
    """What tokens cost, in USD per million tokens. None = not known."""

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None
    source: str = ""
    """Where the figures were read."""
    date: str = ""
    """When they were read: YYYY-MM-DD."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model as configured: who, where, at what price and with which limits."""

    name: str
    """Our name for it; unique within a run."""
    wire: str
    model: str
    """The API's own id, unchanged."""
    base_url: str | None = None
    """As written in the config, `${VAR}` unexpanded: the logical endpoint. None = the wire's own."""
    api_key_env: str | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    max_output_tokens: int | None = None
    max_in_flight: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    """Prompt and completion together, counted at what a call may use."""
    timeout_s: float | None = None
    """The most an attempt may take, where the model has a time limit of its own; seconds."""
    stream: bool = False
    """Ask for replies as streams, which tell when the first token came."""
    api_version: str | None = None
    """The version of the API, where a setting names one."""
    organization_env: str | None = None
    """The variable that holds the organization to be billed."""
    seed: int | None = None
    """The run's seed where the model takes one; each call sends its own number, made from it."""
    price: Price | None = None
    routing: Mapping[str, Json] | None = None
    extra_body: Mapping[str, Json] | None = None

    @property
    def endpoint(self) -> str:
        """Where its calls go and on whose account: models that share this share limits and refusals."""
        return f"{self.wire} {self.base_url or ''} {self.api_key_env or ''}"


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image or a PDF that goes with a message. Its bytes lie in the run folder once; the log only names them."""

    path: str
    """Within the run folder, such as inputs/documents/chart.png."""
    mime: str
    sha256: str
    base64: str
    """The bytes in base64, without line ends."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str
    attachments: tuple[Attachment, ...] = ()
    """Shown to the model before the text."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to ask about. Items never depend on each other."""

    id: str
    repeat: int = 0
    lane: str = ""
    """Items of one lane share a window of active flows, so that one slow model never holds up another."""
    doc_id: str = NO_DOCUMENT
    q_index: int = 0
    payload: Any = None
    """What the kind needs to ask about it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question to one model: an intention, not yet a request."""

    stage: str
    item_id: str
    model: str
    messages: tuple[Message, ...]
    call_index: int = 0
    about: str = ""
    """What tells this call from another of the same stage, model and index: the answer a scorer grades."""
    temperature: float | None = None
    max_output_tokens: int | None = None
    timeout_s: float = 60.0
    follows: tuple[Reply, ...] = ()
    """Replies it builds on: at least one must have succeeded, else the call fails unasked and unpaid."""
    json_schema: Mapping[str, Json] | None = None
    """The JSON schema that the reply is to follow, for servers that can hold a model to one."""
    example: str = ""
    """A reply such as a good model would give; the plan is driven by it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and USD of one attempt. None = the server did not say; never zero for unknown."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    """As the server reports it, or from a price."""
    upstream_cost_usd: float | None = None
    """What a provider behind a router charges to the user's own account there, besides cost_usd."""

    @property
    def total_usd(self) -> float | None:
        """All that was charged; None when cost_usd is not known."""
        return None if self.cost_usd is None else self.cost_usd + (self.upstream_cost_usd or 0.0)


@dataclass(frozen=True, slots=True)
class Said:
    """What a server's reply says, once read: the visible text, and why it ended."""

    text: str | None
    finish_reason: str | None
    usage: Usage
    served_model: str | None
    refusal: str | None = None
    """Set when the model or a filter declined."""
    body: Json = None
    reasoning: str | None = None
    """What the model thought before it answered, where the server shows it; no part of the answer."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A request parameter that the server will not take as it is, and what to do instead: by default, leave it out."""

    parameter: str
    rename_to: str | None = None
    """Send the same value under this name."""
    lower_to: int | None = None
    """Send at most this."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an attempt brought no usable reply."""

    kind: ErrorKind
    message: str
    scope: Scope = "call"
    retry: bool = False
    """Whether the same request may succeed later by itself."""
    repair: Repair | None = None
    usage: Usage = Usage()
    served_model: str | None = None
    finish_reason: str | None = None
    body: Json = None
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request, complete but for the keys."""

    path: str
    """Appended to the base URL."""
    body: bytes
    headers: Mapping[str, str]
    key_header: str | None = None
    """Which header carries the key, as `key_prefix` followed by it; None = no key."""
    key_prefix: str = "Bearer "
    method: Literal["GET", "POST"] = "POST"
    organization_header: str | None = None
    """Which header carries the organization, where the model names one; None = none."""


@dataclass(frozen=True, slots=True)
class Reply:
    """How a call ended: a text, or a reason and no text."""

    call: Call
    status: Status
    text: str | None = None
    error_kind: ErrorKind | None = None
    error_message: str | None = None
    finish_reason: str | None = None
    usage: Usage = Usage()
    latency_ms: int | None = None
    attempts: int = 0
    final: bool = True
    """False when a resume would ask again."""

    @property
    def ok(self) -> bool:
        """Whether there is a text to build on."""
        return self.status == "ok"

    @property
    def why(self) -> str:
        """The reason for having no text, in a word; empty when there is one."""
        return "" if self.ok else (self.error_kind or self.status)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One HTTP attempt, or the record that a call was never sent: one line of call_logs.jsonl.

    Field order is the order in the file: small fields first, big ones last, so that the head of a line tells what it is.
    Times are ISO 8601 in UTC; durations are milliseconds.
    """

    attempt_id: str
    call_key: str
    status: Status
    error_kind: ErrorKind | None
    final: bool
    """Whether it settles its call: a resume asks only what is not settled."""
    attempt: int
    run_id: str
    stage: str
    item_id: str
    repeat: int
    doc_id: str
    q_index: int
    model: str
    model_id: str
    call_index: int
    about: str
    started_at: str | None
    ended_at: str
    latency_ms: int | None
    queue_ms: int | None
    ttft_ms: int | None
    """From sending to the first token, thinking included; None where the reply was no stream."""
    ttft_visible_ms: int | None
    """From sending to the first token of the answer itself."""
    http_status: int | None
    finish_reason: str | None
    served_model: str | None
    usage: Usage
    cost_source: Literal["reported", "priced", "unknown"] | None
    charged_usd: float | None
    """What the budget was charged: the cost, or the reserved worst case where the cost is not known."""
    cached: bool
    batch_id: str | None
    """The server's id of the batch it was asked in; None = it was asked by itself. Latencies are None in a batch."""
    simulated: bool
    error_message: str | None
    request: Json = None
    request_headers: Mapping[str, str] | None = None
    """As sent, with dots in place of the key and the organization; None where nothing was sent, and in a batch."""
    response_headers: Mapping[str, str] | None = None
    """As received, names in small letters, without cookies and what speaks of accounts; None where nothing came back."""
    response_text: str | None = None
    reasoning_text: str | None = None
    """What the model thought, where the server shows it: kept here, and out of the answer."""
    response_json: Json = None
    response_body_b64: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """What an answer was worth, or None and why there is no value; and what was read from it."""

    stage: str
    model: str
    call_index: int
    name: str
    value: float | None
    why: str = ""
    """Why there is no value, or why it is what it is without a comparison: a reply in which no letter was found is wrong."""
    version: str = ""
    """Which version of which rule made it; scores of two versions share no table."""
    read: str | None = None
    """What was read from the reply, such as a letter; None where nothing was, or nothing had to be."""
    pattern: str = ""
    """What it was read by."""


Flow = Generator[Sequence[Call], Sequence[Reply], list[Score]]
"""One item's evaluation: yields the calls it wants, is sent one reply for each, in order; returns scores."""


@dataclass(frozen=True, slots=True)
class Row:
    """One finished item: everything its flow was told, and what it made of it."""

    item: Item
    replies: tuple[Reply, ...]
    scores: tuple[Score, ...]
    error: str = ""
    """What the flow itself raised: a bug of ours, which costs this item and no other."""

    @property
    def finished(self) -> bool:
        """False while a call of it would be asked again by a resume."""
        return all(reply.final for reply in self.replies)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a person is shown of an item."""

    question: str
    """As it was asked."""
    truth: str | None
    """None where there is none."""
    primary: tuple[int, ...]
    """Which of the row's replies are its answers, counted from 0; the others led to them, or grade them."""
    groups: Mapping[str, tuple[str, ...]]
    """What the item belongs to, such as its difficulty: the names that its tables are broken down by, and its values."""


@dataclass(frozen=True, slots=True)
class StageCount:
    """Planned calls of one stage and model; `up_to` more may be needed (a re-ask of an unreadable reply)."""

    stage: str
    model: str
    calls: int
    up_to: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """A number that can be opened: what it is, what it rests on, and how sure it is."""

    value: float | int | str | None
    n: int | None = None
    low: float | None = None
    high: float | None = None
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under named columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    keys: tuple[str, ...] = ()
    """Columns that tell one row from another, the same in every repeat; without any, repeats are not aggregated."""
    rests_on: tuple[Mapping[str, Json] | None, ...] = ()
    """Of each row, or of none: which scores of results.jsonl its numbers rest on, as `store.report.counts` reads it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, a pattern of files or a folder that a config names, to be read before the run."""

    role: str
    pattern: str
    key: str
    """The config key that names it, for error messages."""
    max_bytes: int
    folder: bool = False


@dataclass(frozen=True, slots=True)
class InputFile:
    """An input as it was read: its bytes as text, or in base64 where they are not valid UTF-8."""

    role: str
    name: str
    """File name, without folders."""
    path: str
    """Relative to the config that names it."""
    sha256: str
    size: int
    mime: str
    encoding: Literal["utf-8", "base64"]
    content: str


@dataclass(frozen=True, slots=True)
class RunDefaults:
    """What `[run]` holds for a kind when the config is silent."""

    max_concurrency: int = 20
    retries: int = 3
    timeout_s: float = 60.0
    max_output_tokens: int | None = 2000
    max_calls: int | None = None
    """None = one and a half times the plan."""
    backoff: Backoff = "exponential"
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one model's replies came from, as the log has it."""

    name: str
    wire: str
    model: str
    """The API's own id, as asked."""
    base_url: str | None
    """As configured, variables unexpanded."""
    api_version: str | None
    """As the address names it; None where it names none."""
    served: Mapping[str, int]
    """How many replies each served model gave."""
    parameters: Mapping[str, Json]
    """What was sent besides model and messages, taken from the last request that was answered."""
    not_applicable: tuple[str, ...]
    """Parameters that were meant to be sent and that the server does not take."""
    cached: int
    """Replies that this run did not ask for: taken from the cache, from another run, or imported."""
    first_at: str | None
    """When the first attempt started and the last one ended; ISO 8601 in UTC. None where nothing was sent."""
    last_at: str | None


@dataclass(frozen=True, slots=True)
class About:
    """What a report says of the run besides its results."""

    run_id: str
    uid: str
    """Tells the run from every other, of the same name and second, too."""
    name: str
    started_at: str
    tool_version: str
    simulated: bool
    items: int
    unfinished: int
    """Items that still have something to ask: while there are any, every number is preliminary."""
    models: Mapping[str, Provenance]


class Reporter(Protocol):
    """Adds up rows one at a time, keeping what its reports need and never the rows."""

    def add(self, row: Row) -> None:
        """Take one item into account."""

    def tables(self) -> Mapping[str, Table]:
        """What it comes to, by file name."""

    def headline(self) -> Sequence[Table]:
        """What a person reads first; every cell is text, ready to print."""

    def files(self, about: About) -> Mapping[str, Json]:
        """The kind's own files by name: text of a .md, rows of a .csv, a value of a .json."""


class Items(Protocol):
    """How a kind makes its items, one at a time."""

    def __call__(self, config: Any, files: Sequence[InputFile], lane: str | None = None, step: int = 1) -> Iterator[Item]:
        """The items of one lane, None = of all; of each lane only the first, and every `step`-th after it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of evaluation: what it reads, what it asks, what it makes of the answers. All of it pure."""

    name: str
    Config: type[Any]
    defaults: RunDefaults
    stages: tuple[str, ...]
    """Names of its stages, in the order they are asked and reported."""
    prompts: Mapping[str, tuple[str, ...]]
    """The prompts it needs and the slots each must have; files of these names in prompts/<kind>/."""
    sources: Callable[[Any], list[Source]]
    settle: Callable[[Any, Sequence[InputFile], Mapping[str, ModelSpec], Any], Any]
    """(config, files, models, run settings) -> the config with every default filled in and every file read."""
    items: Items
    """What to ask about: everything, or what one lane asks, in the same order."""
    sizes: Callable[[Any, Sequence[InputFile]], Mapping[str, int]]
    """(config, files) -> how many items each lane has, counted without making them."""
    flow: Callable[[Any, Item], Flow]
    models: Callable[[Any], list[str]]
    """Names of the models it uses, each once."""
    only_models: Callable[[Any, Sequence[str]], Any]
    """(config, names) -> the config with these models only."""
    labels: Callable[[Any], Mapping[str, Json]]
    """What the plan shows beside its counts, such as the factors of the call formula."""
    count: Callable[[Any, Mapping[str, int]], list[StageCount]]
    """(config, number of items by lane) -> planned calls, by the kind's own arithmetic."""
    result: Callable[[Any, Row], Json]
    """A row as an item of results.json."""
    shown: Callable[[Any, Row], Shown]
    """What a person is shown of a row: part of its line in results.jsonl."""
    report: Callable[[Any], Reporter]
    """What adds up rows to the kind's own tables."""


def call_key(call: Call, spec: ModelSpec) -> str:
    """What a call is, in 32 hex digits: equal for equal intentions, different for different ones.

    It covers stage, item (with its repeat), model, endpoint, wire, messages and parameters; not the time limit, not a
    repaired body, not the port a local server happens to listen on.
    """
    intention = (
        call.stage,
        call.item_id,
        call.call_index,
        call.about,
        spec.name,
        spec.wire,
        spec.model,
        spec.base_url,
        spec.reasoning_effort,
        spec.routing,
        spec.extra_body,
        call.temperature,
        call.max_output_tokens,
        spec.seed,
        *_rarities(call, spec),
    )
    head = json.dumps(intention, sort_keys=True, separators=(",", ":"))
    text = f"{head[:-1]},{_messages_json(call.messages)}]"
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def _rarities(call: Call, spec: ModelSpec) -> list[Json]:
    """What few calls have; a call without them has the key it had before there were such things."""
    rare = {"api_version": spec.api_version, "json_schema": call.json_schema}
    found = {name: value for name, value in rare.items() if value is not None}
    return [found] if found else []


@lru_cache(maxsize=8)
def _messages_json(messages: tuple[Message, ...]) -> str:
    """A conversation as JSON; several models are often sent the same one."""
    turns = [(m.role, m.content, *(f"{a.mime} {a.sha256}" for a in m.attachments)) for m in messages]
    return json.dumps(turns, separators=(",", ":"))


def call_seed(call: Call, seed: int) -> int:
    """The seed a call sends, 31 bits: the same for the same call of the same run seed, another for every other."""
    words = f"{seed}\0{call.stage}\0{call.item_id}\0{call.model}\0{call.call_index}\0{call.about}"
    return int.from_bytes(hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big") >> 1


def unasked(call: Call) -> Reply | None:
    """The reply of a call that has nothing to build on, or None when it may be asked."""
    if not call.follows or any(reply.ok for reply in call.follows):
        return None
    reasons = ", ".join(sorted({reply.why for reply in call.follows}))
    return Reply(
        call,
        "error",
        error_kind="not_sent",
        error_message=f"not asked: none of the {len(call.follows)} replies it builds on succeeded ({reasons})",
        final=all(reply.final for reply in call.follows),
    )
