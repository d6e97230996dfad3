"""The file pipeline: models process files, questions about these are answered from the processed texts, judges mark that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.kinds import RunDefaults, Stage, Totals
from tui_eval.evaluation.kind import Kind, SampleFiles, Starts, TaskForm
from tui_eval.kinds.pipeline.file_flow import METRICS, flow
from tui_eval.kinds.pipeline.file_task import file_samples
from tui_eval.kinds.pipeline.materials import PipelineTask, resolve
from tui_eval.kinds.pipeline.output_files import files, part, totals
from tui_eval.kinds.pipeline.pipeline_report import KeptReport
from tui_eval.kinds.pipeline.pipeline_table import Config
from tui_eval.kinds.pipeline.stage_prompts import PROMPTS


def _factors(task: PipelineTask) -> dict[str, Json]:
    models = {stage: len(asked) for stage, asked in task.asked.items()}
    return {"files": len(task.materials), "runs": task.runs or 1, **{f"{stage}_models": n for stage, n in models.items()}}


def table_of_files(paths: Sequence[str]) -> Mapping[str, Json]:
    """The `[pipeline]` table for these files: every stage, each to be given its models or to be left out."""
    return {"inputs": list(paths), "process": {}, "questions": {}, "answers": {}, "judge": {}, "costs": {}}


PIPELINE = Kind(
    name="pipeline",
    about="how much of your files survives: transcribed or summarized, asked about, answered, judged",
    Config=Config,
    defaults=RunDefaults(
        max_concurrency=4, retries=3, timeout_s=60.0, max_output_tokens=2000, cache=True, longer_when_cut=True
    ),
    stages=(Stage("process"), Stage("questions", role="work"), Stage("answers"), Stage("judge", role="judge")),
    metrics=METRICS,
    prompts=PROMPTS,
    resolve=resolve,
    samples=file_samples,
    flow=flow,
    report=KeptReport,
    sample_files=SampleFiles(files, Totals(part, totals), partial=True),
    task_form=TaskForm(_factors),
    starts=Starts(from_files=table_of_files, short_form="FOLDER"),
)
