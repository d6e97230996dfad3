"""Setting by which a scorer of the bench becomes the one that a run's verdict speaks of."""

from __future__ import annotations

from tui_eval.configuring.drafting.inline_toml import inline
from tui_eval.configuring.scorer_settings import SCORERS
from tui_eval.core.calls import Json
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.scorers import Scorers
from tui_eval.evaluation.scoring.rule import ScorerRow
from tui_eval.reporting.bench_scorers import BenchScorer

DECIDES = "the verdict of the run speaks of it already"
OF_SAMPLES = "the samples of the run bring it themselves, so a config cannot choose it"


def taken_setting(scorer: BenchScorer, kind: Kind, scorers: Scorers) -> tuple[str, str]:
    """Return the setting, as behind --set, that scores by this scorer in place of a run's others; or empty, and why not.

    Where the evaluation type has metrics of its own, the scorer is named the headline: the verdict would speak of those else.
    """
    has_own_metrics = any(metric.name not in scorers.names for metric in kind.metrics)
    if scorer.name == _decides(kind):
        return "", DECIDES
    if scorer.row is None:  # where a scorer leads, the others go on without a leader
        return f"{SCORERS}={inline([_entry(row, False) for row in scorers.rows])}", ""
    if scorer.of_run and scorer.row not in scorers.rows:
        return "", OF_SAMPLES
    return f"{SCORERS}={inline([_entry(scorer.row, has_own_metrics)])}", ""


def _decides(kind: Kind) -> str:
    """The metric that the verdict of a run speaks of."""
    return next((metric.name for metric in kind.metrics if kind.units.tests(metric.name)), "")


def _entry(row: ScorerRow, is_headline: bool) -> Json:
    """A scorer as an entry of a config: its name alone where that says all."""
    table = row.model_copy(update={"headline": is_headline}).model_dump(exclude_defaults=True, exclude_none=True)
    return row.use if table.keys() == {"use"} else table
