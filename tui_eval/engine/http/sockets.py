"""Name lookup, sockets, and the authorities that are trusted over TLS."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Iterable
from typing import Any

import certifi
from aiohttp.abc import AbstractResolver, ResolveResult


def trusted_authorities(bases: Iterable[str]) -> ssl.SSLContext | bool:
    """Whom to trust over https: the system's authorities and certifi's. Loading them takes a while: only where needed."""
    if not any(base.lower().startswith("https:") for base in bases):
        return True
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


class Resolver(AbstractResolver):
    """Name lookup in threads of its own that nothing waits for: a dead name holds up no other, nor the program's end."""

    async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC) -> list[ResolveResult]:
        """The addresses of a host."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[Any]] = loop.create_future()

        def tell(addresses: list[Any] | None, error: Exception | None) -> None:
            if not answer.done():
                answer.set_exception(error) if error is not None else answer.set_result(addresses or [])

        def look_up() -> None:
            addresses, error = None, None
            try:
                addresses = _addresses(host, port, family)
            except OSError as problem:
                error = problem
            except ValueError as problem:
                error = socket.gaierror(socket.EAI_NONAME, f"no name at all: {problem}")
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(tell, addresses, error)

        threading.Thread(target=look_up, name="lookup", daemon=True).start()
        return [
            ResolveResult(hostname=host, host=str(a[4][0]), port=port, family=a[0], proto=a[2], flags=socket.AI_NUMERICHOST)
            for a in await answer
        ]

    async def close(self) -> None:
        """Nothing to let go of."""


def _addresses(host: str, port: int, family: int) -> list[Any]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family, flags=socket.AI_ADDRCONFIG)


def lasting_socket(address: Any) -> socket.socket:
    """A socket that keeps a long silent call alive behind a router."""
    new_socket = socket.socket(address[0], address[1], address[2])
    new_socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        new_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)
    return new_socket
