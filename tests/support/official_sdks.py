"""What tests take of the providers' official SDKs, loaded when it is first asked for.

They take seconds to load, and each worker collects every file of the suite, whichever tests it is then given.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PLACES = {
    "openai": "openai",
    "anthropic": "anthropic",
    "ChatCompletion": "openai.types.chat",
    "Response": "openai.types.responses",
    "OpenAIBatch": "openai.types:Batch",
    "FileObject": "openai.types",
    "Message": "anthropic.types",
    "ErrorResponse": "anthropic.types",
    "MessageBatch": "anthropic.types.messages",
    "MessageBatchIndividualResponse": "anthropic.types.messages",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(name)
    place, _, called = _PLACES[name].partition(":")
    module = import_module(place)
    return module if place == name else getattr(module, called or name)
