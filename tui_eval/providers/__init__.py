"""Wire formats: how each kind of server is asked and understood."""

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

WIRES: dict[str, Wire] = {
    "openai": openai.WIRE,
    "openai-responses": responses.WIRE,
    "anthropic": anthropic.WIRE,
    "azure": azure.WIRE,
    "azure-classic": azure.CLASSIC,
    "foundry": foundry.WIRE,
    "gemini": gemini.WIRE,
    "ollama": ollama.WIRE,
    "llama.cpp": local.LLAMA_CPP,
    "vllm": local.VLLM,
    "lmstudio": local.LM_STUDIO,
    "openrouter": openrouter.WIRE,
    "simulator": simulator.WIRE,
    "recorded": recorded.WIRE,
}
