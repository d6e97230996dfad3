"""The file pipeline: models process files, questions about these are answered from the processed texts, judges mark that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tui_eval.core.calls import Json, Price
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import RunDefaults, Stage, Totals
from tui_eval.core.output_names import REFERENCE
from tui_eval.core.samples import Sample
from tui_eval.core.units import Unit, Units, digest
from tui_eval.datasets.document_blocks import document_ids
from tui_eval.evaluation.config_references import BESIDE
from tui_eval.evaluation.inputs import Inputs, json_of, text_of
from tui_eval.evaluation.judging.judge_panel import as_judge, own_family
from tui_eval.evaluation.judging.own_rubrics import NO_RUBRICS
from tui_eval.evaluation.judging.rubric_judging import RubricJudging
from tui_eval.evaluation.kind import Kind, RatingForm, SampleFiles, Starts, TaskForm
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.pipeline.answer_judging import MARK, RUBRICS, attacks_on, judging_of
from tui_eval.kinds.pipeline.file_flow import METRICS, flow
from tui_eval.kinds.pipeline.file_task import (
    FileTask,
    Material,
    PipelineConfig,
    file_samples,
    made_before,
    material_of,
    with_brought,
)
from tui_eval.kinds.pipeline.imported_stages import read_imported
from tui_eval.kinds.pipeline.output_files import files, part, paths, totals
from tui_eval.kinds.pipeline.pipeline_report import KeptReport
from tui_eval.kinds.pipeline.scored_answers import TARGETS
from tui_eval.kinds.pipeline.text_fidelity import CHARACTERS
from tui_eval.kinds.question_writing.material import QuestionSchema, schemas_of
from tui_eval.models.registries import prices_by_id
from tui_eval.reading.prompts import missing_slots


def prices_of(inputs: Inputs, role: str) -> tuple[Mapping[str, Price], list[str]]:
    """Prices by API id, of the files of a role; and what a person should know of them.

    ConfigError, naming file and key, for what is no price table, or in another currency than USD.
    """
    by_id: dict[str, Price] = {}
    notes: list[str] = []
    for file in inputs.of(role):
        key = inputs.keys[role]
        prices, remarks = prices_by_id(json_of(file, key), f"{key}: {file.name}")
        by_id |= prices
        notes += remarks
    return by_id, notes


INPUTS = "pipeline.inputs"
PROMPTS: Mapping[str, tuple[str, ...]] = {
    "transcribe_page": (),
    "summarize_text": ("text",),
    "questions_text": ("text", "categories_json"),
    "questions_image": ("categories_json",),
    "answer_from_text": ("text", "questions"),
    "answers_reminder": ("ids",),
    "judge_system": (),
    "judge_answer": ("question", "reference", "flag", "answer"),
    "reminder": (),
}
OWN_PROMPTS: Mapping[str, tuple[str, ...]] = {
    "process_prompt": ("transcribe_page", "summarize_text"),
    "questions_prompt": ("questions_text", "questions_image"),
    "answers_prompt": ("answer_from_text",),
    "judge_prompt": ("judge_answer",),
}
"""Which prompts a prompt_file stands for, by its role."""


def own_prompts(inputs: Inputs) -> dict[str, str]:
    """The prompts that stages bring as files; a place that they do not have for what they must show is put behind them."""
    prompts = {}
    for role, names in OWN_PROMPTS.items():
        for file in inputs.of(role):
            text = text_of(file, inputs.keys[role]).strip()
            if not text:
                raise ConfigError(f"{inputs.keys[role]}: {file.name}: empty")
            for name in names:
                lacking = missing_slots(text, PROMPTS[name])
                if "categories_json" in lacking:
                    why = "has no {categories_json}; put it where the categories should stand"
                    raise ConfigError(f"{inputs.keys[role]}: {file.name}: {why}")
                prompts[name] = "\n\n".join([text, *(_block(slot) for slot in lacking)])
    return prompts


def _block(slot: str) -> str:
    """A place for what a prompt has to show, and, behind the last, the form of the reply."""
    form = {
        "questions": 'Reply with JSON of this form: {"answers": [{"id": 1, "answer": "..."}]}',
        "answer": 'On a scale from 0 to 5. Reply with JSON of this form: {"reason": "...", "score": n}',
    }
    slot_text = "{flag}" if slot == "flag" else f"[{slot.upper()}]\n{{{slot}}}\n[/{slot.upper()}]"
    return f"{slot_text}\n\n{form[slot]}" if slot in form else slot_text


def resolve(config: PipelineConfig, inputs: Inputs) -> FileTask:
    """Every file recognised, prompts and what was brought read. ConfigError, naming the key, for whatever is to be mended."""
    _check_stages(config, inputs)
    imported = read_imported({role: inputs.of(role) for role in ("processed", "written", "answered")}, inputs.keys)
    notes = [f"not read, as its name says nothing to the pipeline: {name}" for name in imported.unread]
    read, warnings = _files(config, inputs)
    materials = with_brought(read, imported)
    notes += imported.lacking({each for material in read for each in (material.name, material.filename)}, inputs.keys)
    warnings += [sentence for material in materials for sentence in _lacking(config, material)]
    prices, remarks = prices_of(inputs, "pricing")
    warnings += remarks
    models = _with_own_limits(config, inputs)
    warnings += own_family(models.get("judge", ()), (*models.get("process", ()), *models.get("answers", ())))
    prompts, frames = {**config.prompts, **own_prompts(inputs)}, config.judge.frames if config.judge else None
    judging = _judging(config, inputs, models, prompts, materials)
    return FileTask(
        config=config, asked=models, materials=materials, prompts=prompts,
        prices=prices, warnings=(*notes, *warnings), templated=not inputs.of("questions_prompt"),
        runs=config.process.runs if config.process else 0, threshold=config.judge.pass_threshold if config.judge else None,
        frames=frames, attacks=attacks_on(inputs, models.get("judge", ()), prompts, frames, judging),
        rubrics=judging.rubrics if judging else NO_RUBRICS, judging=judging,
    )  # fmt: skip


def _judging(
    config: PipelineConfig,
    inputs: Inputs,
    models: Mapping[str, tuple[AskedModel, ...]],
    prompts: Mapping[str, str],
    materials: Sequence[Material],
) -> RubricJudging | None:
    """The judges by rubrics, which know how many answers each file has at most; None where there are none."""
    if config.judge is None:
        return None
    made = len(models.get("process", ())) * (config.process.runs if config.process else 0)
    answers = {
        material.name: (
            (made + len(material.texts)) * len(models.get("answers", ())) + len(material.answers),
            material.n_questions,
        )
        for material in materials
    }
    return judging_of(config.judge, inputs, models["judge"], prompts, answers)


def _check_stages(config: PipelineConfig, inputs: Inputs) -> None:
    """ConfigError for a method that is not there, and for stages that work on files where there are none."""
    if config.judge is not None and config.judge.method != "llm":
        why = 'OpenAI\'s hosted evals take no new work since 31 October 2026; method = "llm" scores on the same scale'
        raise ConfigError(f"pipeline.judge.method: {config.judge.method}: {why}")
    if not inputs.of("document") and (inputs.asked.get("process") or inputs.asked.get("questions")):
        raise ConfigError(f"{INPUTS}: names no file; process.models and questions.model work on files")


def _files(config: PipelineConfig, inputs: Inputs) -> tuple[list[Material], list[str]]:
    """The files, and what to say of them."""
    table, files = config.questions, inputs.of("document")
    schemas: Sequence[QuestionSchema | None] = (None, None)
    if table is not None and table.model:
        schemas = schemas_of(inputs, "pipeline.questions", own=bool(table.schema_file))
    if len(files) > config.max_inputs:
        raise ConfigError(f"{INPUTS}: {len(files)} files; at most {config.max_inputs} (pipeline.max_inputs raises it)")
    texts = {file.name: text_of(file, f"{INPUTS}: {REFERENCE}") for file in inputs.of(f"document{BESIDE}")}
    pairs = []
    for name, file in zip(document_ids(files, INPUTS), files, strict=True):
        stem = file.name.rpartition(".")[0]
        reference = texts.get(f"{file.name}{REFERENCE}", texts.get(f"{stem}{REFERENCE}", ""))
        pairs.append(material_of(name, file, INPUTS, config.attach, reference, schemas))
    return [material for material, _ in pairs], [note for _, note in pairs if note]


def _with_own_limits(config: PipelineConfig, inputs: Inputs) -> dict[str, tuple[AskedModel, ...]]:
    """The models by stage; those that process have that table's limit, judges theirs."""
    models, process, judge = dict(inputs.asked), config.process, config.judge
    if process is not None and "process" in models:
        models["process"] = tuple(replace(each, max_output_tokens=process.max_output_tokens) for each in models["process"])
    if judge is not None:
        limits = (judge.temperature, judge.max_output_tokens, judge.use_temperature)
        models["judge"] = tuple(as_judge(each, *limits) for each in models["judge"])
    return models


def _lacking(config: PipelineConfig, material: Material) -> list[str]:
    """List what cannot be done with a file, since it was not brought."""
    sentences = []
    if made_before(config.process) and not material.texts and config.answers and not made_before(config.answers):
        sentences.append(f"{material.name}: no processed text was brought; nothing is answered about it")
    if made_before(config.questions) and not material.questions:
        sentences.append(f"{material.name}: no questions were brought; nothing is asked about it")
    return sentences


def _factors(task: FileTask) -> dict[str, Json]:
    models = {stage: len(stage_models) for stage, stage_models in task.asked.items()}
    return {"files": len(task.materials), "runs": task.runs or 1, **{f"{stage}_models": n for stage, n in models.items()}}


def table_of_files(paths: Sequence[str]) -> Mapping[str, Json]:
    """The `[pipeline]` table for these files: every stage, each to be given its models or to be left out."""
    return {"inputs": list(paths), "process": {}, "questions": {}, "answers": {}, "judge": {}, "costs": {}}


def unit_of(task: FileTask, sample: Sample) -> Unit:
    """A file, by what stands in it, and the questions that were brought for it; texts and answers that were are of a side."""
    material: Material = sample.data
    content = material.text or ("" if material.attachment is None else material.attachment.sha256) or material.name
    questions = [(question.question, question.reference, question.answerable) for question in material.questions]
    return Unit(digest(content, material.reference, questions), (material.name,))


PIPELINE = Kind(
    name="pipeline",
    about="how much of your files survives: transcribed or summarized, asked about, answered, judged",
    Config=PipelineConfig,
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
    units=Units("file", "answer", (), "", (MARK.name, CHARACTERS.name), unit_of),
    sample_files=SampleFiles(files, Totals(part, totals, apart=True), partial=True, paths=paths),
    targets=TARGETS,
    task_form=TaskForm(_factors),
    starts=Starts(from_files=table_of_files, short_form="FOLDER"),
    ratings=RatingForm("judge", {}, RUBRICS.prompts_of, RUBRICS),
)
