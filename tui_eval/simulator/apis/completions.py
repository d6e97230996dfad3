"""OpenAI chat completions: what the simulator thinks in, so nothing to translate; a reply as chunks where it is streamed."""

from collections.abc import Mapping
from typing import Any

from tui_eval.simulator.apis.replies import LABEL
from tui_eval.simulator.apis.streams import event, pieces

PATH = "/v1/chat/completions"
DONE = b"data: [DONE]\n\n"
Table = dict[str, Any]


def texts(content: Any) -> list[str]:
    """The texts of a chat message's content: one of a string, one of each part of a list, none of null."""
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content] if isinstance(content, list) else []


def events(completion: Table, request: Mapping[str, Any]) -> list[bytes]:
    """The chunks of a completion: role, text, finish reason, usage where it was asked for, and the closing word."""
    base = {name: value for name, value in completion.items() if name not in ("choices", "usage")}
    base["object"] = "chat.completion.chunk"
    options = request.get("stream_options")
    counts = isinstance(options, dict) and bool(options.get("include_usage")) and "usage" in completion
    if counts:
        base["usage"] = None
    told = [event({**base, "choices": [choice]}) for choice in _choices(completion)]
    if counts:
        told.append(event({**base, "choices": [], "usage": completion["usage"]}))
    return [*told, DONE]


def error_event(completion: Table, status: int, message: str) -> bytes:
    """An error that comes after the stream has begun."""
    choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
    base = {"id": completion["id"], "object": "chat.completion.chunk", "created": 0, "model": completion["model"]}
    return event({**base, "choices": [choice], "error": {"code": status, "message": message}, **LABEL})


def _choices(completion: Table) -> list[Table]:
    """Return the part of each chunk in the one choice of a completion."""
    if not completion["choices"]:
        return []
    whole = completion["choices"][0]
    message = whole["message"]
    deltas: list[Table] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for text in texts(message["content"]) for piece in pieces(text)]
    deltas += [{"refusal": piece} for piece in pieces(message.get("refusal") or "")]
    told: list[Table] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    return [*told, {"index": 0, "delta": {}, "finish_reason": whole["finish_reason"]}]
