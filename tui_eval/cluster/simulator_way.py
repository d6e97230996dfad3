"""The way from a worker to the run's own simulator: where it is gone no model has failed, and no call has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from tui_eval.core.calls import Json, ModelSpec, Request
from tui_eval.engine.http.send import HttpReply, Lost, Sender
from tui_eval.providers.wire import Shows

CONNECT_S = 2.0


class SimulatorWay(Sender):
    """A worker's sender. The simulator is on the coordinator's machine: it ends with that, or SSH's way there does."""

    def __init__(self, embedded: Mapping[str, str], on_lost: Callable[[], None], **sending: Any) -> None:
        """`embedded`: URLs of the run's own servers, by wire; `on_lost`: called once where none is reached any more;
        `sending`: all else that a sender takes."""
        super().__init__(embedded=embedded, **sending)
        self._embedded, self._on_lost = embedded, on_lost
        self._is_lost = False

    async def send(
        self,
        request: Request,
        model: ModelSpec,
        attempt_id: str,
        shows: Shows | None = None,
        hear: Callable[[Json], None] | None = None,
    ) -> HttpReply | Lost:
        """Send a request. Where the simulator is gone it never returns: the session ends, and another worker asks the call."""
        got = await super().send(request, model, attempt_id, shows, hear)
        url = self._embedded.get(model.wire) if model.base_url is None else None
        if isinstance(got, Lost) and url is not None and not await _is_there(url):
            if not self._is_lost:
                self._is_lost = True
                self._on_lost()
            await asyncio.Event().wait()
        return got


async def _is_there(url: str) -> bool:
    """Return whether anybody listens at a URL."""
    place = urlsplit(url)
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
