"""Ollama on this machine: the OpenAI wire without a key. Its native errors are texts, which that wire reads, too."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tui_eval.core.calls import Call, ModelSpec, Repair, Request
from tui_eval.providers import openai
from tui_eval.providers.body import body_table, count, table, text_or_none
from tui_eval.providers.stream import shows, words
from tui_eval.providers.wire import IMAGES, Wire


def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
    """The request of a call; a key is sent only where the config names one, for a server behind a gateway."""
    return openai.request_of(model, repairs, openai.parameters(call, model, "max_tokens"))


_NUM_CTX = re.compile(r"(?m)^num_ctx[ \t]+([1-9][0-9]{0,8})[ \t]*$")


def read_num_ctx(body: bytes | None) -> int | None:
    """The context that a model's own file sets, by the answer of /api/show; None where it sets none.

    What that answer says of the model itself (model_info) is what it was trained with, and is served to nobody.
    """
    parameters = text_or_none(body_table(body).get("parameters")) or ""
    values = _NUM_CTX.findall(parameters)
    return int(values[-1]) if values else None


def read_loaded(body: bytes | None) -> dict[str, int]:
    """The context of each model that is loaded, by its name, by the answer of /api/ps."""
    listed = body_table(body).get("models")
    lengths: dict[str, int] = {}
    for entry in map(table, listed if isinstance(listed, list) else ()):
        length = count(entry.get("context_length"))
        if length:
            lengths |= {name: length for key in ("name", "model") if (name := text_or_none(entry.get(key)))}
    return lengths


WIRE = Wire(
    "http://127.0.0.1:11434/v1",
    None,
    encode,
    openai.decode,
    shows=shows,
    words=words,
    accepts=IMAGES,
    list_models=openai.list_models,
    read_models=openai.read_models,
    cuts_prompts=True,
)
