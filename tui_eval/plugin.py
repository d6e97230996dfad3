"""The public interface for packages of others: what a kind of evaluation, a provider, a scorer and an exporter are made of.

Names that are imported from here keep their meaning within one version of the interface (`API`). Everything else may
move in any release; `tui-eval docs moved` says where it went. How to add each of them: `tui-eval docs plug-ins`.

A package brings what it has by entry points, `NAME = "module:OBJECT"`, in the groups `tui_eval.kinds` (a `Kind`),
`tui_eval.providers` (a `Wire`), `tui_eval.scorers` (a `Rule`) and `tui_eval.exporters` (an `Exporter`).
"""

from tui_eval.core.calls import (
    ApiError,
    Attachment,
    Call,
    Completion,
    Json,
    Message,
    ModelSpec,
    Repair,
    Reply,
    Request,
    Usage,
)
from tui_eval.core.errors import ConfigError, FolderError, TuiEvalError
from tui_eval.core.kinds import Flow, Metric, ReadingRules, RunDefaults, RunStamp, Stage, Totals
from tui_eval.core.plaintext import one_line, readable
from tui_eval.core.reports import Leaderboard, Reporter
from tui_eval.core.results import About, Cell, SampleResult, Score, Table
from tui_eval.core.row_paths import path_of
from tui_eval.core.samples import Sample
from tui_eval.core.units import Unit, Units
from tui_eval.evaluation.calls import ask_longer, ask_twice, beyond_plan, together
from tui_eval.evaluation.config_references import asked_in, names
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.inputs import Inputs, Task, json_of, text_of
from tui_eval.evaluation.judging.judge_frames import JudgeFrames
from tui_eval.evaluation.judging.judge_panel import Rubric, ToJudge, judged, marks, marks_by, rubric_of
from tui_eval.evaluation.judging.judge_table import JudgeTable
from tui_eval.evaluation.judging.judged_report import JudgedReport
from tui_eval.evaluation.judging.pairwise_preference import compared
from tui_eval.evaluation.kind import Kind, RatingForm, SampleFiles, SampleForm, SetMaker, Starts, TaskForm
from tui_eval.evaluation.sample_queues import Queue, Samples, listed, sample_id
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow, nothing_found
from tui_eval.evaluation.stage_models import AskedModel, ModelRow
from tui_eval.providers.wire import IMAGES, PDF, Wire
from tui_eval.reading.grades import lines_of, same_text, zero_or_one
from tui_eval.reading.prompts import fill
from tui_eval.results.exporting.exported_run import ExportedRun, scored
from tui_eval.results.exporting.exporter import Exporter
from tui_eval.results.tables import csv_lines, json_text
from tui_eval.workspace.validation import Strict

API = 2
"""The version of this interface; a name that is taken away or changes its meaning makes the next one."""

__all__ = [
    "API",
    "IMAGES",
    "PDF",
    "About",
    "ApiError",
    "AskedModel",
    "Attachment",
    "Call",
    "Case",
    "Cell",
    "Completion",
    "ConfigError",
    "Expected",
    "ExportedRun",
    "Exporter",
    "Flow",
    "FolderError",
    "Inputs",
    "Json",
    "JudgeFrames",
    "JudgeTable",
    "JudgedReport",
    "Kind",
    "Leaderboard",
    "Message",
    "Metric",
    "ModelRow",
    "ModelSpec",
    "Outcome",
    "Queue",
    "RatingForm",
    "ReadingRules",
    "Repair",
    "Reply",
    "Reporter",
    "Request",
    "Rubric",
    "Rule",
    "RunDefaults",
    "RunStamp",
    "Sample",
    "SampleFiles",
    "SampleForm",
    "SampleResult",
    "Samples",
    "Score",
    "ScoreReport",
    "ScorerRow",
    "SetMaker",
    "Stage",
    "Starts",
    "Strict",
    "Table",
    "Task",
    "TaskForm",
    "ToJudge",
    "Totals",
    "TuiEvalError",
    "Unit",
    "Units",
    "Usage",
    "Wire",
    "ask_longer",
    "ask_twice",
    "asked_in",
    "beyond_plan",
    "compared",
    "csv_lines",
    "fill",
    "json_of",
    "json_text",
    "judged",
    "lines_of",
    "listed",
    "marks",
    "marks_by",
    "names",
    "nothing_found",
    "one_line",
    "path_of",
    "readable",
    "rubric_of",
    "same_text",
    "sample_id",
    "scored",
    "text_of",
    "together",
    "zero_or_one",
]
