"""Scorer `math`: two formulas are equal, by math-verify in the fenced child."""

from __future__ import annotations

from functools import lru_cache

from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow, nothing_found

_LONGEST = 20_000
"""Characters at the end of a reply in which a formula is searched."""


class MathRow(ScorerRow):
    """Options of `math`: none of its own."""


def _judge(row: MathRow, case: Case) -> Outcome:
    result = case.fence.run("math", text=case.text[-_LONGEST:], target=case.target[:_LONGEST])
    if result.fault:
        return Outcome(None, f"formula {result.fault}", is_fault=True)
    match result.value:
        case [None, _]:
            return nothing_found("no formula found")
        case [bool(is_equal), str(read)]:
            return Outcome(float(is_equal), read=read)
    return Outcome(None, "formula not compared", is_fault=True)


def _check(row: MathRow) -> None:
    if problem := _extra_problem():
        raise ValueError(problem)


@lru_cache(maxsize=1)
def _extra_problem() -> str:
    """Why no formula can be compared, as the child says it, which loads math-verify; it takes seconds, and is asked once."""
    with Fence() as fence:
        return fence.run("math", text="$1$", target="1").fault


MATH = Rule(
    "math", 1, "the last formula equals the target's (math-verify)", MathRow, _judge,
    is_fenced=True, is_cheap=False, check=_check,
)  # fmt: skip
