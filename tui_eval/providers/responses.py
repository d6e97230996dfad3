"""OpenAI Responses: instructions and input go in, a list of items comes back, of which only messages are the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tui_eval.plaintext import one_line
from tui_eval.providers import openai
from tui_eval.providers.body import not_json, parse_json, table, text_or_none
from tui_eval.providers.refusal import error_object, read_error
from tui_eval.providers.stream import events
from tui_eval.providers.wire import Wire
from tui_eval.types import Call, Fault, Json, ModelSpec, Repair, Request, Said, Usage

REPAIRABLE = frozenset({"temperature", "max_output_tokens", "reasoning", "store"})
LENGTH = ("max_output_tokens", "max_tokens")
LAST_EVENTS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
UNFINISHED = ("queued", "in_progress")


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call, to be forgotten by the server once answered. There is no seed in this interface."""
    body: dict[str, Json] = {
        "model": model.model,
        "input": [{"role": message.role, "content": message.content} for message in call.messages if message.role != "system"],
        "store": False,
    }
    instructions = [message.content for message in call.messages if message.role == "system"]
    if instructions:
        body["instructions"] = "\n\n".join(instructions)
    if call.max_output_tokens is not None:
        body["max_output_tokens"] = call.max_output_tokens
    if call.temperature is not None:
        body["temperature"] = call.temperature
    if model.reasoning_effort is not None:
        body["reasoning"] = {"effort": model.reasoning_effort}
    return replace(openai.request_of(model, repairs, body), path="/responses")


def decode(status: int, headers: Mapping[str, str], body: bytes) -> Said | Fault:
    """What a response says; one that failed, was filtered or is not finished is told apart from an answer."""
    if status == 200 and headers.get("content-type", "").lower().startswith("text/event-stream"):
        return read_events(body)
    try:
        parsed = parse_json(body)
    except ValueError as error:
        if status != 200:
            return read_error(status, headers, body, None, REPAIRABLE)
        return not_json(status, body, error)
    answer = table(parsed)
    if status != 200 or answer.get("error") or (not answer.get("output") and not answer.get("status") and error_object(parsed)):
        fault = read_error(status, headers, body, parsed, REPAIRABLE)
        return replace(fault, usage=read_usage(answer.get("usage")), served_model=text_or_none(answer.get("model")))
    return read_response(parsed)


def read_events(body: bytes) -> Said | Fault:
    """A whole server-sent stream to the response that its last event holds; without such an event it is no reply."""
    try:
        found = next(_last_events(body.decode("utf-8-sig")), None)
    except ValueError as error:
        return Fault("protocol", f"a stream that cannot be read: {one_line(str(error), 120)}", retry=True)
    if found is None:
        return Fault("protocol", "a stream that ended before its response was complete", retry=True)
    response = table(found.get("response"))
    told = response.get("error") or found.get("error") or (found if found.get("type") == "error" else None)
    if told:
        fault = read_error(200, {}, b"", {"error": told}, REPAIRABLE)
        return replace(
            fault,
            usage=read_usage(response.get("usage")),
            served_model=text_or_none(response.get("model")),
            body=found,
        )
    return read_response(response)


def _last_events(text: str) -> Iterator[dict[str, Any]]:
    """The events that end a stream: the response as a whole, or an error; ValueError for one that is no JSON object."""
    for data in events(text):
        if data == "[DONE]":
            continue
        event = parse_json(data.encode("utf-8", "surrogatepass"))
        if not isinstance(event, dict):
            raise ValueError("an event that is no object")
        if event.get("type") in ("error", *LAST_EVENTS) or event.get("error"):
            yield event


def read_response(parsed: Json) -> Said | Fault:
    """A response object to its visible text, the reason it ended and its usage."""
    response = table(parsed)
    usage = read_usage(response.get("usage"))
    status = text_or_none(response.get("status"))
    served = text_or_none(response.get("model"))
    output = response.get("output")
    if status in ("failed", "cancelled"):
        return Fault(
            "transient",
            f"HTTP 200 with a response whose status is {status}",
            retry=True,
            usage=usage,
            served_model=served,
            body=parsed,
        )
    if not isinstance(output, list):
        what = "HTTP 200 without output" if isinstance(parsed, dict) else "HTTP 200 with JSON that is no object"
        return Fault("empty" if response else "protocol", what, retry=True, usage=usage, served_model=served, body=parsed)
    reason = text_or_none(table(response.get("incomplete_details")).get("reason"))
    if status in UNFINISHED or (status == "incomplete" and reason not in (*LENGTH, "content_filter")):
        what = f"HTTP 200 with a response whose status is {status} ({one_line(reason or 'no reason given', 80)})"
        return Fault("protocol", what, retry=True, usage=usage, served_model=served, body=parsed)
    filtered = status == "incomplete" and reason == "content_filter"
    finish = status if status != "incomplete" else ("content_filter" if filtered else "length")
    return Said(
        text="".join(_parts(output, "output_text", "text")),
        finish_reason=finish,
        usage=usage,
        served_model=served,
        refusal="".join(_parts(output, "refusal", "refusal")) or ("content filter" if filtered else None),
        body=parsed,
    )


def _parts(output: list[Any], kind: str, field: str) -> Iterator[str]:
    """The texts of the message parts of one kind, in order; reasoning and tool calls are items of other types."""
    for item in map(table, output):
        content = item.get("content")
        if item.get("type") != "message" or not isinstance(content, list):
            continue
        for part in map(table, content):
            if part.get("type") == kind and isinstance(part.get(field), str):
                yield part[field]


def read_usage(value: Any) -> Usage:
    """Tokens and cost as reported, under the names this interface has for them."""
    usage = table(value)
    return openai.read_usage(
        {
            **usage,
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": usage.get("input_tokens_details"),
            "completion_tokens_details": usage.get("output_tokens_details"),
        }
    )


WIRE = Wire("https://api.openai.com/v1", "OPENAI_API_KEY", encode, decode)
