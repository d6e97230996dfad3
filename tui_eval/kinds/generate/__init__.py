"""Generating question sets from documents: a model writes questions, each is checked against the text, another model looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Flow, RunDefaults, Stage
from tui_eval.core.samples import Sample
from tui_eval.datasets.document_text.file_sorts import sort_of_file
from tui_eval.evaluation.kind import Kind, SampleFiles, SetMaker, TaskForm
from tui_eval.kinds.generate.generate_table import Config
from tui_eval.kinds.generate.holding_questions import places_that_go_on
from tui_eval.kinds.generate.question_calls import PROMPTS, Writers, write_questions
from tui_eval.kinds.generate.question_report import KEPT_METRIC, QUESTION_TOTALS, QuestionReport
from tui_eval.kinds.generate.sources import GenerateTask, factors, resolve, samples


def flow(task: GenerateTask, sample: Sample) -> Flow:
    """Questions about one place of a document, and what is thought of them."""
    (maker,), checkers = task.asked["maker"], task.asked.get("check", ())
    writers = Writers(maker, next(iter(checkers), None), task.config.check, task.config.prompts, task.seed)
    return write_questions(writers, sample, sample.data)


def table_of_documents(paths: Sequence[str], name: str) -> Mapping[str, Json]:
    """The `[generate]` table for these files; conversations need text, so with a picture among them single questions."""
    form = {"form": "questions"} if any(sort_of_file(path) == "image" for path in paths) else {}
    return {"documents": list(paths), **form, "dataset": name}


GENERATE = Kind(
    name="generate",
    about="a model writes questions about your documents; kept is what the text bears out",
    Config=Config,
    defaults=RunDefaults(max_concurrency=10, retries=3, timeout_s=60.0, max_output_tokens=2000, longer_when_cut=True),
    stages=(Stage("maker"), Stage("check", role="judge")),
    metrics=(KEPT_METRIC,),
    prompts=PROMPTS,
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=lambda task: QuestionReport(task, "maker", task.config.check),
    sample_files=SampleFiles(totals=QUESTION_TOTALS),
    further=places_that_go_on,
    task_form=TaskForm(factors),
    set_maker=SetMaker(table_of_documents, lambda task: task.config.dataset or ""),
)
