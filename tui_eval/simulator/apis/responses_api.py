"""OpenAI Responses, translated from and to chat completions."""

from collections.abc import Mapping
from typing import Any

from tui_eval.simulator.apis.completions import texts
from tui_eval.simulator.apis.replies import LABEL, BodyError
from tui_eval.simulator.apis.streams import event, pieces

PATH = "/v1/responses"
Table = dict[str, Any]
_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
_TRANSLATED = ("id", "object", "created", "choices", "usage")
_SETTINGS: Table = {"background": False, "parallel_tool_calls": True, "store": False, "tool_choice": "auto", "tools": []}
_UNSET = ("instructions", "max_output_tokens", "previous_response_id", "temperature", "top_p")


def to_chat(body: Table) -> Table:
    """The same request as a chat request. BodyError when there is no input."""
    given = body.get("input")
    if isinstance(given, str):
        messages: list[Table] = [{"role": "user", "content": given}]
    elif isinstance(given, list) and all(isinstance(item, dict) for item in given):
        messages = [_message(item) for item in given if item.get("type", "message") == "message" and "role" in item]
    else:
        raise BodyError("'input' must be a text or a list of items.", "input")
    if isinstance(body.get("instructions"), str):
        messages.insert(0, {"role": "system", "content": body["instructions"]})
    chat = {"model": body["model"], "messages": messages, "stream": body.get("stream")}
    if "max_output_tokens" in body:
        chat["max_tokens"] = body["max_output_tokens"]
    text = body.get("text")
    if isinstance(text, dict) and isinstance(text.get("format"), dict):
        chat["response_format"] = {"type": text["format"].get("type"), "json_schema": text["format"]}
    return chat


def from_chat(completion: Table) -> Table:
    """A chat completion as a response; what a fault has added at the top stays there."""
    choice: Table = completion["choices"][0] if completion["choices"] else {"message": {}, "finish_reason": "stop"}
    reason = _INCOMPLETE.get(choice["finish_reason"])
    status = "completed" if reason is None else "incomplete"
    name = completion["id"].rpartition("-")[2]
    content = _content(choice["message"])
    item = {"id": f"msg_sim_{name}", "type": "message", "status": status, "role": "assistant", "content": content}
    response = {
        "id": f"resp_sim_{name}",
        "object": "response",
        "created_at": completion["created"],
        "status": status,
        "error": None,
        "incomplete_details": None if reason is None else {"reason": reason},
        **dict.fromkeys(_UNSET),
        **_SETTINGS,
        "metadata": {},
        "output": [item] if content else [],
        **{name: value for name, value in completion.items() if name not in _TRANSLATED},
    }
    return {**response, "usage": _usage(completion["usage"])} if "usage" in completion else response


def error(status: int, told: Table, request_id: str) -> Table:
    """An error: the shape is the same as in chat completions."""
    return {"error": told}


def events(response: Table, request: Mapping[str, Any]) -> list[bytes]:
    """A response as its stream: begun, each part bit by bit and then whole, and the response as a whole at the end."""
    begun = {**response, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    told: list[Table] = [{"type": f"response.{what}", "response": begun} for what in ("created", "in_progress")]
    for place, item in enumerate(response["output"]):
        empty = {**item, "status": "in_progress", "content": []}
        told.append({"type": "response.output_item.added", "output_index": place, "item": empty})
        for index, part in enumerate(item["content"]):
            told += _part_events({"item_id": item["id"], "output_index": place, "content_index": index}, part)
        told.append({"type": "response.output_item.done", "output_index": place, "item": item})
    told.append({"type": f"response.{response['status']}", "response": response})
    return [event({**one, "sequence_number": number}, one["type"]) for number, one in enumerate(told)]


def error_event(response: Table, status: int, message: str) -> bytes:
    """An error that comes after the stream has begun."""
    told = {"type": "error", "code": "server_error", "message": message, "param": None, "sequence_number": 0}
    return event({**told, **LABEL}, "error")


def _message(item: Table) -> Table:
    return {"role": item["role"], "content": item.get("content")}


def _content(message: Table) -> list[Table]:
    words = texts(message.get("content"))
    parts: list[Table] = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []} for text in words]
    refusal = message.get("refusal")
    return parts if refusal is None else [*parts, {"type": "refusal", "refusal": refusal}]


def _usage(counted: Table) -> Table:
    told = {
        "input_tokens": counted["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": counted["completion_tokens"],
        "output_tokens_details": counted.get("completion_tokens_details", {"reasoning_tokens": 0}),
        "total_tokens": counted["total_tokens"],
    }
    return {**told, "cost": counted["cost"]} if "cost" in counted else told


def _part_events(place: Table, part: Table) -> list[Table]:
    """The events of one part of a message."""
    kind, field = ("output_text", "text") if part["type"] == "output_text" else ("refusal", "refusal")
    more: Table = {"logprobs": []} if kind == "output_text" else {}
    told: list[Table] = [{"type": "response.content_part.added", **place, "part": {**part, field: ""}}]
    told += [{"type": f"response.{kind}.delta", **place, "delta": piece, **more} for piece in pieces(part[field])]
    told.append({"type": f"response.{kind}.done", **place, field: part[field], **more})
    return [*told, {"type": "response.content_part.done", **place, "part": part}]
