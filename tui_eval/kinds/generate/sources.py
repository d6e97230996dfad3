"""The `[generate]` table, and the requests for questions made of it: passages, whole texts, images, and a lack of room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tui_eval.core.document_text import RUNNING, Lean, without_running
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.plaintext import count_of
from tui_eval.core.samples import DOCUMENT, Sample
from tui_eval.datasets.attachments import attachment_of
from tui_eval.datasets.document_blocks import document_ids
from tui_eval.datasets.document_text.running_heads import notes_of
from tui_eval.evaluation.config_references import asked_in, names
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.sample_queues import Samples, listed, sample_id
from tui_eval.kinds.generate.verification_pass import Check
from tui_eval.kinds.question_writing.material import MaterialPiece, QuestionPlace, pages_in, questions_template, schemas_of
from tui_eval.reading.document_body import tokens_of
from tui_eval.reading.passages import Passage
from tui_eval.reading.slots import default_conversations, page_count, shares, slots
from tui_eval.workspace.validation import Strict


class GenerateConfig(Strict):
    """The `[generate]` table."""

    model: Annotated[str, names("model", stage="maker")]
    """The model that writes the questions."""
    documents: Annotated[
        list[str], Field(min_length=1, examples=[["handbook.pdf"]]),
        names("files", role="document", place="documents", most="max_document_bytes", as_text=True, asked_about=True),
    ]  # fmt: skip
    """The documents that the questions are about: paths, or patterns such as texts/*.md. PDFs, texts, HTML, CSV, JSON, XML and
    code; with form = "questions" images, too."""
    form: Literal["conversations", "questions"] = "conversations"
    """conversations: questions that follow each other, each with the words of the document that answer it. questions: single
    ones; a schema says how many of each category every document gets."""
    conversations: Annotated[int | None, Field(ge=1, le=10_000)] = None
    """The number of conversations, over all documents. Empty = one for every four pages, but at least 4 and at most 60."""
    turns: Annotated[int, Field(ge=1, le=20)] = 3
    """The number of questions in a conversation."""
    schema_file: Annotated[
        str | None, names("file", role="schema", shipped="schemas"), Field(examples=["questions-texts.json"])
    ] = None
    """The categories of single questions, as JSON: name, count and description of each. Empty = the shipped ones,
    questions-texts.json and questions-images.json."""
    text_schema: Annotated[str, names("file", role="text_schema", shipped="schemas")] = "questions-texts.json"
    """The categories for documents with text, where schema_file is empty: a path, or a file of schemas/."""
    image_schema: Annotated[str, names("file", role="image_schema", shipped="schemas")] = "questions-images.json"
    """The same for images."""
    dataset: Annotated[str | None, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$", examples=["handbook"])] = None
    """The name of the set of questions in datasets/. A set that exists is never overwritten. Empty = the name of the run."""
    check: Annotated[Check, asked_in("check")] = Check()
    """The second opinion on every question: a model answers it from the text alone."""
    prompts: dict[str, str] = {}
    """This run's own prompts, by name. For a prompt that is left out, the one in prompts/ is used, else the shipped one."""
    max_documents: Annotated[int, Field(ge=1, le=100_000)] = 100
    """The most documents, so that a pattern does not match more than was meant."""
    max_document_bytes: Annotated[int, Field(ge=1, le=1024**3)] = 50 * 1024 * 1024
    """The largest size of a document, bytes."""
    max_text_tokens: Annotated[int, Field(ge=100, le=10_000_000)] = 30_000
    """The longest document for single questions, in tokens of about four characters. Documents are sent whole."""

    @property
    def unused(self) -> tuple[str, ...]:
        """Conversations have no categories; a schema of one's own stands for both shipped ones."""
        if self.form == "conversations":
            return ("schema_file", "text_schema", "image_schema")
        return ("text_schema", "image_schema") if self.schema_file else ()

    @model_validator(mode="before")
    @classmethod
    def _checked_by_somebody(cls, table: Any) -> Any:
        """Let the model that writes give the second opinion where no model is named for it."""
        setting = table.get("check", {}) if isinstance(table, dict) else None
        check = {} if setting is True else setting
        if not isinstance(check, dict) or not check.get("on", True) or check.get("model"):
            return table
        return {**table, "check": {**check, "model": table.get("model")}}


ROUNDS = 3
"""How often questions are asked for at one place at most."""
Places = Sequence[tuple[str, tuple[MaterialPiece, ...]]]
"""The id of a document, and the pieces that are tried there one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateTask(Task):
    """The documents, and the places of them that questions are asked about."""

    config: GenerateConfig
    documents: Mapping[str, InputFile]
    """By their ids, in order."""
    places: Places
    no_room: Mapping[str, int] = field(default_factory=dict)
    """By document: how many questions are wanted besides, for which it has no place."""

    @property
    def wanted(self) -> int:
        """Number of questions there are to be."""
        return sum(self.wanted_of.values())

    @property
    def wanted_of(self) -> Mapping[str, int]:
        """The same by document, in order."""
        counts = {name: self.no_room.get(name, 0) for name in self.documents}
        for name, pieces in self.places:
            counts[name] += pieces[0].wanted
        return counts

    @property
    def room(self) -> str:
        """The lack of places in words, where there are fewer than were wanted; else empty."""
        if not any(self.no_room.values()):
            return ""
        whose = "this document has" if len(self.documents) == 1 else "these documents have"
        return f"wanted {self.wanted}; {whose} room for {count_of(len(self.places), 'conversation')}"


def with_room_told(task: GenerateTask) -> GenerateTask:
    """The task with what it has no room for, and a note of that; where no number is wanted, as many as it has places."""
    n_wanted = task.config.conversations
    if n_wanted is None:
        return replace(task, config=task.config.model_copy(update={"conversations": len(task.places)}))
    task = replace(task, no_room=_no_room(task, n_wanted))
    return replace(task, warnings=(*task.warnings, f"generate.conversations: {task.room}")) if task.room else task


def _no_room(task: GenerateTask, n_wanted: int) -> Mapping[str, int]:
    """By document how many questions are wanted for which it has no place; nothing where all that is wanted has one.

    `n_wanted`: conversations, over all documents; what has no place is shared as if each document had room.
    """
    remaining, there = n_wanted - len(task.places), Counter(name for name, _ in task.places)
    by_document = {}
    if remaining > 0:
        pages = [page_count(file.text or "") for file in task.documents.values()]
        for name, number in zip(task.documents, shares(pages, [n_wanted] * len(pages), n_wanted), strict=True):
            lacking = min(max(number - there[name], 0), remaining)
            remaining -= lacking
            by_document[name] = lacking * task.config.turns
    return by_document


def resolve(config: GenerateConfig, inputs: Inputs) -> GenerateTask:
    """Every document cut to pieces. ConfigError for one that the form cannot be asked of."""
    files = inputs.of("document")
    if len(files) > config.max_documents:
        many = f"{len(files)} files; at most {config.max_documents} (generate.max_documents raises it)"
        raise ConfigError(f"generate.documents: {many}")
    documents = dict(zip(document_ids(files, "generate.documents"), files, strict=True))
    if config.form == "questions":
        places = _wholes(config, documents, inputs)
        return GenerateTask(config=config, asked=inputs.asked, documents=documents, places=places)
    places = _slots(config, documents, inputs.run.seed)
    notes = tuple(f"{file.name}: {note}" for file in files for note in notes_of(file.text or "", file.left_out or ()))
    task = GenerateTask(config=config, asked=inputs.asked, documents=documents, places=places, warnings=notes)
    return with_room_told(task)


def _slots(config: GenerateConfig, documents: Mapping[str, InputFile], seed: int) -> Places:
    """A place for each conversation; where it is dropped, another passage of the same pages is tried."""
    texts: dict[str, Lean] = {}
    for name, file in documents.items():
        if file.text is None:
            how = 'conversations need text; ask single questions of it: form = "questions"'
            raise ConfigError(f"generate.documents: {file.name}: an image; {how}")
        texts[name] = without_running(file.text, file.left_out or ())
    usual = default_conversations(sum(page_count(lean.text) for lean in texts.values()))
    places = []
    n_wanted = config.conversations or max(usual, len(texts))
    excluded = [_excluded_spans(texts[name], file) for name, file in documents.items()]
    for slot in slots([lean.text for lean in texts.values()], n_wanted, seed, excluded):
        name = [*texts][slot.document]
        places.append(
            (name, tuple(_piece(passage, texts[name], documents[name], config) for passage in slot.passages[:ROUNDS]))
        )
    if not places:
        why = "no passage that questions could be asked about; is it more than contents or tables?"
        raise ConfigError(f"generate.documents: {why}")
    return places


def _excluded_spans(lean: Lean, file: InputFile) -> list[tuple[int, int]] | None:
    """Return where in a text without its running heads contents and their like lie; None where nobody wrote that down."""
    if file.left_out is None:
        return None
    return [(lean.inside(span.start), lean.inside(span.end)) for span in file.left_out if span.what != RUNNING]


def _piece(passage: Passage, lean: Lean, file: InputFile, config: GenerateConfig) -> MaterialPiece:
    """A passage of a text without its running heads, and where it stands in the whole."""
    start, end = lean.span(passage.start, passage.end)
    paged = pages_in(file) is not None
    return MaterialPiece(passage.text, start, file.text or "", paged, turns=config.turns, end=end, left_out=file.left_out or ())


def _wholes(config: GenerateConfig, documents: Mapping[str, InputFile], inputs: Inputs) -> Places:
    """Each document whole, or the image; once more for categories that come out short. ConfigError for one that cannot be
    asked about."""
    text_schema, image_schema = schemas_of(inputs, "generate", own=bool(config.schema_file))
    places = []
    for name, file in documents.items():
        attachment, text = attachment_of(file) if file.text is None else None, file.text or ""
        if file.text is None and attachment is None:
            raise ConfigError(
                f"generate.documents: {file.name}: has the name of an image, but is not an image that models can be shown"
            )
        tokens = int(tokens_of(text))
        if tokens > config.max_text_tokens:
            way = 'write conversations about it (form = "conversations"), divide it, or raise generate.max_text_tokens'
            size = f"about {tokens:,} tokens; it is sent whole, and may have {config.max_text_tokens:,}"
            raise ConfigError(f"generate.documents: {file.name}: {size}: {way}")
        schema = image_schema if attachment else text_schema
        piece = MaterialPiece(text, 0, text, pages_in(file) is not None, attachment, schema, left_out=file.left_out or ())
        places.append((name, (piece, piece)))
    return places


def samples(task: GenerateTask) -> Samples:
    """One for each place, in the order of the documents; its question is the first line of what is asked about."""
    numbers: Counter[str] = Counter()
    rows = []
    for n, (name, pieces) in enumerate(task.places):
        numbers[name] += 1
        first = pieces[0]
        about = (first.text or questions_template(first, task.config.prompts)).strip().partition("\n")[0]
        rows.append(
            Sample(
                sample_id(name, f"c{numbers[name]}" if first.turns else "questions"),
                about, groups={DOCUMENT: (name,)}, doc_id=name, q_index=n, data=QuestionPlace(pieces),
                shape=(first.attachment is not None, len(pieces)),
            )
        )  # fmt: skip
    return listed(rows)


def factors(task: GenerateTask) -> Mapping[str, int]:
    """Return the numbers of a plan: the questions there are places for, and those wanted where that is another number."""
    questions = sum(pieces[0].wanted for _, pieces in task.places)
    extra = {"wanted": task.wanted} if task.wanted != questions else {}
    return {"documents": len(task.documents), "places": len(task.places), "questions": questions, **extra}
