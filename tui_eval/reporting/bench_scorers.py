"""Scorers of the bench: those of a run beside every rule that needs no option, and the verdict of each on an answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.kinds import Metric
from tui_eval.core.results import SampleResult, Score
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.scorers import Scorers
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.lenience import passing_by
from tui_eval.evaluation.scoring.passing import passes, takes_part
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.evaluation.scoring.rule import Outcome, ScorerRow
from tui_eval.evaluation.scoring.scorer_table import row_of, rule_of
from tui_eval.evaluation.scoring.scoring import outcome_of, score_from
from tui_eval.evaluation.targets import TargetedAnswer
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.sums.metrics import passes as passes_metric


@dataclass(frozen=True, slots=True)
class BenchVerdict:
    """Verdict of a scorer on one answer."""

    accepts: bool | None
    """Whether the answer passes; None without a value, and of a score without a threshold."""
    value: float | None
    is_unparsed: bool = False
    """Whether the reply holds nothing that it could compare."""
    why: str = ""
    """Why there is no value."""


NO_VERDICT = BenchVerdict(None, None)


@dataclass(frozen=True, slots=True)
class BenchScorer:
    """One scorer of the bench."""

    name: str
    version: str
    of_run: bool
    """Whether the run's own scores have it; the others are worked out."""
    row: ScorerRow | None
    """None for a metric of the evaluation type itself."""
    metric: Metric

    @property
    def judges(self) -> bool:
        """Return whether it accepts or rejects; a score without a threshold only has a mean."""
        return self.metric.threshold is not None

    @property
    def asks_model(self) -> bool:
        """Return whether its scores cost calls."""
        return self.row is not None and self.row.asks_model

    def verdict(self, answer: TargetedAnswer, row: SampleResult, fence: Fence) -> BenchVerdict:
        """The verdict on one answer of a sample."""
        if self.of_run:
            return self._verdict_of_run(answer, row, fence)
        if self.row is None or answer.why:
            return NO_VERDICT
        return _verdict_by(self.row, answer, fence)

    def _verdict_of_run(self, answer: TargetedAnswer, row: SampleResult, fence: Fence) -> BenchVerdict:
        """The verdict by the score that the run has; worked out where one reply answers several questions."""
        scores = [score for score in row.scores if _is_of(score, answer, self.name)]
        rule_row = None if self.row is None or self.asks_model or self.row.runs_code else self.row
        if len(scores) > 1 and rule_row is not None:
            return _verdict_by(rule_row, answer, fence)
        if len(scores) != 1:
            return NO_VERDICT
        score = scores[0]
        accepts = None if score.value is None else passes_metric(self.metric, score.value)
        unparsed = rule_row is not None and not _outcome(rule_row, answer, fence).is_found
        return BenchVerdict(accepts, score.value, unparsed, score.why if score.value is None else "")

    def accepts_by(self, fence: Fence) -> Callable[[TargetedAnswer], bool | None] | None:
        """Return the test that lenience is tried by; None for a scorer that is slow, or compares with no target."""
        passing = None if self.row is None else passing_by(self.row, fence)
        return None if passing is None else lambda answer: passing(answer.reply, answer.expected)


def _is_of(score: Score, answer: TargetedAnswer, name: str) -> bool:
    call = answer.reply.call
    return (score.stage, score.model, score.call_index, score.name) == (call.stage, call.model, call.call_index, name)


def _outcome(row: ScorerRow, answer: TargetedAnswer, fence: Fence) -> Outcome:
    return outcome_of(rule_of(row), row, answer.reply, answer.expected, fence)


def _verdict_by(row: ScorerRow, answer: TargetedAnswer, fence: Fence) -> BenchVerdict:
    outcome = _outcome(row, answer, fence)
    value = score_from(rule_of(row), row, answer.reply, outcome).value
    accepts = passes(row, value) if value is not None and takes_part(row) else None
    return BenchVerdict(accepts, value, not outcome.is_found, outcome.why if value is None else "")


def bench_scorers(kind: Kind, scorers: Scorers) -> tuple[list[BenchScorer], Mapping[str, str]]:
    """Return the scorers of the bench, those of the run first; and by name why another one has no place in it."""
    own = [
        BenchScorer(metric.name, "", True, None, metric)
        for metric in kind.metrics
        if (kind.units.tests(metric.name) or scorers.leads) and metric.name not in scorers.names and is_binary(metric)
    ]
    own += [
        BenchScorer(row.metric_name, rule_of(row).version_of(row), True, row, rule_of(row).metric(row)) for row in scorers.every
    ]
    further, left_out = _further({scorer.name for scorer in own})
    return [*own, *further], left_out


def _further(names: Collection[str]) -> tuple[list[BenchScorer], dict[str, str]]:
    """Return every rule that a config can name without an option and that compares with a target."""
    scorers: list[BenchScorer] = []
    left_out: dict[str, str] = {}
    for name, rule in RULES.items():
        if name in names:
            continue
        try:
            row = row_of(name)
        except ValueError:
            left_out[name] = "asks a model" if rule.name == "llm" else "needs options, or a package that is not installed"
            continue
        if rule.measures_reply or not rule.may_lead or not row.wants_target:
            left_out[name] = "compares with no target"
        elif not rule.is_cheap or rule.is_fenced or rule.varies_by_sample:
            left_out[name] = "only where the config names it"
        elif name == "regex":
            left_out[name] = "takes targets for expressions"
        else:
            scorers.append(BenchScorer(name, rule.version_of(row), False, row, rule.metric(row)))
    return scorers, left_out


def reference_of(kind: Kind, scorers: Sequence[BenchScorer]) -> BenchScorer | None:
    """Return the scorer that the run's verdict speaks of; None where that only has a mean."""
    first = next((metric.name for metric in kind.metrics if kind.units.tests(metric.name)), "")
    return next((scorer for scorer in scorers if scorer.of_run and scorer.name == first and scorer.judges), None)
