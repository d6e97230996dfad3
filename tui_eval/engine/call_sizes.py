"""Sizes of calls at an endpoint: it refuses for their tokens where those refused are larger than those accepted; pure."""

from __future__ import annotations

from dataclasses import dataclass, field

RECENT = 50
"""About how many of the last calls a mean is of."""
FEWEST = 10
"""So many calls must have been accepted, and refused, before anything is concluded."""
MUCH_LARGER = 2.0
"""Refused calls with so many times the tokens of accepted ones are refused for their tokens."""
MOST_USUAL = 10.0
"""A call counts for so many usual ones at most, so that none waits for minutes."""


@dataclass(slots=True)
class RecentMean:
    """Mean of the first values, then mostly of the last RECENT ones."""

    count: int = 0
    mean: float = 0.0

    def add(self, value: float) -> None:
        """One more value."""
        self.count += 1
        self.mean += (value - self.mean) * max(1 / self.count, 1 / RECENT)


@dataclass(slots=True)
class CallSizes:
    """Tokens of the calls that began, were accepted and were refused at an endpoint."""

    begun: RecentMean = field(default_factory=RecentMean)
    accepted: RecentMean = field(default_factory=RecentMean)
    refused: RecentMean = field(default_factory=RecentMean)

    @property
    def decide(self) -> bool:
        """Return whether calls are refused for their tokens; never where all calls have about the same."""
        known = min(self.accepted.count, self.refused.count) >= FEWEST
        return known and self.refused.mean > MUCH_LARGER * self.accepted.mean

    def share_of_usual(self, tokens: float) -> float:
        """Return the usual calls that one of so many tokens counts for: 1 where tokens decide nothing."""
        return min(tokens / self.begun.mean, MOST_USUAL) if self.decide and self.begun.mean else 1.0
