"""The nouns of a kind of evaluation: its stages, what its scores measure, rules of reading, totals, defaults of a run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.former.old_paths import moved_name
from tui_eval.core.results import SampleResult, Score

Backoff = Literal["linear", "exponential"]
"""How the pause before a retry grows."""

Flow = Generator[Sequence[Call], Sequence[Reply], list[Score]]
"""One sample's evaluation: yields the calls it wants, is sent one reply for each, in order; returns scores."""

Role = Literal["answer", "judge", "work"]
"""What a stage's replies are: answers that are kept, the scoring of others' answers, or what later stages build on."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a kind's evaluation, and what its replies are for."""

    name: str
    role: Role = "answer"


@dataclass(frozen=True, slots=True)
class Metric:
    """Metric of the scores of one name, with its scale."""

    name: str
    """As it stands in every score: `Score.name`."""
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "lower"] = "higher"
    threshold: float | None = None
    """From which value on (or down to which, where lower is better) an answer passes; None = it has no such value."""

    def holds(self, value: float) -> bool:
        """Return whether a value lies on its scale."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class ReadingRules:
    """By which rules replies are read, where a kind has several: which there are, and the keys of its table that choose one."""

    key: str
    """The key that names the rule."""
    shipped: Mapping[str, str]
    """What each of the shipped rules does, by its name; the first is the usual one."""
    own: str
    """What the rule is called that a person makes of regular expressions."""
    patterns: str
    """The key with these expressions."""
    fallback: str
    """The key with the shipped rule for replies in which none of them finds anything; "none" = such replies stay unread."""
    place: Callable[[Any, SampleResult, Score], tuple[int, int] | None]
    """Of a task, one of its rows and a score: from where to where one of these expressions found what was read, in what is
    searched of the reply; None where none did."""


@dataclass(frozen=True, slots=True)
class RunStamp:
    """Facts about their run for files that are named after it."""

    name: str
    """The run's own name, as its config has it."""
    started_at: str
    """ISO 8601 in UTC; empty before there is a run."""
    simulated: bool = False
    """Whether any of its models is."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Files that add up over the items of a run, such as counts of tokens: written as items end, and again with the reports."""

    part: Callable[[Any, SampleResult], Any]
    """Of a task and a row that has ended: what it brings to them; None = nothing. It is kept as long as the run takes, so it
    is no more than what the files hold of it."""
    files: Callable[[Any, Sequence[Any], RunStamp], Mapping[str, Json] | Iterable[tuple[str, Json]]]
    """Of a task, what its rows brought, in the order of the samples, and the run: the files, named as an item's are; as pairs
    where each is long, so that one after the other is made and written."""
    apart: bool = False
    """Whether no item can have a file of the same path, whatever it is called; False = that is looked for."""


@dataclass(frozen=True, slots=True)
class RunDefaults:
    """Defaults of `[run]` for a kind when the config is silent."""

    max_concurrency: int = 20
    retries: int = 3
    timeout_s: float = 60.0
    max_output_tokens: int | None = 2000
    longer_when_cut: bool | None = None
    """Whether a reply that ends inside what is to be read is asked for again with more tokens; None = there is none."""
    reasoning_without_limit: bool | None = None
    """Whether models with a reasoning_effort are sent no token limit, where neither one nor a cap on cost is set."""
    max_calls: int | None = None
    """None = one and a half times the plan, with what it says may follow."""
    backoff: Backoff = "exponential"
    cache: bool = False

    @property
    def table(self) -> dict[str, Json]:
        """These defaults under the names that they have in `[run]`."""
        table: dict[str, Json] = {
            "max_concurrency": self.max_concurrency,
            "retries": self.retries,
            "timeout_s": self.timeout_s,
            "max_output_tokens": self.max_output_tokens or 0,
            "longer_when_cut": self.longer_when_cut,
            "reasoning_without_limit": self.reasoning_without_limit,
            "max_calls": self.max_calls,
            "cache": self.cache,
        }
        return {name: value for name, value in table.items() if value is not None or name == "max_calls"}


def __getattr__(name: str) -> object:
    """Find what was defined here in version 0.5.0, with a DeprecationWarning."""
    return moved_name(__name__, name)
