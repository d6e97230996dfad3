"""OpenAI chat completions, as spoken by OpenAI, Ollama, llama.cpp, vLLM, LM Studio, LiteLLM and many more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tui_eval.providers.body import count, dollars, not_json, parse_json, table, text_or_none
from tui_eval.providers.refusal import error_object, read_error
from tui_eval.providers.stream import assemble
from tui_eval.providers.wire import Wire
from tui_eval.types import Call, Fault, Json, ModelSpec, Repair, Request, Said, Usage, call_seed

REPAIRABLE = frozenset({"temperature", "max_tokens", "max_completion_tokens", "reasoning_effort", "reasoning", "seed"})
PATH = "/chat/completions"


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call. OpenAI itself wants max_completion_tokens, everyone else knows max_tokens."""
    limit_name = "max_completion_tokens" if model.base_url is None else "max_tokens"
    return request_of(model, repairs, parameters(call, model, limit_name))


def parameters(call: Call, model: ModelSpec, limit_name: str) -> dict[str, Json]:
    """Messages and the parameters that are set; what is not set is left out, never sent as null."""
    body: dict[str, Json] = {
        "model": model.model,
        "messages": [{"role": message.role, "content": message.content} for message in call.messages],
    }
    if call.max_output_tokens is not None:
        body[limit_name] = call.max_output_tokens
    if call.temperature is not None:
        body["temperature"] = call.temperature
    if model.reasoning_effort is not None:
        body["reasoning_effort"] = model.reasoning_effort
    if model.seed is not None:
        body["seed"] = call_seed(call, model.seed)
    return body


def request_of(model: ModelSpec, repairs: Mapping[str, Repair], body: dict[str, Json]) -> Request:
    """A body with what was learnt applied, the model's extra fields added, and its headers."""
    for name, repair in repairs.items():
        if name in body:
            value = body.pop(name)
            if repair.rename_to:
                body[repair.rename_to] = value
    if model.extra_body:
        body.update(model.extra_body)
    return Request(
        PATH,
        json.dumps(body, allow_nan=False).encode("ascii"),
        {"content-type": "application/json", "accept": "application/json"},
        key_header="authorization",
    )


def decode(status: int, headers: Mapping[str, str], body: bytes) -> Said | Fault:
    """What a response says. Errors inside HTTP 200, streams nobody asked for and unreadable bodies are told apart."""
    if status == 200 and headers.get("content-type", "").lower().startswith("text/event-stream"):
        return read_events(body)
    try:
        parsed = parse_json(body)
    except ValueError as error:
        if status >= 300:
            return read_error(status, headers, body, None, REPAIRABLE)
        return not_json(status, body, error)
    answer = table(parsed)
    if status != 200 or answer.get("error") or (not answer.get("choices") and error_object(parsed)):
        return read_error(status, headers, body, parsed, REPAIRABLE)
    return read_completion(parsed)


def read_completion(parsed: Json) -> Said | Fault:
    """A chat completion object to its visible text, finish reason and usage."""
    completion = table(parsed)
    usage = read_usage(completion.get("usage"))
    choices = completion.get("choices")
    if not isinstance(choices, list) or not choices:
        what = "HTTP 200 without choices" if isinstance(parsed, dict) else "HTTP 200 with JSON that is no object"
        return Fault("empty" if completion else "protocol", what, retry=True, usage=usage, body=parsed)
    choice = table(choices[0])
    if choice.get("error"):
        fault = read_error(200, {}, b"", {"error": choice["error"]}, REPAIRABLE)
        return Fault(fault.kind, fault.message, scope=fault.scope, retry=fault.retry, usage=usage, body=parsed)
    message = table(choice.get("message"))
    finish = text_or_none(choice.get("finish_reason"))
    return Said(
        text=visible_text(message.get("content")),
        finish_reason=finish,
        usage=usage,
        served_model=text_or_none(completion.get("model")),
        refusal=text_or_none(message.get("refusal")) or ("content filter" if finish == "content_filter" else None),
        body=parsed,
    )


def visible_text(content: Any) -> str | None:
    """The text of a message: a string, or the text parts of a list joined; reasoning stands elsewhere and stays out."""
    if isinstance(content, list):
        parts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return "".join(parts) if parts else None
    return text_or_none(content)


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


def read_events(body: bytes) -> Said | Fault:
    """A whole server-sent stream to the completion it adds up to."""
    whole = assemble(body)
    if isinstance(whole, Fault):
        return whole
    if whole.get("error"):
        return replace(read_error(200, {}, b"", whole, REPAIRABLE), usage=read_usage(whole.get("usage")))
    return read_completion(whole)


WIRE = Wire("https://api.openai.com/v1", "OPENAI_API_KEY", encode, decode)
