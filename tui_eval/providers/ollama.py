"""Ollama on this machine: the OpenAI wire without a key. Its native errors are texts, which that wire reads, too."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.calls import Call, ModelSpec, Repair, Request
from tui_eval.providers import openai
from tui_eval.providers.stream import shows
from tui_eval.providers.wire import IMAGES, Wire


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call; a key is sent only where the config names one, for a server behind a gateway."""
    return openai.request_of(model, repairs, openai.parameters(call, model, "max_tokens"))


WIRE = Wire(
    "http://127.0.0.1:11434/v1",
    None,
    encode,
    openai.decode,
    shows=shows,
    accepts=IMAGES,
    list_models=openai.list_models,
    read_models=openai.read_models,
    cuts_prompts=True,
)
