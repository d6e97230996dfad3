"""The `[generate]` table of a config: from which documents, in which form, how many questions, and who checks them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tui_eval.evaluation.config_references import asked_in, names
from tui_eval.kinds.generate.verification_pass import Check
from tui_eval.workspace.validation import Strict


class Config(Strict):
    """The `[generate]` table."""

    model: Annotated[str, names("model", stage="maker")]
    """The model that writes the questions."""
    documents: Annotated[
        list[str], Field(min_length=1, examples=[["handbook.pdf"]]),
        names("files", role="document", place="documents", most="max_document_bytes", as_text=True, asked_about=True),
    ]  # fmt: skip
    """What the questions are about: paths, or patterns such as texts/*.md. PDFs, texts, HTML, CSV, JSON, XML and code; with
    form = "questions" images, too."""
    form: Literal["conversations", "questions"] = "conversations"
    """conversations: questions that follow each other, each with the words of the document that answer it. questions: single
    ones, so many of each category of a schema from every document."""
    conversations: Annotated[int | None, Field(ge=1, le=10_000)] = None
    """How many conversations there are to be, over all documents. Empty = one for four pages, between 4 and 60."""
    turns: Annotated[int, Field(ge=1, le=20)] = 3
    """How many questions a conversation has."""
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
    """What the set of questions is called in datasets/; one that is there is never overwritten. Empty = as the run."""
    check: Annotated[Check, asked_in("check")] = Check()
    """The second opinion on every question."""
    prompts: dict[str, str] = {}
    """Prompts of this run's own, by name. Those that are left out are the ones in prompts/, else the shipped ones."""
    max_documents: Annotated[int, Field(ge=1, le=100_000)] = 100
    """How many documents there may be, so that a pattern does not match more than was meant."""
    max_document_bytes: Annotated[int, Field(ge=1, le=1024**3)] = 50 * 1024 * 1024
    """How large a document may be, bytes."""
    max_text_tokens: Annotated[int, Field(ge=100, le=10_000_000)] = 30_000
    """How long a document may be that single questions are asked of, tokens of about four characters: it is sent whole."""

    @property
    def unused(self) -> tuple[str, ...]:
        """Conversations have no categories; a schema of one's own stands for both shipped ones."""
        if self.form == "conversations":
            return ("schema_file", "text_schema", "image_schema")
        return ("text_schema", "image_schema") if self.schema_file else ()

    @model_validator(mode="before")
    @classmethod
    def _checked_by_somebody(cls, table: Any) -> Any:
        """Where no model is named for it, the one that writes gives the second opinion."""
        said = table.get("check", {}) if isinstance(table, dict) else None
        check = {} if said is True else said
        if not isinstance(check, dict) or not check.get("on", True) or check.get("model"):
            return table
        return {**table, "check": {**check, "model": table.get("model")}}
