"""The built-in simulator: the OpenAI wire to a server of our own, with everything it says marked as simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tui_eval.core.calls import Call, ModelSpec, Repair, Request
from tui_eval.providers import openai
from tui_eval.providers.batches import OPENAI
from tui_eval.providers.stream import shows, words
from tui_eval.providers.wire import IMAGES, Wire


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call, without a key."""
    return _without_key(openai.request_of(model, repairs, openai.parameters(call, model, "max_tokens")))


def list_models(model: ModelSpec) -> Request:
    """The request for the list of personas, without a key."""
    return _without_key(openai.list_models(model))


def _without_key(request: Request) -> Request:
    return replace(request, key_header=None, organization_header=None)


WIRE = Wire(
    None,
    None,
    encode,
    openai.decode,
    shows=shows,
    words=words,
    accepts=IMAGES,
    list_models=list_models,
    read_models=openai.read_models,
    batches=OPENAI,
    simulated=True,
)
