"""Removal of the thinking that stands in front of a reply, or between tags."""

from __future__ import annotations

import re

_THINKING = re.compile(
    r"(?i)<(/?)(?:\w{1,8}:)?(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)>|\[(/?)think\]|◁(/?)think▷"
    r"|<\|(?:begin|(end))_of_thought\|>|<\|(?:start|(end))_thinking\|>|(?-i:(?<=[^A-Z_])assistant(final)(?=[\s\W]|[A-Z]))"
)
_CHANNEL = re.compile(r"<\|channel\|>(\w{1,20})[^<]{0,60}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>([^<]*(?:<(?!\|)[^<]*)*)")


def _of_channels(text: str) -> str | None:
    """The final channel of a reply that still holds its channels (gpt-oss); None where it has only those of thoughts."""
    messages = [(match[1], match[2]) for match in _CHANNEL.finditer(text)]
    return next((words for name, words in reversed(messages) if name == "final"), None if messages else text)


def without_thinking(text: str) -> str | None:
    """The reply proper: thoughts between tags, or before a closing one, dropped; None if the thinking never ends."""
    if not any(sign in text for sign in ("<", "[", "◁", "assistantfinal")):
        return text
    if "<|channel|>" in text:
        proper = _of_channels(text)
        return None if proper is None else without_thinking(proper.replace("<|channel|>", " "))
    pieces: list[str] = []
    start, thinking = 0, False
    for tag in _THINKING.finditer(text):
        closing = any(tag.groups())
        if closing and not thinking:
            pieces.clear()
        elif not thinking:
            pieces.append(text[start : tag.start()])
        start, thinking = tag.end(), not closing
    return None if thinking else "\n".join([*pieces, text[start:]])
