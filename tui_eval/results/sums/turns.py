"""Marks of turns as a model's mean, by turn number, and without the turns that followed a failed one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from tui_eval.core.kinds import Metric
from tui_eval.results.sums.means import Estimate, clusterings, on_scale
from tui_eval.statistics.conversation_means import ConversationMeans, conversation_means
from tui_eval.statistics.paired import ClusteredMean


@dataclass(frozen=True, slots=True)
class MarkedTurn:
    """One answer of a model, by one metric."""

    conversation: Hashable
    turn: int
    """From 1; a turn that was neither asked nor judged has none of these."""
    value: float | None
    """Its mark; None where it has none, for whatever reason."""
    degraded: bool = False
    """Whether a turn before it failed, so that it was asked without its history."""
    source: Hashable = None
    """What conversations share, such as their document."""


@dataclass(frozen=True, slots=True)
class TurnEstimate:
    """One turn number over conversations."""

    turn: int
    asked: int
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class TurnSums:
    """What the turns of a model come to by one metric; every estimate says its n."""

    asked: int
    """Turns that were to be marked."""
    scored: int
    degraded: int
    """Turns that followed a failed one; they count in everything but `undegraded`."""
    model: Estimate
    """Mean of the conversations' means: n conversations."""
    turns: Estimate
    """Mean of all marked turns, clustered: n turns."""
    undegraded: Estimate
    """As `model`, of the turns that followed no failed one."""
    by_turn: tuple[TurnEstimate, ...]

    @property
    def missing(self) -> int:
        """Turns without a mark."""
        return self.asked - self.scored

    @property
    def coverage(self) -> float | None:
        """Share of turns with a mark; None of no turn."""
        return self.scored / self.asked if self.asked else None


def turn_sums(turns: Iterable[MarkedTurn], metric: Metric) -> TurnSums:
    """Of one model's turns, in any order (METHOD.md 6): conversation mean, then model mean, and by turn number.

    Intervals cluster by conversation, and by source where several conversations share one and there are three sources at
    least; none ends beyond the metric's scale. ValueError where a conversation has a turn twice or two sources.
    """
    held: dict[Hashable, dict[int, MarkedTurn]] = {}
    for turn in turns:
        found = held.setdefault(turn.conversation, {})
        if turn.turn in found or any(other.source != turn.source for other in found.values()):
            raise ValueError(f"conversation {turn.conversation!r} has turn {turn.turn} twice, or two sources")
        found[turn.turn] = turn
    whole, healthy = (_means(list(held.values()), skip) for skip in (False, True))
    every = [turn for found in held.values() for turn in found.values()]
    asked = [sum(one.turn == turn + 1 for one in every) for turn in range(len(whole.by_turn))]
    return TurnSums(
        len(every),
        whole.scored,
        sum(turn.degraded for turn in every),
        _estimate(whole.model, metric),
        _estimate(whole.turns, metric),
        _estimate(healthy.model, metric),
        tuple(
            TurnEstimate(one.turn, n, _estimate(one.found, metric)) for one, n in zip(whole.by_turn, asked, strict=True) if n
        ),
    )


def _means(conversations: Sequence[dict[int, MarkedTurn]], skip_degraded: bool) -> ConversationMeans:
    """A turn that was not asked has no mark here either."""

    def mark(turn: MarkedTurn | None) -> float | None:
        return None if turn is None or (skip_degraded and turn.degraded) else turn.value

    rows = [[mark(found.get(turn + 1)) for turn in range(max(found))] for found in conversations]
    sources = [next(iter(found.values())).source for found in conversations]
    kept = [i for i, row in enumerate(rows) if any(value is not None for value in row)]
    shared = not isinstance(clusterings([sources[i] for i in kept])[0], range)
    return conversation_means(rows, sources if shared else None)


def _estimate(found: ClusteredMean | None, metric: Metric) -> Estimate:
    if found is None:
        return Estimate(0, None)
    return on_scale(found.n, found.mean, found.low, found.high, metric)
