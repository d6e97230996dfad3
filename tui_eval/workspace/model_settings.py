"""Settings of one model in a config, or in the list of models on file: its address, prices, limits and parameters."""

from __future__ import annotations

import json
from datetime import date
from typing import Annotated, Literal

from pydantic import Field, field_validator

from tui_eval.core.calls import Json, ModelSpec, Price
from tui_eval.workspace.validation import Strict

OUR_FIELDS = frozenset(
    {
        "model",
        "messages",
        "stream",
        "stream_options",
        "n",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "seed",
        "reasoning_effort",
    }
)
"""Fields of a request that extra_body may not touch: budgets, keys of calls and the reading of replies rest on them."""

Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", json_schema_extra={"names": "key"})]
"""The name of a variable of the environment, or of a key file."""


class LaterPrice(Strict):
    """USD per million tokens from a day on."""

    from_date: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", examples=["2027-01-01"])]
    """The first day on which these prices hold, as YYYY-MM-DD, in UTC."""
    input: Annotated[float, Field(ge=0, examples=[0.5])]
    """The price of a million tokens of prompts from that day on, USD."""
    output: Annotated[float, Field(ge=0, examples=[4.0])]
    """The price of a million tokens of replies from that day on, USD."""
    cached_input: Annotated[float, Field(ge=0, examples=[0.05])] | None = None
    """The price of a million prompt tokens from the provider's cache from that day on, USD. Empty = the same as input."""
    cache_write: Annotated[float, Field(ge=0, examples=[0.6])] | None = None
    """The price of a million prompt tokens put into the provider's cache from that day on, USD. Empty = the same as input."""


class PriceTable(Strict):
    """USD per million tokens, and where and when that was read."""

    input: Annotated[float, Field(ge=0, examples=[0.25])]
    """The price of a million tokens of prompts, USD."""
    output: Annotated[float, Field(ge=0, examples=[2.0])]
    """The price of a million tokens of replies, USD; thinking counts as reply."""
    cached_input: Annotated[float, Field(ge=0, examples=[0.025])] | None = None
    """The price of a million prompt tokens that the provider had in its cache, USD. Empty = the same as input."""
    cache_write: Annotated[float, Field(ge=0, examples=[0.3])] | None = None
    """The price of a million prompt tokens that the provider puts into its cache, USD. Empty = the same as input."""
    source: Annotated[str, Field(examples=["the provider's price list"])] = ""
    """The source of the prices, such as the address of a price list. May stay empty."""
    date: Annotated[str, Field(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$", examples=["2026-01-31"])] = ""
    """The day on which the prices were read, as YYYY-MM-DD. May stay empty."""
    later: LaterPrice | None = None
    """The prices from a known later day on. Reports use the price of the day of a call. A cap on cost uses the higher price.
    Empty = none is known."""

    def on(self, day: str) -> PriceTable:
        """The prices of a day, YYYY-MM-DD: the later ones from their first day on."""
        if self.later is None or day < self.later.from_date:
            return self
        return self.model_copy(update={**self.later.model_dump(exclude={"from_date"}), "later": None})

    def price(self) -> Price:
        """The same as calls are priced by."""
        later = None if self.later is None else Price(**self.later.model_dump())
        return Price(**self.model_dump(exclude={"later"}), later=later)


class LimitsTable(Strict):
    """Limits on how much of one model's endpoint may be in use at once."""

    max_in_flight: Annotated[int, Field(ge=1, examples=[4])] | None = None
    """The most calls to the model under way at once. Empty = as many as the run's max_concurrency allows."""
    requests_per_minute: Annotated[int, Field(ge=1, examples=[60])] | None = None
    """The most requests to the model in a minute; they are spread evenly. Empty = no limit but the server's."""
    tokens_per_minute: Annotated[int, Field(ge=1, examples=[100_000])] | None = None
    """The most tokens in a minute, of prompts and replies together. A call under way counts with the most tokens that it may
    use, an ended call with those that it used. Empty = no limit but the server's."""


class ModelTable(Strict):
    """One `[[models]]` entry, in a config or in the catalogue."""

    name: Annotated[str, Field(min_length=1, max_length=200, examples=["mini"])]
    """Your own name for the model: configs name it by this, and reports show it."""
    wire: Annotated[str, Field(examples=["openai"])] = ""
    """The provider's interface, such as openai, anthropic, ollama or simulator. Empty = guessed from the model's id, else
    openai where it has a base_url."""
    model: Annotated[str, Field(min_length=1, max_length=300, examples=["gpt-5-mini"])]
    """The provider's own id of the model, sent unchanged, such as gpt-5-mini."""
    base_url: Annotated[str, Field(examples=["http://127.0.0.1:11434/v1"])] | None = None
    """The address of the server, such as http://127.0.0.1:11434/v1; ${NAME} stands for a variable's value. Empty = the
    provider's own address."""
    api_key_env: Annotated[Variable, Field(examples=["OPENAI_API_KEY"])] | None = None
    """The name of the variable that holds the key, such as OPENAI_API_KEY; never the key itself. Empty = the provider's usual
    variable."""
    organization_env: Annotated[Variable, Field(examples=["OPENAI_ORG_ID"])] | None = None
    """The name of the variable that holds the organization to be billed. Empty = the key's own."""
    api_version: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", examples=["2024-10-21"])] | None = None
    """The version of the API to ask for, where a provider (such as Azure) wants one. Empty = the usual one."""
    status: Literal["available", "unavailable", "deprecated", "retired"] = "available"
    """The model's status at the provider. Unavailable and retired models are not asked; a deprecated one is, with a
    warning."""
    enabled: bool = True
    """Allow runs to use the model."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400, examples=[60.0])] | None = None
    """The time limit of one attempt, seconds. Empty = as the run says."""
    stream: bool | None = None
    """Ask for replies as streams, which show when the first token came. Empty = as the run says."""
    display_name: Annotated[str, Field(examples=["GPT-5 mini"])] | None = None
    """The name of the model in a summary, beside its name here. May stay empty."""
    target_mode: Annotated[str, Field(examples=["normal"])] | None = None
    """A word for the model's intended use, such as "normal". Reports can group by it; calls do not change. May stay empty."""
    temperature: Annotated[float, Field(ge=0, le=2, examples=[0.0])] | None = None
    """How freely the model chooses its words: 0 is the steadiest. Empty = none is sent, unless the kind of run sends one."""
    reasoning_effort: Annotated[str, Field(examples=["low"])] | None = None
    """The length of the model's thinking, where it can be set, such as low, medium or high. Empty = none is sent."""
    max_output_tokens: Annotated[int, Field(ge=1, examples=[1000])] | None = None
    """The most tokens of a reply, thinking included. Empty = as the run says."""
    context_window: Annotated[int, Field(ge=100, examples=[128_000])] | None = None
    """The most tokens of prompt and reply together. The command models discover reads it from servers that report it. A call
    that does not fit is refused before anything is sent. Empty = not known."""
    send_seed: bool = False
    """Send a seed with every call, for servers that promise the same reply for the same seed."""
    price: PriceTable | None = None
    """The prices of its tokens. Empty = as the price lists say; a model they do not have costs an unknown amount."""
    limits: LimitsTable | None = None
    """The limits on its requests. Empty = as fast as the run allows, and more slowly when the server says so."""
    routing: Annotated[dict[str, Json], Field(examples=[{"order": ["azure"], "allow_fallbacks": False}])] | None = None
    """The providers behind OpenRouter that may answer, in the form that its API wants. Empty = OpenRouter decides."""
    extra_body: Annotated[dict[str, Json], Field(examples=[{"top_k": 40}])] | None = None
    """Fields that are added to every request as they are, for settings that have no key in tui-eval. Empty = none."""

    @field_validator("api_version", mode="before")
    @classmethod
    def _as_text(cls, value: Json) -> Json:
        """2024-10-21 without quotes is a date to TOML, and means the same."""
        return value.isoformat() if type(value) is date else value

    @field_validator("routing", "extra_body")
    @classmethod
    def _can_be_sent(cls, value: Json) -> Json:
        ours = sorted(set(value or ()) & OUR_FIELDS)
        if ours:
            raise ValueError(f"{ours[0]!r} is set by tui-eval itself; use the key for it (temperature, max_output_tokens, ...)")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"cannot be written as JSON: {error}") from None
        return value

    def spec(self, seed: int | None, stream: bool = False) -> ModelSpec:
        """The same as the frozen noun that the rest of the program uses.

        `seed` is sent with its calls unless None; `stream`: what [run] says about streams.
        """
        limits = self.limits or LimitsTable()
        return ModelSpec(
            name=self.name,
            wire=self.wire,
            model=self.model,
            base_url=self.base_url,
            api_key_env=self.api_key_env,
            temperature=self.temperature,
            reasoning_effort=self.reasoning_effort,
            max_output_tokens=self.max_output_tokens,
            max_in_flight=limits.max_in_flight,
            requests_per_minute=limits.requests_per_minute,
            tokens_per_minute=limits.tokens_per_minute,
            stream=stream if self.stream is None else self.stream,
            timeout_s=self.timeout_s,
            api_version=self.api_version,
            organization_env=self.organization_env,
            seed=seed,
            price=self.price.price() if self.price else None,
            routing=self.routing,
            extra_body=self.extra_body,
            display_name=self.display_name,
            target_mode=self.target_mode,
        )
