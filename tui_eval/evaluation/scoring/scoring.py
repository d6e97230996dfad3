"""A reply scored by one row: what is extracted of it, held against each target, and turned round where `not` says so."""

from __future__ import annotations

from dataclasses import replace

from tui_eval.core.calls import Reply
from tui_eval.core.results import Score
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.scoring.extraction import Extraction, extracted
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow, nothing_found
from tui_eval.evaluation.scoring.scorer_table import rule_of
from tui_eval.reading.thinking import without_thinking
from tui_eval.results.sums.series import NO_TRUTH

WITHOUT_TEXT = {"refused": "refusal", "truncated": "truncated", "empty": "empty"}
"""Ends of a call that are the model's own: a reply came, and it is wrong, as in multiple choice. All others are missing."""


def score(row: ScorerRow, reply: Reply, expected: Expected, fence: Fence) -> Score:
    """The score of a reply by a row.

    None with the reason where there is no reply, no target, or a limit was hit; 0 (the worst of the scale) with the reason
    where the reply holds nothing to compare.
    """
    rule = rule_of(row)
    return score_from(rule, row, reply, outcome_of(rule, row, reply, expected, fence))


def score_from(rule: Rule, row: ScorerRow, reply: Reply, outcome: Outcome) -> Score:
    """The score that an outcome comes to, turned round where the row says so."""
    if row.negated and outcome.value is not None:
        outcome = _negated(rule, row, outcome, outcome.value)
    call, version = reply.call, rule.version_of(row)
    return Score(
        call.stage,
        call.model,
        call.call_index,
        row.metric_name,
        outcome.value,
        outcome.why,
        version,
        outcome.read,
        outcome.pattern,
    )


def _negated(rule: Rule, row: ScorerRow, outcome: Outcome, value: float) -> Outcome:
    """A pass turned round. A reply in which nothing was found is wrong either way."""
    return replace(outcome, value=float(outcome.is_found and not rule.reaches(row, value)))


def outcome_of(rule: Rule, row: ScorerRow, reply: Reply, expected: Expected, fence: Fence) -> Outcome:
    """Return the outcome of a rule for a reply, before `not`."""
    result = settled(rule, row, reply, expected, fence)
    return result if isinstance(result, Outcome) else _compared(rule, row, result, reply, expected, fence)


def settled(rule: Rule, row: ScorerRow, reply: Reply, expected: Expected, fence: Fence) -> Outcome | str:
    """The outcome of a reply in which nothing is left to compare; else its text, extracted, which is."""
    if row.wants_target and expected.targets is None and expected.answer is None:
        return Outcome(None, NO_TRUTH)
    if not reply.ok and reply.why not in WITHOUT_TEXT:
        return Outcome(None, f"no reply: {reply.why}")
    if rule.measures_reply:
        return rule.judge(row, Case("", "", expected, reply, fence))
    if not reply.ok and reply.why != "empty":
        return _without_text(rule, row, reply)
    extraction = text_compared(rule, row, reply.text or "", fence)
    if extraction.text is None:
        return _without_answer(rule, extraction)
    if not extraction.text.strip() and (row.negated or not rule.may_lead):
        return Outcome(None, "no reply: empty") if row.extract.how == "whole" else _without_answer(rule, _NOTHING)
    return _without_target(rule, row, extraction.text, expected) or extraction.text


def _without_target(rule: Rule, row: ScorerRow, text: str, expected: Expected) -> Outcome | None:
    """The outcome of a text that no target can be held against; None where there is one, or none is wanted."""
    if row.wants_target and expected.targets is None and not rule.reads_whole:
        return Outcome(None, NO_TRUTH)
    if row.wants_target and expected.targets == ():
        return Outcome(rule.best if rule.is_empty(text) else rule.worst, "no answer is expected")
    return None


_NOTHING = Extraction(None, "what is extracted is empty")


def _without_answer(rule: Rule, extraction: Extraction) -> Outcome:
    """The outcome of a reply of which nothing is compared: wrong; missing where a limit was hit, and for measures."""
    if extraction.is_fault or not rule.may_lead:
        return Outcome(None, extraction.why, is_fault=extraction.is_fault)
    return nothing_found(extraction.why, rule.worst)


def text_compared(rule: Rule, row: ScorerRow, text: str, fence: Fence) -> Extraction:
    """Return the part of a reply's text that a row compares: without its thinking, extracted; or why there is nothing of it."""
    if row.extract.how == "whole" and rule.reads_whole:
        return Extraction(text)
    proper = without_thinking(text)
    if proper is None:
        return Extraction(None, "the reply ends before its thinking does")
    return extracted(row.extract, proper, fence)


def _without_text(rule: Rule, row: ScorerRow, reply: Reply) -> Outcome:
    """The outcome of a reply that was refused, or cut before its first word: wrong; missing under `not`, and for measures."""
    if rule.counts_refusal and reply.why == "refused":
        return Outcome(1.0, read="the server says so")
    if row.negated or not rule.may_lead or rule.counts_refusal:
        return Outcome(None, f"no reply: {reply.why}")
    return nothing_found(WITHOUT_TEXT[reply.why], rule.worst)


def _compared(rule: Rule, row: ScorerRow, text: str, reply: Reply, expected: Expected, fence: Fence) -> Outcome:
    """Compare the extracted text with all that is expected."""
    targets = expected.targets
    if not row.wants_target or targets is None:
        return rule.judge(row, Case(text, "", expected, reply, fence))
    if rule.takes_all_targets:
        return rule.judge(row, Case(text, targets[0], expected, reply, fence))
    if len(targets) == 1:
        return rule.judge(row, Case(text, targets[0], expected, reply, fence))
    outcomes: list[Outcome] = []
    for target in targets:
        outcomes.append(rule.judge(row, Case(text, target, expected, reply, fence)))
        if outcomes[-1].value == rule.best:
            return outcomes[-1]
    return rule.best_of(outcomes)
