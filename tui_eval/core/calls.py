"""The nouns of asking: a call of a model, and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

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

WITHOUT_TEXT: frozenset[str] = frozenset({"refused", "truncated", "empty"})
"""Replies that came, and brought no text: answers of their own kind, for the same call would bring the same again."""

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


@dataclass(frozen=True, slots=True)
class Price:
    """Price of tokens, in USD per million. None = not known."""

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None
    source: str = ""
    """Where the figures were read."""
    date: str = ""
    """When they were read: YYYY-MM-DD."""
    from_date: str = ""
    """The first day on which they hold, YYYY-MM-DD; empty where they hold already."""
    later: Price | None = None
    """What tokens cost from another day on."""


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
    display_name: str | None = None
    """What a summary calls it, beside its name; calls do not change."""
    target_mode: str | None = None
    """A word for how the model is meant to be used, by which reports group; calls do not change."""

    @property
    def endpoint(self) -> str:
        """Address and account of its calls: models that share this share limits and refusals."""
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
    most_tokens: int | None = None
    """The most that a PDF comes to, where somebody has told it; of an image it is known."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str
    attachments: tuple[Attachment, ...] = ()
    """Shown to the model before the text."""
    shared: int = 0
    """So many characters at its beginning, and all that stands before it, begin other calls of the run as well: a server may
    keep what it made of them. 0 = none. No part of a call's key."""


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
    example: str | Callable[[], str] = field(default="", compare=False, repr=False)
    """A reply such as a good model would give, or a function that makes one: only the plan needs it. No part of its key."""
    up_to: int = 0
    """How many more calls like this one may follow: when its reply cannot be read it is asked once more. No part of its key."""
    longest: int | None = None
    """The token limit with which it is asked once more where its reply was cut and cannot be read; None = it is not asked so.
    No part of its key."""
    cut_at: int | None = None
    """The token limit at which the reply was cut in whose place it asks; None = it follows none such. No part of its key."""
    beyond_plan: bool = False
    """Whether it is one of those that follow: it is asked only where every planned call finds its place in the budget. No
    part of its key."""
    holds_marks: tuple[tuple[str, str, str], ...] = field(default=(), compare=False, repr=False)
    """Of the texts that it has a model judge, those that hold marks of its prompt, not shown to it: (what each is, such
    as answer or document; whose; what tells it from others of that sample and model, or of the run). No part of its key."""
    reads: Callable[[str | None], object] | None = field(default=None, compare=False, repr=False)
    """What its kind makes of the reply's text, None = it cannot be read; only of a call behind which no other asks for the same
    once more. No part of its key."""

    @property
    def example_text(self) -> str:
        """The example reply; made at each look where a function makes it."""
        return self.example if isinstance(self.example, str) else self.example()


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


NO_USAGE = Usage()
"""Nothing is known of what was used."""


class Paid(NamedTuple):
    """Charges of attempts: the sum of what is known, of how many attempts, and of how many nobody knows."""

    usd: float = 0.0
    known: int = 0
    unknown: int = 0

    def plus(self, paid: Paid) -> Paid:
        """The sum of both."""
        return Paid(self.usd + paid.usd, self.known + paid.known, self.unknown + paid.unknown)


NOTHING_PAID = Paid()
"""Of no attempt."""


def paid_of(status: str, error_kind: str | None, cached: bool, usd: float | None) -> Paid:
    """Return the charge of one attempt; nothing for what was never sent, or was on file.

    One that failed counts, too: whoever was asked may bill it, and an error says nothing of that.
    """
    if cached or error_kind == "not_sent" or status == "skipped_budget":
        return NOTHING_PAID
    return Paid(unknown=1) if usd is None else Paid(usd, 1)


@dataclass(frozen=True, slots=True)
class Completion:
    """Content of a server's reply, once read: the visible text, and why it ended."""

    text: str | None
    finish_reason: str | None
    usage: Usage
    served_model: str | None
    refusal: str | None = None
    """Set when the model or a filter declined."""
    refusal_words: str | None = None
    """What the model itself said of that, where its server tells it."""
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
class ApiError:
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
    refusal_words: str | None = None
    """What the model said that declined."""


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
    """Outcome of a call: a text, or a reason and no text."""

    call: Call
    status: Status
    text: str | None = None
    error_kind: ErrorKind | None = None
    error_message: str | None = None
    refusal_words: str | None = None
    """What a model said that declined, where its server tells it; a text to build on it is not."""
    finish_reason: str | None = None
    usage: Usage = Usage()
    latency_ms: int | None = None
    ttft_ms: int | None = None
    """To the first token, where the reply was streamed."""
    attempts: int = 0
    final: bool = True
    """False when a resume would ask again."""
    ended_at: str = ""
    """When its last attempt ended, ISO 8601 in UTC; empty where none was made."""
    http_status: int | None = None
    """Of the last attempt's response; None where there was none."""
    cached: bool = False
    """Whether this run never asked for it: it came from the local cache, or from another run."""
    simulated: bool = False
    """Whether no real model said it, and nobody was paid: its wire or the reply itself says so."""
    retried: Paid = NOTHING_PAID
    """What the call's other attempts were charged, as a log tells: those that failed before it was tried again."""

    @property
    def paid(self) -> Paid:
        """Charges of this run for all attempts of the call."""
        return self.retried.plus(paid_of(self.status, self.error_kind, self.cached, self.usage.total_usd))

    @property
    def spent_usd(self) -> float | None:
        """Charge of this run for its last attempt: 0 for what was on file, whatever it cost then; None = not known."""
        return 0.0 if self.cached else self.usage.total_usd

    @property
    def waited_ms(self) -> int | None:
        """Time that this run waited for it; None where nobody knows, and where it was on file."""
        return None if self.cached else self.latency_ms

    @property
    def ok(self) -> bool:
        """Return whether there is a text to build on."""
        return self.status == "ok"

    @property
    def unsent(self) -> bool:
        """Return whether the call was not sent, or broken off: nobody has failed."""
        return self.status == "skipped_budget" or self.error_kind in ("not_sent", "cancelled")

    @property
    def unread(self) -> bool:
        """Return whether there is a text that its kind cannot read, and did not ask for once more."""
        return self.ok and self.call.reads is not None and self.call.reads(self.text) is None

    @property
    def can_end_otherwise(self) -> bool:
        """Return whether asking failed calls again includes this one: what failed, brought no text, or cannot be read.

        Not a call that was cut and has a repeat with more tokens: the repeat stands for it.
        """
        if self.error_kind == "truncated" and self.call.up_to and self.call.longest is not None:
            return False
        return self.status in ("error", "timeout") or self.unread

    @property
    def why(self) -> str:
        """The reason for having no text, in a word; empty when there is one."""
        return "" if self.ok else (self.error_kind or self.status)


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
