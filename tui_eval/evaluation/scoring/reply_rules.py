"""Scorers that measure a reply and do not judge it: length, latency_s, cost_usd. None of them is ever a headline."""

from __future__ import annotations

from typing import Literal

from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow
from tui_eval.evaluation.scoring.text_folding import unicode_words
from tui_eval.results.sums.metrics import NO_END

_ENDLESS = (0.0, NO_END)


class MeasuredRow(ScorerRow):
    """Options of `latency_s` and `cost_usd`: none of their own."""

    @property
    def wants_target(self) -> bool:
        """Never."""
        return False


class LengthRow(MeasuredRow):
    """Options of `length`."""

    unit: Literal["words", "characters"] = "words"
    """What is counted."""


def _length(row: LengthRow, case: Case) -> Outcome:
    n = len(case.text) if row.unit == "characters" else len(unicode_words(case.text))
    return Outcome(float(min(n, NO_END)))


def _latency(row: MeasuredRow, case: Case) -> Outcome:
    """Seconds of the last attempt; none of a reply that was on file, or whose import names none."""
    waited = case.reply.waited_ms
    return (
        Outcome(None, "no latency: stored reply" if case.reply.cached else "no latency")
        if waited is None
        else Outcome(waited / 1000)
    )


def _cost(row: MeasuredRow, case: Case) -> Outcome:
    """USD of the last attempt; none of a reply that was on file, or whose price nobody knows."""
    if case.reply.cached:
        return Outcome(None, "no cost: stored reply")
    usd = case.reply.usage.total_usd
    return Outcome(None, "no cost: no price known") if usd is None else Outcome(usd)


LENGTH = Rule(
    "length", 1, "words or characters of the reply", LengthRow, _length,
    is_rate=False, scale=_ENDLESS, better="lower", may_lead=False, is_cheap=False,
)  # fmt: skip
LATENCY = Rule(
    "latency_s", 1, "seconds until the reply was there", MeasuredRow, _latency,
    is_rate=False, scale=_ENDLESS, better="lower", may_lead=False, is_cheap=False, measures_reply=True,
)  # fmt: skip
COST = Rule(
    "cost_usd", 1, "USD that the reply was charged", MeasuredRow, _cost,
    is_rate=False, scale=_ENDLESS, better="lower", may_lead=False, is_cheap=False, measures_reply=True,
)  # fmt: skip
