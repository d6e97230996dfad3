"""The report of an evaluation: its kind's own, and that of the scorers where its config has any."""

from __future__ import annotations

from tui_eval.core.reports import Reporter
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.reply_report import ReplyReport
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.scorers import SCORING


def report_of(kind: Kind, task: Task) -> Reporter:
    """Return the reporter of an evaluation: the kind's own, else that of its scores, else of its replies; with scorers theirs
    besides, or alone where the kind has neither reports nor metrics of its own."""
    if not task.scorers:
        return own_report_of(kind, task)
    from tui_eval.evaluation.scorer_report import ReportWithScorers, ScorerReport  # only here: it loads the rules

    own = {metric.name for metric in kind.metrics} - task.scorers.names
    scorers = ScorerReport(task, kind, beside=bool(own))
    return ReportWithScorers(own_report_of(kind, task), scorers) if own or kind.report is not None else scorers


def own_report_of(kind: Kind, task: Task) -> Reporter:
    """Return the reporter of the kind itself."""
    if kind.report is not None:
        return kind.report(task)
    if task.rubrics and kind.ratings is not None and kind.ratings.rubric_report is not None:
        return kind.ratings.rubric_report(task)
    own = [metric for metric in kind.metrics if metric.name not in task.scorers.names]
    judged = [metric.name for metric in own if any(stage.role == "judge" and stage.name != SCORING for stage in kind.stages)]
    return ScoreReport(task, own, judged=judged) if own else ReplyReport(task)
