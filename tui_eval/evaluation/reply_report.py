"""Report of a kind whose replies are not graded: how many came, how long they took and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tui_eval.core.calls import Json, Reply
from tui_eval.core.results import About, Cell, SampleResult, Table
from tui_eval.evaluation.inputs import Task
from tui_eval.statistics.estimates import mean

COLUMNS = (
    "model", "model_id", "n_calls", "n_ok", "latency_ms_mean", "n_latency", "completion_tokens_mean", "n_completion_tokens",
    "cost_usd_sum", "n_cost", "n_on_file",
)  # fmt: skip
NOTE = "Nothing is graded. n of each: replies whose time, whose tokens, and calls whose cost is known."
ON_FILE = " Of those on file, which this run did not ask for, no time is counted, and no cost."


@dataclass(slots=True)
class _Replies:
    """One model's: times (ms) and tokens of those that are a text, costs (USD) of all."""

    calls: int = 0
    ok: int = 0
    latencies: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    on_file: int = 0

    def add(self, reply: Reply) -> None:
        self.calls += 1
        self.ok += reply.ok
        self.on_file += reply.cached
        if reply.ok and reply.waited_ms is not None:
            self.latencies.append(reply.waited_ms)
        if reply.ok and reply.usage.completion_tokens is not None:
            self.tokens.append(reply.usage.completion_tokens)
        if reply.spent_usd is not None and not reply.cached:
            self.costs.append(reply.spent_usd)

    @property
    def cost(self) -> float | None:
        """The sum of what is known; None where nothing is, and 0 where all was on file."""
        return sum(self.costs) if self.costs or 0 < self.calls == self.on_file else None


class ReplyReport:
    """A row for each model, each figure with its n."""

    def __init__(self, task: Task) -> None:
        self.ids = {model.name: model.model_id for models in task.asked.values() for model in models}
        self.replies = {name: _Replies() for name in self.ids}

    def add(self, row: SampleResult) -> None:
        """Take a sample's replies into account."""
        for reply in row.replies:
            self.replies[reply.call.model].add(reply)

    def tables(self) -> Mapping[str, Table]:
        """replies: a row per model."""
        rows = tuple(self._row(name, replies) for name, replies in self.replies.items())
        return {"replies": Table("Replies", COLUMNS, rows, self._note, ("model", "model_id"), self._rests_on)}

    def headline(self) -> Sequence[Table]:
        """The same as text."""
        columns = (
            "model",
            "replies",
            *(["on file"] if self._any_on_file else []),
            "mean time",
            "mean tokens",
            "cost",
            "n of each",
        )
        rows = tuple(_headline_row(name, replies, self._any_on_file) for name, replies in self.replies.items())
        return [Table("Replies", columns, rows, self._note, rests_on=self._rests_on)]

    def files(self, about: About) -> Mapping[str, Json]:
        """No files but the table's."""
        return {}

    @property
    def _any_on_file(self) -> bool:
        return any(replies.on_file for replies in self.replies.values())

    @property
    def _note(self) -> str:
        return NOTE + ON_FILE * self._any_on_file

    @property
    def _rests_on(self) -> tuple[None, ...]:
        return (None,) * len(self.replies)

    def _row(self, name: str, replies: _Replies) -> tuple[Cell, ...]:
        times, tokens = replies.latencies, replies.tokens
        return (
            Cell(name),
            Cell(self.ids[name]),
            Cell(replies.calls),
            Cell(replies.ok),
            Cell(mean(times), len(times), formula="mean over the good replies whose time is known"),
            Cell(len(times)),
            Cell(mean(tokens), len(tokens), formula="mean over the good replies whose tokens are known"),
            Cell(len(tokens)),
            Cell(replies.cost, len(replies.costs), formula="sum over the calls whose cost is known"),
            Cell(len(replies.costs)),
            Cell(replies.on_file),
        )


def _headline_row(name: str, replies: _Replies, on_file: bool) -> tuple[Cell, ...]:
    ns = [len(replies.latencies), len(replies.tokens), len(replies.costs)]
    return (
        Cell(name),
        Cell(f"{replies.ok} of {replies.calls}"),
        *([Cell(str(replies.on_file))] if on_file else []),
        Cell(_text(mean(replies.latencies), lambda ms: f"{ms / 1000:.2f} s"), ns[0]),
        Cell(_text(mean(replies.tokens), lambda tokens: f"{tokens:.0f}"), ns[1]),
        Cell(_text(replies.cost, lambda usd: f"${usd:.6f}"), ns[2]),
        Cell(", ".join(map(str, ns))),
    )


def _text(value: float | None, words: Callable[[float], str]) -> str:
    return "-" if value is None else words(value)
