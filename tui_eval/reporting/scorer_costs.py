"""Cost of scoring a reply, scorer by scorer, by the calls in the log of a run."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.stage_models import SCORING
from tui_eval.reporting.bench_scorers import BenchScorer
from tui_eval.runs.buckets import cost_counted

AGAIN = " again"
"""Behind what a call is about, where it asks once more for a reply that could not be parsed."""


@dataclass(slots=True)
class _Calls:
    """Calls of one scorer."""

    usd: float = 0.0
    unknown: int = 0
    """Attempts whose cost nobody knows."""
    replies: set[Hashable] = field(default_factory=set)
    """The replies that it was paid to score; not those whose call was stored already."""


class ScorerCosts:
    """Sums over the attempts of scorers that ask a model: those of a config, and the one of the evaluation type itself."""

    def __init__(self, kind: Kind, own_metrics: Collection[str]) -> None:
        """`own_metrics`: those of the evaluation type itself that are on the bench."""
        self._judging = {stage.name for stage in kind.stages if stage.role == "judge"} - {SCORING}
        self._own_metrics = own_metrics
        self._own, self._own_asked = _Calls(), False
        self._by_name: dict[str, _Calls] = {}

    def add(self, head: Mapping[str, Any]) -> None:
        """Take in one attempt, by the small fields of its record."""
        if head["stage"] == SCORING:
            calls = self._by_name.setdefault(str(head["about"]).partition(" ")[0], _Calls())
        elif head["stage"] in self._judging:
            calls, self._own_asked = self._own, True
        else:
            return
        usage = head["usage"]
        counted = cost_counted(head["status"], head["error_kind"], head["cached"], usage["cost_usd"])
        if counted not in ("cost_known", "cost_unknown"):
            return
        about = str(head["about"]).removesuffix(AGAIN)
        calls.replies.add((head["item_id"], head["repeat"], head["model"], head["call_index"], about))
        if counted == "cost_known":
            calls.usd += usage["cost_usd"] + (usage["upstream_cost_usd"] or 0.0)
        else:
            calls.unknown += 1

    def per_reply(self, scorer: BenchScorer) -> tuple[float | None, int]:
        """Return the USD of scoring one reply, and how many calls are not in it because nobody knows their cost.

        0 for a rule. None where no call is known: all were stored, no cost was told, or several metrics share the calls.
        """
        if scorer.row is None and (not self._own_asked or len(self._own_metrics) > 1):
            return (None if self._own_asked else 0.0), 0
        if scorer.row is not None and not scorer.asks_model:
            return 0.0, 0
        calls = self._own if scorer.row is None else self._by_name.get(scorer.name, _Calls())
        known = (calls.replies and calls.usd > 0.0) or (calls.replies and not calls.unknown)
        return (calls.usd / len(calls.replies) if known else None), calls.unknown
