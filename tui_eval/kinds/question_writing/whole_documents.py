"""Documents that single questions are asked about: each text whole, or the image, by a schema of categories."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.datasets.attachments import attachment_of
from tui_eval.kinds.question_writing.material import Piece, Places, pages_in
from tui_eval.kinds.question_writing.question_schema import QuestionSchema
from tui_eval.reading.document_body import tokens_of

TEXT_SLOT = "{text}"


def whole_documents(
    documents: Mapping[str, InputFile], text_schema: QuestionSchema, image_schema: QuestionSchema, most: int, key: str
) -> Places:
    """Each document whole, or the image; once more for categories that come out short. `most`: tokens a text may have.

    ConfigError, naming the table `key` of the config, for one that cannot be asked about.
    """
    found = []
    for name, file in documents.items():
        attachment, text = attachment_of(file) if file.text is None else None, file.text or ""
        if file.text is None and attachment is None:
            raise ConfigError(f"{key}.documents: {file.name}: named like an image, and is none that models are shown")
        tokens = int(tokens_of(text))
        if tokens > most:
            way = f'write conversations about it (form = "conversations"), divide it, or raise {key}.max_text_tokens'
            told = f"about {tokens:,} tokens; it is sent whole, and may have {most:,}"
            raise ConfigError(f"{key}.documents: {file.name}: {told}: {way}")
        schema = image_schema if attachment else text_schema
        piece = Piece(text, 0, text, pages_in(file) is not None, attachment, schema, left_out=file.left_out or ())
        found.append((name, (piece, piece)))
    return found


def questions_template(piece: Piece, prompts: Mapping[str, str]) -> str:
    """The prompt for single questions: the schema's own, behind which the text stands where it has no place for it."""
    own = piece.schema.template if piece.schema else ""
    if piece.attachment or not own:
        return own or prompts["questions_image" if piece.attachment else "questions_text"]
    return own if TEXT_SLOT in own else f"{own}\n\n[TEXT]\n{TEXT_SLOT}\n[/TEXT]"
