"""Whether what scores came to is good enough: a gate passes, fails, or cannot be told yet, and then it says what is missing."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

from tui_eval.results.sums.means import Estimate

Outcome = Literal["PASS", "FAIL", "INCONCLUSIVE"]
Bound = Literal["value", "low"]
"""What of an estimate must hold: the value itself, or the worse end of its interval."""

SAME = 1e-9
"""Values nearer than this are the same value, reckoned in another order: 0.78 - 0.8 is -0.02."""
POWER = 0.8
"""How often a run of so many questions as are said to be needed would tell."""
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_WANTED = re.compile(r"(>=|<=|>|<)\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\s*(%?)")


@dataclass(frozen=True, slots=True)
class Threshold:
    """On which side of which value an estimate must lie, such as ">= 0.8"."""

    sign: str
    value: float

    @property
    def upwards(self) -> bool:
        """Whether more is better."""
        return self.sign.startswith(">")

    def holds(self, value: float) -> bool:
        """Whether a value lies on the good side."""
        return _COMPARE[self.sign](self.value if abs(value - self.value) <= SAME else value, self.value)


@dataclass(frozen=True, slots=True)
class Judged:
    """How a gate came out."""

    outcome: Outcome
    why: str = ""
    """What keeps it from being told; empty where it passes or fails."""
    needed: int | None = None
    """About how many more questions would tell; None where that is not what is missing."""


def threshold_of(text: str) -> Threshold:
    """A threshold as a person writes it. ValueError in words for anything else."""
    found = _WANTED.fullmatch(text.strip())
    if found is None:
        raise ValueError(f'must be a sign and a number, such as ">= 0.8" or ">= 80 %", not {text!r}')
    return Threshold(found[1], float(found[2]) / (100 if found[3] else 1))


def judged(found: Estimate, wanted: Threshold, bound: Bound = "value") -> Judged:
    """Whether an estimate lies on the good side of a threshold; with the bound "low", whether all of its interval does."""
    if found.value is None or not found.n:
        return Judged("INCONCLUSIVE", "no question has a score")
    if bound == "value":
        return Judged("PASS" if wanted.holds(found.value) else "FAIL")
    if found.low is None or found.high is None:
        return Judged("INCONCLUSIVE", "too few questions for an interval", max(2 - found.n, 1))
    worse, better = (found.low, found.high) if wanted.upwards else (found.high, found.low)
    if wanted.holds(worse):
        return Judged("PASS")
    if not wanted.holds(better):
        return Judged("FAIL")
    needed = more_questions(found, wanted.value)
    tail = f"about {needed:,} more questions would tell, if the value stays" if needed else "the value lies on the threshold"
    return Judged("INCONCLUSIVE", f"the interval spans the threshold: {tail}", needed)


def more_questions(found: Estimate, threshold: float, level: float = 0.95) -> int | None:
    """About how many more questions it takes until the interval leaves out the threshold in four of five runs.

    As if the value stayed what it is; None where it lies on the threshold, or has no interval. The standard error falls with
    √n (METHOD.md 1.1), so that n·((z_a + z_b)/z_a · arm / distance)² questions are needed, the arm that of the interval
    towards the threshold. Of shares (z_a·√(t(1 - t)) + z_b·√(p(1 - p)))² / (p - t)² (Fleiss 1981, one proportion): Wilson's
    interval leaves out t where the score test rejects it, and by the end L of its arm n questions count as
    z_a²·L(1 - L) / (p - L)² (METHOD.md 1.2, 1.3).
    """
    value = found.value
    end = found.low if value is not None and value > threshold else found.high
    if value is None or end is None or abs(value - threshold) <= SAME or abs(value - end) <= SAME:
        return None
    z_level, z_power = NormalDist().inv_cdf(0.5 + level / 2), NormalDist().inv_cdf(POWER)
    if found.share:
        wanted = z_level * _spread(threshold) + z_power * _spread(value)
        effective = (z_level * _spread(end) / (value - end)) ** 2
        times = (wanted / (value - threshold)) ** 2 / effective
    else:
        times = ((1 + z_power / z_level) * (value - end) / (value - threshold)) ** 2
    return max(math.ceil(found.n * (times - 1)), 1)


def _spread(share: float) -> float:
    """The standard deviation of what is right or wrong."""
    return math.sqrt(share * (1 - share))


def judged_missing(missing: int, answers: int, most: float) -> Judged:
    """Whether at most a share of the answers has no score."""
    if not answers:
        return Judged("INCONCLUSIVE", "no answer was to be scored")
    return Judged("PASS" if missing / answers <= most + SAME else "FAIL")


def judged_cost(spent: float, unknown: int, most: float) -> Judged:
    """Whether a run cost at most so much. `unknown`: calls whose cost nobody knows."""
    if spent > most + SAME:
        return Judged("FAIL")
    if unknown:
        return Judged("INCONCLUSIVE", f"what {unknown:,} call{'s' * (unknown != 1)} cost is not known")
    return Judged("PASS")


def judged_critical(wrong: Sequence[str], missing: Sequence[str]) -> Judged:
    """Whether none of the questions is wrong, by the ids of those that are, and of those that have no score."""
    if wrong:
        return Judged("FAIL")
    return Judged("INCONCLUSIVE", f"no score of {', '.join(missing)}") if missing else Judged("PASS")
