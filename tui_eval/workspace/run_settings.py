"""The settings of a run as a whole: its limits, retries, repeats and the like."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator

from tui_eval.workspace.validation import Strict


class RunSettings(Strict):
    """The `[run]` table, with the kind's defaults filled in."""

    max_calls: Annotated[int, Field(ge=1, examples=[500])] | None = None
    """The most requests the run may send, retries included; it never sends more. Empty = one and a half times the plan and
    what may follow, where the kind has no cap of its own."""
    max_cost_usd: Annotated[float, Field(gt=0, examples=[5.0])] | None = None
    """The most the run may cost, USD; it stops asking before it would cost more. Every model then needs a price and a token
    limit. Empty = no cap on cost."""
    pdf_tokens: Annotated[int, Field(ge=1, examples=[100_000])] | None = None
    """The most tokens that one PDF comes to, where PDFs are shown to models and there is a cap on cost: a page is counted as
    1,500 to 3,000 by most. Empty = not known, so that no cap on cost can be held."""
    max_concurrency: Annotated[int, Field(ge=1, le=10_000)]
    """How many calls may be under way at once, over all models."""
    retries: Annotated[int, Field(ge=0, le=20)]
    """How often a call is tried again after a fault that may pass, such as a busy server; 0 = never. Each try counts as a
    call. What is refused with HTTP 429 by a server that accepts other calls is tried again besides."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400)]
    """The most one attempt may take, seconds, from the look-up of the server's name to the last byte of its reply. A model's
    own limit wins."""
    max_output_tokens: Annotated[int, Field(ge=0)]
    """The most tokens a reply may have, thinking included; 0 = no limit. A model's own limit wins."""
    reasoning_without_limit: bool | None = None
    """Whether models with a reasoning_effort, whose thinking counts, are sent no token limit of the run. Empty = as the kind
    has it, where neither max_output_tokens nor max_cost_usd is set."""
    longer_when_cut: bool | None = None
    """Whether a reply that its token limit cut, and that cannot be read, is asked for once more with four times the tokens: a
    graph, questions, answers by id, a mark. Empty = as the kind has it; run folders of versions before this key remind."""
    max_output_tokens_again: Annotated[int, Field(ge=1, examples=[8000])] | None = None
    """The most tokens of a reply that is asked for again, where that is more. `resume --failed --set run.max_output_tokens=N`
    writes it: calls that were answered keep their limit and their reply."""
    on_failure: Literal["continue", "abort"] = "continue"
    """What to do when a call has failed for good: continue with the others, or abort the run."""
    stop_model_after: Annotated[int, Field(ge=0)] = 3
    """After how many calls in a row that failed for good a model is asked no more; 0 = it is always asked on."""
    cache: bool = False
    """Keep good replies in .cache/ of the workspace, and use them again in any run that makes the same call: they cost nothing
    then."""
    repeat: Annotated[int, Field(ge=1, le=10_000)] = 1
    """How often everything is asked anew, to see how much answers vary. It multiplies the calls."""
    seed: Annotated[int, Field(ge=0)] = 0
    """The number from which everything random is made: the same seed brings the same orders, and the same intervals."""
    only: list[str] = []
    """Ids of the items to ask about, or of documents or questions. Empty = all."""
    mode: Literal["live", "batch"] = "live"
    """live: ask call by call, and see replies at once. batch: hand the calls to the provider's batch interface, at half the
    price and within a day."""
    stream: bool = False
    """Ask for replies as streams: they tell when the first token came. A model's own setting wins."""
    proxy: Annotated[str, Field(examples=["http://proxy.example:3128"])] | None = None
    """The proxy through which models are reached, but for servers on this machine and what NO_PROXY names; "none" = no proxy.
    One with a name and a password stands in a variable: "${MY_PROXY}". Empty = as HTTPS_PROXY and HTTP_PROXY say."""
    hidden_text: Literal["leave_out", "keep"] | None = None
    """What becomes of text that a web page hides on the element itself (hidden, aria-hidden, display:none, visibility:hidden,
    opacity or sizes of 0). leave_out: no model is shown it, and the run folder lists it. keep: it is text like any other.
    Empty = leave_out."""
    poll_s: Annotated[float, Field(gt=0, le=3600)] = 30.0
    """In batch mode: seconds between two looks at how far a batch is."""

    @field_validator("proxy")
    @classmethod
    def _without_secrets(cls, value: str | None) -> str | None:
        if value and ("@" in value or "${" in value) and not re.fullmatch(r"\$\{[A-Z0-9_]*PROXY[A-Z0-9_]*\}", value):
            raise ValueError('must hold no name, password or part of a variable; a whole one such as "${MY_PROXY}" may')
        return value
