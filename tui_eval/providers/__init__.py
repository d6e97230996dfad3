"""Registry of the wire formats, one for each sort of server; each is loaded at its first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tui_eval.core.calls import Call, ModelSpec, Request
from tui_eval.core.plugins import Lazy, Registry
from tui_eval.providers.wire import Wire

_OURS: Mapping[str, Lazy[Wire]] = {
    "openai": Lazy("tui_eval.providers.openai:WIRE"),
    "openai-responses": Lazy("tui_eval.providers.responses:WIRE"),
    "anthropic": Lazy("tui_eval.providers.anthropic:WIRE"),
    "azure": Lazy("tui_eval.providers.azure:WIRE"),
    "azure-classic": Lazy("tui_eval.providers.azure:CLASSIC"),
    "foundry": Lazy("tui_eval.providers.foundry:WIRE"),
    "foundry-serverless": Lazy("tui_eval.providers.foundry:SERVERLESS"),
    "gemini": Lazy("tui_eval.providers.gemini:WIRE"),
    "ollama": Lazy("tui_eval.providers.ollama:WIRE"),
    "llama.cpp": Lazy("tui_eval.providers.local:LLAMA_CPP"),
    "vllm": Lazy("tui_eval.providers.local:VLLM"),
    "lmstudio": Lazy("tui_eval.providers.local:LM_STUDIO"),
    "openrouter": Lazy("tui_eval.providers.openrouter:WIRE"),
    "simulator": Lazy("tui_eval.providers.simulator:WIRE"),
    "recorded": Lazy("tui_eval.providers.recorded:WIRE"),
}


def _problems(name: str, wire: Any) -> Iterator[str]:
    """Yield the faults of a wire that a package brings."""
    if not isinstance(wire, Wire):
        yield f"it is not a Wire but {type(wire).__name__}"
    elif wire.simulated or wire.recorded:
        yield "only wires of tui-eval itself are simulated or recorded"
    elif not isinstance(wire.encode(Call("", "", name, ()), ModelSpec(name, name, name), {}), Request):
        yield "its encode returns no Request for a call without messages"


WIRES: Registry[Wire] = Registry("tui_eval.wires", "wire", _problems, _OURS, alias="tui_eval.providers")
