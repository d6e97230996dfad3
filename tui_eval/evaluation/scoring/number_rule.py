"""Scorer `number`: the number that a reply gives for its answer, compared by value."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator, Field

from tui_eval.evaluation.scoring.number_formats import AUTO, LOCALES, NumberReading, number_in, number_text
from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow, nothing_found
from tui_eval.workspace.validation import nearest

ONLY_ELSEWHERE = "right only as another locale reads it"
"""How `why` begins where the number equals the target by another locale's reading alone."""


def _known_locale(locale: str) -> str:
    locales = (*LOCALES, AUTO)
    if locale not in locales:
        raise ValueError(f"there is no locale {locale!r}{nearest(locale, locales)}")
    return locale


class NumberRow(ScorerRow):
    """Options of `number`."""

    tolerance: Annotated[float, Field(ge=0)] = 0.0
    """How far from the target the number may be."""
    relative: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """The same as a share of the target: 0.01 is one per cent. The wider of the two holds."""
    locale: Annotated[str, AfterValidator(_known_locale)] = "en"
    """Whose points and commas replies and targets write: "en", "de", "fr" and others; "auto" = only what is the same in all."""
    percent: bool = False
    """Whether 45 % is 0.45; else its sign is a unit like any other."""


def _judge(row: NumberRow, case: Case) -> Outcome:
    target = _target(case.target, row.locale, row.percent)
    if target.value is None:
        return Outcome(None, f"no number in the target: {target.why}")
    reading = number_in(case.text, row.locale, row.percent)
    if reading.value is None:
        outcome = nothing_found(reading.why)
        why = _elsewhere(row, reading, target.value) or outcome.why
        return Outcome(0.0, why, pattern=reading.place, is_found=False)
    if _is_close(row, reading.value, target.value):
        return Outcome(1.0, read=number_text(reading.value), pattern=reading.place)
    return Outcome(0.0, _elsewhere(row, reading, target.value), number_text(reading.value), reading.place)


_target = lru_cache(maxsize=1024)(number_in)
"""The number of a target, which the replies of all models are compared with."""


def _is_close(row: NumberRow, value: Fraction, target: Fraction) -> bool:
    if value == target:
        return True
    within = max(Fraction(repr(row.tolerance)), Fraction(repr(row.relative)) * abs(target))
    return abs(value - target) <= within


def _elsewhere(row: NumberRow, reading: NumberReading, target: Fraction) -> str:
    """Why it is wrong, where only another locale's reading would be right; empty where none would."""
    for locale, value in reading.elsewhere:
        if _is_close(row, value, target):
            return f"{ONLY_ELSEWHERE}: {reading.token!r} is {number_text(value)} in {locale}"
    return ""


NUMBER = Rule(
    name="number",
    version=1,
    says="the last number (behind ####, in \\boxed{}) equals the target's",
    row=NumberRow,
    judge=_judge,
)
