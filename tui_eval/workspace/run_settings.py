"""The settings of a run as a whole: its limits, retries, repeats and the like."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator

from tui_eval.workspace.validation import Strict


class RunSettings(Strict):
    """The `[run]` table, with the kind's defaults filled in."""

    max_calls: Annotated[int, Field(ge=1, examples=[500])] | None = None
    """The most requests the run may send, retries included; it never sends more. Empty = the cap of the evaluation type.
    If it has none: one and a half times the plan, calls that may follow included, and two for each real model."""
    max_cost_usd: Annotated[float, Field(gt=0, examples=[5.0])] | None = None
    """The most the run may cost, USD. The run stops asking before it would cost more. Every model then needs a price and a
    token limit. Empty = no cap on cost."""
    pdf_tokens: Annotated[int, Field(ge=1, examples=[100_000])] | None = None
    """The most tokens that one PDF may count as. A cap on cost needs it if models are shown PDFs. Most providers count a page
    as 1,500 to 3,000 tokens. Empty = not known, and no cap on cost is possible."""
    max_concurrency: Annotated[int, Field(ge=1, le=10_000)]
    """The most calls under way at once, over all models."""
    retries: Annotated[int, Field(ge=0, le=20)]
    """The most retries of a call after a fault that may pass, such as a busy server; 0 = none. Each try counts as a call. A
    call refused with HTTP 429 gets extra tries while the server accepts other calls."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400)]
    """The time limit of one attempt, seconds, from the look-up of the server's name to the last byte of its reply. A model's
    own limit wins."""
    max_output_tokens: Annotated[int, Field(ge=0)]
    """The most tokens of a reply, thinking included; 0 = no limit. A model's own limit wins."""
    reasoning_without_limit: bool | None = None
    """If true, the run's token limit does not apply to models with a reasoning_effort, because it would count their thinking.
    Empty = as the evaluation type has it. If max_output_tokens or max_cost_usd is set, empty = false."""
    longer_when_cut: bool | None = None
    """Ask once more for a cut reply that cannot be parsed, with four times the tokens. This applies to graphs, questions,
    answers by id and marks. Empty = as the evaluation type has it. A run that began before this key existed sends a reminder
    instead."""
    max_output_tokens_again: Annotated[int, Field(ge=1, examples=[8000])] | None = None
    """The token limit for replies that are asked for again. It counts only where it is higher than their old limit. `resume
    --failed --set run.max_output_tokens=N` writes it. Calls that were answered keep their limit and their reply."""
    on_failure: Literal["continue", "abort"] = "continue"
    """The reaction to a call that has failed for good: continue with the others, or abort the run."""
    stop_model_after: Annotated[int, Field(ge=0)] = 3
    """The number of calls that must fail for good in a row before a model is asked no more; 0 = it is always asked."""
    cache: bool = False
    """Keep good replies in .cache/ of the workspace, and use them again in any run that makes the same call. Cached replies
    cost nothing."""
    repeat: Annotated[int, Field(ge=1, le=10_000)] = 1
    """The number of times everything is asked, each time anew, to see how much answers vary. It multiplies the calls."""
    seed: Annotated[int, Field(ge=0)] = 0
    """The number from which everything random is made. The same seed gives the same orders and the same intervals."""
    only: list[str] = []
    """Ids of the samples to ask about, or of documents or questions. Empty = all."""
    mode: Literal["live", "batch"] = "live"
    """live: ask call by call, and see replies at once. batch: hand the calls to the provider's batch interface, at half the
    price and within a day."""
    stream: bool = False
    """Ask for replies as streams, which show when the first token came. A model's own setting wins."""
    proxy: Annotated[str, Field(examples=["http://proxy.example:3128"])] | None = None
    """The proxy for requests to models; "none" = no proxy. Servers on this machine and those that NO_PROXY names are reached
    without it. Put a proxy with a name and a password into a variable: "${MY_PROXY}". Empty = as HTTPS_PROXY and HTTP_PROXY
    say."""
    hidden_text: Literal["leave_out", "keep"] | None = None
    """The use of text that a web page hides on the element itself (hidden, aria-hidden, display:none, visibility:hidden,
    opacity or sizes of 0). leave_out: no model is shown it, and the run folder lists it. keep: it is text like any other.
    Empty = leave_out."""
    poll_s: Annotated[float, Field(gt=0, le=3600)] = 30.0
    """In batch mode: seconds between two checks of a batch's progress."""

    @field_validator("proxy")
    @classmethod
    def _without_secrets(cls, value: str | None) -> str | None:
        if value and ("@" in value or "${" in value) and not re.fullmatch(r"\$\{[A-Z0-9_]*PROXY[A-Z0-9_]*\}", value):
            raise ValueError('must hold no name, password or part of a variable; a whole one such as "${MY_PROXY}" may')
        return value
