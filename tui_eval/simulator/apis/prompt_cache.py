"""Beginnings of prompts that were marked to be kept: what a later prompt has in common with one is read from there."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from tui_eval.simulator.apis.replies import tokens

Table = dict[str, Any]
MARK = "cache_control"
LEAST_TOKENS = 1_024
"""Shorter beginnings are not kept, as with Anthropic's older models."""
READ, WRITTEN = 0.1, 1.25
"""What a token costs that is read from there, or written to it, as a share of its price."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A beginning that is marked."""

    digest: bytes
    tokens: int


@dataclass(slots=True)
class PromptCache:
    """What was kept since the simulator started, by model and key; nothing is ever forgotten."""

    _kept: set[bytes] = field(default_factory=set)

    def keep(self, marked: Marked | None) -> None:
        """The reply to a prompt that begins so is out: from now on it is there."""
        if marked is not None:
            self._kept.add(marked.digest)

    def counted(self, used: Table, marked: Marked | None, price: float) -> Table:
        """A usage that says what of the prompt was read from there or written to it; `price`: USD per million tokens read."""
        if marked is None:
            return used
        found = marked.digest in self._kept
        details = {"cached_tokens": marked.tokens * found, "cache_write_tokens": marked.tokens * (not found)}
        cost = used["cost"] + marked.tokens * ((READ if found else WRITTEN) - 1) * price / 1_000_000
        return {**used, "prompt_tokens_details": details, "cost": round(cost, 9)}


def marked_in(model: str, key: str, messages: list[Table]) -> Marked | None:
    """What is marked of a prompt, up to the last mark; None where nothing is, or too little."""
    blocks = [(message.get("role"), block) for message in messages for block in _blocks(message.get("content"))]
    last = max((n for n, (_, block) in enumerate(blocks) if block.get(MARK)), default=-1)
    kept = [(role, {name: value for name, value in block.items() if name != MARK}) for role, block in blocks[: last + 1]]
    count = sum(tokens(block["text"]) for _, block in kept if isinstance(block.get("text"), str))
    if count < LEAST_TOKENS:
        return None
    told = json.dumps([model, key, kept], sort_keys=True).encode()
    return Marked(hashlib.blake2b(told, digest_size=16).digest(), count)


def _blocks(content: Any) -> list[Table]:
    """What a message consists of; a mark stands in a block, never in a mere text."""
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else [{"text": content}]
