"""Gemini by its OpenAI-compatible endpoint, where a filtered reply is one without choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tui_eval.core.calls import ApiError, Call, Completion, Json, ModelSpec, Repair, Request
from tui_eval.providers import openai
from tui_eval.providers.body import table, text_or_none
from tui_eval.providers.stream import shows, words
from tui_eval.providers.wire import IMAGES, Listed, Wire


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call."""
    return openai.request_of(model, repairs, openai.parameters(call, model, "max_tokens"))


def decode(status: int, headers: Mapping[str, str], body: bytes) -> Completion | ApiError:
    """Decode a response; without choices, or with null for a message, the safety filter kept it back."""
    reply = openai.decode(status, headers, body)
    if status == 200 and _is_filtered(reply.body):
        return Completion(
            text=None,
            finish_reason="content_filter",
            usage=reply.usage,
            served_model=text_or_none(table(reply.body).get("model")),
            refusal="content filter",
            body=reply.body,
        )
    return reply


def _is_filtered(completion: Json) -> bool:
    if table(completion).get("error"):
        return False
    choices = table(completion).get("choices")
    if not isinstance(choices, list):
        return False
    if not choices:
        return True
    choice = table(choices[0])
    return (
        "message" in choice
        and choice["message"] is None
        and not choice.get("error")
        and choice.get("finish_reason") not in ("length", *openai.BROKEN_OFF)
    )


def read_models(body: bytes) -> list[Listed]:
    """The models in Google's list, where each id stands behind the name of the collection."""
    return [replace(listed, id=listed.id.removeprefix("models/")) for listed in openai.read_models(body)]


WIRE = Wire(
    "https://generativelanguage.googleapis.com/v1beta/openai",
    "GEMINI_API_KEY",
    encode,
    decode,
    shows=shows,
    words=words,
    accepts=IMAGES,
    list_models=openai.list_models,
    read_models=read_models,
    prefixes=("gemini-",),
)
