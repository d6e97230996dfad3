"""The shape of what the simulator sends: replies and errors as OpenAI-compatible services do, marked simulated."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LABEL: dict[str, Any] = {"simulated": True, "provider": "simulator"}
LABEL_HEADERS = {"x-simulated": "true"}
CHARACTERS_PER_TOKEN = 4


class BodyError(Exception):
    """The body of a request is not what its API takes; the text says why."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param

    def reply(self) -> "Reply":
        """Return the error reply to it."""
        return failure(400, str(self), "invalid_request", param=self.param, kind="invalid_request_error")


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole HTTP reply."""

    status: int
    body: bytes
    headers: Mapping[str, str] | None = None
    """More headers, besides the label and the content type."""
    content_type: str = "application/json"


def as_json(value: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """A reply with a JSON body that says that it is simulated."""
    return Reply(status, json.dumps({**value, **LABEL}).encode(), headers)


def failure(
    status: int,
    message: str,
    code: str | int | None = None,
    *,
    param: str | None = None,
    kind: str = "simulated_error",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """An error in OpenAI's form."""
    error = {"message": message, "type": kind, "param": param, "code": code}
    return as_json({"error": error}, status, headers)


@dataclass(frozen=True, slots=True)
class SimulatedCompletion:
    """Reply of a persona, before a token limit cuts it."""

    text: str | None
    """None where it says nothing: it refuses in the field made for that, or a filter has stopped it."""
    refusal: str | None = None
    """The words of a refusal, in a field of their own."""
    finish: str = "stop"


def completion(
    model: str, text: str | None, reply_id: str, usage: Mapping[str, Any], finish: str = "stop", refusal: str | None = None
) -> dict[str, Any]:
    """The body of a chat completion. Its date is always 0: a simulated reply has no time of its own."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if refusal is not None:
        message["refusal"] = refusal
    choice = {"index": 0, "message": message, "finish_reason": finish}
    body = {"id": reply_id, "object": "chat.completion", "created": 0, "model": model, "choices": [choice]}
    return {**body, "usage": dict(usage), **LABEL}


def tokens(text: str) -> int:
    """About how many tokens a text has: one for every four characters, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def usage(prompt_tokens: int, text: str, price: tuple[float, float] | None = None) -> dict[str, Any]:
    """Return the usage of a call; with a price (USD per million, read and written) also its pretended cost."""
    written = tokens(text)
    counted: dict[str, Any] = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": written,
        "total_tokens": prompt_tokens + written,
    }
    if price is not None:
        counted["cost"] = round((prompt_tokens * price[0] + written * price[1]) / 1_000_000, 9)
    return counted


def cut(text: str, token_limit: int | None) -> tuple[str, str]:
    """The text as far as the limit lets it go, and the finish reason that goes with it."""
    if token_limit is None or len(text) <= token_limit * CHARACTERS_PER_TOKEN:
        return text, "stop"
    return text[: token_limit * CHARACTERS_PER_TOKEN], "length"
