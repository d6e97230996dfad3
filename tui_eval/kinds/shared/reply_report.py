"""What a kind reports whose replies are not graded: how many came, how long they took and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tui_eval.core.calls import Json, Reply
from tui_eval.core.results import About, Cell, SampleResult, Table
from tui_eval.kinds.shared.inputs import Task
from tui_eval.statistics.estimates import mean

COLUMNS = (
    "model", "model_id", "n_calls", "n_ok", "latency_ms_mean", "n_latency", "completion_tokens_mean", "n_completion_tokens",
    "cost_usd_sum", "n_cost",
)  # fmt: skip
NOTE = "Nothing is graded. n of each: replies whose time, whose tokens, and calls whose cost is known."


@dataclass(slots=True)
class _Replies:
    """One model's: times (ms) and tokens of those that are a text, costs (USD) of all."""

    calls: int = 0
    ok: int = 0
    latencies: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def add(self, reply: Reply) -> None:
        self.calls += 1
        self.ok += reply.ok
        if reply.ok and reply.latency_ms is not None:
            self.latencies.append(reply.latency_ms)
        if reply.ok and reply.usage.completion_tokens is not None:
            self.tokens.append(reply.usage.completion_tokens)
        if reply.usage.total_usd is not None:
            self.costs.append(reply.usage.total_usd)

    @property
    def cost(self) -> float | None:
        """The sum of what is known; None where nothing is."""
        return sum(self.costs) if self.costs else None


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
        rows = tuple(self._row(name, found) for name, found in self.replies.items())
        return {"replies": Table("Replies", COLUMNS, rows, NOTE, ("model", "model_id"), self._rests_on)}

    def headline(self) -> Sequence[Table]:
        """The same as text."""
        columns = ("model", "replies", "mean time", "mean tokens", "cost", "n of each")
        rows = tuple(_told(name, found) for name, found in self.replies.items())
        return [Table("Replies", columns, rows, NOTE, rests_on=self._rests_on)]

    def files(self, about: About) -> Mapping[str, Json]:
        """No files but the table's."""
        return {}

    @property
    def _rests_on(self) -> tuple[None, ...]:
        return (None,) * len(self.replies)

    def _row(self, name: str, found: _Replies) -> tuple[Cell, ...]:
        times, tokens = found.latencies, found.tokens
        return (
            Cell(name),
            Cell(self.ids[name]),
            Cell(found.calls),
            Cell(found.ok),
            Cell(mean(times), len(times), formula="mean over the good replies whose time is known"),
            Cell(len(times)),
            Cell(mean(tokens), len(tokens), formula="mean over the good replies whose tokens are known"),
            Cell(len(tokens)),
            Cell(found.cost, len(found.costs), formula="sum over the calls whose cost is known"),
            Cell(len(found.costs)),
        )


def _told(name: str, found: _Replies) -> tuple[Cell, ...]:
    ns = [len(found.latencies), len(found.tokens), len(found.costs)]
    return (
        Cell(name),
        Cell(f"{found.ok} of {found.calls}"),
        Cell(_text(mean(found.latencies), lambda ms: f"{ms / 1000:.2f} s"), ns[0]),
        Cell(_text(mean(found.tokens), lambda tokens: f"{tokens:.0f}"), ns[1]),
        Cell(_text(found.cost, lambda usd: f"${usd:.6f}"), ns[2]),
        Cell(", ".join(map(str, ns))),
    )


def _text(value: float | None, words: Callable[[float], str]) -> str:
    return "-" if value is None else words(value)
