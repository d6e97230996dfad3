"""The file pipeline: models process files, questions about these are answered from the processed texts, judges mark that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.kinds import RunDefaults, Stage
from tui_eval.kinds.pipeline.materials import PipelineTask, resolve, samples
from tui_eval.kinds.pipeline.output_files import TOTALS, files
from tui_eval.kinds.pipeline.pipeline_flow import METRICS, flow
from tui_eval.kinds.pipeline.pipeline_report import PipelineReport
from tui_eval.kinds.pipeline.pipeline_table import PROMPTS, Config
from tui_eval.kinds.shared.kind import Kind


def _labels(task: PipelineTask) -> dict[str, Json]:
    runs = task.config.process.runs if task.config.process else 1
    models = {stage: len(asked) for stage, asked in task.asked.items()}
    return {"files": len(task.materials), "runs": runs, **{f"{stage}_models": n for stage, n in models.items()}}


def table_of_files(paths: Sequence[str]) -> Mapping[str, Json]:
    """The `[pipeline]` table for these files: every stage, each to be given its models or to be left out."""
    return {"inputs": list(paths), "process": {}, "questions": {}, "answers": {}, "judge": {}, "costs": {}}


PIPELINE = Kind(
    name="pipeline",
    about="how much of your files survives: transcribed or summarized, asked about, answered, judged",
    Config=Config,
    defaults=RunDefaults(max_concurrency=4, retries=3, timeout_s=60.0, max_output_tokens=2000, cache=True),
    stages=(Stage("process"), Stage("questions", role="work"), Stage("answers"), Stage("judge", role="judge")),
    metrics=METRICS,
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=PipelineReport,
    files=files,
    totals=TOTALS,
    labels=_labels,
    table_of_files=table_of_files,
)
