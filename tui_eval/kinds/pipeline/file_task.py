"""Files that stages work on: what each holds, what was brought for it, and what models are told that look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.calls import Attachment, Price, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.samples import Sample
from tui_eval.datasets.attachments import PDF, attachment_of
from tui_eval.datasets.document_text.file_sorts import recognised
from tui_eval.datasets.documents import bytes_of
from tui_eval.evaluation.inputs import Task, text_of
from tui_eval.evaluation.sample_queues import Samples, listed
from tui_eval.evaluation.stage_models import id_label
from tui_eval.kinds.pipeline.imported_stages import Brought, BroughtAnswers, BroughtText, Question
from tui_eval.kinds.question_writing.material import Piece, pages_in
from tui_eval.kinds.question_writing.question_schema import QuestionSchema
from tui_eval.kinds.question_writing.whole_documents import questions_template
from tui_eval.reading.prompts import fill

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
    piece: Piece | None
    """What questions are written about; None where none are."""
    texts: tuple[BroughtText, ...] = ()
    questions: tuple[Question, ...] = ()
    answers: tuple[BroughtAnswers, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTask(Task):
    """Files and their stages: process makes texts of them, questions and answers speak for themselves, judge marks these."""

    materials: Sequence[Material]
    prompts: Mapping[str, str]
    """Those of the config, and in their place the stages' own files."""
    prices: Mapping[str, Price]
    """Those of the file with prices, by API id."""
    templated: bool
    """Whether the schema's own prompt asks for the questions, where it has one."""
    table: str
    """What the config's table is called."""
    runs: int
    """How often each model processes each file."""
    threshold: float | None
    """The mark from which on an answer counts as right; None where nobody judges."""
    counts_costs: bool
    """Whether there is to be a file with what everything cost."""
    folders: Mapping[str, str]
    """By stage, where what it makes is kept."""
    scored_as: str
    """The stage under which stands what a text is worth, whoever made it."""
    frames: bool | None = None
    """Whether what is judged stands in frames; None = as before there were any."""

    def is_of(self, reply: Reply, name: str) -> bool:
        """Whether a reply is of the stage of this name."""
        return any(model.stage == reply.call.stage for model in self.asked.get(name, ()))

    def label(self, name: str, model_id: str) -> str:
        """A model as files know it, whether it is asked in this run or was in an earlier one."""
        return id_label(name, model_id, ((each.name, each.model_id) for models in self.asked.values() for each in models))


def material_of(
    name: str, file: InputFile, key: str, attach: bool, reference: str, schemas: Sequence[QuestionSchema | None]
) -> tuple[Material, str]:
    """A file as models are given it, and what to say of its name. ConfigError, naming the key, for one that none can be shown.

    `attach`: whether PDFs are shown as they are; `schemas`: what is asked about texts, and about what is attached.
    """
    told = recognised(key, file.name, bytes_of(file)[:HEAD])
    is_shown = told.sort == "image" or (told.mime == PDF and attach)
    attachment = attachment_of(file) if is_shown else None
    text = "" if is_shown else file.text if file.text is not None else text_of(file, key)
    if is_shown and attachment is None:
        raise ConfigError(f"{key}: {file.name}: named like an image or a PDF, and is none that models are shown")
    if not is_shown and not text.strip():
        raise ConfigError(f"{key}: {file.name}: there is no text in it; leave it out, or show it with attach = true")
    schema = schemas[is_shown]
    paged = pages_in(file) is not None
    piece = None if schema is None else Piece(text, 0, text, paged, attachment, schema, left_out=file.left_out or ())
    sort = "image" if is_shown else "text"
    return Material(name, sort, file.name, text, attachment, reference, piece), f"{file.name}: {told.note}" * bool(told.note)


def with_brought(read: Sequence[Material], found: Brought) -> list[Material]:
    """Each file with what was brought for it, by its name; where there are no files, those that texts or answers are about."""
    names = dict.fromkeys((*found.texts, *found.answers))
    return [
        replace(
            one,
            texts=tuple(found.texts.get(one.name, ())),
            questions=tuple(found.questions.get(one.name) or found.questions.get(one.filename) or ()),
            answers=tuple(found.answers.get(one.name, ())),
        )
        for one in read or [Material(name, "", name, "", None, "", None) for name in names]
    ]


def file_samples(task: FileTask) -> Samples:
    """One for each file, in their order."""
    return listed(
        Sample(
            one.name, _first_line(task, one), groups={"source": (one.name,), **({"sort": (one.sort,)} if one.sort else {})},
            doc_id=one.name, q_index=n, data=one,
            shape=(one.sort, bool(one.piece), len(one.questions), len(one.texts), tuple(len(e.answers) for e in one.answers)),
        )
        for n, one in enumerate(task.materials)
    )  # fmt: skip


def process_prompt(task: FileTask, one: Material) -> str:
    """What a model is told that processes a file."""
    if one.attachment is not None:
        return task.prompts["transcribe_page"]
    return fill(task.prompts["summarize_text"], {"text": one.text})


def questions_prompt(task: FileTask, one: Material, categories: str) -> str:
    """What a model is told that writes questions about a file."""
    piece = one.piece or Piece()
    if task.templated:
        template = questions_template(piece, task.prompts)
    else:
        template = task.prompts["questions_image" if one.attachment else "questions_text"]
    return fill(template, {"text": piece.text, "categories_json": categories})


def _first_line(task: FileTask, one: Material) -> str:
    """The line by which a person knows what is asked about: the text's first, or the prompt's where a file is attached."""
    if task.asked.get("process") or one.piece:
        first = one.text or (process_prompt(task, one) if task.asked.get("process") else questions_prompt(task, one, ""))
    elif one.texts and not one.answers:
        first = one.texts[0].text
    else:
        first = next((question.question for question in one.questions), one.name)
    return first.strip().partition("\n")[0] or one.name
