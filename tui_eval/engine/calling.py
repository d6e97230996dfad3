"""The state that calls share while a run goes on, and that which the attempts of one call have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from tui_eval.core.calls import NOTHING_PAID, ApiError, Call, Completion, ModelSpec, Paid, Repair
from tui_eval.core.money import Budget
from tui_eval.core.samples import Sample
from tui_eval.engine.circuit_breaker import CircuitBreaker
from tui_eval.engine.first_calls import FirstAttempts, FirstCalls
from tui_eval.engine.growing import GrowingFiles
from tui_eval.engine.http.send import HttpReply, Sender
from tui_eval.engine.limiter import Limiter
from tui_eval.engine.progress import Progress
from tui_eval.engine.totals import LiveTotals
from tui_eval.evaluation.kind import Kind
from tui_eval.reporting.row_feed import RowFeed
from tui_eval.runs.cache import ReplyCache
from tui_eval.runs.folder import RunFolder
from tui_eval.runs.ledger import attempt_id
from tui_eval.runs.reader import Recorded, RunReader
from tui_eval.workspace.run_settings import RunSettings

PREFLIGHT = "preflight"
"""The stage of the tiny questions before a run: they are on file like any call, and say nothing of the run itself."""


@dataclass(slots=True)
class RunContext:
    """Everything that calls share while a run goes on."""

    kind: Kind
    run: RunSettings
    run_id: str
    life: str
    """Names this process's attempts, apart from those of earlier lives of the run."""
    folder: RunFolder
    budget: Budget
    limiter: Limiter
    sender: Sender
    breaker: CircuitBreaker
    progress: Progress
    recorded: Recorded | None = None
    reopen_failed: bool = False
    taken: frozenset[str] = frozenset()
    """Stages whose replies are those of an earlier run: what the log does not have of them is missing, and never asked."""
    offline: bool = False
    """Send nothing: a call that the log does not hold is an error."""
    copies: bool = False
    """The log that is answered from is another folder's: what is used of it is copied."""
    repairs: dict[str, dict[str, Repair]] = field(default_factory=dict)
    """What was learnt per model about parameters its server refuses, in this run and before it."""
    on_learned: Callable[[ModelSpec, Repair], None] = lambda model, repair: None
    """Told what was learnt, to keep it for later runs."""
    on_words: Callable[[str, str], None] | None = None
    """Told the words of a streamed reply as they come, with the id of the attempt: what is no key yet may become one."""
    first_attempts: FirstAttempts = field(default_factory=FirstAttempts)
    """Whether a model's first call is through; until then its other calls wait."""
    fetch: Callable[[str, ModelSpec, Sample], Awaitable[None]] | None = None
    """Has what is known of a call brought here, by its key, where log and cache lie elsewhere."""
    prefixes: FirstCalls = field(default_factory=FirstCalls)
    """Which long texts each model was sent."""
    cache: ReplyCache | None = None
    """Good replies of this and earlier runs."""
    settled: asyncio.Condition = field(default_factory=asyncio.Condition)
    """Told whenever an attempt's money is settled, where there is a USD cap."""
    totals: LiveTotals | None = None
    """Files that add up while the run goes on, where its kind has some."""
    growing: GrowingFiles | None = None
    """Files of samples that have not ended, where its kind makes some."""
    feed: RowFeed | None = None
    """Rows for the reports; None where these drive all from the log."""
    keeps: bool = True
    """Whether the cache can be written."""
    warned: set[str] = field(default_factory=set)
    """What was said once of a model: that its server seems to cut prompts, that it waits for its rate."""
    planned: dict[tuple[str, Hashable], int] = field(default_factory=dict)
    """How many calls are planned for a sample, by queue and shape."""
    numbers: int = 0
    unsent_life: str = ""
    """Names what was not sent, where attempts that are sent have numbers that were granted; empty = they are numbered alike."""
    unsent: int = 0

    def batches_on_file(self) -> dict[str, dict[str, Any]]:
        """By our own name: what is written down of each batch of the run."""
        return RunReader(self.folder.path).batches()

    def next_id(self, is_sent: bool = True) -> str:
        """A fresh attempt id."""
        if not is_sent and self.unsent_life:
            self.unsent += 1
            return attempt_id(self.unsent_life, self.unsent)
        self.numbers += 1
        return attempt_id(self.life, self.numbers)


@dataclass(slots=True)
class Pending:
    """A call on its way, with what all its attempts have in common."""

    call: Call
    sample: Sample
    model: ModelSpec
    key: str
    attempt: int = 0
    """Number of the next attempt, over all lives of the run."""
    retried: Paid = NOTHING_PAID
    """What its attempts cost that failed, over all lives."""
    tries: int = 0
    """Retries used in this life."""
    was_empty: bool = False
    """Whether it was answered with nothing in this life: nothing twice is an answer."""
    refusals: int = 0
    """How often it was refused with 429, in this life, by an endpoint that accepted others."""
    repaired: set[str] = field(default_factory=set)
    """Parameters that were left out or changed for this call: each at most once."""
    begun: bool = False
    """Whether an attempt of it was made, in this life or an earlier one."""
    extra: bool = False
    """Whether asking it now needs a call that the plan leaves over: it is beyond the plan, or an earlier life asked it."""
    lost: bool = False
    """Whether it was sent in this life, and no disk took the record of how that ended."""
    promised: bool = False
    """Whether it holds a call of the budget for its next retry."""

    def begin(self, budget: Budget) -> None:
        """An attempt has taken its call of the budget."""
        self._settle(budget)
        self.extra = False

    def promise_retry(self, budget: Budget) -> None:
        """Hold a call of the budget until the retry is made."""
        budget.promised += 1
        self.promised = True

    def end(self, budget: Budget) -> None:
        """The call is over; nothing is kept or held for it any more."""
        self._settle(budget)

    def _settle(self, budget: Budget) -> None:
        if not self.begun:
            budget.keep_less(0 if self.call.beyond_plan else 1)
            self.begun = True
        if self.promised:
            budget.promised -= 1
            self.promised = False


@dataclass(slots=True)
class AttemptEnd:
    """One attempt that has ended: what the server said or why it did not, and how long it took."""

    said: Completion | ApiError | None
    began: float
    """Monotonic clock of the event loop, seconds."""
    answered: HttpReply | None = None
    timed_out: bool = False
    cancelled: bool = False
    sent: bool = True
    latency_ms: int = 0
    ended_at: str = ""
