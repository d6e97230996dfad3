"""Words of pictures: those that carry them in a PNG text chunk are read, as our examples' are; others are not."""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Message = Mapping[str, Any]
KEYWORD = b"Transcript"
"""Of the tEXt chunk that holds what is written on a picture."""
UNREAD = (
    "[simulated] Unread: the simulator sees no pictures. It reads those that carry their words with them, as the shipped "
    "examples do; choose a real model for any other."
)
_MARK = b"\x89PNG\r\n\x1a\n"
_MOST = 200_000
"""Bytes of such a text that are read."""


def with_words(messages: Sequence[Message]) -> list[Message]:
    """The messages, with the words of each picture as a text beside it."""
    return [_with_words(message) for message in messages]


def is_unread(messages: Sequence[Message]) -> bool:
    """Return whether a picture or a file came along that says nothing to the simulator."""
    return any(_words(part) is None for message in messages for part in _pictures(message))


def _with_words(message: Message) -> Message:
    content, found = message.get("content"), [words for part in _pictures(message) if (words := _words(part))]
    if not found or not isinstance(content, list):
        return message
    shown = [{"type": "text", "text": f"[TEXT]\n{words}\n[/TEXT]"} for words in found]
    return {**message, "content": [*content, *shown]}


def _pictures(message: Message) -> Iterator[Mapping[str, Any]]:
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in ("image_url", "file"):
            yield part


def _words(part: Mapping[str, Any]) -> str | None:
    """Return the words that a picture carries; None where it carries none, or is no picture."""
    held = part.get("image_url")
    address = held.get("url") if isinstance(held, dict) else held
    if not isinstance(address, str) or not address.startswith("data:image/png;base64,"):
        return None
    try:
        return text_of_png(base64.b64decode(address.partition(",")[2]))
    except binascii.Error:
        return None


def text_of_png(data: bytes) -> str | None:
    """The text under our keyword in a PNG's tEXt chunks; None where there is none."""
    place = len(_MARK) if data.startswith(_MARK) else len(data)
    while place + 12 <= len(data):
        size, kind = int.from_bytes(data[place : place + 4], "big"), data[place + 4 : place + 8]
        body = data[place + 8 : place + 8 + min(size, _MOST)]
        if kind == b"tEXt" and body.startswith(KEYWORD + b"\0"):
            return body[len(KEYWORD) + 1 :].decode("latin-1")
        place += size + 12
    return None
