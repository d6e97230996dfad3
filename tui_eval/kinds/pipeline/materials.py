"""From the `[pipeline]` table to what is asked: each file with its reference text, and what was brought for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.calls import Attachment, Price
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile
from tui_eval.core.samples import Sample
from tui_eval.datasets.attachments import PDF, attachment_of
from tui_eval.datasets.document_blocks import document_ids
from tui_eval.datasets.document_text.file_sorts import recognised
from tui_eval.datasets.documents import bytes_of
from tui_eval.kinds.pipeline.pipeline_table import OWN_PROMPTS, PROMPTS, REFERENCE, Config, made_before
from tui_eval.kinds.shared.asked_models import AskedModel
from tui_eval.kinds.shared.brought_stages import BroughtAnswers, BroughtText, Question, brought
from tui_eval.kinds.shared.families import own_family
from tui_eval.kinds.shared.inputs import Inputs, Task, text_of
from tui_eval.kinds.shared.naming import BESIDE
from tui_eval.kinds.shared.price_files import read_prices
from tui_eval.kinds.shared.queues import Samples, listed
from tui_eval.kinds.shared.written_questions.pieces import Piece, pages_in
from tui_eval.kinds.shared.written_questions.question_schema import QuestionSchema, read_schema
from tui_eval.kinds.shared.written_questions.whole_documents import questions_template
from tui_eval.reading.prompts import fill, missing_slots

HEAD = 1024


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
    piece: Piece | None
    """What questions are written about; None where none are."""
    texts: tuple[BroughtText, ...] = ()
    questions: tuple[Question, ...] = ()
    answers: tuple[BroughtAnswers, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineTask(Task):
    """The files, read."""

    config: Config
    materials: Sequence[Material]
    prompts: Mapping[str, str]
    """Those of the config, and in their place the stages' own files."""
    prices: Mapping[str, Price]
    """Those of the file with prices, by API id."""
    templated: bool
    """Whether the schema's own prompt asks for the questions, where it has one."""


def resolve(config: Config, inputs: Inputs) -> PipelineTask:
    """Every file recognised, prompts and what was brought read. ConfigError, naming the key, for whatever is to be mended."""
    _check_stages(config, inputs)
    found = brought({role: inputs.of(role) for role in ("processed", "written", "answered")}, inputs.keys)
    notes: list[str] = [f"not read, as its name says nothing to the pipeline: {name}" for name in found.unread]
    materials, told = _materials(config, inputs)
    for name in (*found.texts, *found.answers) if not materials else ():
        materials.setdefault(name, Material(name, "", name, "", None, "", None))
    for name, one in materials.items():
        questions = tuple(found.questions.get(name) or found.questions.get(one.filename) or ())
        given, answers = tuple(found.texts.get(name, ())), tuple(found.answers.get(name, ()))
        materials[name] = replace(one, texts=given, questions=questions, answers=answers)
        told += _lacking(config, materials[name])
    asked = _with_own_limits(config, inputs)
    told += own_family(asked.get("judge", ()), (*asked.get("process", ()), *asked.get("answers", ())))
    return PipelineTask(
        config=config, asked=asked, materials=[*materials.values()], prompts={**config.prompts, **_own_prompts(inputs)},
        prices=_prices(inputs), warnings=(*notes, *told), templated=not inputs.of("questions_prompt"),
    )  # fmt: skip


def _check_stages(config: Config, inputs: Inputs) -> None:
    """ConfigError for a method that is not there, and for stages that work on files where there are none."""
    if config.judge is not None and config.judge.method != "llm":
        why = 'OpenAI\'s hosted evals take no new work since 31 October 2026; method = "llm" marks by the same scale'
        raise ConfigError(f"pipeline.judge.method: {config.judge.method}: {why}")
    if not inputs.of("document") and (inputs.asked.get("process") or inputs.asked.get("questions")):
        raise ConfigError("pipeline.inputs: names no file; process.models and questions.model work on files")


def _materials(config: Config, inputs: Inputs) -> tuple[dict[str, Material], list[str]]:
    """The files by their names, and what to say of them."""
    texts, images = _schemas(config, inputs)
    references = {file.name: text_of(file, f"pipeline.inputs: {REFERENCE}") for file in inputs.of(f"document{BESIDE}")}
    files = inputs.of("document")
    if len(files) > config.max_inputs:
        many = f"{len(files)} files; at most {config.max_inputs} (pipeline.max_inputs raises it)"
        raise ConfigError(f"pipeline.inputs: {many}")
    found, notes = {}, []
    for name, file in zip(document_ids(files, "pipeline.inputs"), files, strict=True):
        found[name], note = _material(config, name, file, references, texts, images)
        notes += [note] if note else []
    return found, notes


def _with_own_limits(config: Config, inputs: Inputs) -> dict[str, tuple[AskedModel, ...]]:
    """The models by stage; those that process have that table's limit, judges theirs."""
    asked = dict(inputs.asked)
    if config.process is not None and "process" in asked:
        most = config.process.max_output_tokens
        asked["process"] = tuple(replace(each, max_output_tokens=most) for each in asked["process"])
    if "judge" in asked:
        asked["judge"] = tuple(_as_judge(config, each) for each in asked["judge"])
    return asked


def _prices(inputs: Inputs) -> Mapping[str, Price]:
    return {model: price for file in inputs.of("pricing") for model, price in read_prices(file, inputs.keys["pricing"]).items()}


def _lacking(config: Config, one: Material) -> list[str]:
    """What of a file cannot be done, since it was not brought."""
    found = []
    if made_before(config.process) and not one.texts and config.answers and not made_before(config.answers):
        found.append(f"{one.name}: no processed text was brought; nothing is answered about it")
    if made_before(config.questions) and not one.questions:
        found.append(f"{one.name}: no questions were brought; nothing is asked about it")
    return found


def _as_judge(config: Config, model: AskedModel) -> AskedModel:
    judge = config.judge
    own = judge.temperature if judge else None
    most = judge.max_output_tokens if judge else None
    return replace(model, temperature=model.temperature if own is None else own, max_output_tokens=most)


def _own_prompts(inputs: Inputs) -> dict[str, str]:
    """The prompts that stages bring as files; a place that they do not have for what they must show is put behind them."""
    found = {}
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
                found[name] = "\n\n".join([text, *(_block(slot) for slot in lacking)])
    return found


def _block(slot: str) -> str:
    """A place for what a prompt has to show, and, behind the last, the form of the reply."""
    form = {
        "questions": 'Reply with JSON of this form: {"answers": [{"id": 1, "answer": "..."}]}',
        "answer": 'On a scale from 0 to 5. Reply with JSON of this form: {"reason": "...", "score": n}',
    }
    shown = "{flag}" if slot == "flag" else f"[{slot.upper()}]\n{{{slot}}}\n[/{slot.upper()}]"
    return f"{shown}\n\n{form[slot]}" if slot in form else shown


def _schemas(config: Config, inputs: Inputs) -> tuple[QuestionSchema | None, QuestionSchema | None]:
    """The categories for texts, and those for images."""
    table = config.questions
    if table is None or not table.model:
        return None, None
    roles = ("schema", "schema") if table.schema_file else ("text_schema", "image_schema")
    found = [read_schema(inputs.one(role), f"pipeline.questions.{role}{'_file' * (role == 'schema')}") for role in roles]
    return found[0], found[1]


def _material(
    config: Config, name: str, file: InputFile, references: Mapping[str, str],
    texts: QuestionSchema | None, images: QuestionSchema | None,
) -> tuple[Material, str]:  # fmt: skip
    """A file, and what to say of its name."""
    told = recognised("pipeline.inputs", file.name, bytes_of(file)[:HEAD])
    is_shown = told.sort == "image" or (told.mime == PDF and config.attach)
    attachment = attachment_of(file) if is_shown else None
    text = "" if is_shown else file.text if file.text is not None else text_of(file, "pipeline.inputs")
    if is_shown and attachment is None:
        raise ConfigError(f"pipeline.inputs: {file.name}: named like an image or a PDF, and is none that models are shown")
    if not is_shown and not text.strip():
        raise ConfigError(f"pipeline.inputs: {file.name}: there is no text in it; leave it out, or show it with attach = true")
    stem = file.name.rpartition(".")[0]
    reference = references.get(f"{file.name}{REFERENCE}", references.get(f"{stem}{REFERENCE}", ""))
    schema = images if is_shown else texts
    piece = None if schema is None else Piece(text, 0, text, pages_in(file) is not None, attachment, schema)
    sort = "image" if is_shown else "text"
    return Material(name, sort, file.name, text, attachment, reference, piece), f"{file.name}: {told.note}" * bool(told.note)


def samples(task: PipelineTask) -> Samples:
    """One for each file, in their order."""
    return listed(
        Sample(
            one.name, _about(task, one), groups={"source": (one.name,), **({"sort": (one.sort,)} if one.sort else {})},
            doc_id=one.name, q_index=n, data=one,
            shape=(one.sort, bool(one.piece), len(one.questions), len(one.texts), tuple(len(e.answers) for e in one.answers)),
        )
        for n, one in enumerate(task.materials)
    )  # fmt: skip


def process_prompt(task: PipelineTask, one: Material) -> str:
    """What a model is told that processes a file."""
    if one.attachment is not None:
        return task.prompts["transcribe_page"]
    return fill(task.prompts["summarize_text"], {"text": one.text})


def questions_prompt(task: PipelineTask, one: Material, categories: str) -> str:
    """What a model is told that writes questions about a file."""
    piece = one.piece or Piece()
    if task.templated:
        template = questions_template(piece, task.prompts)
    else:
        template = task.prompts["questions_image" if one.attachment else "questions_text"]
    return fill(template, {"text": piece.text, "categories_json": categories})


def _about(task: PipelineTask, one: Material) -> str:
    """The line by which a person knows what is asked about: the text's first, or the prompt's where a file is attached."""
    if task.asked.get("process") or one.piece:
        first = one.text or (process_prompt(task, one) if task.asked.get("process") else questions_prompt(task, one, ""))
    elif one.texts and not one.answers:
        first = one.texts[0].text
    else:
        first = next((question.question for question in one.questions), one.name)
    return first.strip().partition("\n")[0] or one.name
