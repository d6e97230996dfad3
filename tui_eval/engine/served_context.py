"""How long a context servers on this machine really serve, where their list of models does not say it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from tui_eval.core.calls import Request
from tui_eval.providers import local, ollama
from tui_eval.providers.wire import Listed

Ask = Callable[[Request], Awaitable[bytes | None]]
"""What a server answers with HTTP 200 in time; None for anything else."""
ACCEPTED = {"accept": "application/json"}
MOST_SHOWN = 50
"""Models of which Ollama is asked one by one how they are set up."""


async def with_served_context(wire: str, models: Sequence[Listed], ask: Ask) -> tuple[Listed, ...]:
    """The models, each with the context it is served with, which may be far less than it was trained with.

    llama.cpp: what its properties say of a slot, before what its list says. Ollama: num_ctx of the model's own file, or, where
    that sets none, what it is loaded with now; of others nothing is known.
    """
    if wire == "llama.cpp" and len(models) == 1:
        served = local.read_props(await ask(Request("/props", b"", ACCEPTED, method="GET")))
        return (replace(models[0], context_tokens=served or models[0].context_tokens),)
    if wire == "ollama":
        return await _of_ollama(models, ask)
    return tuple(models)


async def _of_ollama(models: Sequence[Listed], ask: Ask) -> tuple[Listed, ...]:
    loaded = ollama.read_loaded(await ask(Request("/api/ps", b"", ACCEPTED, method="GET")))

    async def served(model: Listed) -> int | None:
        body = json.dumps({"model": model.id}).encode("ascii")
        own = ollama.read_num_ctx(await ask(Request("/api/show", body, {**ACCEPTED, "content-type": "application/json"})))
        return own or loaded.get(model.id)

    lengths = await asyncio.gather(*map(served, models[:MOST_SHOWN]))
    shown = [replace(model, context_tokens=n or model.context_tokens) for model, n in zip(models, lengths, strict=False)]
    return (*shown, *models[MOST_SHOWN:])
