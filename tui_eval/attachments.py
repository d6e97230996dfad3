"""Images and PDFs that models are shown as such: recognised by their first bytes, whatever the file is called."""

from __future__ import annotations

import base64
import binascii

from tui_eval.types import Attachment, InputFile

ENOUGH = 32
"""Characters of base64 that hold the longest mark below: 24 bytes."""


def attachment_of(file: InputFile) -> Attachment | None:
    """The file as an attachment; None where it is no jpg, png, gif, webp or PDF."""
    if file.encoding == "utf-8":
        if not file.content.startswith("%PDF-"):
            return None
        content = base64.b64encode(file.content.encode("utf-8")).decode("ascii")
    else:
        content = file.content
    mime = _mime_of(content)
    return None if mime is None else Attachment(file.path, mime, file.sha256, content)


def _mime_of(content: str) -> str | None:
    try:
        head = base64.b64decode(content[:ENOUGH])
    except binascii.Error:
        return None
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return "application/pdf" if head.startswith(b"%PDF-") else None
