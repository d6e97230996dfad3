"""The panel: doers answer, judges compare the answers, final judges write the one that is kept; then all are graded."""

from tui_eval.core.kinds import Kind, Metric, RunDefaults, Stage
from tui_eval.kinds.panel.accuracy_report import AccuracyReport
from tui_eval.kinds.panel.answered_item import result, shown
from tui_eval.kinds.panel.panel_flow import flow, labels
from tui_eval.kinds.panel.panel_table import PROMPTS, Config, models, only_models
from tui_eval.kinds.panel.scopes import items, shape, shapes
from tui_eval.kinds.panel.settling import settle, sources

PANEL = Kind(
    name="panel",
    about="models answer questions, judges compare the answers; graded against truths where there are any",
    Config=Config,
    defaults=RunDefaults(max_calls=100, retries=0, timeout_s=60.0, max_output_tokens=200, backoff="linear"),
    stages=(Stage("doer"), Stage("judge"), Stage("final"), Stage("scorer", role="judge")),
    metrics=(Metric("correct", threshold=1.0),),
    prompts=PROMPTS,
    sources=sources,
    settle=settle,
    items=items,
    shapes=shapes,
    shape=shape,
    flow=flow,
    models=models,
    only_models=only_models,
    labels=labels,
    result=result,
    shown=shown,
    report=AccuracyReport,
)
