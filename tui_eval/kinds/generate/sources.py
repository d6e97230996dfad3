"""From the `[generate]` table to where questions are asked for: passages of documents, whole texts, images."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_eval.core.calls import Attachment, Json
from tui_eval.core.document_text import PAGE_BREAK, pages_of
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile
from tui_eval.core.plaintext import counted
from tui_eval.core.samples import Sample
from tui_eval.datasets.attachments import attachment_of
from tui_eval.datasets.document_blocks import document_ids
from tui_eval.kinds.generate.generate_table import Config
from tui_eval.kinds.generate.question_schema import QuestionSchema, read_schema
from tui_eval.kinds.shared.inputs import Inputs, Task
from tui_eval.kinds.shared.queues import Samples, listed, sample_id
from tui_eval.reading.document_body import tokens_of
from tui_eval.reading.slots import default_conversations, page_count, slots

_SENTENCE = re.compile(r"[^.!?。！？\f\n]{12,200}[.!?。！？]?")


@dataclass(frozen=True, slots=True)
class Piece:
    """What questions are asked about in one call."""

    text: str = ""
    """The passage, or the whole document; empty of an image."""
    start: int = 0
    """Where it begins in the document's text."""
    whole: str = ""
    """The document's text."""
    attachment: Attachment | None = None
    """The image."""
    schema: QuestionSchema | None = None
    """The categories; None for a conversation."""
    turns: int = 0
    """How many questions a conversation has."""

    def lacking(self, categories: Sequence[str]) -> list[dict[str, Any]]:
        """The categories that still want questions, and how many. `categories`: of those that are there."""
        there, schema = Counter(categories), self.schema
        left = [(one, one.count - there[one.name]) for one in (schema.categories if schema else ())]
        return [{"name": one.name, "count": n, "description": one.description} for one, n in left if n > 0]

    @property
    def template(self) -> str:
        """The prompt that the schema brings; empty where it brings none."""
        return self.schema.template if self.schema else ""

    @property
    def example(self) -> str:
        """A reply that is read, and of which every question that has a quote can be kept."""
        said = list(dict.fromkeys(" ".join(found.split()) for found in _SENTENCE.findall(self.text)))
        if self.schema is not None:
            sorts = [one.name for one in self.schema.categories for _ in range(one.count)]
            entries = [_example(sort, said, n) for n, sort in enumerate(sorts)]
            return json.dumps({"questions": [{"category": sort, **one} for sort, one in zip(sorts, entries, strict=True)]})
        sorts = ["fact", *["follow-up"] * (self.turns - 1)]
        turns = [{"type": sort, **_example(sort, said, n)} for n, sort in enumerate(sorts)]
        return json.dumps({"turns": [{**one, "answer": one["reference_answer"]} for one in turns]}, ensure_ascii=False)


def _example(sort: str, said: Sequence[str], n: int) -> dict[str, Json]:
    quote = said[n % len(said)] if said else ""
    words = quote.split() or [sort]
    longest = max(words, key=len)
    return {"question": f"{longest}: {words[-1]} {n}?", "reference_answer": quote or "An answer.", "quote": quote}


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateTask(Task):
    """The documents, and the places of them that questions are asked about."""

    config: Config
    documents: Mapping[str, InputFile]
    """By their ids, in order."""
    places: Sequence[tuple[str, tuple[Piece, ...]]]
    """The id of a document, and the pieces that are tried there one after the other."""
    wanted: int
    """How many questions there are to be."""


def resolve(config: Config, inputs: Inputs) -> GenerateTask:
    """Every document cut to pieces. ConfigError for one that the form cannot be asked of."""
    files = inputs.of("document")
    if len(files) > config.max_documents:
        many = f"{len(files)} files; at most {config.max_documents} (generate.max_documents raises it)"
        raise ConfigError(f"generate.documents: {many}")
    documents = dict(zip(document_ids(files, "generate.documents"), files, strict=True))
    places = (
        _slots(config, documents, inputs.run.seed) if config.form == "conversations" else _wholes(config, documents, inputs)
    )
    wanted = sum(pieces[0].turns + sum(one["count"] for one in pieces[0].lacking(())) for _, pieces in places)
    if config.form == "conversations":
        config = config.model_copy(update={"conversations": len(places)})
    return GenerateTask(config=config, asked=inputs.asked, documents=documents, places=places, wanted=wanted)


def _slots(config: Config, documents: Mapping[str, InputFile], seed: int) -> list[tuple[str, tuple[Piece, ...]]]:
    """A place for each conversation; where it is dropped, another passage of the same pages is tried."""
    texts = {}
    for name, file in documents.items():
        if file.text is None:
            how = 'conversations need text; ask single questions of it: form = "questions"'
            raise ConfigError(f"generate.documents: {file.name}: an image; {how}")
        texts[name] = file.text
    usual = default_conversations(sum(map(page_count, texts.values())))
    n = config.conversations or max(usual, len(texts))
    found = []
    for slot in slots([*texts.values()], n, seed):
        name = [*texts][slot.document]
        found.append((name, tuple(Piece(one.text, one.start, texts[name], turns=config.turns) for one in slot.passages)))
    if not found:
        raise ConfigError(
            "generate.documents: no passage that questions could be asked about; is it more than contents or tables?"
        )
    return found


def _wholes(config: Config, documents: Mapping[str, InputFile], inputs: Inputs) -> list[tuple[str, tuple[Piece, ...]]]:
    """Each document whole, or the image, as often as categories may come out short."""
    roles = ("schema", "schema") if config.schema_file else ("text_schema", "image_schema")
    schemas = [read_schema(inputs.one(role), f"generate.{role}{'_file' * (role == 'schema')}") for role in roles]
    found: list[tuple[str, tuple[Piece, ...]]] = []
    for name, file in documents.items():
        attachment = attachment_of(file) if file.text is None else None
        if file.text is None and attachment is None:
            raise ConfigError(f"generate.documents: {file.name}: named like an image, and is none that models are shown")
        tokens = int(tokens_of(file.text or ""))
        if tokens > config.max_text_tokens:
            way = 'write conversations about it (form = "conversations"), divide it, or raise generate.max_text_tokens'
            told = f"about {tokens:,} tokens; it is sent whole, and may have {config.max_text_tokens:,}"
            raise ConfigError(f"generate.documents: {file.name}: {told}: {way}")
        text = file.text or ""
        piece = Piece(text, 0, text, attachment, schemas[attachment is not None])
        found.append((name, (piece, piece)))
    return found


def samples(task: GenerateTask) -> Samples:
    """One for each place, in the order of the documents."""
    numbers: Counter[str] = Counter()
    found = []
    for n, (name, pieces) in enumerate(task.places):
        numbers[name] += 1
        single = task.config.form == "questions"
        found.append(
            Sample(
                sample_id(name, "questions" if single else f"c{numbers[name]}"),
                f"{counted(len(pieces[0].lacking(())) or pieces[0].turns, 'question')} about {task.documents[name].name}",
                groups={"document": (name,)}, doc_id=name, q_index=n, data=pieces,
                shape=(single and pieces[0].attachment is not None, len(pieces)),
            )
        )  # fmt: skip
    return listed(found)


def pages_in(file: InputFile) -> int | None:
    """How many pages a document has; None where it has none."""
    return len(pages_of(file.text)) if file.text and PAGE_BREAK in file.text else None
