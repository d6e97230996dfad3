"""Two models compared on the questions that both replied to: the difference, its interval, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import variance

from tui_eval.kinds.choice.accuracy import Marks
from tui_eval.kinds.choice.sheet import Sheet
from tui_eval.statistics.estimates import paired_difference
from tui_eval.statistics.paired import mcnemar_exact, sign_flip, smallest_difference, smallest_mean_difference, tango

SIGNIFICANT = 0.05
EXACT_SIGNS = 16
"""Up to this many differing questions the permutation test runs over every pattern of signs."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sheets on the questions that both replied to. Differences are a's accuracy minus b's."""

    a: Sheet
    b: Sheet
    n: int
    a_only: int
    """Questions that a has right and b wrong; with several answers to a question, those where a does better."""
    b_only: int
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    detectable: float | None
    """The smallest difference that so many questions, disagreed on so often, show in four of five runs."""

    @property
    def told_apart(self) -> bool:
        """Whether the difference survives the correction for the number of pairs."""
        return self.p_holm < SIGNIFICANT


Compared = tuple[int, int, int, float, float, float, float, float | None]
"""n, questions a does better on, questions b does, difference, its interval, p, the smallest difference seen."""


def compare_marks(one: Marks, other: Marks) -> Compared | None:
    """Two sheets on the questions in common; None where there are none."""
    common = one.replied_bits & other.replied_bits
    n = common.bit_count()
    if n == 0:
        return None
    if one.single and other.single:
        a_only = (one.right_bits & ~other.right_bits & common).bit_count()
        b_only = (other.right_bits & ~one.right_bits & common).bit_count()
        low, high = tango(a_only, b_only, n)
        seen = smallest_difference(n, (a_only + b_only) / n)
        return n, a_only, b_only, (a_only - b_only) / n, low, high, mcnemar_exact(a_only, b_only), seen
    return _pair_of_means(one, other)


def _pair_of_means(one: Marks, other: Marks) -> Compared:
    """A pair where questions were asked several times: each question counts once, by its share of right replies."""
    means = [(a, b) for i in range(len(one.asked)) if (a := one.mean(i)) is not None and (b := other.mean(i)) is not None]
    differences = [a - b for a, b in means]
    found = paired_difference([a for a, _ in means], [b for _, b in means])
    moved = [d for d in differences if d]
    better, worse = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    p = sign_flip(moved) if len(moved) <= EXACT_SIGNS else found.p
    difference = sum(differences) / len(differences)
    low, high = (found.low, found.high) if found.low is not None and found.high is not None else (-1.0, 1.0)
    spread = variance(differences) if len(differences) > 1 else 0.0
    seen = smallest_mean_difference(len(differences), spread) if spread else None
    return len(means), better, worse, difference, low, high, 1.0 if p is None else p, seen
