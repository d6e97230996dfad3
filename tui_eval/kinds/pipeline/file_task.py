"""The `[pipeline]` table, and the files that stages work on: what each holds, what was brought for it, what models are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model, field_validator, model_validator

from tui_eval.core.calls import Attachment, Price, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.output_names import REFERENCE
from tui_eval.core.samples import Sample
from tui_eval.datasets.attachments import PDF, attachment_of
from tui_eval.datasets.document_text.file_sorts import recognised
from tui_eval.datasets.documents import bytes_of
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.inputs import Task, text_of
from tui_eval.evaluation.judging.judge_attacks import AttackSet
from tui_eval.evaluation.judging.judge_frames import FramesKey
from tui_eval.evaluation.judging.rubric_judging import RubricJudging
from tui_eval.evaluation.sample_queues import Samples, listed
from tui_eval.evaluation.stage_models import id_label
from tui_eval.kinds.pipeline.imported_stages import BroughtAnswers, BroughtText, FileQuestion, ImportedStages
from tui_eval.kinds.question_writing.material import MaterialPiece, QuestionSchema, has_pages, questions_template
from tui_eval.reading.prompts import fill
from tui_eval.workspace.validation import Strict

if TYPE_CHECKING:
    from tui_eval.workspace.validation import Strict as _Answered
    from tui_eval.workspace.validation import Strict as _Processed
    from tui_eval.workspace.validation import Strict as _Written

FROM = "from"
"""The key of a stage's table that names what an earlier run made of it; no Python name, so that getattr reads it."""


def from_files(role: str, models_key: str, *inside: str) -> type[Strict]:
    """A table with the key `from`, for files of this role. `models_key`: the key that names the models to ask.

    `inside`: which files of a folder or a run are meant. ValueError for a table with both keys or none.
    """
    description = (
        "Results that replace this stage: a run by its id, a folder, or files made elsewhere. Empty = its models are asked."
    )
    annotation: Any = Annotated[list[str], names("files", role=role, place=role, inside=inside), Field(description=description)]
    fields: dict[str, Any] = {FROM: (annotation, [])}

    def one_of_both(table: Any) -> Any:
        if isinstance(table, dict) and bool(table.get(models_key)) == bool(table.get(FROM)):
            raise ValueError(f"give {models_key} or from, and not both; leave out the whole table to leave out the stage")
        return table

    checks: dict[str, Any] = {
        "one_or_many": field_validator(FROM, mode="before")(_one_or_many),
        "one_of_both": model_validator(mode="before")(one_of_both),
    }
    return create_model("FromFiles", __base__=Strict, __module__=__name__, __validators__=checks, **fields)


def made_before(table: Strict | None) -> list[str]:
    """The files that stand in a stage's place."""
    paths: list[str] = getattr(table, FROM, [])
    return paths


def _one_or_many(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


SHIPPED = "prompts/pipeline"

if not TYPE_CHECKING:
    _Processed = from_files("processed", "models", "_config__*.json processed/*.md", "*.md")
    _Written = from_files("written", "model", "_config__*.json questions/questions__from__*.json", "*.json")
    _Answered = from_files("answered", "models", "_config__*.json answers/*.json", "*.json")


class Process(_Processed):
    """The stage in which models process each file: a transcription, a summary, an analysis."""

    models: Annotated[list[str], names("model", stage="process", unless=FROM), Field(examples=[["mini"]])] = []
    """The models that process the files, one a line."""
    runs: Annotated[int, Field(ge=1, le=1000)] = 1
    """The number of times each model processes each file."""
    prompt_file: Annotated[
        str | None, names("file", role="process_prompt", shipped=SHIPPED), Field(examples=["transcribe_page.md"])
    ] = None
    """The file with the prompt for the models. Empty = transcribe_page.md for attached files, summarize_text.md for text."""
    max_output_tokens: Annotated[int, Field(ge=1)] = 8000
    """The most tokens of a processed text. Results that rest on a cut text are marked as such."""


class FileQuestions(_Written):
    """The questions about each file, with reference answers."""

    model: Annotated[str | None, names("model", stage="questions", unless=FROM, stays=True), Field(examples=["mini"])] = None
    """The model that writes the questions; it sees the file itself."""
    schema_file: Annotated[
        str | None, names("file", role="schema", shipped="schemas"), Field(examples=["questions-texts.json"])
    ] = None
    """The categories, as JSON: name, count and description of each. Empty = the shipped ones, by the type of file."""
    text_schema: Annotated[str, names("file", role="text_schema", shipped="schemas")] = "questions-texts.json"
    """The categories for texts, where schema_file is empty: a path, or a file of schemas/."""
    image_schema: Annotated[str, names("file", role="image_schema", shipped="schemas")] = "questions-images.json"
    """The same for images, and for PDFs that are attached."""
    prompt_file: Annotated[
        str | None, names("file", role="questions_prompt", shipped=SHIPPED), Field(examples=["questions_text.md"])
    ] = None
    """The file with the prompt for the model, with {categories_json} in it. Empty = the prompt of the schema, else
    questions_image.md or questions_text.md."""

    @property
    def unused(self) -> tuple[str, ...]:
        """The keys of no effect: what is brought needs no categories; a schema of one's own stands for both shipped ones."""
        if not self.model:
            return ("schema_file", "text_schema", "image_schema", "prompt_file")
        return ("text_schema", "image_schema") if self.schema_file else ()


class Answers(_Answered):
    """The answers to all questions, each from a processed text alone: one call for a text with all its questions."""

    models: Annotated[list[str], names("model", stage="answers", unless=FROM), Field(examples=[["mini"]])] = []
    """The models that answer, one a line."""
    prompt_file: Annotated[
        str | None, names("file", role="answers_prompt", shipped=SHIPPED), Field(examples=["answer_from_text.md"])
    ] = None
    """The file with the prompt for the models, with {text} and {questions} in it. Empty = answer_from_text.md."""


class Judge(Strict):
    """Who marks the answers, 0 to 5, against the reference answers."""

    models: Annotated[list[str], Field(min_length=1, examples=[["mini"]]), names("model", stage="judge")]
    """The models that judge. The mean of several marks counts, and each judge's mark is reported. A judge should not be one of
    the models that answer."""
    metrics: Annotated[list[str], Field(min_length=1, examples=[["politeness"]])] | None = None
    """Rubrics of your own by which the judges score each answer, beside the mark, which is always given: the names of files in
    prompts/pipeline/, with `metric: true` in their front matter. Empty = the mark alone."""
    duplicates: Annotated[float, Field(ge=0, le=1)] | None = None
    """The share of answers that a judge scores twice without knowing it, by the mark and by each rubric. The two scores show
    how far it agrees with itself. 0 = none. Empty = 0.1 if metrics names a rubric, else 0."""
    pass_threshold: Annotated[float, Field(ge=0, le=5)] = 4.0
    """The lowest mark with which an answer counts as right."""
    method: Literal["llm", "openai-eval"] = "llm"
    """llm: a model marks each answer. openai-eval: OpenAI's hosted evals, refused here. They take no new work since 31 October
    2026 and close on 30 November."""
    prompt_file: Annotated[
        str | None, names("file", role="judge_prompt", shipped=SHIPPED), Field(examples=["judge_answer.md"])
    ] = None
    """The file with the prompt for the judges, with {question}, {reference}, {flag} and {answer} in it. Empty =
    judge_answer.md."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """How freely a judge chooses its words. Models that take no temperature are sent none. Left out = 0."""
    use_temperature: bool | None = None
    """Send judges a temperature. false = send none, not even a model's own. Empty = yes."""
    max_output_tokens: Annotated[int, Field(ge=1)] = 800
    """The most tokens of a judge's reply. A reply that is cut off is asked for once more with four times as many."""
    attacks: AttackSet = None
    frames: FramesKey = None


class TokenCosts(Strict):
    """The costs of tokens: analysis/cost_analysis__… of the run folder."""

    pricing_file: Annotated[str | None, names("file", role="pricing"), Field(examples=["model-pricing.json"])] = None
    """Prices in the form of spec 000, {"pricing": {provider: {model id: {"input_per_1m": ..., "output_per_1m": ...}}}}. They
    replace the prices of the models, but only in the file with the costs. Empty = the models' own."""


class PipelineConfig(Strict):
    """The `[pipeline]` table."""

    inputs: Annotated[
        list[str], Field(examples=[["pages/*.png", "notes/*.md"]]),
        names("files", role="document", place="documents", most="max_input_bytes", as_text="reads_pdfs", others_as_is=True,
              asked_about=True, beside=REFERENCE, shown_by="attach = true"),
    ]  # fmt: skip
    """The files: paths, or patterns such as pages/*.png. Images, texts and PDFs are recognised by the suffix. NAME.ref.txt
    beside a file holds its text word for word; transcriptions are measured against it. [] = no files: a stage takes earlier
    results, which its key `from` names."""
    attach: bool = False
    """Show the models PDFs as they are. false = as the text in them."""
    process: Annotated[Process | None, Field(examples=[{"models": ["mini"]}])] = None
    """The texts that models make of each file. Left out = nothing is processed."""
    questions: FileQuestions | None = None
    """The questions about each file. Left out = none are asked."""
    answers: Answers | None = None
    """The answers from the processed texts. Left out = nothing is answered."""
    judge: Judge | None = None
    """The judges and their marks. Left out = nothing is judged."""
    costs: TokenCosts | None = None
    """The file with the costs of the run. Left out = no such file; the run's statistics have the costs all the same."""
    prompts: dict[str, str] = {}
    """This run's own prompts, by name. For a prompt that is left out, the one in prompts/ is used, else the shipped one."""
    max_inputs: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """The most files, so that a pattern does not match more than was meant."""
    max_input_bytes: Annotated[int, Field(ge=1, le=1024**3)] = 50 * 1024 * 1024
    """The largest size of a file, bytes."""

    @property
    def reads_pdfs(self) -> bool:
        """Return whether PDFs are read to text."""
        return not self.attach

    @model_validator(mode="after")
    def _has_what_its_stages_need(self) -> PipelineConfig:
        texts, questions = self.process is not None, self.questions is not None
        answered = bool(made_before(self.answers))
        if not (texts or questions or self.answers):
            raise ValueError("asks nothing: give at least one of the tables process, questions and answers")
        if self.answers and not answered and not (texts and questions):
            raise ValueError("answers need the tables process and questions, each with models of its own or with from")
        if self.judge and not self.answers:
            raise ValueError("judge needs the table answers")
        return self


HEAD = 1024
"""Bytes of a file by which its sort is recognised."""


@dataclass(frozen=True, slots=True)
class Material:
    """One file, and what was brought for it."""

    name: str
    sort: str
    """image or text, as the names of files have it; empty where there is no file."""
    filename: str
    text: str
    attachment: Attachment | None
    reference: str
    """What stands in it word for word; empty where nobody says."""
    piece: MaterialPiece | None
    """What questions are written about; None where none are."""
    texts: tuple[BroughtText, ...] = ()
    questions: tuple[FileQuestion, ...] = ()
    answers: tuple[BroughtAnswers, ...] = ()

    @property
    def n_questions(self) -> int:
        """The number of questions that are wanted about it."""
        if self.piece is None or self.piece.schema is None:
            return len(self.questions)
        return sum(category.count for category in self.piece.schema.categories)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTask(Task):
    """Files and their stages: process makes texts of them, questions and answers speak for themselves, judge marks these."""

    config: PipelineConfig
    materials: Sequence[Material]
    prompts: Mapping[str, str]
    """Those of the config, and in their place the stages' own files."""
    prices: Mapping[str, Price]
    """Those of the file with prices, by API id."""
    templated: bool
    """Whether the schema's own prompt asks for the questions, where it has one."""
    runs: int
    """How often each model processes each file."""
    threshold: float | None
    """The mark from which on an answer counts as right; None where nobody judges."""
    frames: bool | None = None
    """Whether what is judged stands in frames; None = as before there were any."""

    judging: RubricJudging | None = None
    """The judges by a person's own rubrics, and what they judge twice; None where there is neither."""

    def is_of(self, reply: Reply, name: str) -> bool:
        """Return whether a reply is of the stage of this name."""
        return any(model.stage == reply.call.stage for model in self.asked.get(name, ()))

    def twice_in(self, material: Material) -> tuple[int, ...]:
        """Return how many of the answers about a file are judged twice; nothing where no file has any."""
        every = self.judging.twice if self.judging else ()
        return (sum(file == material.name for _, file in every),) if every else ()

    def label(self, name: str, model_id: str) -> str:
        """A model as files know it, whether it is asked in this run or was in an earlier one."""
        return id_label(name, model_id, ((each.name, each.model_id) for models in self.asked.values() for each in models))


def material_of(
    name: str, file: InputFile, key: str, attach: bool, reference: str, schemas: Sequence[QuestionSchema | None]
) -> tuple[Material, str]:
    """A file as models are given it, and what to say of its name. ConfigError, naming the key, for one that none can be shown.

    `attach`: whether PDFs are shown as they are; `schemas`: what is asked about texts, and about what is attached.
    """
    file_type = recognised(key, file.name, bytes_of(file)[:HEAD])
    is_shown = file_type.sort == "image" or (file_type.mime == PDF and attach)
    attachment = attachment_of(file) if is_shown else None
    text = "" if is_shown else file.text if file.text is not None else text_of(file, key)
    if is_shown and attachment is None:
        raise ConfigError(f"{key}: {file.name}: has the name of an image or a PDF, but models cannot be shown it")
    if not is_shown and not text.strip():
        raise ConfigError(f"{key}: {file.name}: there is no text in it; leave it out, or show it with attach = true")
    schema = schemas[is_shown]
    paged = has_pages(file)
    piece = None if schema is None else MaterialPiece(text, 0, text, paged, attachment, schema, left_out=file.left_out or ())
    sort = "image" if is_shown else "text"
    return Material(name, sort, file.name, text, attachment, reference, piece), f"{file.name}: {file_type.note}" * bool(
        file_type.note
    )


def with_brought(read: Sequence[Material], imported: ImportedStages) -> list[Material]:
    """Each file with what was brought for it, by its name; where there are no files, those that texts or answers are about."""
    names = dict.fromkeys((*imported.texts, *imported.answers))
    return [
        replace(
            material,
            texts=tuple(imported.texts.get(material.name, ())),
            questions=tuple(imported.questions.get(material.name) or imported.questions.get(material.filename) or ()),
            answers=tuple(imported.answers.get(material.name, ())),
        )
        for material in read or [Material(name, "", name, "", None, "", None) for name in names]
    ]


def file_samples(task: FileTask) -> Samples:
    """One for each file, in their order."""
    return listed(
        Sample(
            material.name, _first_line(task, material),
            groups={"source": (material.name,), **({"sort": (material.sort,)} if material.sort else {})},
            doc_id=material.name, q_index=n, data=material,
            shape=(material.sort, bool(material.piece), len(material.questions), len(material.texts),
                   tuple(len(e.answers) for e in material.answers), *task.twice_in(material)),
        )
        for n, material in enumerate(task.materials)
    )  # fmt: skip


def process_prompt(task: FileTask, material: Material) -> str:
    """Return the prompt of a model that processes a file."""
    if material.attachment is not None:
        return task.prompts["transcribe_page"]
    return fill(task.prompts["summarize_text"], {"text": material.text})


def questions_prompt(task: FileTask, material: Material, categories: str) -> str:
    """Return the prompt of a model that writes questions about a file."""
    piece = material.piece or MaterialPiece()
    if task.templated:
        template = questions_template(piece, task.prompts)
    else:
        template = task.prompts["questions_image" if material.attachment else "questions_text"]
    return fill(template, {"text": piece.text, "categories_json": categories})


def _first_line(task: FileTask, material: Material) -> str:
    """The line by which a person knows what is asked about: the text's first, or the prompt's where a file is attached."""
    if task.asked.get("process") or material.piece:
        first = material.text or (
            process_prompt(task, material) if task.asked.get("process") else questions_prompt(task, material, "")
        )
    elif material.texts and not material.answers:
        first = material.texts[0].text
    else:
        first = next((question.question for question in material.questions), material.name)
    return first.strip().partition("\n")[0] or material.name
