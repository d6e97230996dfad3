"""Of which pairs the questions on which they differ, their flips, are listed: of all, where there are not too many pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.results.comparison import wording
from tui_eval.results.comparison.comparing import Comparison
from tui_eval.results.comparison.pairs import Pair, Standing

FEW = 45
"""Pairs, those of ten sides, up to which all flips are listed."""
MOST = 10_000
"""Flips of pairs told apart that are listed where there are more pairs."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Which pairs of a comparison have their flips listed, by their places."""

    pairs: int
    """How many there are."""
    listed: frozenset[int]
    asked: tuple[int, ...]
    """Those that were asked for by name."""

    @property
    def few(self) -> bool:
        """Whether the pairs are so few that all is shown and listed."""
        return self.pairs <= FEW

    @property
    def words(self) -> str:
        """What is listed, in a sentence; empty where that is everything."""
        if self.few:
            return ""
        rule = f"of more than {FEW} pairs those told apart, the smallest differences first, up to {MOST:,} flips"
        return f"Flips of {len(self.listed):,} of {self.pairs:,} pairs are listed: {rule}; --flips A,B lists those of one pair."


def listing_of(comparison: Comparison, names: Sequence[str] = ()) -> Listing:
    """What is to be listed. `names`: pairs whose flips are wanted whatever is found, each as "A,B".

    ConfigError where two sides make no pair.
    """
    pairs = comparison.pairs
    asked = tuple(place for pair in names for place in _places_of(comparison, pair))
    if len(pairs) <= FEW:
        return Listing(len(pairs), frozenset(range(len(pairs))), asked)
    listed, left = set(asked), MOST
    for place in nearest(pairs):
        left -= pairs[place].a_better + pairs[place].b_better
        if left < 0:
            break
        listed.add(place)
    return Listing(len(pairs), frozenset(listed), asked)


def nearest(pairs: Sequence[Pair]) -> list[int]:
    """The places of the pairs told apart, the smallest differences, as shares of their scale, first."""
    found = [place for place, pair in enumerate(pairs) if pair.significant]
    return sorted(found, key=lambda place: abs(pairs[place].difference or 0.0) / _scale(pairs[place]))


def _scale(pair: Pair) -> float:
    return pair.metric.high - pair.metric.low


def _places_of(comparison: Comparison, names: str) -> list[int]:
    """The pairs of two sides, named as in the tables or as their models; a comma may be part of a name."""
    cuts = [(names[:i].strip(), names[i + 1 :].strip()) for i, sign in enumerate(names) if sign == ","]
    found = [place for place, pair in enumerate(comparison.pairs) if any(cut in _names(pair) for cut in cuts)]
    if not found:
        sides = wording.listed(list(dict.fromkeys(standing.label for standing in comparison.standings)), 20)
        raise ConfigError(f"--flips {one_line(names)!r}: no pair of that name; give two sides as A,B of {sides}")
    return found


def _names(pair: Pair) -> Iterator[tuple[str, str]]:
    for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
        yield from ((first, second) for first in _called(one) for second in _called(other))


def _called(standing: Standing) -> tuple[str, str]:
    return standing.label, standing.side.model
