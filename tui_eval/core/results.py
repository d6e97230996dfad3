"""Scores of replies, rows of samples, and the tables that a report makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tui_eval.core.calls import Json, Reply
from tui_eval.core.record_class import record
from tui_eval.core.samples import Sample


@record
class Score:
    """Value of an answer, or None and why there is no value; and what was read from it."""

    stage: str
    model: str
    call_index: int
    name: str
    value: float | None
    why: str = ""
    """Why there is no value, or why it is what it is without a comparison: a reply in which no letter was found is wrong."""
    version: str = ""
    """Which version of which rule made it."""
    read: str | None = None
    """What was read from the reply, such as a letter; None where nothing was, or nothing had to be."""
    pattern: str = ""
    """What it was read by."""


class StoredScore(NamedTuple):
    """Score of a reply on file, as sums read it. Texts are foreign."""

    stage: str
    model: str
    name: str
    """The metric."""
    call_index: int
    value: float | None
    why: str
    version: str


@record
class SampleResult:
    """One finished sample: everything its flow was told, and what it made of it."""

    sample: Sample
    replies: tuple[Reply, ...]
    scores: tuple[Score, ...]
    error: str = ""
    """What the flow itself raised: a bug of ours, which costs this sample and no other."""

    @property
    def finished(self) -> bool:
        """False while a call of it would be asked again by a resume."""
        return all(reply.final for reply in self.replies)


@record
class SampleView:
    """Display of a sample for a person."""

    question: str
    """As it was asked."""
    truth: str | None
    """None where there is none."""
    primary: tuple[int, ...]
    """Which of the row's replies are its answers, counted from 0; the others led to them, or grade them."""
    groups: Mapping[str, tuple[str, ...]]
    """What the sample belongs to, such as its difficulty: the names that its tables are broken down by, and its values."""


class Cell(NamedTuple):
    """A number that can be opened: what it is, what it rests on, and how sure it is."""

    value: float | int | str | None
    n: int | None = None
    low: float | None = None
    high: float | None = None
    formula: str = ""


@record
class Table:
    """Rows of cells under named columns."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    note: str = ""
    keys: tuple[str, ...] = ()
    """Columns that tell one row from another, the same in every repeat; without any, repeats are not aggregated."""
    rests_on: Sequence[Mapping[str, Json] | None] = ()
    """Of each row, or of none: which scores of results.jsonl its numbers rest on, as `store.report.counts` reads it."""


@record
class Provenance:
    """Provenance of one model's replies, as the log has it."""

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


@record
class About:
    """Facts about the run in a report, besides its results."""

    run_id: str
    uid: str
    """Tells the run from every other, of the same name and second, too."""
    name: str
    started_at: str
    tool_version: str
    simulated: bool
    items: int
    unfinished: int
    """Samples that still have something to ask: while there are any, every number is preliminary."""
    models: Mapping[str, Provenance]
    simulated_models: frozenset[str] = frozenset()
    """Those of them whose replies nobody gave."""
    calls: Sequence[Mapping[str, Json]] = ()
    """What all attempts came to, a row for each stage and model, as stats.json has it."""
    git_commit: str | None = None
    """Of the program's own checkout when the run was prepared; None where it is installed."""
    workspace_commit: str | None = None
    """Of the workspace's; None where it is in no checkout, or none was noted."""
