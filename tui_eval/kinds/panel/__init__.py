"""The panel: doers answer, judges compare the answers, final judges write the one that is kept; then all are graded."""

from tui_eval.core.kinds import RunDefaults, Stage
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds.panel.open_questions import table_of
from tui_eval.kinds.panel.panel_flow import flow, labels, samples
from tui_eval.kinds.panel.panel_table import PROMPTS, Config
from tui_eval.kinds.panel.reporting import CORRECT, report, result
from tui_eval.kinds.panel.resolving import in_full, resolve

PANEL = Kind(
    name="panel",
    about="models answer questions, judges compare the answers; graded against truths where there are any",
    Config=Config,
    defaults=RunDefaults(
        max_calls=100, retries=0, timeout_s=60.0, max_output_tokens=200, backoff="linear", longer_when_cut=True
    ),
    stages=(Stage("doer"), Stage("judge", role="work"), Stage("final"), Stage("scorer", role="judge")),
    metrics=(CORRECT,),
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    in_full=in_full,
    report=report,
    result=result,
    labels=labels,
    needs=frozenset(),
    table_of=table_of,
)
