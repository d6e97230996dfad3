"""Wire formats: how each kind of server is asked and understood."""

from tui_eval.providers import openai, openrouter, recorded, simulator
from tui_eval.providers.wire import Wire

WIRES: dict[str, Wire] = {
    "openai": openai.WIRE,
    "openrouter": openrouter.WIRE,
    "simulator": simulator.WIRE,
    "recorded": recorded.WIRE,
}
