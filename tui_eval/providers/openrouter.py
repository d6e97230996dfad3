"""OpenRouter: chat completions with a cost in every reply, routing fields, and errors inside HTTP 200."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tui_eval.core.calls import Call, ModelSpec, Repair, Request
from tui_eval.providers import openai
from tui_eval.providers.shared_prefix import MARK, blocks_of, end_of_prefix
from tui_eval.providers.stream import shows, words
from tui_eval.providers.wire import IMAGES, PDF, Wire

MARKED = "anthropic/"
"""How the ids of models begin whose provider keeps no prompt that is not marked."""
KEPT = (MARKED, "openai/")
"""How those begin whose provider keeps the beginnings of long prompts."""
ATTRIBUTION = {"http-referer": "http://localhost", "x-title": "tui-eval"}


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call, with usage accounting on and the model's routing wishes as `provider`."""
    body = openai.parameters(call, model, "max_tokens")
    place = end_of_prefix(call.messages) if model.model.startswith(MARKED) and MARK not in repairs else None
    if place is not None and not call.messages[place].attachments:
        body["messages"][place]["content"] = blocks_of(call.messages[place].content, call.messages[place].shared)
    effort = body.pop("reasoning_effort", None)
    if effort is not None:
        body["reasoning"] = {"effort": effort}
    body["usage"] = {"include": True}
    if model.routing:
        body["provider"] = dict(model.routing)
    request = openai.request_of(model, repairs, body)
    return replace(request, headers={**request.headers, **ATTRIBUTION})


WIRE = Wire(
    "https://openrouter.ai/api/v1",
    "OPENROUTER_API_KEY",
    encode,
    openai.decode,
    shows=shows,
    words=words,
    accepts=IMAGES | {PDF},
    list_models=openai.list_models,
    read_models=openai.read_models,
    keeps_prefix=lambda model: model.model.startswith(KEPT),
)
