"""Replies told bit by bit: the events of a stream, and how they are spread over a persona's time."""

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tui_eval.simulator.apis.replies import CHARACTERS_PER_TOKEN, LABEL_HEADERS

_BEFORE_FIRST_EVENT = 0.4
"""The share of a reply's time that passes before anything of it is told."""


@dataclass(frozen=True, slots=True)
class Streaming:
    """A stream of which only the last bytes are still to be sent."""

    response: web.StreamResponse
    last: bytes

    async def end(self) -> web.StreamResponse:
        """Send them. A client that has gone meanwhile misses nothing that it wanted."""
        try:
            await self.response.write_eof(self.last)
        except ConnectionError:
            self.response.force_close()
        return self.response


def event(told: Mapping[str, Any], name: str | None = None) -> bytes:
    """One server-sent event with JSON as its data."""
    head = "" if name is None else f"event: {name}\n"
    return f"{head}data: {json.dumps(told)}\n\n".encode()


def pieces(text: str) -> list[str]:
    """A text in pieces as small as a token; joined they are the text again."""
    return [text[start : start + CHARACTERS_PER_TOKEN] for start in range(0, len(text), CHARACTERS_PER_TOKEN)]


async def tell(request: web.BaseRequest, events: Sequence[bytes], seconds: float) -> Streaming | None:
    """Send all events but the last, over that many seconds; None when the client has gone meanwhile."""
    response = web.StreamResponse(headers={**LABEL_HEADERS, "Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    try:
        await response.prepare(request)
        if seconds <= 0 and len(events) > 1:
            await response.write(b"".join(events[:-1]))
        elif seconds > 0:
            await asyncio.sleep(seconds * _BEFORE_FIRST_EVENT)
            for one in events[:-1]:
                await response.write(one)
                await asyncio.sleep(seconds * (1 - _BEFORE_FIRST_EVENT) / len(events))
    except ConnectionError:
        return None
    return Streaming(response, events[-1])


async def tell_and_cut(request: web.BaseRequest, events: Sequence[bytes]) -> None:
    """Send the events and no end of the stream; the connection is for the caller to close."""
    response = web.StreamResponse(headers={**LABEL_HEADERS, "Content-Type": "text/event-stream"})
    with contextlib.suppress(ConnectionError):
        await response.prepare(request)
        await response.write(b"".join(events))
