"""Decision graphs: models draft one from a brief; rules, and no judge, score its structure and its quality."""

from __future__ import annotations

from tui_eval.core.calls import Json
from tui_eval.core.kinds import RunDefaults, Stage
from tui_eval.evaluation.kind import Kind, SampleFiles, TaskForm
from tui_eval.kinds.graph.briefs import flow, resolve, samples
from tui_eval.kinds.graph.graph_files import row_files
from tui_eval.kinds.graph.graph_look import METRICS
from tui_eval.kinds.graph.graph_report import GraphReport
from tui_eval.kinds.graph.graph_table import STAGE, Config
from tui_eval.kinds.graph.graph_task import GraphTask


def _factors(task: GraphTask) -> dict[str, Json]:
    return {"briefs": len(task.briefs), "models": len(task.models), "prompts": len(task.versions)}


GRAPH = Kind(
    name="graph",
    about="models draft decision graphs from briefs; rules score their structure and quality",
    Config=Config,
    defaults=RunDefaults(
        max_concurrency=10,
        retries=3,
        timeout_s=60.0,
        max_output_tokens=8000,
        longer_when_cut=True,
        reasoning_without_limit=True,
        cache=True,
    ),
    stages=(Stage(STAGE),),
    metrics=METRICS,
    prompts={},
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=GraphReport,
    sample_files=SampleFiles(row_files),
    task_form=TaskForm(_factors, id_suffix=lambda task: task.versions[0].id),
)
