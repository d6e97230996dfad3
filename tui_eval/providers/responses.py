"""OpenAI Responses: instructions and input go in, a list of items comes back, of which only messages are the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from tui_eval.core.calls import ApiError, Attachment, Call, Completion, Json, Message, ModelSpec, Repair, Request, Usage
from tui_eval.core.plaintext import one_line
from tui_eval.providers import openai
from tui_eval.providers.batches import OPENAI
from tui_eval.providers.body import EVENTS, count, not_json, opened, parse_json, table, text_or_none
from tui_eval.providers.refusal import error_object, read_error
from tui_eval.providers.stream import events, joined
from tui_eval.providers.wire import IMAGES, PDF, Wire

PATH = "/responses"
REPAIRABLE = frozenset({"temperature", "max_output_tokens", "reasoning", "store", "stream", "text"})
LENGTH = ("max_output_tokens", "max_tokens")
LAST_EVENTS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
UNFINISHED = ("queued", "in_progress")
POLICIES = ("bio_policy", "misalignment_policy_violation")
"""Codes of an error that stand for a declined prompt."""
BAD_REQUESTS = (*POLICIES, "data_residency_mismatch")
"""Codes that stand for HTTP 400 inside HTTP 200, as every code about an image does: asking again changes nothing."""
DELTAS = {
    "response.output_text.delta": ("message", "content", "output_text", "text"),
    "response.refusal.delta": ("message", "content", "refusal", "refusal"),
    "response.reasoning_summary_text.delta": ("reasoning", "summary", "summary_text", "text"),
    "response.reasoning_text.delta": ("reasoning", "content", "reasoning_text", "text"),
}
"""Where the words of a delta belong: type of item, its list of parts, type of part, field of the part."""
THOUGHTS = ("summary_text", "reasoning_text")


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call, to be forgotten by the server once answered. There is no seed in this interface."""
    body: dict[str, Json] = {
        "model": model.model,
        "input": [
            {"role": message.role, "content": content_of(message)} for message in call.messages if message.role != "system"
        ],
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
    if call.json_schema is not None:
        body["text"] = {"format": {"type": "json_schema", "name": "reply", "strict": True, "schema": dict(call.json_schema)}}
    if model.stream:
        body["stream"] = True
    return replace(openai.request_of(model, repairs, body), path=PATH)


def content_of(message: Message) -> Json:
    """Return a message's content: its text, or its attachments with the text behind. A model's own turn carries none."""
    if not message.attachments or message.role == "assistant":
        return message.content
    return [*map(_part, message.attachments), {"type": "input_text", "text": message.content}]


def _part(attachment: Attachment) -> Json:
    url = f"data:{attachment.mime};base64,{attachment.base64}"
    if attachment.mime == PDF:
        return {"type": "input_file", "filename": attachment.path.rpartition("/")[2], "file_data": url}
    return {"type": "input_image", "image_url": url, "detail": "auto"}


def decode(status: int, headers: Mapping[str, str], body: bytes) -> Completion | ApiError:
    """Decode a response, as a stream or not; one that failed, was filtered or is not finished is no answer."""
    try:
        parsed = opened(status, headers, body)
    except ValueError as error:
        return read_failure(status, headers, body, None) if status >= 300 else not_json(status, body, error)
    if parsed is EVENTS:
        return read_events(body)
    answer = table(parsed)
    if status != 200 or answer.get("error") or (not answer.get("output") and not answer.get("status") and error_object(parsed)):
        fault = read_failure(status, headers, body, parsed)
        return replace(fault, usage=read_usage(answer.get("usage")), served_model=text_or_none(answer.get("model")))
    return openai.priced_by_header(read_response(parsed), headers)


def read_failure(status: int, headers: Mapping[str, str], body: bytes, parsed: Json) -> ApiError:
    """The fault of an error body; what this interface alone has names for is told by its code."""
    error = error_object(parsed)
    code = text_or_none(error.get("code")) or ""
    of_image = "image" in code
    if status < 300 and (of_image or code in BAD_REQUESTS):
        error_body = {"error": {**error, "code": 400, "type": code}}
        fault = replace(read_error(status, headers, body, error_body, REPAIRABLE), body=parsed)
    else:
        fault = read_error(status, headers, body, parsed, REPAIRABLE)
    if code in POLICIES and fault.kind == "permanent":
        return replace(fault, kind="refused", scope="call", cause="filter")
    if of_image and fault.kind == "permanent":
        return replace(fault, scope="call", repair=None, cause="attachment")
    if fault.repair == Repair("text") and not str(error.get("param")).startswith("text") and "text.format" not in fault.message:
        return replace(fault, repair=None)  # "text" is a word like any other
    return fault


class ResponseStream:
    """Adds up the events of one streamed response, of which the last holds the whole."""

    def __init__(self) -> None:
        self.last: dict[str, Any] | None = None
        """The event that ended it."""
        self.usage: dict[str, Any] = {}
        """As far as it was told before the end: what went in. What came out until then is only a part."""
        self.items: dict[tuple[int | None, str], dict[str, Any]] = {}
        self.parts: dict[tuple[int | None, str, int | None], list[str]] = {}

    def feed(self, data: str) -> None:
        """Take the data of one event; ValueError when it is no JSON object. Events of unknown types are left out."""
        if data.strip() == "[DONE]":
            return
        event = parse_json(data.encode("utf-8", "surrogatepass"))
        if not isinstance(event, dict):
            raise ValueError("an event that is not an object")
        kind = text_or_none(event.get("type")) or ""
        index = count(event.get("output_index"))
        usage = table(table(event.get("response")).get("usage"))
        if kind in ("error", *LAST_EVENTS) or event.get("error"):
            self.last = event
        elif kind == "response.output_item.done":
            item = table(event.get("item"))
            self.items[index, str(item.get("type"))] = item
        elif kind in DELTAS and isinstance(event.get("delta"), str):
            part = count(event.get("summary_index" if "summary" in kind else "content_index"))
            self.parts.setdefault((index, kind, part), []).append(event["delta"])
        self.usage.update({name: usage[name] for name in ("input_tokens", "input_tokens_details") if usage.get(name)})

    def output(self) -> list[dict[str, Any]]:
        """The items that the deltas spell, with what each was said to be when it was done."""
        items: dict[tuple[int | None, str], dict[str, Any]] = {}
        for (index, kind, _), deltas in self.parts.items():
            item, parts, part, field = DELTAS[kind]
            entry = items.setdefault((index, item), {"type": item})
            entry.setdefault(parts, []).append({"type": part, field: joined(deltas)})
        for key, final_item in self.items.items():
            items[key] = {**items.get(key, {}), **{name: value for name, value in final_item.items() if value}}
        return list(items.values())

    def response(self) -> dict[str, Any]:
        """The response that the last event holds; where it lacks the output, or the thoughts, those of the deltas."""
        response = table(table(self.last).get("response"))
        streamed, own_output = self.output(), response.get("output")
        if streamed and not own_output and response.get("status"):  # without a status nothing says that the deltas are all
            return {**response, "output": streamed}
        if isinstance(own_output, list) and thoughts(own_output) is None:
            return {**response, "output": [*(item for item in streamed if thoughts([item]) is not None), *own_output]}
        return response


def read_events(body: bytes) -> Completion | ApiError:
    """A whole server-sent stream to the response that its last event holds; without such an event it is no reply."""
    stream = ResponseStream()
    try:
        for data in events(body.decode("utf-8-sig")):
            stream.feed(data)
            if stream.last is not None:
                break
    except ValueError as error:
        message = f"a stream that cannot be read: {one_line(str(error), 120)}"
        return ApiError("protocol", message, retry=True, usage=read_usage(stream.usage))
    if stream.last is None:
        message = "a stream that ended before its response was complete"
        return ApiError("protocol", message, retry=True, usage=read_usage(stream.usage))
    event, response = stream.last, table(stream.last.get("response"))
    failure = response.get("error") or event.get("error") or (event if event.get("type") == "error" else None)
    if not failure:
        return read_response(stream.response())
    return replace(
        read_failure(200, {}, b"", {"error": failure}),
        usage=read_usage(response.get("usage") or stream.usage),
        served_model=text_or_none(response.get("model")),
        body=event,
    )


def shows(event: Json) -> Literal["", "reasoning", "text"]:
    """Return whether an event of a stream brings words of the answer, thoughts, or neither."""
    kind = text_or_none(table(event).get("type")) or ""
    if kind not in DELTAS or not text_or_none(table(event).get("delta")):
        return ""
    item, _, part, _ = DELTAS[kind]
    return "reasoning" if item == "reasoning" else ("text" if part == "output_text" else "")


def words(event: Json) -> str:
    """The words of the answer that an event of a stream brings."""
    return text_or_none(table(event).get("delta")) or "" if shows(event) == "text" else ""


def read_response(parsed: Json) -> Completion | ApiError:
    """A response object to its visible text, the thoughts before it, the reason it ended and its usage."""
    response = table(parsed)
    usage = read_usage(response.get("usage"))
    status = text_or_none(response.get("status"))
    served = text_or_none(response.get("model"))
    output = response.get("output")
    if status in ("failed", "cancelled"):
        return ApiError(
            "transient",
            f"HTTP 200 with a response whose status is {status}",
            retry=True,
            usage=usage,
            served_model=served,
            body=parsed,
        )
    if not isinstance(output, list):
        problem = "HTTP 200 without output" if isinstance(parsed, dict) else "HTTP 200 with JSON that is not an object"
        return ApiError("protocol", problem, retry=True, usage=usage, served_model=served, body=parsed)
    reason = text_or_none(table(response.get("incomplete_details")).get("reason"))
    if status in UNFINISHED or (status == "incomplete" and reason not in (*LENGTH, "content_filter")):
        problem = f"HTTP 200 with a response whose status is {status} ({one_line(reason or 'no reason given', 80)})"
        return ApiError("protocol", problem, retry=True, usage=usage, served_model=served, body=parsed)
    filtered = status == "incomplete" and reason == "content_filter"
    finish = status if status != "incomplete" else ("content_filter" if filtered else "length")
    return Completion(
        text="".join(_parts(output, "output_text", "text")),
        finish_reason=finish,
        usage=usage,
        served_model=served,
        refusal=(refusal_text := "".join(_parts(output, "refusal", "refusal"))) or ("content filter" if filtered else None),
        refusal_words=refusal_text or None,
        body=parsed,
        reasoning=thoughts(output),
    )


def thoughts(output: list[Any]) -> str | None:
    """Return the model's thoughts, or a summary, with an empty line between the parts; encrypted thoughts are none."""
    lists = [item.get(name) for item in map(table, output) for name in ("summary", "content")]
    parts = [table(part) for entries in lists if isinstance(entries, list) for part in entries]
    texts = [text_or_none(part.get("text")) for part in parts if part.get("type") in THOUGHTS]
    return "\n\n".join(filter(None, texts)) or None


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


WIRE = Wire(
    "https://api.openai.com/v1",
    "OPENAI_API_KEY",
    encode,
    decode,
    batches=OPENAI,
    shows=shows,
    words=words,
    accepts=IMAGES | {PDF},
    list_models=openai.list_models,
    read_models=openai.read_models,
    keeps_prefix=lambda model: model.base_url is None,
)
