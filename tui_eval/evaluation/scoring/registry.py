"""Registry of the scorer rules, by the name that a config gives in `use`."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.evaluation.scoring import (
    corpus_metrics,
    json_rule,
    letter_rule,
    math_rule,
    number_rule,
    overlap_rules,
    pattern_rule,
    refusal_rule,
    reply_rules,
    text_rules,
)
from tui_eval.evaluation.scoring.by_model import llm_rule
from tui_eval.evaluation.scoring.other_tools import followed_tools
from tui_eval.evaluation.scoring.other_tools.promptfoo_rule import PROMPTFOO
from tui_eval.evaluation.scoring.own_code.python_rule import PYTHON
from tui_eval.evaluation.scoring.rule import Rule

RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        text_rules.EXACT,
        text_rules.CONTAINS,
        text_rules.CONTAINS_ANY,
        text_rules.CONTAINS_ALL,
        text_rules.STARTS_WITH,
        number_rule.NUMBER,
        pattern_rule.REGEX,
        json_rule.JSON,
        letter_rule.CHOICE,
        overlap_rules.EM,
        overlap_rules.F1,
        overlap_rules.ROUGE_L,
        overlap_rules.ROUGE_L_EN,
        overlap_rules.SIMILARITY,
        corpus_metrics.BLEU,
        corpus_metrics.CHRF,
        math_rule.MATH,
        refusal_rule.REFUSAL,
        reply_rules.LENGTH,
        reply_rules.LATENCY,
        reply_rules.COST,
        llm_rule.LLM,
        PYTHON,
        followed_tools.STRICT,
        followed_tools.FLEXIBLE,
        followed_tools.SQUAD_EM,
        followed_tools.SQUAD_F1,
        PROMPTFOO,
    )
}
"""Each rule is declared in its module; metrics, versions, checks, the passing rule and the docs follow from that."""
