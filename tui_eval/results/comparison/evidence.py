"""How sure a difference between two sides is: its interval, its p, and what so many questions could have shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, variance

from tui_eval.statistics.estimates import paired_difference, student_t
from tui_eval.statistics.paired import (
    MAX_SIGNS,
    ClusteredMean,
    clustered_mean,
    mcnemar_exact,
    questions_needed,
    sign_flip,
    sign_flip_drawn,
    smallest_difference,
    smallest_mean_difference,
    tango,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A mean difference's interval, its p, and what more questions would show; what is not known is None."""

    low: float | None
    high: float | None
    p: float | None
    detectable: float | None
    """The smallest difference that so many questions would show in four of five comparisons."""
    needed: int | None
    """How many such questions it would take to show this difference as often."""
    method: str


def evidence(differences: Sequence[float], documents: Sequence[str], binary: bool) -> Evidence:
    """Interval and p of the mean difference (METHOD.md 2.1-2.3, 2.6): by documents where several questions share one."""
    n = len(differences)
    if n < 2:
        return Evidence(None, None, None, None, None, "fewer than two common questions")
    if len(set(documents)) < n:
        return _tested_by_document(differences, documents, binary)
    b, c = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if binary:
        needed = None if b == c else math.ceil(questions_needed(b / n, c / n))
        detectable = smallest_difference(n, (b + c) / n)
        return Evidence(*tango(b, c, n), mcnemar_exact(b, c), detectable, needed, "Tango interval, exact McNemar p")
    found = paired_difference(differences, [0.0] * n)
    spread = variance(differences)
    detectable = smallest_mean_difference(n, spread) if spread else None
    needed = math.ceil(n * (detectable / found.difference) ** 2) if detectable and found.difference else None
    return Evidence(found.low, found.high, _flipped(differences), detectable, needed, "paired t interval, sign-flip p")


def _tested_by_document(differences: Sequence[float], documents: Sequence[str], binary: bool) -> Evidence:
    """The same where questions of one document are no independent evidence (METHOD.md 1.3)."""
    found = clustered_mean(differences, documents)
    sums: dict[str, float] = {}
    for document, difference in zip(documents, differences, strict=True):
        sums[document] = sums.get(document, 0.0) + difference
    p, many = _flipped(list(sums.values())), f"({found.clusters} documents)"
    if not binary:
        detectable = smallest_mean_difference(found.n, found.se**2 * found.n) if found.se else None
        return Evidence(found.low, found.high, p, detectable, None, f"t interval and sign-flip p by document {many}")
    effective = _effective(differences, found)
    share = effective / found.n
    b, c = sum(d > 0 for d in differences) * share, sum(d < 0 for d in differences) * share
    effective = max(effective, b + c)  # where all differ, rounding may have made the parts more than the whole
    detectable = smallest_difference(int(effective), min((b + c) / effective, 1.0))
    return Evidence(*tango(b, c, effective), p, detectable, None, f"Tango interval and sign-flip p by document {many}")


def _effective(differences: Sequence[float], found: ClusteredMean) -> float:
    """As how many independent questions they count: so many that an interval is as wide as the t interval by document.

    Never more than there are; the number of documents where each differs by the same.
    """
    plain = variance(differences) / found.n
    if not found.se or not plain:
        return float(found.clusters)
    widening = student_t(0.975, found.clusters - 1) / NormalDist().inv_cdf(0.975)
    return found.n * min(plain / (found.se * widening) ** 2, 1.0)


def _flipped(differences: Sequence[float]) -> float:
    moved = [d for d in differences if d]
    return sign_flip(moved) if len(moved) <= MAX_SIGNS else sign_flip_drawn(moved)
