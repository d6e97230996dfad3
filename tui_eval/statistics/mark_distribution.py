"""How marks on a scale are spread: mean, pass rate with what is missing, how much they tell apart; and shares of claims."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tui_eval.statistics.estimates import missing_bounds, student_t, wilson

__all__ = ["MarkDistribution", "mark_distribution", "supported_share"]


@dataclass(frozen=True, slots=True)
class MarkDistribution:
    """What n marks come to; every figure speaks of those that were read, and `missing` stands beside them."""

    n: int
    missing: int
    """Answers without a mark: no reply, or one that could not be read."""
    coverage: float | None = None
    """n / (n + missing)."""
    mean: float | None = None
    sd: float | None = None
    """Dividing by n - 1; None for n < 2, as the next three are."""
    se: float | None = None
    low: float | None = None
    high: float | None = None
    """mean ± t(.975, n - 1)·se, each mark on its own: where answers share a conversation, `clustered_mean` is right."""
    passes: int = 0
    pass_rate: float | None = None
    pass_low: float | None = None
    pass_high: float | None = None
    """Wilson's interval."""
    pass_bounds: tuple[float, float] | None = None
    """The pass rate if every missing mark failed, and if every one passed."""
    top_share: float | None = None
    """Share of the most frequent mark: near 1 the marks tell nothing apart."""
    entropy: float | None = None
    """-Σ share·log2(share) in bits; 0 where all marks are the same."""


def mark_distribution(counts: Mapping[float, int], threshold: float, missing: int = 0) -> MarkDistribution:
    """From how often each mark was given; `threshold`: from which on it passes (METHOD.md 4.5, 5.4). ValueError below 0."""
    if missing < 0 or min(counts.values(), default=0) < 0:
        raise ValueError(f"{missing} missing marks, counts {dict(counts)}")
    n = sum(counts.values())
    passes = sum(times for mark, times in counts.items() if mark >= threshold)
    bounds = missing_bounds(passes, n, n + missing)
    if not n:
        return MarkDistribution(0, missing, 0.0 if missing else None, pass_bounds=bounds)
    mean = math.fsum(mark * times for mark, times in counts.items()) / n
    sd = se = low = high = None
    if n > 1:
        sd = math.sqrt(math.fsum(times * (mark - mean) ** 2 for mark, times in counts.items()) / (n - 1))
        se = sd / math.sqrt(n)
        low, high = mean - student_t(0.975, n - 1) * se, mean + student_t(0.975, n - 1) * se
    shares = [times / n for times in counts.values() if times]
    pass_low, pass_high = wilson(passes, n) or (None, None)
    entropy = abs(math.fsum(share * math.log2(share) for share in shares))
    return MarkDistribution(
        n,
        missing,
        n / (n + missing),
        mean,
        sd,
        se,
        low,
        high,
        passes,
        passes / n,
        pass_low,
        pass_high,
        bounds,
        max(shares),
        entropy,
    )


def supported_share(supported: int, submitted: int) -> float | None:
    """Claims that the source bears out, of all that were submitted: one without a verdict is not supported (METHOD.md 5.3).

    None of no claim, which is neither right nor wrong. ValueError unless 0 <= supported <= submitted.
    """
    if not 0 <= supported <= submitted:
        raise ValueError(f"{supported} supported claims of {submitted}")
    return supported / submitted if submitted else None
