"""The categories that single questions are asked for, as a file has them (spec 000, QuestionSchema)."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.evaluation.inputs import Inputs, text_of

SLOT = "{categories_json}"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class Category(_Table):
    """One sort of question."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    count: Annotated[int, Field(ge=1, le=1000)]
    """How many are wanted of each document."""
    description: str = ""


class OutputFormat(_Table):
    """What each question has to bring."""

    require_reference_answer: bool = True
    require_answerable_flag: bool = False


class QuestionSchema(_Table):
    """A schema file."""

    categories: Annotated[tuple[Category, ...], Field(min_length=1, strict=False)]
    template: Annotated[str, Field(alias="prompt_template")] = ""
    """The prompt in place of the shipped one; the categories stand where it has their slot."""
    output_format: OutputFormat = OutputFormat()

    @field_validator("categories")
    @classmethod
    def _each_once(cls, found: tuple[Category, ...]) -> tuple[Category, ...]:
        names = [one.name for one in found]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the category {twice!r} stands twice")
        return found

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
