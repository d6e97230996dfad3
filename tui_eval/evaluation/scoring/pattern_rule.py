"""Scorer `regex`: a regular expression matches the reply."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow
from tui_eval.evaluation.scoring.safe_patterns import last_match, pattern_problem


def _pattern(pattern: str) -> str:
    if problem := pattern_problem(pattern):
        raise ValueError(problem)
    return pattern


class RegexRow(ScorerRow):
    """Options of `regex`."""

    pattern: Annotated[str, AfterValidator(_pattern)] | None = None
    """The expression; (?i) at its beginning ignores case. Empty = the sample's target is one."""
    whole: bool = False
    """Whether it must match the whole reply, and not only stand somewhere in it."""

    @property
    def wants_target(self) -> bool:
        """Only where it has no expression of its own."""
        return self.pattern is None


def _judge(row: RegexRow, case: Case) -> Outcome:
    pattern = case.target if row.pattern is None else row.pattern
    if row.pattern is None and (problem := pattern_problem(pattern)):
        return Outcome(None, f"the target is no pattern: {problem}")
    text = case.text.strip() if row.whole else case.text
    match = last_match(pattern, text, case.fence, row.whole)
    if match.fault:
        return Outcome(None, match.fault, is_fault=True)
    return Outcome(float(match.span is not None), read=None if match.span is None else text[slice(*match.span)][:200])


REGEX = Rule("regex", 1, "a regular expression matches", RegexRow, _judge, may_wait=True)
