"""OpenAI chat completions, as spoken by OpenAI, Ollama, llama.cpp, vLLM, LM Studio, LiteLLM and many more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tui_eval.core.calls import ApiError, Attachment, Call, Completion, Json, Message, ModelSpec, Repair, Request, Usage
from tui_eval.core.json_encoding import json_encoder
from tui_eval.core.key import call_seed
from tui_eval.core.plaintext import one_line
from tui_eval.providers.batches import OPENAI
from tui_eval.providers.body import (
    EVENTS,
    count,
    dollars,
    dollars_in,
    looks_like_events,
    not_json,
    opened,
    parse_json,
    reasoning_text,
    split_thinking,
    table,
    text_or_none,
    visible_text,
)
from tui_eval.providers.refusal import error_object, read_error
from tui_eval.providers.shared_prefix import MARK
from tui_eval.providers.stream import ChatStream, events, shows, words
from tui_eval.providers.wire import IMAGES, PDF, Listed, Wire

_encode = json_encoder()

REPAIRABLE = frozenset(
    {
        "temperature",
        "max_tokens",
        "max_completion_tokens",
        "reasoning_effort",
        "reasoning",
        "seed",
        "stream",
        "stream_options",
        "response_format",
        MARK,
    }
)
PATH = "/chat/completions"
MODELS_PATH = "/models"
COST_HEADER = "x-litellm-response-cost"
"""Where LiteLLM's proxy tells what an unstreamed reply cost; the headers of a stream are sent before that is known."""
BROKEN_OFF = ("error", "network_error", "insufficient_system_resource")
"""Finish reasons of a reply that ended because something failed, whatever text it has (OpenRouter, Z.ai, DeepSeek)."""
STREAMING = ("stream", "stream_options")
"""How a reply comes is set by `stream` alone, never by a model's extra fields."""


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call. OpenAI itself wants max_completion_tokens, everyone else knows max_tokens."""
    limit_name = "max_completion_tokens" if model.base_url is None else "max_tokens"
    return request_of(model, repairs, parameters(call, model, limit_name))


def parameters(call: Call, model: ModelSpec, limit_name: str) -> dict[str, Json]:
    """Messages and the parameters that are set; what is not set is left out, never sent as null."""
    body: dict[str, Json] = {
        "model": model.model,
        "messages": [{"role": message.role, "content": content_of(message)} for message in call.messages],
    }
    if call.max_output_tokens is not None:
        body[limit_name] = call.max_output_tokens
    if call.temperature is not None:
        body["temperature"] = call.temperature
    if model.reasoning_effort is not None:
        body["reasoning_effort"] = model.reasoning_effort
    if model.seed is not None:
        body["seed"] = call_seed(call, model.seed)
    if call.json_schema is not None:
        schema = {"name": "reply", "strict": True, "schema": dict(call.json_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if model.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    return body


def content_of(message: Message) -> Json:
    """Return a message's content: its text, or a list of its attachments with the text behind them."""
    if not message.attachments:
        return message.content
    return [*map(_part, message.attachments), {"type": "text", "text": message.content}]


def _part(attachment: Attachment) -> Json:
    url = f"data:{attachment.mime};base64,{attachment.base64}"
    if attachment.mime == PDF:
        return {"type": "file", "file": {"filename": attachment.path.rpartition("/")[2], "file_data": url}}
    return {"type": "image_url", "image_url": {"url": url}}


def request_of(model: ModelSpec, repairs: Mapping[str, Repair], body: dict[str, Json]) -> Request:
    """A body with what was learnt applied, the model's extra fields added, and its headers."""
    for name, repair in sorted(repairs.items(), key=lambda pair: pair[1].rename_to is None):
        if name in body:  # renamed first: what was learnt later is about the new name
            _mend(body, name, repair)
    if "stream" not in body:
        body.pop("stream_options", None)
    if model.extra_body:
        body.update((name, value) for name, value in model.extra_body.items() if name not in STREAMING)
    return Request(
        PATH,
        _encode(body).encode("ascii"),
        {"content-type": "application/json", "accept": "application/json"},
        key_header="authorization",
        organization_header=_organization_header(model),
    )


def _mend(body: dict[str, Json], name: str, repair: Repair) -> None:
    """Lower a parameter, send it under its other name, or leave it out."""
    value = body.pop(name)
    if repair.lower_to is not None:
        body[repair.rename_to or name] = min(value, repair.lower_to)
    elif repair.rename_to:
        body[repair.rename_to] = value


def _organization_header(model: ModelSpec) -> str | None:
    return "openai-organization" if model.organization_env else None


def list_models(model: ModelSpec) -> Request:
    """The request for the models that a server has."""
    return Request(
        MODELS_PATH,
        b"",
        {"accept": "application/json"},
        key_header="authorization",
        method="GET",
        organization_header=_organization_header(model),
    )


def read_models(body: bytes) -> list[Listed]:
    """The models in a server's list, in its order; ValueError where it is no such list."""
    entries = table(parse_json(body)).get("data")
    if not isinstance(entries, list):
        raise ValueError("not a list of models: it has no `data`")
    models = [_listed(entry) for entry in map(table, entries) if isinstance(entry.get("id"), str) and entry["id"]]
    if entries and not models:
        raise ValueError("not a list of models: nothing in it has an id")
    return models


def _listed(entry: Mapping[str, Any]) -> Listed:
    """One model; the length of its context stands under another name at vLLM, OpenRouter and llama.cpp.

    What a model was trained with (n_ctx_train) is not what is served: where a server tells that alone, nothing is known.
    """
    lengths = (entry.get("max_model_len"), entry.get("context_length"), table(entry.get("meta")).get("n_ctx"))
    return Listed(
        entry["id"],
        shutdown_date=_date(entry.get("shutdown_date")) or _date(entry.get("expiration_date")),
        context_tokens=next(filter(None, map(count, lengths)), None),
        owner=text_or_none(entry.get("owned_by")) or "",
    )


def _date(value: Any) -> str | None:
    """The day of a date written as text (YYYY-MM-DD, with or without a time); anything else is none."""
    match = (
        re.match(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?![0-9])", value) if isinstance(value, str) else None
    )
    return match[0] if match else None


def decode(status: int, headers: Mapping[str, str], body: bytes) -> Completion | ApiError:
    """Decode a response. Streams, errors inside HTTP 200 and unreadable bodies are told apart, whatever was asked for."""
    try:
        parsed = opened(status, headers, body)
    except ValueError as error:
        if status >= 300:
            return read_error(status, headers, body, _first_event(body), REPAIRABLE)
        return not_json(status, body, error)
    if parsed is EVENTS:
        return read_events(body)
    answer = table(parsed)
    if status != 200 or answer.get("error") or (not answer.get("choices") and error_object(parsed)):
        return read_error(status, headers, body, parsed, REPAIRABLE)
    return priced_by_header(read_completion(parsed), headers)


def priced_by_header(reply: Completion | ApiError, headers: Mapping[str, str]) -> Completion | ApiError:
    """Return the reply, with the cost that stands beside it in a header, where it does not tell one itself."""
    if COST_HEADER not in headers or reply.usage.cost_usd is not None:
        return reply
    return replace(reply, usage=replace(reply.usage, cost_usd=dollars_in(headers[COST_HEADER])))


def _first_event(body: bytes) -> Json:
    """Return the first JSON event of an error that comes as a stream; None where it is no stream."""
    if looks_like_events(body):
        for event in events(body.decode("utf-8", "replace")):
            try:
                return parse_json(event.encode("utf-8"))
            except ValueError:
                continue
    return None


def read_completion(parsed: Json) -> Completion | ApiError:
    """A chat completion object to its visible text, the thoughts before it, finish reason and usage."""
    completion = table(parsed)
    usage = read_usage(completion.get("usage"))
    choices = completion.get("choices")
    if not isinstance(choices, list) or not choices:
        problem = "HTTP 200 without choices" if isinstance(parsed, dict) else "HTTP 200 with JSON that is not an object"
        return ApiError("protocol", problem, retry=True, usage=usage, body=parsed)
    choice = table(choices[0])
    if choice.get("error"):
        fault = read_error(200, {}, b"", {"error": choice["error"]}, REPAIRABLE)
        return replace(fault, usage=usage, body=parsed)
    message = table(choice.get("message"))
    finish = text_or_none(choice.get("finish_reason"))
    if finish in BROKEN_OFF:
        problem = f"HTTP 200 with a reply that was interrupted (finish reason {finish})"
        return ApiError("transient", problem, retry=True, usage=usage, finish_reason=finish, body=parsed)
    text, reasoning = text_and_reasoning(message)
    return Completion(
        text=text,
        finish_reason=finish,
        usage=usage,
        served_model=text_or_none(completion.get("model")),
        refusal=text_or_none(message.get("refusal")) or ("content filter" if finish == "content_filter" else None),
        refusal_words=text_or_none(message.get("refusal")),
        body=parsed,
        reasoning=reasoning,
    )


def text_and_reasoning(message: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The answer of a message, and the thoughts before it, whether they have a field of their own or stand in the text.

    Where they have a field, only a thought that opens the text is taken out of it: some servers show it twice.
    """
    text, reasoning = visible_text(message.get("content")), reasoning_text(message)
    if text is None or (reasoning is not None and not text.lstrip().startswith("<think")):
        return text, reasoning
    text, inline = split_thinking(text)
    return text, reasoning or inline


def read_usage(value: Any) -> Usage:
    """Tokens and cost as reported; whatever is missing or impossible is None."""
    usage = table(value)
    prompt = table(usage.get("prompt_tokens_details"))
    completion = table(usage.get("completion_tokens_details"))
    cost = usage.get("cost")
    own_key = usage.get("is_byok") is True
    return Usage(
        prompt_tokens=count(usage.get("prompt_tokens")),
        completion_tokens=count(usage.get("completion_tokens")),
        total_tokens=count(usage.get("total_tokens")),
        cached_tokens=count(prompt.get("cached_tokens")),
        cache_write_tokens=count(prompt.get("cache_write_tokens")),
        reasoning_tokens=count(completion.get("reasoning_tokens")),
        cost_usd=dollars(cost.get("total_cost") if isinstance(cost, dict) else cost),
        upstream_cost_usd=dollars(table(usage.get("cost_details")).get("upstream_inference_cost")) if own_key else None,
    )


def read_events(body: bytes) -> Completion | ApiError:
    """A whole server-sent stream to the completion it adds up to; an ApiError without a finish, with an error or garbage."""
    stream = ChatStream()
    try:
        for event in events(body.decode("utf-8-sig")):
            stream.feed(event)
    except ValueError as error:
        return ApiError("protocol", f"a stream that cannot be read: {one_line(str(error), 120)}", retry=True)
    whole = stream.completion()
    usage = read_usage(stream.fields.get("usage"))
    if stream.error:
        return replace(read_error(200, {}, b"", whole, REPAIRABLE), usage=usage)
    if stream.finish_reason is None:
        message = f"a stream that ended without a finish reason ({'with' if stream.done else 'and without'} [DONE])"
        known_usage = usage if stream.done else Usage()  # counts before the end may be those of a part
        return ApiError(
            "protocol", message, retry=True, usage=known_usage, served_model=text_or_none(stream.fields.get("model"))
        )
    return read_completion(whole)


WIRE = Wire(
    "https://api.openai.com/v1",
    "OPENAI_API_KEY",
    encode,
    decode,
    shows=shows,
    words=words,
    accepts=IMAGES | {PDF},
    list_models=list_models,
    read_models=read_models,
    batches=OPENAI,
    keeps_prefix=lambda model: model.base_url is None,
    prefixes=("gpt-", "chatgpt-", "o1", "o3", "o4", "codex-", "computer-use-", "ft:gpt-"),
)
