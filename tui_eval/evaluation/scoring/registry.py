"""Registry of the scorer rules, by the name that a config gives in `use`; each is loaded at its first use."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tui_eval.core.plaintext import one_line
from tui_eval.core.plugins import Lazy, Registry

if TYPE_CHECKING:
    from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow

_OURS: Mapping[str, Lazy[Rule]] = {
    "exact": Lazy("tui_eval.evaluation.scoring.text_rules:EXACT"),
    "contains": Lazy("tui_eval.evaluation.scoring.text_rules:CONTAINS"),
    "contains_any": Lazy("tui_eval.evaluation.scoring.text_rules:CONTAINS_ANY"),
    "contains_all": Lazy("tui_eval.evaluation.scoring.text_rules:CONTAINS_ALL"),
    "starts_with": Lazy("tui_eval.evaluation.scoring.text_rules:STARTS_WITH"),
    "number": Lazy("tui_eval.evaluation.scoring.number_rule:NUMBER"),
    "regex": Lazy("tui_eval.evaluation.scoring.pattern_rule:REGEX"),
    "json": Lazy("tui_eval.evaluation.scoring.json_rule:JSON"),
    "choice": Lazy("tui_eval.evaluation.scoring.letter_rule:CHOICE"),
    "em": Lazy("tui_eval.evaluation.scoring.overlap_rules:EM"),
    "f1": Lazy("tui_eval.evaluation.scoring.overlap_rules:F1"),
    "rouge_l": Lazy("tui_eval.evaluation.scoring.overlap_rules:ROUGE_L"),
    "rouge_l_en": Lazy("tui_eval.evaluation.scoring.overlap_rules:ROUGE_L_EN"),
    "similarity": Lazy("tui_eval.evaluation.scoring.overlap_rules:SIMILARITY"),
    "bleu": Lazy("tui_eval.evaluation.scoring.corpus_metrics:BLEU"),
    "chrf": Lazy("tui_eval.evaluation.scoring.corpus_metrics:CHRF"),
    "math": Lazy("tui_eval.evaluation.scoring.math_rule:MATH"),
    "is_refusal": Lazy("tui_eval.evaluation.scoring.refusal_rule:REFUSAL"),
    "length": Lazy("tui_eval.evaluation.scoring.reply_rules:LENGTH"),
    "latency_s": Lazy("tui_eval.evaluation.scoring.reply_rules:LATENCY"),
    "cost_usd": Lazy("tui_eval.evaluation.scoring.reply_rules:COST"),
    "llm": Lazy("tui_eval.evaluation.scoring.by_model.llm_rule:LLM"),
    "python": Lazy("tui_eval.evaluation.scoring.own_code.python_rule:PYTHON"),
    "lmeval_gsm8k_strict": Lazy("tui_eval.evaluation.scoring.other_tools.followed_tools:STRICT"),
    "lmeval_gsm8k_flexible": Lazy("tui_eval.evaluation.scoring.other_tools.followed_tools:FLEXIBLE"),
    "squad_em": Lazy("tui_eval.evaluation.scoring.other_tools.followed_tools:SQUAD_EM"),
    "squad_f1": Lazy("tui_eval.evaluation.scoring.other_tools.followed_tools:SQUAD_F1"),
    "promptfoo": Lazy("tui_eval.evaluation.scoring.other_tools.promptfoo_rule:PROMPTFOO"),
}


def _problems(name: str, rule: Any) -> Iterator[str]:
    """Yield the problems of a rule that a package brings."""
    from tui_eval.evaluation.scoring.rule import Rule, ScorerRow  # only for rules of packages

    if not isinstance(rule, Rule):
        yield f"it is not a Rule but a {type(rule).__name__}"
        return
    if rule.name != name:
        yield f"it calls itself {rule.name!r}"
    if not (isinstance(rule.row, type) and issubclass(rule.row, ScorerRow)):
        yield "its row is no ScorerRow"
        return
    if rule.row.asks_model is not ScorerRow.asks_model or rule.row.runs_code is not ScorerRow.runs_code or rule.is_fenced:
        yield "only scorers of tui-eval itself ask models, or run in a process of their own"
    if not isinstance(rule.version, int) or rule.version < 1:
        yield f"its version is no whole number from 1 on, but {rule.version!r}"
    low, high = rule.scale
    if not (low < high and math.isfinite(low)):
        yield f"its scale, {low:g} to {high:g}, has no extent"
    if rule.is_rate and (rule.scale != (0.0, 1.0) or rule.better != "higher"):
        yield "it is a rate, whose scale is 0 to 1 and of which higher is better; set is_rate=False"


class _RuleRegistry(Registry["Rule"]):
    """Rules by name. What a rule of a package raises costs the score of its reply, and names the error."""

    _guarded: dict[str, tuple[Rule, Rule]] = {}
    """By name, a rule as its package has it, and as it is used."""

    def __missing__(self, name: str) -> Rule:
        rule = super().__missing__(name)
        if name not in self._guarded or self._guarded[name][0] is not rule:
            self._guarded[name] = rule, replace(rule, judge=partial(_judged, rule))
        return self._guarded[name][1]


def _judged(rule: Rule, row: ScorerRow, case: Case) -> Outcome:
    from tui_eval.evaluation.scoring.rule import Outcome  # only for rules of packages

    try:
        outcome = rule.judge(row, case)
    except Exception as error:
        return Outcome(None, one_line(f"{type(error).__name__}: {error}", 300))
    if not isinstance(outcome, Outcome):
        return Outcome(None, f"the scorer returned no Outcome but {type(outcome).__name__}")
    low, high = rule.scale
    if outcome.value is not None and not (low <= outcome.value <= high and (outcome.value in (0, 1) or not rule.is_rate)):
        return Outcome(None, f"the scorer returned {outcome.value:g}, which is off its scale, {low:g} to {high:g}")
    return outcome


RULES: Registry[Rule] = _RuleRegistry("tui_eval.scorers", "scorer", _problems, _OURS)
"""Each rule is declared in its module; metrics, versions, checks, the passing rule and the docs follow from that."""
