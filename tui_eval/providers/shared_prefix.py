"""The beginning that prompts have in common, where it is long enough that servers keep what they made of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tui_eval.core.calls import Json, Message

LEAST_BYTES = 4_096
"""1,024 tokens at four bytes each: no provider is known to keep less. Some models want two or four times as much (Anthropic's
documentation), and pass over the mark of a shorter one."""
MARK = "cache_control"
"""The field by which a server is told to keep a prompt up to here (Anthropic, and what stands before it)."""


def end_of_prefix(messages: Sequence[Message]) -> int | None:
    """The place of the message in which the common beginning ends; None where there is none that is worth keeping."""
    place = max((n for n, message in enumerate(messages) if message.shared), default=None)
    if place is None or sum(map(len, _pieces(messages, place))) < LEAST_BYTES:
        return None
    return place


def prefix_digest(messages: Sequence[Message]) -> bytes | None:
    """Return a digest of the common beginning, in 16 bytes; None where there is none that is worth keeping."""
    place = end_of_prefix(messages)
    if place is None:
        return None
    digest = hashlib.blake2b(digest_size=16)
    for message, piece in zip(messages, _pieces(messages, place), strict=False):
        attached = " ".join(attachment.sha256 for attachment in message.attachments)
        digest.update(f"{message.role} {attached} {len(piece)} ".encode())
        digest.update(piece)
    return digest.digest()


def _pieces(messages: Sequence[Message], place: int) -> list[bytes]:
    """The texts of the common beginning, in UTF-8, message by message."""
    ended = messages[place]
    texts = [message.content for message in messages[:place]] + [ended.content[: ended.shared]]
    return [text.encode("utf-8", "surrogatepass") for text in texts]


def blocks_of(text: str, shared: int) -> list[dict[str, Json]]:
    """A text as blocks, of which the first ends with its common beginning and is marked to be kept."""
    marked: dict[str, Json] = {"type": "text", "text": text[:shared], MARK: {"type": "ephemeral"}}
    return [marked, {"type": "text", "text": text[shared:]}] if text[shared:] else [marked]
