"""Images and PDFs that models are shown as such: recognised by their first bytes, whatever the file is called."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable

from tui_eval.core.calls import Attachment
from tui_eval.core.input_sources import InputFile

ATTACHABLE = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp", "application/pdf"})
"""MIME types that models can be shown."""
PDF = "application/pdf"
ENOUGH = 32
"""Characters (of base64: 24 bytes) that hold the longest mark below."""


def attachment_of(file: InputFile) -> Attachment | None:
    """The file as an attachment; None where it is no jpg, png, gif, webp or PDF."""
    mime = mime_of(_head_of(file))
    if mime is None:
        return None
    is_text = file.encoding == "utf-8"
    content = base64.b64encode(file.content.encode("utf-8")).decode("ascii") if is_text else file.content
    return Attachment(file.path, mime, file.sha256, content, file.most_tokens if mime == PDF else None)


def any_attached(files: Iterable[InputFile]) -> bool:
    """Return whether one of these files is an attachment; a large list of text is not looked at: it was read for its lines."""
    return any(attachment_of(file) for file in files if file.held is not None or file.encoding != "utf-8")


def _head_of(file: InputFile) -> bytes:
    """The first bytes; none of a text, unless it is a PDF or, since a small image may be all ASCII, has a NUL among them."""
    head = file.content[:ENOUGH]
    if file.encoding == "utf-8":
        return head.encode("utf-8") if head.startswith("%PDF-") or "\0" in head else b""
    try:
        return base64.b64decode(head)
    except binascii.Error:
        return b""


def mime_of(head: bytes) -> str | None:
    """The type of an image or PDF that begins with these bytes (12 are enough); None of anything else."""
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return PDF if head.startswith(b"%PDF-") else None
