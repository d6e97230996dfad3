"""The built-in simulator: the OpenAI wire to a server of our own, with everything it says marked as simulated."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.providers import openai
from tui_eval.providers.wire import Wire
from tui_eval.types import Call, ModelSpec, Repair, Request


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call, without a key."""
    request = openai.request_of(model, repairs, openai.parameters(call, model, "max_tokens"))
    return Request(request.path, request.body, request.headers)


WIRE = Wire(None, None, encode, openai.decode, simulated=True)
