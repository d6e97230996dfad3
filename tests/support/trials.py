"""A trial of a printed sentence: drawn with a planted truth, and held against what it promises."""

from __future__ import annotations

from dataclasses import dataclass

from tui_eval.statistics.estimates import wilson


@dataclass(frozen=True, slots=True)
class Trial:
    """What was drawn for a sentence: in how many draws it (or what it promises) held, and between which shares it must."""

    held: int
    draws: int
    least: float
    most: float = 1.0

    @property
    def true(self) -> bool:
        """False only where a 99 % interval of the share lies wholly beyond what is promised, and where nothing was drawn."""
        low, high = wilson(self.held, self.draws, 0.99) or (0.0, 1.0)
        return self.draws > 0 and high >= self.least and low <= self.most
