"""Multiple choice: each model picks a letter for each question; what it meant is read from its text, then compared."""

from tui_eval.core.kinds import Metric, RunDefaults, Stage
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds.choice.answered_question import as_asked, result
from tui_eval.kinds.choice.choice_flow import flow, labels, samples
from tui_eval.kinds.choice.choice_table import PROMPTS, Config
from tui_eval.kinds.choice.from_set import table_of, table_of_answers
from tui_eval.kinds.choice.marking import RULES
from tui_eval.kinds.choice.merged_runs import MergedRuns
from tui_eval.kinds.choice.report import ChoiceReport
from tui_eval.kinds.choice.selection import resolve

CHOICE = Kind(
    name="choice",
    about="a multiple-choice benchmark: which letter each model picks, how often it is right",
    Config=Config,
    defaults=RunDefaults(timeout_s=30.0, max_output_tokens=None, cache=True),
    stages=(Stage("answer"),),
    metrics=(Metric("correct", threshold=1.0),),
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=ChoiceReport,
    result=result,
    as_asked=as_asked,
    labels=labels,
    needs=frozenset({"options"}),
    table_of=table_of,
    table_of_answers=table_of_answers,
    rules=RULES,
    leaderboard=MergedRuns,
)
