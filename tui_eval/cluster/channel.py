"""Messages between coordinator and worker: one connection, over the cluster's own TLS, past its scheduler."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from distributed.comm.core import Comm, CommClosedError, connect, listen
from distributed.security import Security

Message = dict[str, Any]
LOST = (OSError, EOFError, CommClosedError)
"""What is raised where a connection is lost."""


class Channel:
    """One connection. What comes is plain data: nothing in it is unpickled."""

    def __init__(self, comm: Comm) -> None:
        self._comm, self._lock = comm, asyncio.Lock()

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send a message whole, however many send at a time."""
        async with self._lock:
            await self._comm.write(dict(message))  # type: ignore[no-untyped-call]

    async def receive(self) -> Message:
        """Wait for the next message."""
        message = await self._comm.read()  # type: ignore[no-untyped-call]
        if not isinstance(message, dict):
            raise OSError("what came is no message")
        return message

    def cut(self) -> None:
        """End the connection now."""
        self._comm.abort()  # type: ignore[no-untyped-call]


async def dial(address: str, security: Security, timeout_s: float) -> Channel:
    """Connect to a worker. OSError where that is not possible."""
    arguments = security.get_connection_args("client")  # type: ignore[no-untyped-call]
    return Channel(await connect(address, timeout=timeout_s, deserialize=False, **arguments))  # type: ignore[no-untyped-call]


async def listen_at(place: str, security: Security, handle: Callable[[Channel], Awaitable[None]]) -> tuple[str, Any]:
    """Listen for coordinators; return the address to dial, and the listener, which is stopped by its `stop`."""

    async def accept(comm: Comm) -> None:
        await handle(Channel(comm))

    arguments = security.get_listen_args("worker")  # type: ignore[no-untyped-call]
    listener = await listen(place, accept, deserialize=False, **arguments)  # type: ignore[no-untyped-call]
    return str(listener.contact_address), listener
