"""Laws of what scoring a reply costs: nothing for a rule, and never 0 where nobody knows."""

from __future__ import annotations

from typing import Any

import pytest

from tui_eval.core.kinds import Metric
from tui_eval.evaluation.scoring.scorer_table import row_of
from tui_eval.kinds import KINDS
from tui_eval.reporting.bench_scorers import BenchScorer
from tui_eval.reporting.scorer_costs import ScorerCosts

METRIC = Metric("correct", threshold=1.0)
OWN = BenchScorer("correct", "", True, None, METRIC)
RULE = BenchScorer("number", "number/1", True, row_of("number"), METRIC)
LLM = BenchScorer("llm", "llm/1", True, row_of({"use": "llm", "model": "judge"}), METRIC)


def head(stage: str, about: str, usd: float | None, cached: bool = False, **more: Any) -> dict[str, Any]:
    """The small fields of an attempt."""
    usage = {"cost_usd": usd, "upstream_cost_usd": None}
    place = {"item_id": "q", "repeat": 0, "model": "judge", "call_index": 0}
    return {
        **place,
        "stage": stage,
        "about": about,
        "status": "ok",
        "error_kind": None,
        "cached": cached,
        "usage": usage,
        **more,
    }


def costs(*heads: dict[str, Any], kind: str = "panel", own: tuple[str, ...] = ("correct",)) -> ScorerCosts:
    """The costs of a run with these attempts."""
    summed = ScorerCosts(KINDS[kind], own)
    for each in heads:
        summed.add(each)
    return summed


def test_a_rule_costs_nothing() -> None:
    """So does the metric of an evaluation type that asked no model for it; answers are no cost of scoring."""
    summed = costs(head("doer", "", 0.5))
    assert summed.per_reply(RULE) == summed.per_reply(OWN) == (0.0, 0)


def test_a_scorer_that_asks_costs_its_calls_for_each_reply() -> None:
    """A retry and a reminder belong to the same reply; a scorer of another name is another one."""
    heads = [
        head("scoring", "llm doer:a#0", 0.002, status="error", error_kind="timeout"),
        head("scoring", "llm doer:a#0", 0.002),
        head("scoring", "llm doer:a#0 again", 0.002),
        head("scoring", "llm doer:b#0", 0.002),
        head("scoring", "llm_2 doer:b#0", 5.0),
    ]
    assert costs(*heads).per_reply(LLM) == (pytest.approx(0.004), 0)
    own = [head("scorer", "doer:a#0", 0.001), head("scorer", "doer:a#0 again", 0.001)]
    assert costs(*own).per_reply(OWN) == (pytest.approx(0.002), 0)


def test_what_nobody_knows_is_not_nothing() -> None:
    """No call, stored calls alone, costs that nobody told, calls that several metrics share; of a part, at least that."""
    assert costs().per_reply(LLM) == (None, 0)
    assert costs(head("scoring", "llm doer:a#0", 0.002, cached=True)).per_reply(LLM) == (None, 0)
    assert costs(head("scoring", "llm doer:a#0", None)).per_reply(LLM) == (None, 1)
    assert costs(head("scorer", "doer:a#0", 0.1), own=("correct", "other")).per_reply(OWN) == (None, 0)
    partly = costs(head("scoring", "llm doer:a#0", None), head("scoring", "llm doer:b#0", 0.004))
    assert partly.per_reply(LLM) == (pytest.approx(0.002), 1)
