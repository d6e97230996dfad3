"""The report of a panel graded letter by letter, which says where that gives almost nothing and a scorer would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tui_eval.core.calls import Reply
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.held_answers import HeldAnswers
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.targets import TargetedAnswer
from tui_eval.kinds.panel.resolving import PanelTask
from tui_eval.kinds.panel.truth_scoring import Benchmark
from tui_eval.reading.grades import same_text


class ExactReport(ScoreReport):
    """Accuracy by stage and model, and a sentence where other scorers would pass what is no exact match."""

    def __init__(self, task: PanelTask, benchmark: Benchmark, stages: Sequence[str], *parts: Any, **words: Any) -> None:
        """`stages`: those whose replies answer; `parts`, `words`: as of every report of scores."""
        super().__init__(task, *parts, **words)
        self._benchmark, self._stages, self._seed, self._held = benchmark, stages, task.seed, HeldAnswers()

    def add(self, row: SampleResult) -> None:
        """Count a sample's scores, and hold the first answers."""
        super().add(row)
        if not row.sample.checks_judge and self._held.wants(row):
            expected = Expected.of(row.sample)
            self._held.add(TargetedAnswer(reply, expected) for reply in row.replies if reply.call.stage in self._stages)

    def judge_sentences(self) -> list[str]:
        """Add, where exact matches are almost never given, what would match, with how often it passes answers to other ones."""
        return [*super().judge_sentences(), *filter(None, [self._too_strict()])]

    def _too_strict(self) -> str:
        if not self._held.failing(self._passes)[0]:
            return ""
        from tui_eval.evaluation.scoring.lenience import too_strict  # only here: other reports load no rules

        return too_strict("exact", self._passes, self._held, self._seed, Fence())

    def _passes(self, reply: Reply, expected: Expected) -> bool | None:
        if reply.text is None or not expected.targets:
            return None
        return same_text(reply.text, expected.targets[0], self._benchmark.strip_whitespace)
