"""Generating question sets from documents: a model writes questions, each is checked against the text, another model looks."""

from __future__ import annotations

from tui_eval.core.kinds import RunDefaults, Stage
from tui_eval.kinds.generate.by_document import TOTALS, table_of_documents
from tui_eval.kinds.generate.generate_flow import flow
from tui_eval.kinds.generate.generate_table import PROMPTS, Config
from tui_eval.kinds.generate.sources import factors, resolve, samples
from tui_eval.kinds.shared.kind import Kind
from tui_eval.kinds.shared.written_questions.question_report import KEPT_METRIC, QuestionReport

GENERATE = Kind(
    name="generate",
    about="a model writes questions about your documents; kept is what the text bears out",
    Config=Config,
    defaults=RunDefaults(max_concurrency=10, retries=3, timeout_s=60.0, max_output_tokens=2000),
    stages=(Stage("maker"), Stage("check", role="judge")),
    metrics=(KEPT_METRIC,),
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=lambda task: QuestionReport(task, "maker", task.config.check),
    totals=TOTALS,
    labels=factors,
    table_of_documents=table_of_documents,
    makes_set=lambda task: task.config.dataset or "",
)
