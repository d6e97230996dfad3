"""Documents as prompts have them: their ids, their text behind a head of what they are, what is shown beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tui_eval.core.calls import Attachment
from tui_eval.core.document_text import pages_of
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.datasets.attachments import ATTACHABLE, attachment_of

OPENING, CLOSING = "[DOCUMENT]\n", "\n[/DOCUMENT]\n\n"
"""The marks around a block of text."""


@dataclass(frozen=True, slots=True)
class Document:
    """The block and the attachments of a document that are shown; without one, nothing."""

    block: str = ""
    attachments: tuple[Attachment, ...] = ()

    @property
    def text(self) -> str:
        """The text between the marks of the block; nothing of a document that goes with a message as it is."""
        return "" if self.attachments else self.block.removeprefix(OPENING).removesuffix(CLOSING)


def document_ids(files: Sequence[InputFile], key: str) -> list[str]:
    """A document's id is its name without suffix, with suffix where two share the stem. `key`: who names them, for errors."""
    ids = ids_of_names([file.name for file in files])
    twice = [name for name, n in Counter(name.casefold() for name in ids).items() if n > 1]
    if twice:
        raise ConfigError(f"{key}: more than one file named {twice[0]!r}; rename one")
    return ids


def ids_of_names(names: Sequence[str]) -> list[str]:
    """The same of the names alone."""
    stems = Counter(_stem(name).casefold() for name in names)
    return [_stem(name) if stems[_stem(name).casefold()] == 1 else name for name in names]


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name


def document_of(doc_id: str, file: InputFile, attach: bool) -> Document:
    """A document as a block of text (spec 003 §7). `attach`: whether images and PDFs are shown as such, and named in it.

    One of which is known what it says stands there with that, under a mark for each page.
    """
    if file.text is not None:
        return Document(_block(doc_id, file, "text", _with_page_marks(file.text)))
    attachment = attachment_of(file) if attach else None
    if attachment is None:
        return Document(_block(doc_id, file, file.encoding, file.content))
    file = replace(file, mime=attachment.mime)  # what it is, not what its name says
    return Document(_block(doc_id, file, "attached", "(attached to this message)"), (attachment,))


def _with_page_marks(text: str) -> str:
    """The pages of a text, each under its number; a text without pages as it is."""
    pages = pages_of(text)
    return "\n\n".join(f"[page {n}]\n{page}" for n, page in enumerate(pages, start=1)) if len(pages) > 1 else text


def _block(doc_id: str, file: InputFile, encoding: str, content: str) -> str:
    return (
        f"{OPENING}doc_id: {doc_id}\nfilename: {file.name}\nmime: {file.mime}\nencoding: {encoding}\n"
        f"content:\n{content}{CLOSING}"
    )


def not_shown(files: Sequence[InputFile]) -> tuple[str, ...]:
    """Describe files that are named like an image or a PDF, and are none: models are sent their bytes as text."""
    misnamed_files = [file for file in files if file.mime in ATTACHABLE and attachment_of(file) is None]
    return tuple(
        f"{file.name}: named like {file.mime}, but is not one; it is sent as {file.encoding} text" for file in misnamed_files
    )
