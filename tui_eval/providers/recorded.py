"""Answers that were made elsewhere and imported: they are on file, and there is no server to ask."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.calls import ApiError, Call, Completion, ModelSpec, Repair, Request
from tui_eval.providers.wire import Wire


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """Never called: the engine sends nothing to a recorded model."""
    raise AssertionError(f"{model.name}: imported answers cannot be asked for")


def decode(status: int, headers: Mapping[str, str], body: bytes) -> Completion | ApiError:
    """Never called: nothing was sent."""
    raise AssertionError("imported answers have no server that replies")


WIRE = Wire(None, None, encode, decode, recorded=True)
