"""Wire formats: how each kind of server is asked and understood."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tui_eval.core.calls import Call, ModelSpec, Request
from tui_eval.core.plugins import Registry
from tui_eval.providers import (
    anthropic,
    azure,
    foundry,
    gemini,
    local,
    ollama,
    openai,
    openrouter,
    recorded,
    responses,
    simulator,
)
from tui_eval.providers.wire import Wire

_OURS = {
    "openai": openai.WIRE,
    "openai-responses": responses.WIRE,
    "anthropic": anthropic.WIRE,
    "azure": azure.WIRE,
    "azure-classic": azure.CLASSIC,
    "foundry": foundry.WIRE,
    "foundry-serverless": foundry.SERVERLESS,
    "gemini": gemini.WIRE,
    "ollama": ollama.WIRE,
    "llama.cpp": local.LLAMA_CPP,
    "vllm": local.VLLM,
    "lmstudio": local.LM_STUDIO,
    "openrouter": openrouter.WIRE,
    "simulator": simulator.WIRE,
    "recorded": recorded.WIRE,
}


def _problems(name: str, brought: Any) -> Iterator[str]:
    """What is wrong with a wire that a package brings."""
    if not isinstance(brought, Wire):
        yield f"it is no Wire but {type(brought).__name__}"
    elif brought.simulated or brought.recorded:
        yield "only wires of tui-eval itself are simulated or recorded"
    elif not isinstance(brought.encode(Call("", "", name, ()), ModelSpec(name, name, name), {}), Request):
        yield "its encode makes no Request of a call without messages"


WIRES: Registry[Wire] = Registry("tui_eval.wires", "wire", _problems, _OURS, alias="tui_eval.providers")
