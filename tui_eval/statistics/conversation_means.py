"""Marks of turns to means of conversations, and these to the mean of a model; and marks by turn number."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean

from tui_eval.statistics.paired import ClusteredMean, clustered_mean

__all__ = ["ConversationMeans", "TurnMean", "conversation_means"]


@dataclass(frozen=True, slots=True)
class TurnMean:
    """The marks of one turn number over conversations."""

    turn: int
    """From 1."""
    asked: int
    """Conversations that have this turn."""
    found: ClusteredMean | None
    """Of those with a mark; None of none."""


@dataclass(frozen=True, slots=True)
class ConversationMeans:
    """What the turns of conversations come to; None of no mark."""

    conversations: tuple[float | None, ...]
    """Mean of the marked turns of each, in the order given; None where none is marked."""
    asked: int
    """Turns in all."""
    scored: int
    """Turns with a mark."""
    model: ClusteredMean | None
    """Mean of the conversations' means: every conversation counts once, however many turns it has. The headline."""
    turns: ClusteredMean | None
    """Mean of all marked turns, the conversation being the cluster: every turn counts once."""
    by_turn: tuple[TurnMean, ...]


def conversation_means(marks: Sequence[Sequence[float | None]], sources: Sequence[Hashable] | None = None) -> ConversationMeans:
    """From the marks of each conversation's turns in order, None where a turn has none (METHOD.md 6, 1.3).

    A missing mark is left out of the means and counted, never a zero. `sources`: what conversations share, such as their
    document; then these are the clusters of every interval. ValueError where the lengths differ.
    """
    names = list(range(len(marks))) if sources is None else list(sources)
    if len(names) != len(marks):
        raise ValueError(f"{len(names)} sources of {len(marks)} conversations")
    read = [[mark for mark in turns if mark is not None] for turns in marks]
    means = tuple(fmean(turns) if turns else None for turns in read)
    rows = [(mark, name) for turns, name in zip(read, names, strict=True) for mark in turns]
    longest = max(map(len, marks), default=0)
    return ConversationMeans(
        means,
        sum(map(len, marks)),
        len(rows),
        _mean([(mean, name) for mean, name in zip(means, names, strict=True) if mean is not None]),
        _mean(rows),
        tuple(_of_turn(turn, marks, names) for turn in range(longest)),
    )


def _of_turn(turn: int, marks: Sequence[Sequence[float | None]], names: Sequence[Hashable]) -> TurnMean:
    there = [(turns[turn], name) for turns, name in zip(marks, names, strict=True) if len(turns) > turn]
    return TurnMean(turn + 1, len(there), _mean([(mark, name) for mark, name in there if mark is not None]))


def _mean(rows: Sequence[tuple[float, Hashable]]) -> ClusteredMean | None:
    return clustered_mean([value for value, _ in rows], [name for _, name in rows]) if rows else None
