"""The first call of a model on a long text goes ahead of the others, so that they find on the server what it made of it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from tui_eval.core.calls import Call, ModelSpec
from tui_eval.providers import WIRES
from tui_eval.providers.shared_prefix import prefix_digest

PATIENCE_S = 10.0
"""How long others wait for a first call, in all: a prompt is read, and kept, long before its reply is complete."""


class FirstAttempts:
    """Models whose first call of the run is through, whatever it came to; it goes alone, for it finds out about the model."""

    def __init__(self) -> None:
        self._through: dict[str, asyncio.Event] = {}

    def meet(self, name: str) -> None:
        """A model needs no first call: it is simulated, or known."""
        self._through.setdefault(name, asyncio.Event()).set()

    def has_begun(self, name: str) -> bool:
        """Return whether a model was asked, or needs no first call."""
        return name in self._through

    async def turn(self, name: str, stopping: asyncio.Event) -> asyncio.Event:
        """Wait until a model's first call has ended an attempt, or the run is being stopped; not where this is the first.

        What is returned is to be set when an attempt of this call has ended.
        """
        through = self._through.get(name)
        if through is None:
            through = self._through[name] = asyncio.Event()
        elif not through.is_set():
            await either(through, stopping)
        return through


class FirstCalls:
    """Common beginnings that each model has been sent.

    Only calls of one model wait for each other, and only where its server keeps such beginnings: where none can be kept no
    call is slowed, and a model that fails or hangs holds up no other.
    """

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._through: dict[tuple[str, bytes], asyncio.Event] = {}
        self._patience_s = patience_s

    async def turn(self, call: Call, model: ModelSpec, stopping: asyncio.Event) -> asyncio.Event | None:
        """Wait until the first call that begins alike has ended an attempt, well or not, or the run is being stopped.

        What is returned is to be set when an attempt of this call has ended; None where its beginning is not kept.
        """
        digest = prefix_digest(call.messages) if WIRES[model.wire].keeps_prefix(model) else None
        if digest is None:
            return None
        through = self._through.get((model.name, digest))
        if through is None:
            through = self._through[model.name, digest] = asyncio.Event()
        elif not through.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._patience_s):
                    await either(through, stopping)
            through.set()
        return through


async def either(first: asyncio.Event, second: asyncio.Event) -> None:
    """Wait until one of two events is set."""
    waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(event.wait()) for event in (first, second)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
