"""Multiple choice: each model picks a letter for each question; what it meant is read from its text, then compared."""

from tui_eval.core.kinds import Kind, Metric, RunDefaults, Stage
from tui_eval.kinds.choice.answered_question import result, shown
from tui_eval.kinds.choice.choice_flow import flow, items, labels, shapes
from tui_eval.kinds.choice.choice_table import PROMPTS, Config, models, only_models
from tui_eval.kinds.choice.run_report import reporter
from tui_eval.kinds.choice.selection import settle, sources

CHOICE = Kind(
    name="choice",
    about="a multiple-choice benchmark: which letter each model picks, how often it is right",
    Config=Config,
    defaults=RunDefaults(timeout_s=30.0, max_output_tokens=None, cache=True),
    stages=(Stage("answer"),),
    metrics=(Metric("correct", threshold=1.0),),
    prompts=PROMPTS,
    sources=sources,
    settle=settle,
    items=items,
    shapes=shapes,
    flow=flow,
    models=models,
    only_models=only_models,
    labels=labels,
    result=result,
    shown=shown,
    report=reporter,
)
