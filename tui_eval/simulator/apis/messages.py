"""Anthropic Messages, translated from and to chat completions."""

from collections.abc import Mapping
from typing import Any

from tui_eval.simulator.apis.completions import texts
from tui_eval.simulator.apis.replies import LABEL, BodyError
from tui_eval.simulator.apis.streams import event, pieces

PATH = "/v1/messages"
Table = dict[str, Any]
_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
_TRANSLATED = ("id", "object", "created", "choices", "usage")
_ERROR_TYPES = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def to_chat(body: Table) -> Table:
    """The same request as a chat request. BodyError without a token limit or without messages of user and assistant."""
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise BodyError("max_tokens: a whole number is required.", "max_tokens")
    given = body.get("messages")
    if not isinstance(given, list) or not given or not all(isinstance(message, dict) for message in given):
        raise BodyError("messages: a list of at least one message is required.", "messages")
    if any(message.get("role") not in ("user", "assistant") for message in given):
        raise BodyError("messages: the role of each must be 'user' or 'assistant'.", "messages")
    system = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    chat = {"model": body["model"], "messages": [*system, *given], "stream": body.get("stream"), "max_tokens": limit}
    output = body.get("output_config")
    if isinstance(output, dict) and isinstance(output.get("format"), dict):
        chat["response_format"] = {"type": output["format"].get("type"), "json_schema": output["format"]}
    return chat


def from_chat(completion: Table) -> Table:
    """A chat completion as a message; what a fault has added at the top stays there."""
    choice: Table = completion["choices"][0] if completion["choices"] else {"message": {}, "finish_reason": "stop"}
    refusal = choice["message"].get("refusal")
    reason = "refusal" if refusal is not None else _STOP_REASONS[choice["finish_reason"]]
    details = {"type": "refusal", "category": None, "explanation": refusal} if reason == "refusal" else None
    message = {
        "id": f"msg_sim_{completion['id'].rpartition('-')[2]}",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": text} for text in texts(choice["message"].get("content"))],
        "stop_reason": reason,
        "stop_sequence": None,
        "stop_details": details,
        **{name: value for name, value in completion.items() if name not in _TRANSLATED},
    }
    return {**message, "usage": _usage(completion["usage"])} if "usage" in completion else message


def error(status: int, told: Table, request_id: str) -> Table:
    """An error in this API's shape. Its type follows from the status, inside HTTP 200 from the code that is told there."""
    code = told.get("code")
    status = code if status < 400 and isinstance(code, int) else status
    kind = _ERROR_TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
    message = told["message"]
    if told.get("code") in ("unsupported_value", "unsupported_parameter") and told.get("param"):
        message = f"`{told['param']}` is not supported by this model (simulated)."
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


def events(message: Table, request: Mapping[str, Any]) -> list[bytes]:
    """A message as its stream: begun, each block bit by bit, why it stopped and what it used, and the end."""
    begun = {**message, "content": [], "stop_reason": None, "stop_details": None}
    if "usage" in message:
        begun["usage"] = {**message["usage"], "output_tokens": 1}
        begun["usage"].pop("cost", None)
    told: list[Table] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    for index, block in enumerate(message["content"]):
        told.append({"type": "content_block_start", "index": index, "content_block": {**block, "text": ""}})
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        told += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        told.append({"type": "content_block_stop", "index": index})
    stopped = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    told.append({"type": "message_delta", "delta": stopped, "usage": message.get("usage", {})})
    told.append({"type": "message_stop"})
    return [event(one, one["type"]) for one in told]


def error_event(message: Table, status: int, said: str) -> bytes:
    """An error that comes after the stream has begun."""
    return event({**error(status, {"message": said}, "req_sim_stream"), **LABEL}, "error")


def _usage(counted: Table) -> Table:
    kept = counted.get("prompt_tokens_details", {})
    read, written = kept.get("cached_tokens", 0), kept.get("cache_write_tokens", 0)
    told = {
        "input_tokens": counted["prompt_tokens"] - read - written,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
        "output_tokens": counted["completion_tokens"],
    }
    if details := counted.get("completion_tokens_details"):
        told["output_tokens_details"] = {"thinking_tokens": details["reasoning_tokens"]}
    return {**told, "cost": counted["cost"]} if "cost" in counted else told
