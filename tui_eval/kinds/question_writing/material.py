"""Material for questions, a passage, a whole text or an image, and which are wanted: the categories of a schema."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tui_eval.core.calls import Attachment
from tui_eval.core.document_text import PAGE_BREAK, Lean, LeftOut, without_running
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.json_encoding import rows_json
from tui_eval.evaluation.inputs import Inputs, text_of

SLOT = "{categories_json}"


class _MaterialKeys(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class Category(_MaterialKeys):
    """One sort of question."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    count: Annotated[int, Field(ge=1, le=1000)]
    """How many are wanted of each document."""
    description: str = ""


class OutputFormat(_MaterialKeys):
    """The fields that each question has to bring."""

    require_reference_answer: bool = True
    require_answerable_flag: bool = False


class QuestionSchema(_MaterialKeys):
    """A schema file."""

    categories: Annotated[tuple[Category, ...], Field(min_length=1, strict=False)]
    template: Annotated[str, Field(alias="prompt_template")] = ""
    """The prompt in place of the shipped one; the categories stand where it has their slot."""
    output_format: OutputFormat = OutputFormat()

    @field_validator("categories")
    @classmethod
    def _each_once(cls, categories: tuple[Category, ...]) -> tuple[Category, ...]:
        names = [category.name for category in categories]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the category {twice!r} appears twice")
        return categories

    @field_validator("template")
    @classmethod
    def _has_its_slot(cls, text: str) -> str:
        if text and SLOT not in text:
            raise ValueError(f"has no {SLOT}; put it where the categories should stand")
        return text


def read_schema(file: InputFile, key: str) -> QuestionSchema:
    """A schema file read. ConfigError naming file and key for whatever is out of order."""
    try:
        value = json.loads(text_of(file, key))
    except json.JSONDecodeError as error:
        raise ConfigError(f"{key}: {file.name}:{error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise ConfigError(f"{key}: {file.name}: nested too deeply") from None
    try:
        return QuestionSchema.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{key}: {file.name}: {place}: {first['msg'].removeprefix('Value error, ')}") from None


def schemas_of(inputs: Inputs, key: str, own: bool) -> tuple[QuestionSchema, QuestionSchema]:
    """The categories for texts, and those for images, as a table says in text_schema and image_schema; `own`: in schema_file,
    for both. `key`: of the table."""
    if own:
        schema = read_schema(inputs.one("schema"), f"{key}.schema_file")
        return schema, schema
    texts, images = (read_schema(inputs.one(role), f"{key}.{role}") for role in ("text_schema", "image_schema"))
    return texts, images


TEXT_SLOT = "{text}"


@dataclass(frozen=True, slots=True)
class MaterialPiece:
    """One call's matter."""

    text: str = ""
    """The passage, or the whole document; empty of an image."""
    start: int = 0
    """Where it begins in the document's text."""
    whole: str = ""
    """The document's text, with its running heads and feet."""
    paged: bool = False
    """Whether the document has pages."""
    attachment: Attachment | None = None
    """The image."""
    schema: QuestionSchema | None = None
    """The categories; None for a conversation."""
    turns: int = 0
    """How many questions a conversation has."""
    end: int | None = None
    """Where a passage ends in the document's text, which between has what passages leave out; None = it has nothing."""
    left_out: Sequence[LeftOut] = ()
    """What passages leave out of the document's text."""

    def __hash__(self) -> int:
        """Hash its passage alone: what is left out of a long document has a thousand parts, and caches ask often."""
        return hash((self.start, self.text))

    @property
    def readings(self) -> tuple[Lean, ...]:
        """The readings of its text, as it is shown first: with the running heads and feet that stand in it, and without."""
        end = self.start + len(self.text) if self.end is None else self.end
        raw, start = self.whole[self.start : end], self.start
        inside = [
            replace(span, start=span.start - start, end=span.end - start)
            for span in self.left_out
            if start <= span.start < span.end <= end
        ]
        lean, whole = without_running(raw, inside), without_running(raw, ())
        if lean.text == raw:
            return (whole,)
        return (lean, whole) if self.text == lean.text else (whole, lean)

    @property
    def wanted(self) -> int:
        """Number of questions there are to be."""
        return self.turns + (sum(category.count for category in self.schema.categories) if self.schema else 0)

    def has_enough(self, n_kept: int) -> bool:
        """Return whether most of a conversation is there; of single questions it is never asked."""
        return not self.turns or 2 * n_kept > self.turns

    @property
    def output_format(self) -> OutputFormat:
        """The fields that each question has to bring."""
        return self.schema.output_format if self.schema else OutputFormat()

    def lacking(self, categories: Sequence[str]) -> list[dict[str, Any]]:
        """The categories that still want questions, and how many. `categories`: of those that are there."""
        there, schema = Counter(categories), self.schema
        remaining = [(category, category.count - there[category.name]) for category in (schema.categories if schema else ())]
        return [{"name": category.name, "count": n, "description": category.description} for category, n in remaining if n > 0]


@lru_cache(maxsize=16)
def lacking_json(schema: QuestionSchema | None, categories: tuple[str, ...] = ()) -> str:
    """The categories that still want questions as a prompt tells them; most pieces of a run have the same."""
    return rows_json(MaterialPiece(schema=schema).lacking(categories))


@dataclass(frozen=True, slots=True)
class QuestionPlace:
    """A place that questions are asked for."""

    pieces: tuple[MaterialPiece, ...]
    """Tried one after the other."""
    lost: tuple[tuple[int, frozenset[int]], ...] = ()
    """The tries after which the set had lost it, since other places ask the same: which try, and which questions of it."""


def pages_in(file: InputFile) -> int | None:
    """Count the pages of a document; None where it has none, as a text or an image."""
    return (file.text or "").count(PAGE_BREAK) + 1 if has_pages(file) else None


def has_pages(file: InputFile) -> bool:
    """Return whether a document has pages."""
    return file.text is not None and (file.name.lower().endswith(".pdf") or PAGE_BREAK in file.text)


def questions_template(piece: MaterialPiece, prompts: Mapping[str, str]) -> str:
    """The prompt for single questions: the schema's own, behind which the text stands where it has no place for it."""
    own = piece.schema.template if piece.schema else ""
    if piece.attachment or not own:
        return own or prompts["questions_image" if piece.attachment else "questions_text"]
    return own if TEXT_SLOT in own else f"{own}\n\n[TEXT]\n{TEXT_SLOT}\n[/TEXT]"
